// The mean temperature of each sensor in each minute, by the time at which it was measured.

import Compounds

private struct Reading: Sendable {
  let sensor: String
  let time: Duration
  let temperature: Double
}

func telemetry() async throws {
  let means = Windows<String, Reading>(
    .tumbling(.seconds(60)), by: \.sensor, at: \.time, lateness: .seconds(5)
  ) { reading in
    print("\(reading.sensor): \(reading.time) is too late")
  } action: { window in
    let mean = window.values.map(\.temperature).reduce(0, +) / Double(window.values.count)
    print("\(window.key) from \(window.start): \(mean) of \(window.values.count)")
  }

  // The attic's sensor stops after its first reading. It gets its window when the time of the cellar has passed it.
  means.add(Reading(sensor: "attic", time: .seconds(10), temperature: 30))
  for second in [20, 50, 40, 61, 58, 63, 71] {
    means.add(Reading(sensor: "cellar", time: .seconds(second), temperature: Double(second)))
  }
  await means.control.quiet(within: .seconds(10))
  means.add(Reading(sensor: "cellar", time: .seconds(59), temperature: 0))
  await means.control.drain()
}
