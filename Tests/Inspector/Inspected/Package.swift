// swift-tools-version: 6.2

import PackageDescription

// A package that uses a checkout and its inspector, with the lines that Seeing.md shows.
let package = Package(
  name: "Inspected",
  dependencies: [
    .package(name: "Crucible", path: "../../.."),
    .package(name: "Inspector", path: "../../../Sources/Inspector"),
  ],
  targets: [
    .executableTarget(
      name: "Inspected",
      dependencies: [
        .product(name: "Crucible", package: "Crucible"), .product(name: "Inspector", package: "Inspector"),
      ],
      path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
