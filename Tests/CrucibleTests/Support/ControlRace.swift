import Crucible
import CrucibleTestSupport
import Glibc
import Synchronization
import Testing

/// Threads inject numbered molecules while one more thread controls their soup. In the end each molecule is consumed,
/// dropped, withdrawn, refused or present, exactly once.
final class ControlRace: Sendable {
  /// The name that a thread injects.
  enum Role { case a, b, call, plain }
  enum Chemistry {
    /// A state reacts with `a` and `plain`, `a` with `b`, and `a` with `call`.
    case joins
    /// Each name reacts by itself, and `b` with a state.
    case singles
    /// Like `singles`, but `a` becomes `b`.
    case chain
  }

  let a: Injector<Live>
  let b: Injector<Live>
  let plain: Injector<Void>
  let call: FastInjector<Live, Int>
  let control: Soup.Control
  let ledger: Ledger
  let census = Census()
  /// Opens when all threads have injected their molecules.
  let done: Latch
  /// Odd from the return of a restart until the next stop begins, if the controlling thread counts.
  let era = Atomic<Int>(0)
  /// The numbers of each `a` that was injected within one odd era.
  let sure = Log<Int>()
  let replied = Tally()
  private let roles: [Role]
  private let each: Int
  private let limit: @Sendable (Int) -> Duration?
  private let plainConsumed: Tally
  private let delivered: Tally
  private let refused = Log<Int>()
  private let errors = Log<CallError>()
  private let wrong = Tally()

  /// Makes a race with a thread for each role, which injects `each` molecules. `limit` maps a call's number to its
  /// limit.
  init(
    _ setup: Setup, _ chemistry: Chemistry = .joins, _ roles: [Role] = [.a, .a, .a, .b, .plain, .call], each: Int,
    limit: @escaping @Sendable (Int) -> Duration? = { $0 % 2 == 0 ? nil : patience }
  ) {
    let ledger = Ledger(capacity: roles.count * each)
    let (plainConsumed, delivered) = (Tally(), Tally())
    (self.roles, self.each, self.limit, self.ledger) = (roles, each, limit, ledger)
    (self.plainConsumed, self.delivered) = (plainConsumed, delivered)
    done = Latch(roles.count)
    let answer = { @Sendable (call: Call<Live, Int>) in
      ledger.consume(call.input.number)
      if call.reply(call.input.number) { delivered.add() }
    }
    (a, b, plain, call, control) = Soup.define("raced", with: .init(matcher: setup.matcher)) { soup in
      let count = soup.state("count", 0)
      let a = soup.slow("a", of: Live.self)
      let b = soup.slow("b", of: Live.self)
      let plain = soup.slow("plain")
      let call = soup.fast("call", of: Live.self, returning: Int.self)
      switch chemistry {
      case .joins:
        soup.react(state: count, a, plain, on: setup.placement) { count, a, _ in
          count += 1
          ledger.consume(a.number)
          plainConsumed.add()
        }
        soup.react(a, b, on: setup.placement) { a, b in
          ledger.consume(a.number)
          ledger.consume(b.number)
        }
        soup.react(a, call, on: setup.placement) { a, call in
          ledger.consume(a.number)
          answer(call)
        }
      case .singles, .chain:
        soup.react(a, on: setup.placement) { a in if chemistry == .chain { b(a) } else { ledger.consume(a.number) } }
        soup.react(state: count, b, on: setup.placement) { count, b in
          count += 1
          ledger.consume(b.number)
        }
        soup.react(call, on: setup.placement) { call in answer(call) }
        soup.react(plain, on: setup.placement) { _ in plainConsumed.add() }
      }
      return (a, b, plain, call, soup.control)
    }
  }

  /// Calls `act`, which controls the soup, once each thread has injected a few. Ends the threads when it returns.
  func run<Output: Sendable>(_ act: @escaping @Sendable (ControlRace) throws -> Output) async throws -> Output {
    let begun = Latch(roles.count)
    let isOver = Gate()
    let outputs = try await onThreads(roles.count + 1) { [self] thread -> Output? in
      if thread == roles.count {
        begun.waitBlocking()
        defer { isOver.open() }
        return try act(self)
      }
      for turn in 0..<each where !isOver.isOpen {
        if turn == min(10, each - 1) { begun.countDown() }
        inject(roles[thread], ledger.issue()!)
      }
      done.countDown()
      return nil
    }
    return outputs[roles.count]!
  }

  private func inject(_ role: Role, _ number: Int) {
    let value = census.live(number)
    let before = era.load(ordering: .sequentiallyConsistent)
    let isAccepted: Bool
    switch role {
    case .a: isAccepted = a(value)
    case .b: isAccepted = b(value)
    case .plain: isAccepted = plain()
    case .call:
      switch call.blockingOutcome(value, within: limit(number)) {
      case .success(number): replied.add()
      case .success: wrong.add()
      case .failure(let error): errors.append(error)
      }
      return
    }
    if role == .a && before % 2 == 1 && era.load(ordering: .sequentiallyConsistent) == before {
      sure.append(number)
      if !isAccepted { wrong.add() }
    }
    if !isAccepted {
      refused.append(number)
      sched_yield()
    }
  }

  /// The number of molecules in the soup at rest.
  var present: Int {
    let snapshot = control.snapshot()
    return snapshot[a] + snapshot[b] + snapshot[plain] + snapshot[call]
  }

  /// Expects that each molecule has ended once or is present, and that calls without a reply threw an allowed error.
  func expectBalance(allowing allowed: [CallError], _ location: SourceLocation = #_sourceLocation) async {
    await control.settle()
    let snapshot = control.snapshot()
    #expect(wrong.count == 0, sourceLocation: location)
    #expect(errors.all.filter { !allowed.contains($0) } == [], sourceLocation: location)
    #expect(replied.count == delivered.count, "bodies and callers count the same replies", sourceLocation: location)
    #expect(ledger.duplicates == 0, sourceLocation: location)
    #expect(snapshot["count"] == 1, "one state is present", sourceLocation: location)
    let consumed = ledger.consumed
    let ended = consumed + plainConsumed.count + snapshot.dropped + snapshot.withdrawn + refused.count
    // A call that throws .stopped was dropped or refused.
    let refusedCalls = 0...errors.all.count { $0 == .stopped }
    #expect(refusedCalls ~= ledger.issued - ended - present, "of \(ledger.issued)", sourceLocation: location)
    for number in refused.all { ledger.consume(number) }
    #expect(
      ledger.consumed == consumed + refused.count, "refused molecules have not reacted", sourceLocation: location)
  }
}
