import Glibc

/// The place of a case in a series: the quantity that grows along the series, and its value in this case.
struct SeriesPoint: Sendable {
  let series: String
  /// The unit of the axis.
  let of: String
  /// Whether the axis reaches from 1 to millions. Then the slope is by factors of ten.
  let isLogarithmic: Bool
  let at: Double

  init(_ series: String, of: String, isLogarithmic: Bool = false, at: Int) {
    self.series = series
    self.of = of
    self.isLogarithmic = isLogarithmic
    self.at = Double(at)
  }

  /// Returns the point of another series at this place, which measures another figure of the same cases.
  func of(series: String) -> SeriesPoint { SeriesPoint(series, of: of, isLogarithmic: isLogarithmic, at: Int(at)) }
}

/// A series that was measured, with the line that fits it best.
struct Slope {
  let point: SeriesPoint
  let entrant: String
  let layer: String
  let matcher: String?
  let unit: String
  let points: [(at: Double, value: Double)]
  let slope: Double

  var per: String { point.isLogarithmic ? "decade" : String(point.of.dropLast(point.of.hasSuffix("s") ? 1 : 0)) }
  /// The last value over the first; nil if the first is zero.
  var growth: Double? { points[0].value > 0 ? points[points.count - 1].value / points[0].value : nil }

  /// Makes a slope. Returns nil if there are fewer than two points.
  init?(
    _ point: SeriesPoint, layer: String, matcher: String?, unit: String, points unsorted: [(at: Double, value: Double)]
  ) {
    let points = unsorted.sorted { $0.at < $1.at }
    guard points.count >= 2, points[0].at < points[points.count - 1].at else { return nil }
    self.point = point
    self.layer = layer
    self.matcher = matcher
    self.unit = unit
    self.points = points
    entrant = matcher.map { "\(layer), \($0)" } ?? layer
    let across = points.map { point.isLogarithmic ? log10($0.at) : $0.at }
    let count = Double(points.count)
    let meanX = across.reduce(0, +) / count
    let meanY = points.reduce(0) { $0 + $1.value } / count
    let products = zip(across, points).reduce(0) { $0 + ($1.0 - meanX) * ($1.1.value - meanY) }
    let squares = across.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
    slope = products / squares
  }

  var json: JSON {
    .object([
      ("series", .string(point.series)), ("of", .string(point.of)), ("layer", .string(layer)),
      ("matcher", .optional(matcher)), ("unit", .string(unit)), ("per", .string(per)), ("slope", .exact(slope)),
      ("points", .array(points.map { .array([.exact($0.at), .exact($0.value)]) })),
    ])
  }
}

extension [Row] {
  /// All series of at least two points: their ns, and their bytes where they were counted.
  var slopes: [Slope] {
    var keys: [String] = []
    var groups: [String: [Row]] = [:]
    for row in self where row.point != nil && row.spread != nil {
      let key = "\(row.point!.series)|\(row.entrant.layerName)|\(row.entrant.strategy.name)"
      if groups[key] == nil { keys.append(key) }
      groups[key, default: []].append(row)
    }
    return keys.flatMap { key in
      let rows = groups[key]!
      let first = rows[0]
      let layer = first.entrant.layerName
      let matcher = first.entrant.matcherName
      let times = Slope(
        first.point!, layer: layer, matcher: matcher, unit: "ns",
        points: rows.map { ($0.point!.at, $0.spread!.median) })
      let bytes = Slope(
        first.point!.of(series: first.point!.series + ", bytes"), layer: layer, matcher: matcher, unit: "bytes",
        points: rows.compactMap { row in row.bytes.map { (row.point!.at, $0) } })
      return [times, bytes].compactMap { $0 }
    }
  }
}

/// The table of slopes for people.
func text(of slopes: [Slope]) -> String {
  var lines = [["series", "by", "from … to", "at first", "at last", "slope", "last / first"]]
  for slope in slopes {
    let first = slope.points[0]
    let last = slope.points[slope.points.count - 1]
    lines.append([
      slope.point.series, slope.entrant, "\(Int(first.at)) … \(Int(last.at))", fixed(first.value, 1),
      fixed(last.value, 1), "\(fixed(slope.slope, 3)) \(slope.unit) per \(slope.per)",
      slope.growth.map { fixed($0, 2) } ?? "–",
    ])
  }
  return aligned(lines, left: Set(lines[0].indices))
}
