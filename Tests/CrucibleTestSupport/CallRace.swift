import Crucible
import Dispatch
import Glibc
import Synchronization

/// Many calls that take one token each, and whose callers may give up: a race of the reaction, the deadline and the
/// cancellation of each call. A body that finds that its caller has given up puts the token back.
///
/// The race goes on until there were as many calls as asked for, and enough of each kind of end. On a machine that
/// other programs keep busy hardly a caller gives up within a body's few microseconds. After the calls asked for, a
/// body therefore waits until its caller gives up, as long as too few have done so.
public final class CallRace: Sendable {
  public let ask: FastInjector<Live, Live>
  public let token: Injector<Void>
  public let control: Soup.Control
  public let book: CallBook
  public let census = Census()
  private let seed: UInt64
  private let calls: Int
  private let most: Int
  /// The fewest ends of each kind with which the race has shown something.
  public let enough: Int
  private let next = Atomic<Int>(0)
  /// Those that wait, and those that bodies have.
  private let tokens = Tally()
  private let isOver = Gate()

  /// The longest delay and the longest limit, in nanoseconds: about what a reaction takes, with a switch of threads.
  private static let longest: UInt64 = 1 << 14

  /// The longest wait of a body for its caller's end, in nanoseconds: the caller's limit is far below it.
  private static let patienceOfBody: UInt64 = 10_000_000

  public init(calls: Int, matcher: Soup.Matcher, placement: Placement, seed: UInt64) {
    self.calls = calls
    self.seed = seed
    most = 10 * calls
    let enough = max(1, calls / 2000)
    self.enough = enough
    let book = CallBook(count: most)
    self.book = book
    (ask, token, control) = Soup.define("race", with: .init(matcher: matcher, seed: seed)) { [census, tokens] soup in
      let ask = soup.fast("ask", of: Live.self, returning: Live.self)
      let token = soup.slow("token")
      soup.react(ask, token, on: placement) { call, _ in
        let number = call.input.number
        var chance = Seeded(seed &+ UInt64(number))
        spin(nanoseconds: chance.delay(upTo: CallRace.longest))
        if number >= calls && book.refusals < enough && CallRace.plan(number, seed: seed).limit != nil {
          let end = DispatchTime.now().uptimeNanoseconds + CallRace.patienceOfBody
          while call.isAwaited && DispatchTime.now().uptimeNanoseconds < end { sched_yield() }
        }
        let isDelivered = call.reply(census.live(CallBook.reply(to: number)))
        book.replied(to: number, isDelivered: isDelivered)
        if isDelivered { tokens.add(-1) } else { token() }
      }
      return (ask, token, soup.control)
    }
  }

  /// How many calls there were.
  public var issued: Int { min(next.load(ordering: .acquiring), most) }

  /// Tokens that are not used up.
  public var tokensLeft: Int { tokens.count }

  /// A call to be made, nil: the race is over.
  public func nextCall() -> Plan? {
    let number = next.load(ordering: .relaxed)
    let ends = [book.deliveries, book.refusals, book.timeouts + book.cancellations - book.refusals]
    if number >= calls && ends.allSatisfy({ $0 >= enough }) { return nil }
    let mine = next.add(1, ordering: .acquiringAndReleasing).oldValue
    return mine < most ? Self.plan(mine, seed: seed) : nil
  }

  private static func plan(_ number: Int, seed: UInt64) -> Plan {
    var chance = Seeded(~seed &+ UInt64(number))
    return Plan(
      number: number,
      limit: chance.next() % 4 == 0 ? nil : .nanoseconds(Int64(chance.delay(upTo: 4 * CallRace.longest))),
      cancellation: chance.next() % 3 == 0 ? nil : chance.delay(upTo: CallRace.longest),
      isCancelledEarly: chance.next() % 4 == 0)
  }

  /// The plan of the caller of one call, derived from the seed and the number.
  public struct Plan: Sendable {
    public let number: Int
    public let limit: Duration?
    /// Nanoseconds after which the caller's task is cancelled.
    public let cancellation: UInt64?
    /// They count from the task's creation on, and not from its beginning.
    public let isCancelledEarly: Bool
  }

  /// Brings tokens until the race is over: mostly when there is none, so that calls wait; sometimes more, so that
  /// tokens do. For a thread of its own.
  @available(*, noasync)
  public func feed() {
    var chance = Seeded(seed)
    while !isOver.isOpen {
      if tokens.count == 0 || chance.next() % 16 == 0 && tokens.count < 3 {
        tokens.add()
        token()
      }
      spin(nanoseconds: chance.delay(upTo: CallRace.longest))
    }
  }

  /// All callers have come back.
  public func end() { isOver.open() }
}

/// Keeps this thread busy: a delay within a race, far shorter than any sleep could be.
public func spin(nanoseconds: UInt64) {
  if nanoseconds == 0 { return }
  let end = DispatchTime.now().uptimeNanoseconds + nanoseconds
  while DispatchTime.now().uptimeNanoseconds < end {}
}

extension Seeded {
  /// Nanoseconds of all magnitudes up to `most`; every eighth time none.
  public mutating func delay(upTo most: UInt64) -> UInt64 {
    if next() % 8 == 0 { return 0 }
    let magnitude = most >> (next() % UInt64(UInt64.bitWidth - most.leadingZeroBitCount))
    return magnitude / 2 + next() % (magnitude / 2 + 1)
  }
}
