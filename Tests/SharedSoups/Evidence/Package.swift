// swift-tools-version: 6.2

import PackageDescription

// The tests of the shared soups, the program whose processes they kill, and the measurements.
let package = Package(
  name: "SharedSoupsEvidence",
  dependencies: [
    .package(name: "Crucible", path: "../../.."),
    .package(name: "SharedSoups", path: "../../../Sources/SharedSoups"),
  ],
  targets: [
    .executableTarget(
      name: "shared-torture", dependencies: [.product(name: "SharedSoups", package: "SharedSoups")], path: "Torture"),
    // Measures, and prints a table: swift run -c release shared-figures
    .executableTarget(
      name: "shared-figures", dependencies: [.product(name: "SharedSoups", package: "SharedSoups")], path: "Figures"),
    .testTarget(
      name: "SharedSoupsTests",
      dependencies: [
        .product(name: "SharedSoups", package: "SharedSoups"), .product(name: "Crucible", package: "Crucible"),
      ],
      path: "SharedSoupsTests"),
  ],
  swiftLanguageModes: [.v6]
)
