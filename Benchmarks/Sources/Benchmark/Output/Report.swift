extension Row {
  var json: JSON {
    let latencies = latency.map { latency in
      JSON.object([
        ("p50", .optional(latency.quantile(0.5))), ("p99", .optional(latency.quantile(0.99))),
        ("p999", .optional(latency.quantile(0.999))), ("p9999", .optional(latency.quantile(0.9999))),
        ("unit", .string("ns")),
      ])
    }
    return .object([
      ("case", .string(name)), ("matcher", .optional(entrant.matcherName)), ("placement", .optional(placement)),
      ("threads", .int(threads)), ("layer", .string(entrant.layerName)), ("reactions", .int(reactions)),
      ("nsPerReaction", spread.json), ("samples", .int(self.times.count)),
      ("allocationsPerReaction", .optional(allocations)),
      ("bytesPerReaction", .optional(bytes)), ("series", .optional(point?.series)),
      ("latency", latencies ?? .null), ("timesAsFastAsLocked", .optional(timesLocked)),
      ("timesAsFastAsBaseline", .optional(timesBaseline)), ("baseline", .optional(baseline?.name)),
      ("threadsSeen", .int(threadsSeen)), ("overlap", .optional(overlap)),
      ("processorsBusy", .optional(Spread(busy)?.median)),
      ("isOnOneProcessor", .bool(isOnOneProcessor)), ("atBest", best.json), ("paceNs", pace.json),
      ("lineNs", transfer.json),
      ("failure", .optional(failure)), ("moreThanNs", .optional(moreThan)),
    ])
  }
}

/// Returns all measurements, in a form for programs.
func report(_ machine: Machine, _ results: [Row], _ slopes: [Slope], _ regions: [Region]) -> JSON {
  .object(
    [("machine", machine.json), ("results", .array(results.map(\.json))), ("slopes", .array(slopes.map(\.json)))]
      + (regions.isEmpty ? [] : [("comparison", .array(regions.map(\.json)))]))
}

extension Spread? {
  fileprivate var json: JSON {
    map { .object([("min", .number($0.min)), ("median", .number($0.median)), ("max", .number($0.max))]) } ?? .null
  }
}

extension Best? {
  fileprivate var json: JSON {
    map { .object([("median", .number($0.median)), ("samples", .int($0.samples))]) } ?? .null
  }
}
