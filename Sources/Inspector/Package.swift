// swift-tools-version: 6.2

import PackageDescription

// The live inspector. It is a separate package, so the library's build does not depend on it.
let package = Package(
  name: "Inspector",
  products: [.library(name: "Inspector", targets: ["Inspector"])],
  dependencies: [.package(name: "Crucible", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CMicroHTTPD", path: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "Inspector", dependencies: ["CMicroHTTPD", .product(name: "Crucible", package: "Crucible")],
      path: "Inspector", resources: [.embedInCode("Page")]),
    // A chemistry to watch, for the tests and for a first try: swift run inspector-demo
    .executableTarget(name: "inspector-demo", dependencies: ["Inspector"], path: "Demo"),
  ],
  swiftLanguageModes: [.v6]
)
