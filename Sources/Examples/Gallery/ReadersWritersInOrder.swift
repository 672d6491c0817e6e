// Readers and writers that queue, under a discipline: ordered, fair, or by majority.
//
// All requests are one name, so they arrive oldest first. The state keeps the callers that must wait: a molecule of a
// call is a value, and any body may answer it later. The discipline is a plain function over the queue, tested without
// threads. Ready-made, in the order of arrival: `ReadWriteLock` of Compounds.

import Crucible

enum Access: Sendable { case read, write }

/// The rule by which the next callers enter. It sees the waiting requests, oldest first, and what entered last.
enum Discipline: Sendable {
  /// First come, first served: a reader does not overtake a writer that waits.
  case ordered
  /// Readers and writers take turns: after a writer all waiting readers enter, after them one writer.
  case fair
  /// The kind with more waiting callers enters next.
  case majority

  /// The kind that enters next when the room is empty. Requires: `waiting` is not empty.
  func next(of waiting: [Access], after last: Access) -> Access {
    let readers = waiting.count { $0 == .read }
    let writers = waiting.count - readers
    if readers == 0 || writers == 0 { return waiting[0] }
    return switch self {
    case .ordered: waiting[0]
    case .fair: last == .read ? .write : .read
    case .majority: readers > writers ? .read : .write
    }
  }
}

typealias OrderedReadersWriters = (enter: FastInjector<Access, Void>, leave: Injector<Access>, control: Soup.Control)

func makeReadersWriters(_ discipline: Discipline, _ options: Soup.Options = .init()) -> OrderedReadersWriters {
  struct Room {
    var waiting: [Call<Access, Void>] = []
    var inside = 0
    var last = Access.write

    /// Admits all callers that the discipline allows now.
    mutating func admit(by discipline: Discipline) {
      while let first = waiting.first {
        if inside > 0 {
          guard last == .read && first.input == .read && discipline == .ordered else { return }
          enter(0)
        } else {
          let kind = discipline.next(of: waiting.map(\.input), after: last)
          last = kind
          enter(waiting.firstIndex { $0.input == kind }!)
          // All waiting readers form one group. With `ordered`, only those before the first writer do.
          guard kind == .read && discipline != .ordered else { continue }
          while let reader = waiting.firstIndex(where: { $0.input == .read }) { enter(reader) }
        }
      }
    }

    /// Admits one caller, unless it has given up.
    private mutating func enter(_ index: Int) {
      if waiting.remove(at: index).reply() { inside += 1 }
    }
  }

  return Soup.define("readers and writers, \(discipline)", with: options) { soup in
    let room = soup.state("room", Room())
    let enter = soup.fast("enter", of: Access.self, returning: Void.self)
    let leave = soup.slow("leave", of: Access.self)
    soup.react(state: room, enter) { room, call in
      room.waiting.append(call)
      room.admit(by: discipline)
    }
    soup.react(state: room, leave) { room, _ in
      room.inside -= 1
      room.admit(by: discipline)
    }
    return (enter, leave, soup.control)
  }
}
