// swift-tools-version: 6.2

import PackageDescription

// The tests of the shared soups.
let package = Package(
  name: "SharedSoupsEvidence",
  dependencies: [
    .package(name: "Crucible", path: "../../.."),
    .package(name: "SharedSoups", path: "../../../Sources/SharedSoups"),
  ],
  targets: [
    .testTarget(
      name: "SharedSoupsTests",
      dependencies: [
        .product(name: "SharedSoups", package: "SharedSoups"), .product(name: "Crucible", package: "Crucible"),
      ],
      path: "SharedSoupsTests"),
  ],
  swiftLanguageModes: [.v6]
)
