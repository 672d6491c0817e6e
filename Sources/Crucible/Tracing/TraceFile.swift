import CTask

/// Writes a file in the JSON array form of the Trace Event Format, for Chrome and Perfetto. Requires: a lock is held.
///
/// Times increase strictly, so that slices of one track nest: no two ends have the same time.
struct TraceFile {
  private let file: Int32
  private var buffer: [UInt8] = []
  /// The first error of a write.
  private(set) var error: Int32?
  private var last: UInt64 = 0
  private var named: Set<Int> = []
  private var open: [Int: Int] = [:]
  private let process = processNumber()

  init(_ file: Int32) {
    self.file = file
    buffer = Array("[\n".utf8)
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "program"
    write(#"{"ph":"M","name":"process_name","pid":\#(process),"args":{"name":\#(quoted(program))}}"#, isFirst: true)
  }

  /// Returns the nanoseconds of the monotonic clock, at least two after the time before.
  mutating func now() -> UInt64 {
    last = max(nanosecondsNow(), last + 2)
    return last
  }

  /// The number of this thread. The first read names the thread's track.
  var currentThread: Int {
    mutating get {
      let thread = Int(crucible_task_thread_number())
      if !named.contains(thread) {
        var name = [CChar](repeating: 0, count: 16)
        crucible_task_thread_name(&name)
        // A viewer shows the number as well.
        nameTrack(thread, name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
      }
      return thread
    }
  }

  mutating func nameTrack(_ track: Int, _ name: String) {
    if !named.insert(track).inserted { return }
    write(#"{"ph":"M","name":"thread_name",\#(place(track)),"args":{"name":\#(quoted(name))}}"#)
  }

  mutating func begin(_ name: String, soup: String, source: Soup.Source, key: String?, on track: Int) {
    open[track, default: 0] += 1
    write(
      #"""
      {"ph":"B","name":\#(quoted(name)),"cat":"body",\#(when(now())),\#(place(track)),"args":\#
      {"soup":\#(quoted(soup)),"source":\#(quoted(source.description))\#(key.map { #","key":\#(quoted($0))"# } ?? "")}}
      """#)
  }

  mutating func end(on track: Int, _ error: String?) {
    open[track, default: 0] -= 1
    let error = error.map { #","args":{"error":\#(quoted($0))}"# } ?? ""
    write(#"{"ph":"E",\#(when(now())),\#(place(track))\#(error)}"#)
  }

  mutating func slice(_ name: String, at time: UInt64, on track: Int) {
    write(#"{"ph":"X","name":\#(quoted(name)),"cat":"outside",\#(when(time)),"dur":0.001,\#(place(track))}"#)
  }

  /// Writes an arrow to the slice that is open on `track`.
  mutating func flow(_ number: Int, _ name: String, from: Int, at time: UInt64, to track: Int) {
    let head = #""name":\#(quoted(name)),"cat":"molecule","id":\#(number)"#
    write(#"{"ph":"s",\#(head),\#(when(time)),\#(place(from))}"#)
    write(#"{"ph":"f","bp":"e",\#(head),\#(when(now())),\#(place(track))}"#)
  }

  mutating func counter(_ name: String, _ value: Int) {
    write(#"{"ph":"C","name":\#(quoted(name)),\#(when(now())),\#(place(0)),"args":{"molecules":\#(value)}}"#)
  }

  mutating func mark(_ name: String, on track: Int) {
    write(#"{"ph":"i","s":"t","name":\#(quoted(name)),"cat":"event",\#(when(now())),\#(place(track))}"#)
  }

  mutating func end() {
    for track in open.keys.sorted() { for _ in 0..<max(0, open[track]!) { end(on: track, nil) } }
    buffer += Array("\n]\n".utf8)
    flush()
    let failure = closeFile(file)
    if error == nil { error = failure }
  }

  private func place(_ track: Int) -> String { #""pid":\#(process),"tid":\#(track)"# }

  /// Returns the time in microseconds, as the format requires.
  private func when(_ time: UInt64) -> String {
    let fraction = String(time % 1000)
    return #""ts":\#(time / 1000).\#(String(repeating: "0", count: 3 - fraction.count))\#(fraction)"#
  }

  private mutating func write(_ line: String, isFirst: Bool = false) {
    if !isFirst { buffer += Array(",\n".utf8) }
    buffer += Array(line.utf8)
    if buffer.count > 1 << 18 { flush() }
  }

  private mutating func flush() {
    if error == nil { error = writeAll(buffer, to: file) }
    buffer.removeAll(keepingCapacity: true)
  }
}
