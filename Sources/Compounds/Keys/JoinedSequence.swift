public import Crucible
import Synchronization

/// Joins two sequences by key: each element of the left with the oldest of the right that has its key, if one comes
/// within the time. A join cannot be restarted once `Soup.all` has stopped it: its loop throws `CallError.stopped`.
///
/// ```swift
/// for try await match in joined(orders, payments, by: \.id, \.order, within: .seconds(60), keeping: .left) {
///   switch match {
///   case .both(let order, let payment): ship(order, payment)
///   case .left(let order): remind(order)
///   case .right(let payment): refund(payment)
///   }
/// }
/// ```
///
/// The definition. An element that waits is a molecule of its own, and expires:
///
/// ```
/// let left = soup.slow("left", of: Order.self, key: \.id, expires: time, into: lateLeft)
/// soup.react(left, right) { left, right in emit(.both(left, right)) }
/// soup.react(lateLeft) { left in emit(.left(left)) }
/// soup.react(state: books, enterLeft, room) { books, call, _ in left(call.input); call.reply() }
/// soup.react(state: books, emit) { books, match in out(match) }
/// soup.react(next, out) { call, match in call.reply(match); room() }
/// ```
///
/// Each element comes out once: in one pair, or alone if `unmatched` keeps its side. One without a partner comes out
/// when its time is over, or when no partner can come because the other side has ended. It needs no other element for
/// that.
///
/// The first call of the iterator's `next` reads both sequences, each in a task. At most `limit` elements of a side are
/// in the join, until the loop has taken them. Then the task of this side stops reading. When both sequences have
/// ended, the rest comes out, and then the loop ends. If one throws, the loop throws its error, after the matches
/// before it. Elements that still wait are lost then, as they are when the loop is left.
///
/// - Parameters:
///   - left: the one sequence.
///   - right: the other one.
///   - leftKey: reads the key from an element of the left.
///   - rightKey: reads the key from an element of the right.
///   - time: how long an element waits for its partner, by the clock of the options.
///   - unmatched: which elements come out without a partner.
///   - limit: the most elements of each side in the join, 1 or more.
///   - label: the name in messages.
///   - options: those of the soup.
///   - file: the caller's file.
///   - line: the caller's line.
/// - Complexity: O(1) on average for an element.
public func joined<Left: AsyncSequence & Sendable, Right: AsyncSequence & Sendable, Key: Hashable & Sendable>(
  _ left: Left, _ right: Right, by leftKey: @escaping @Sendable (Left.Element) -> Key,
  _ rightKey: @escaping @Sendable (Right.Element) -> Key, within time: Duration, keeping unmatched: Unmatched = .none,
  limit: Int = 1_000, _ label: String = "joined", options: Soup.Options = Soup.Options(),
  file: StaticString = #fileID, line: UInt = #line
) -> JoinedSequence<Left.Element, Right.Element> where Left.Element: Sendable, Right.Element: Sendable {
  let madeAt = MadeAt("joined", label, file, line)
  madeAt.require("the limit", limit, in: 1...1 << 40)
  if time <= .zero { madeAt.misuse("its time must be positive, not \(time)") }
  return JoinedSequence {
    typealias Join = JoinedSequence<Left.Element, Right.Element>
    let (enterLeft, enterRight, end, next) = Soup.define(label, with: options, file: file, line: line) { soup in
      let (enterLeft, leftRoom, lateLeft) = Join.side("left", of: Left.Element.self, in: soup)
      let (enterRight, rightRoom, lateRight) = Join.side("right", of: Right.Element.self, in: soup)
      let left = soup.slow("left", of: Left.Element.self, key: leftKey, expires: time, into: lateLeft)
      let right = soup.slow("right", of: Right.Element.self, key: rightKey, expires: time, into: lateRight)
      // For an element that waits while its other side has ended.
      let alone = soup.slow("alone", of: Key.self, key: { $0 })
      let emit = soup.slow("emit", of: Match<Left.Element, Right.Element>.self)
      let end = soup.slow("end", of: Join.End.self)
      let next = soup.fast("next", returning: Match<Left.Element, Right.Element>?.self)
      let out = soup.slow("out", of: Join.Output.self)
      let refused = Join.Refused()
      let books = soup.state("books", holding: { _ in refused.count }) { Join.Books() }
      let control = soup.control

      soup.react(left, right, on: .inline) { left, right in refused.unless(emit(.both(left, right))) }
      soup.react(left, alone, on: .inline) { left, _ in refused.unless(emit(.left(left))) }
      soup.react(right, alone, on: .inline) { right, _ in refused.unless(emit(.right(right))) }
      soup.react(lateLeft, on: .inline) { left in refused.unless(emit(.left(left))) }
      soup.react(lateRight, on: .inline) { right in refused.unless(emit(.right(right))) }

      @Sendable func endAll<Element>(of side: Injector<Element>, _ key: Key) {
        let waiting = control.snapshot(of: key)[side]
        if waiting > 0 { alone.inject(contentsOf: repeatElement(key, count: waiting)) }
      }
      soup.react(state: books, enterLeft, leftRoom, on: .inline) { books, call, _ in
        books.inside += 1
        refused.unless(left(call.input))
        if books.rightHasEnded { endAll(of: left, leftKey(call.input)) }
        call.reply()
      }
      soup.react(state: books, enterRight, rightRoom, on: .inline) { books, call, _ in
        books.inside += 1
        refused.unless(right(call.input))
        if books.leftHasEnded { endAll(of: right, rightKey(call.input)) }
        call.reply()
      }
      soup.react(state: books, emit, on: .inline) { books, match in
        books.inside -= match.hasLeft && match.hasRight ? 2 : 1
        switch match {
        case .left where unmatched == .none: leftRoom()
        case .right where unmatched != .both: rightRoom()
        default: refused.unless(out(.match(match)))
        }
        if books.isOver { out(.end(nil)) }
      }
      soup.react(state: books, end, on: .inline) { books, end in
        if end.isLeft { books.leftHasEnded = true } else { books.rightHasEnded = true }
        // An element of the other side that waits has no partner here.
        if end.error != nil || books.isOver {
          out(.end(end.error))
        } else if end.isLeft {
          for key in control.keys(of: right, as: Key.self) { endAll(of: right, key) }
        } else {
          for key in control.keys(of: left, as: Key.self) { endAll(of: left, key) }
        }
      }
      soup.react(next, out, on: .inline) { call, output in
        switch output {
        case .end(let error):
          let isTold = error.map { call.fail($0) } ?? call.reply(nil)
          out(.end(isTold ? nil : error))
        case .match(let match):
          let isTaken = call.reply(match)
          if !isTaken { refused.unless(out(output)) }
          if isTaken && match.hasLeft { leftRoom() }
          if isTaken && match.hasRight { rightRoom() }
        }
      }
      soup.refuseRestarts()  // the tasks that read have ended
      leftRoom.inject(count: limit)
      rightRoom.inject(count: limit)
      return (enterLeft, enterRight, end, next)
    }
    return JoinedSequence.Reading(
      next,
      [
        Task { _ = end(await Join.read(left, as: true, into: enterLeft)) },
        Task { _ = end(await Join.read(right, as: false, into: enterRight)) },
      ])
  }
}

/// A pair of elements that a join has found, or an element without a partner.
///
/// ```swift
/// let matches = joined(orders, payments, by: \.id, \.order, within: .seconds(5))
/// for try await case .both(let order, let payment) in matches { ship(order, payment) }
/// ```
public enum Match<Left: Sendable, Right: Sendable>: Sendable {
  /// Two elements with the same key.
  case both(Left, Right)
  /// An element of the left that got no partner.
  case left(Left)
  /// An element of the right that got no partner.
  case right(Right)

  var hasLeft: Bool { if case .right = self { false } else { true } }
  var hasRight: Bool { if case .left = self { false } else { true } }
}

extension Match: Equatable where Left: Equatable, Right: Equatable {}

/// Which elements come out of a join without a partner. The others are dropped when their time is over.
///
/// ```swift
/// let all = joined(orders, payments, by: \.id, \.order, within: .seconds(60), keeping: .both)
/// ```
public enum Unmatched: Sendable {
  /// None: the inner join.
  case none
  /// Those of the left: the left join.
  case left
  /// Those of both sides: the outer join.
  case both
}

/// The matches of two sequences; see `joined`.
///
/// ```swift
/// var matches = joined(orders, payments, by: \.id, \.order, within: .seconds(60)).makeAsyncIterator()
/// let first = try await matches.next()
/// ```
///
/// Each iterator reads both sequences from their beginning. It stops when its last copy is gone.
public struct JoinedSequence<Left: Sendable, Right: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Match<Left, Right>
  let begin: @Sendable () -> Reading

  /// The tasks that read the sequences, which end with the object.
  final class Reading: Sendable {
    let next: FastInjector<Void, Element?>
    private let tasks: [Task<Void, Never>]

    init(_ next: FastInjector<Void, Element?>, _ tasks: [Task<Void, Never>]) {
      self.next = next
      self.tasks = tasks
    }

    deinit { for task in tasks { task.cancel() } }
  }

  enum Output: Sendable {
    case match(Element)
    case end((any Error)?)
  }

  /// The end of one side, by an error or without.
  struct End: Sendable {
    let isLeft: Bool
    let error: (any Error)?
  }

  struct Books {
    /// The number of elements that have entered, and not come out.
    var inside = 0
    var leftHasEnded = false
    var rightHasEnded = false

    var isOver: Bool { inside == 0 && leftHasEnded && rightHasEnded }
  }

  /// The number of elements and matches that a stop has refused while bodies handed them on. Its report counts them.
  final class Refused: Sendable {
    private let total = Atomic<Int>(0)

    var count: Int { total.load(ordering: .relaxed) }
    func unless(_ isAccepted: Bool) { if !isAccepted { total.add(1, ordering: .relaxed) } }
  }

  /// Declares the entrance of a side, the room in which an element finds a place, and the name of those that are late.
  static func side<Value: Sendable>(
    _ label: String, of: Value.Type, in soup: Soup
  ) -> (enter: FastInjector<Value, Void>, room: Injector<Void>, late: Injector<Value>) {
    (
      soup.fast("enter \(label)", of: Value.self, returning: Void.self), soup.slow("\(label) room"),
      soup.slow("late \(label)", of: Value.self)
    )
  }

  static func read<Side: AsyncSequence>(
    _ side: Side, as isLeft: Bool, into enter: FastInjector<Side.Element, Void>
  ) async -> End where Side.Element: Sendable {
    do {
      for try await element in side { try await enter(element) }
      return End(isLeft: isLeft, error: nil)
    } catch {
      return End(isLeft: isLeft, error: error)
    }
  }

  /// Reads two sequences, and returns their matches.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let begin: @Sendable () -> Reading
    var reading: Reading?

    nonisolated(nonsending)
      public mutating func next() async throws -> Element?
    {
      try await started().next.matches()
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      try await started().next.matches()
    }

    private mutating func started() -> Reading {
      if reading == nil { reading = begin() }
      return reading!
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(begin: begin) }
}

extension FastInjector where Input == Void {
  /// Throws the error of a sequence as it is.
  nonisolated(nonsending)
    fileprivate func matches() async throws -> Output
  {
    do throws(CallError) { return try await self() } catch .failed(let error) { throw error } catch { throw error }
  }
}
