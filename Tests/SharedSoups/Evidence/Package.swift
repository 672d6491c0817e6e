// swift-tools-version: 6.2

import PackageDescription

// The tests of the shared soups, and the program whose processes they kill.
let package = Package(
  name: "SharedSoupsEvidence",
  dependencies: [
    .package(name: "Crucible", path: "../../.."),
    .package(name: "SharedSoups", path: "../../../Sources/SharedSoups"),
  ],
  targets: [
    .executableTarget(
      name: "shared-torture", dependencies: [.product(name: "SharedSoups", package: "SharedSoups")], path: "Torture"),
    .testTarget(
      name: "SharedSoupsTests",
      dependencies: [
        .product(name: "SharedSoups", package: "SharedSoups"), .product(name: "Crucible", package: "Crucible"),
      ],
      path: "SharedSoupsTests"),
  ],
  swiftLanguageModes: [.v6]
)
