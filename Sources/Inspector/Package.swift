// swift-tools-version: 6.2

import PackageDescription

// The live inspector: a package of its own, so that the library's build needs nothing of it.
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
    // A chemistry to be looked at, for the tests and for a first look: swift run inspector-demo
    .executableTarget(name: "inspector-demo", dependencies: ["Inspector"], path: "Demo"),
  ],
  swiftLanguageModes: [.v6]
)
