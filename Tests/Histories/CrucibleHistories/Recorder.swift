import CHistories
import Synchronization

/// An event, in the order of one clock: its place in the record is its time.
///
/// An event is written before what it announces begins, or after what it tells has ended, on the thread that does it.
struct Event {
  enum Kind: UInt8 {
    /// An operation begins: `a` its code, `b` its thread in the script, or `ofBody`.
    case begin
    /// A molecule that the operation is about to inject: `a` its name, `b` its number, or without a value how many.
    case molecule
    /// It has ended: `a` an outcome, `b` by the code.
    case end
    /// A body begins: `a` its reaction, `b` whether it is in a task.
    case fire
    /// It has consumed: `a` a name, `b` the molecule's number.
    case take
    /// It has a state: `a` which, `b` its era and version.
    case state
    /// It has replied: `a` the number of the call, `b` whether that was delivered.
    case reply
    /// A body has ended, but for giving its states back.
    case fired
    /// An object was destroyed without a body: `b` the molecule's number.
    case destroyed
    /// `a` a name's index, states last, `b` its count; of the operation that looks.
    case count
  }

  static let ofBody = UInt64.max

  var kind: Kind
  var thread: Int32
  /// The operation or the firing.
  var subject: UInt32
  var a: UInt32
  var b: UInt64
}

final class Recorder: @unchecked Sendable {
  private let capacity: Int
  private let events: UnsafeMutablePointer<Event>
  private let next = Atomic<Int>(0)
  private let written = Atomic<Int>(0)
  private let subjects = Atomic<UInt32>(0)
  private let molecules = Atomic<UInt64>(0)

  init(capacity: Int) {
    self.capacity = capacity
    events = .allocate(capacity: capacity)
  }

  deinit { events.deallocate() }

  /// A number for an operation or a firing.
  func subject() -> UInt32 { subjects.add(1, ordering: .relaxed).oldValue }

  /// A number for a molecule, from 1.
  func molecule() -> UInt64 { molecules.add(1, ordering: .relaxed).newValue }

  func note(_ kind: Event.Kind, _ subject: UInt32, _ a: Int = 0, _ b: UInt64 = 0) {
    note(kind, subject, a, b, at: reserve())
  }

  /// Takes the next place in the record, for an event that is over now and is written later.
  func reserve() -> Int {
    let index = next.add(1, ordering: .sequentiallyConsistent).oldValue
    if index >= capacity { fatalError("Histories: more than \(capacity) events") }
    return index
  }

  /// Writes an event to its reserved place.
  func note(_ kind: Event.Kind, _ subject: UInt32, _ a: Int, _ b: UInt64, at index: Int) {
    (events + index).initialize(
      to: Event(kind: kind, thread: histories_thread(), subject: subject, a: UInt32(truncatingIfNeeded: a), b: b))
    written.add(1, ordering: .releasing)  // partner: the load in all
  }

  var count: Int { next.load(ordering: .sequentiallyConsistent) }

  /// All of them, once nobody writes any more.
  var all: [Event] {
    let count = self.count
    while written.load(ordering: .acquiring) < count {}
    return Array(UnsafeBufferPointer(start: events, count: count))
  }

  /// For people: one line an event.
  var text: String {
    all.enumerated().map { time, event in
      "\(time) thread \(event.thread): \(event.kind) \(event.subject) \(event.a) \(event.b)\n"
    }.joined()
  }

  func reset() {
    next.store(0, ordering: .sequentiallyConsistent)
    written.store(0, ordering: .sequentiallyConsistent)
    subjects.store(0, ordering: .relaxed)
    molecules.store(0, ordering: .relaxed)
  }
}
