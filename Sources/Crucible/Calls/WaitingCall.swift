public import CCrucible

/// A caller of a fast molecule that waits for its reply, as ``Soup/Control/explain()`` found it.
///
/// ```swift
/// for call in control.explain().callers { print(call) }
/// // balance: for 2.31 s, from Bank/Teller.swift:40, await, limit 5 s
/// ```
public struct WaitingCall: Sendable, Hashable, CustomStringConvertible {
  /// The way in which the caller waits.
  public enum Form: Sendable, Hashable, CustomStringConvertible {
    /// A task that is suspended.
    case suspended
    /// A thread that sleeps, with the number that the system assigned to it.
    case blocked(thread: Int)

    public var description: String {
      switch self {
      case .suspended: "await"
      case .blocked(let thread): "blocking thread \(thread)"
      }
    }
  }

  /// The label of the molecule that was called.
  public let molecule: String
  /// The place of the call in the source.
  public let source: Soup.Source
  /// The way in which the caller waits.
  public let form: Form
  /// The time for which the caller had been asleep. Reactions that ran inline in the call come before it.
  public let duration: Duration
  /// The limit of the call: its `within`.
  public let limit: Duration?
  /// The label of the molecule that has the call, if it was handed on and waits there. Otherwise the call waits where
  /// it was injected, or a body has it.
  public let carrier: String?
  /// The label of the carrier's soup, if it is another soup.
  let soupOfCarrier: String?
  /// The number of the molecule's name in the soup.
  let name: Int

  public var description: String { "\(molecule): \(how)" }

  /// The description without the molecule.
  var how: String { "for \(text(duration)), " + way("\(form)") }

  /// The place of the call in the source, the form, the limit, and the place where the call waits.
  func way(_ form: String) -> String {
    let carried = carrier.map { ", its call waits in '\($0)'" + (soupOfCarrier.map { " of soup '\($0)'" } ?? "") }
    return "from \(source), \(form)" + (limit.map { ", limit \(text($0))" } ?? "") + (carried ?? "")
  }
}

extension WaitingCall {
  /// The callers that wait in a soup, longest first. If it is gone, those of calls that bodies took out of it.
  static func all(in core: OpaquePointer) -> [WaitingCall] {
    let (notes, handed, time) = notes(in: core)
    return notes.sorted { $0.since < $1.since }.map {
      WaitingCall($0, at: time, handed[UnsafeRawPointer($0.waiter)]?.name, in: core)
    }
  }

  /// The notes of the callers that wait in a soup, those of them whose call is a molecule, and the time.
  static func notes(in core: OpaquePointer) -> ([crucible_waiting], [UnsafeRawPointer: HandedCalls], UInt64) {
    var time: UInt64 = 0
    let notes = [crucible_waiting](roomFor: 16) { crucible_soup_waiting(core, $0, $1, &time) }
    return (notes, HandedCalls.names(of: Set(notes.map { UnsafeRawPointer($0.waiter) })), time)
  }

  private init(_ note: crucible_waiting, at time: UInt64, _ carrier: OpaquePointer?, in core: OpaquePointer) {
    self.carrier = carrier.map { labelOfName($0) }
    soupOfCarrier = carrier.flatMap { carrier in
      let soup: OpaquePointer = crucible_name_soup(carrier)
      return soup == core ? nil : labelOfSoup(soup)
    }
    molecule = labelOfName(note.name)
    name = crucible_name_index(note.name)
    source = Soup.Source(ofCall: note)
    form = note.thread == 0 ? .suspended : .blocked(thread: Int(note.thread))
    duration = .nanoseconds(Int64(clamping: time > note.since ? time - note.since : 0))
    limit = note.limit == .max ? nil : .nanoseconds(Int64(clamping: note.limit))
  }

  /// Blocks the thread until the waiter is signalled: for a call without a limit that was not answered at once.
  @usableFromInline
  @inline(never)
  static func block(
    _ waiter: UnsafeMutablePointer<crucible_waiter>, _ name: OpaquePointer, _ handle: SoupHandle, _ file: StaticString,
    _ line: UInt
  ) {
    var note = crucible_waiting(name, waiter, .max, file, line)
    crucible_waiter_wait_noted(waiter, .max, &note)
    withExtendedLifetime(handle) {}
  }
}

extension crucible_waiting {
  /// Makes the note of a caller that may have to sleep. `limit` is in nanoseconds; the maximum means no limit.
  init(
    _ name: OpaquePointer, _ waiter: UnsafeMutablePointer<crucible_waiter>, _ limit: UInt64, _ file: StaticString,
    _ line: UInt, task: UnsafeRawPointer? = nil
  ) {
    // The text of a literal lives as long as the process. A single scalar is no pointer, and no file name.
    let path = file.hasPointerRepresentation ? UnsafeRawPointer(file.utf8Start) : nil
    self.init(
      name: name, waiter: waiter, file: path?.assumingMemoryBound(to: CChar.self), line: UInt32(clamping: line),
      limit: limit, task: task, thread: 0, since: 0, is_body: false, next: nil, link: nil)
  }
}

/// Returns a duration with three digits, in the unit that fits.
func text(_ duration: Duration) -> String {
  let nanoseconds = duration.nanoseconds
  let seconds = nanoseconds / 1_000_000_000
  if seconds >= 3600 { return "\(seconds / 3600) h \(seconds / 60 % 60) min" }
  if seconds >= 60 { return "\(seconds / 60) min \(seconds % 60) s" }
  let units: [(UInt64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs"), (1, "ns")]
  let (unit, symbol) = units.first { nanoseconds >= $0.0 } ?? units[3]
  let steps: UInt64 = nanoseconds < 10 * unit ? 100 : nanoseconds < 100 * unit ? 10 : 1
  let digits = "\(Double(nanoseconds * steps / unit) / Double(steps))"  // trailing zeros carry no information
  return "\(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits) \(symbol)"
}
