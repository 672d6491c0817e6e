// swift-tools-version: 6.2

import PackageDescription

#if !os(Linux)
  #error("Crucible needs Linux, for its core waits by futexes: build it in a container, see OnAMac.md in Crucible.docc")
#endif

// The targets stand in the order in which a value travels, from the last to the first: the library below, the core, the
// typed interface, the tests. There are no unsafe flags: a package that pins a version of this one could not build it.

// The library calls some entry points of Swift's runtime that have no public name, and reads the words of closures,
// objects and short strings. These toolchains are known to have them so. With any other the library is built on the
// public interface alone (`Placement/RuntimeEntry.swift` says what is lost).
#if compiler(<6.3) || compiler(>=6.4)
  let runtime: [SwiftSetting] = [.define("CRUCIBLE_PUBLIC_RUNTIME")]
#else
  let runtime: [SwiftSetting] = []
#endif

let package = Package(
  name: "Crucible",
  products: [
    .library(name: "Crucible", targets: ["Crucible"]),
    // Ready-made chemistry: locks, channels, promises, on the public interface alone.
    .library(name: "Compounds", targets: ["Compounds"]),
    // Waiting for what happens in soups, for the tests of those who use them.
    .library(name: "CrucibleTesting", targets: ["CrucibleTesting"]),
    // The C core, for the benchmarks' layer `c`. Its interface may change with any version.
    .library(name: "CCrucible", targets: ["CCrucible"]),
  ],
  traits: [
    .trait(name: "LTTng", description: "Tracepoints of LTTng-UST in the core; needs liblttng-ust-dev")
  ],
  targets: [
    .systemLibrary(
      name: "CURCU",
      path: "CSupport/CURCU",
      pkgConfig: "liburcu-bp",
      providers: [.apt(["liburcu-dev"])]
    ),
    .target(
      name: "CCrucible",
      dependencies: ["CURCU"],
      path: "CSupport/CCrucible",
      cSettings: [
        // Includes name the folder: "base/atomics.h".
        .headerSearchPath("src"),
        // liburcu checks its nesting by assert on every read section; SwiftPM leaves asserts on in release builds.
        .define("NDEBUG", .when(configuration: .release)),
        .define("CRUCIBLE_LTTNG", .when(traits: ["LTTng"])),
      ],
      linkerSettings: [.linkedLibrary("lttng-ust", .when(traits: ["LTTng"]))]
    ),
    .target(name: "CTask", path: "CSupport/CTask"),
    .target(
      name: "Crucible",
      dependencies: ["CCrucible", "CTask"],
      swiftSettings: [
        // Inlinable code calls the core directly (a call in between would be paid by every injection), so its import is
        // public, and all others say that they are not.
        .enableUpcomingFeature("InternalImportsByDefault")
      ] + runtime
    ),
    .target(name: "Compounds", dependencies: ["Crucible"]),
    .target(name: "CrucibleTesting", dependencies: ["Crucible"]),
    // Programs of a page, started by `swift run NAME`. No product lists them, so a dependent does not build them.
    .executableTarget(name: "bank", dependencies: ["Crucible"], path: "Sources/Examples/Bank"),
    .executableTarget(name: "bounded-buffer", dependencies: ["Crucible"], path: "Sources/Examples/BoundedBuffer"),
    .executableTarget(name: "counter", dependencies: ["Crucible"], path: "Sources/Examples/Counter"),
    .executableTarget(name: "gallery", dependencies: ["Crucible"], path: "Sources/Examples/Gallery"),
    .executableTarget(name: "joins", dependencies: ["Compounds"], path: "Sources/Examples/Joins"),
    .executableTarget(name: "map-reduce", dependencies: ["Compounds"], path: "Sources/Examples/MapReduce"),
    .executableTarget(name: "philosophers", dependencies: ["Crucible"], path: "Sources/Examples/Philosophers"),
    .executableTarget(name: "rate-limiter", dependencies: ["Compounds"], path: "Sources/Examples/RateLimiter"),
    .executableTarget(name: "readers-writers", dependencies: ["Crucible"], path: "Sources/Examples/ReadersWriters"),
    .executableTarget(name: "server", dependencies: ["Compounds"], path: "Sources/Examples/Server"),
    .target(
      name: "CrucibleTestSupport", dependencies: ["Crucible", "CrucibleTesting", "CCrucible"],
      path: "Tests/CrucibleTestSupport"),
    // Random chemistries against a model. The script beside them links them with cores of its own, and makes a program
    // of them.
    .target(name: "CHistories", path: "Tests/Histories/CHistories"),
    .target(
      name: "CrucibleHistories", dependencies: ["Crucible", "CHistories"], path: "Tests/Histories/CrucibleHistories"),
    .testTarget(
      name: "CrucibleTests",
      dependencies: [
        "Crucible", "CrucibleTesting", "CrucibleTestSupport", "CrucibleHistories",
        "bank", "bounded-buffer", "counter", "gallery", "joins", "map-reduce", "philosophers", "rate-limiter",
        "readers-writers", "server",
      ]),
    .testTarget(
      name: "CompoundsTests", dependencies: ["Compounds", "Crucible", "CrucibleTesting", "CrucibleTestSupport"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
