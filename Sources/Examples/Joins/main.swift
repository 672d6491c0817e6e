// Joins over data, each in a small file of this folder: names with keys, and compounds that are made of them.
//
//   swift run joins [NAME…]
//
// The guide "Joins over data" says what people write instead, and what goes wrong there.

let programs: KeyValuePairs<String, @Sendable () async throws -> Void> = [
  "orders": orders, "requests": requests, "telemetry": telemetry, "visitors": visitors,
]
let wanted = CommandLine.arguments.dropFirst()
for (name, run) in programs where wanted.isEmpty || wanted.contains(name) { try await run() }
