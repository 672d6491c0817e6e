// swift-tools-version: 6.2

import PackageDescription

// Dining philosophers in a window: a package of its own, so that neither the library nor its tests need GTK.
let package = Package(
  name: "PhilosophersWindow",
  dependencies: [.package(name: "Crucible", path: "../..")],
  targets: [
    .systemLibrary(name: "CGTK", path: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    // GTK's side: macros and functions with a variable number of arguments are C's own.
    .target(name: "CWindow", dependencies: ["CGTK"], path: "CWindow"),
    .executableTarget(
      name: "philosophers-window", dependencies: ["CWindow", .product(name: "Crucible", package: "Crucible")],
      path: "PhilosophersWindow"),
  ],
  swiftLanguageModes: [.v6]
)
