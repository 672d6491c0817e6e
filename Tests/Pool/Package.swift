// swift-tools-version: 6.2

import PackageDescription

// A package that uses a pool of connections of a checkout with a Redis.
let package = Package(
  name: "Pool",
  dependencies: [.package(name: "Crucible", path: "../..")],
  targets: [
    .executableTarget(
      name: "PooledRedis", dependencies: [.product(name: "Compounds", package: "Crucible")], path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
