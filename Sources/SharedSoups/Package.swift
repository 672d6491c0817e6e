// swift-tools-version: 6.2

import PackageDescription

// Shared soups: molecules that outlive the process. It is a separate package, so the library does not depend on SQLite.
let package = Package(
  name: "SharedSoups",
  products: [.library(name: "SharedSoups", targets: ["SharedSoups"])],
  dependencies: [.package(name: "Crucible", path: "../..")],
  targets: [
    .systemLibrary(name: "CSQLite", path: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // Calls of the kernel that Swift cannot make, because they have a variable number of arguments.
    .systemLibrary(name: "CKernel", path: "CKernel"),
    .target(
      name: "SharedSoups", dependencies: ["CSQLite", "CKernel", .product(name: "Crucible", package: "Crucible")],
      path: "SharedSoups", resources: [.embedInCode("Redis/Functions.lua")]),
    // Orders and payments, joined over processes of which one is killed: swift run orders
    .executableTarget(name: "orders", dependencies: ["SharedSoups"], path: "Orders"),
  ],
  swiftLanguageModes: [.v6]
)
