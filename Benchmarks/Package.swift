// swift-tools-version: 6.0

// The benchmarks are a package of their own: they see Crucible as a user's package does, through its products.

import PackageDescription

let package = Package(
  name: "Benchmarks",
  products: [
    .executable(name: "benchmark", targets: ["Benchmark"])
  ],
  dependencies: [
    .package(name: "Crucible", path: "..")
  ],
  targets: [
    // Clock, tallies, crew, gate, counted allocations: what both layers are measured with.
    .target(name: "CHarness"),

    // Layer `c`: the cases against the core's C interface, and baselines in C.
    .target(
      name: "CCases",
      dependencies: [
        "CHarness",
        .product(name: "CCrucible", package: "Crucible"),
      ]
    ),

    // Chemistries that --soup measures: those of the gallery, and one's own.
    .target(
      name: "Soups",
      dependencies: [.product(name: "Crucible", package: "Crucible")],
      exclude: ["Gallery/main.swift"]
    ),

    // Layer `swift`, baselines in Swift, and the harness that lets them take turns.
    .executableTarget(
      name: "Benchmark",
      dependencies: [
        "CHarness",
        "CCases",
        "Soups",
        .product(name: "Compounds", package: "Crucible"),
        .product(name: "Crucible", package: "Crucible"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
