/// The cost of each reaction: time of the compiler, and bytes of code. `Compile/measure` measures it with files of 1 to
/// 64 reactions.
struct Compiling {
  let row: Row
  let slopes: [Slope]

  init(program: String, build: String, repetitions: Int) throws(Wrong) {
    guard let text = output(of: [program, build, String(repetitions)]) else {
      throw Wrong("the files of reactions were not compiled")
    }
    var times: [Int: [Double]] = [:]
    var sizes: [Int: [Double]] = [:]
    for line in text.split(separator: "\n") {
      let figures = line.split(separator: "\t").compactMap { Double($0) }
      guard figures.count == 3 else { throw Wrong("\(program) printed \(line)") }
      times[Int(figures[0]), default: []].append(figures[1])
      sizes[Int(figures[0]), default: []].append(figures[2])
    }
    guard times.count > 1, times.values.allSatisfy({ $0.count == repetitions }) else {
      throw Wrong("\(program) printed too little: \(text)")
    }

    func slope(_ series: String, _ unit: String, _ values: [Int: Double]) -> Slope {
      Slope(
        SeriesPoint(series, of: "reactions", at: 0), layer: "compiler", matcher: nil, unit: unit,
        points: values.map { (Double($0), $1) })!
    }
    slopes = [
      slope("compile time", "ms", times.mapValues { Spread($0)!.median }),
      slope("code size", "bytes", sizes.mapValues { Spread($0)!.median }),
    ]
    var row = Row(
      name: "compile", entrant: Entrant(layer: nil, strategy: .compiler), place: .pool, threads: 1)
    row.reactions = times.keys.max()!
    row.threadsSeen = 1
    for repetition in 0..<repetitions {
      row.times.append(slope("", "ms", times.mapValues { $0[repetition] }).slope * 1e6)
      row.heap.append(slope("", "bytes", sizes.mapValues { $0[repetition] }).slope)
    }
    self.row = row
  }
}
