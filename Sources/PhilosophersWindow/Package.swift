// swift-tools-version: 6.2

import PackageDescription

// Dining philosophers in a window. It is a separate package, so neither the library nor its tests need GTK.
let package = Package(
  name: "PhilosophersWindow",
  dependencies: [.package(name: "Crucible", path: "../..")],
  targets: [
    .systemLibrary(name: "CGTK", path: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    // The C part of the GTK code, because Swift cannot call macros and functions with a variable number of arguments.
    .target(name: "CWindow", dependencies: ["CGTK"], path: "CWindow"),
    .executableTarget(
      name: "philosophers-window", dependencies: ["CWindow", .product(name: "Crucible", package: "Crucible")],
      path: "PhilosophersWindow"),
  ],
  swiftLanguageModes: [.v6]
)
