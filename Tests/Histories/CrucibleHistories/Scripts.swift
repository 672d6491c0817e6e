import CHistories
import Crucible
import Dispatch
import Glibc
import Synchronization

/// How an operation ended, as the record tells.
enum Outcome: Int {
  case refused, accepted
  /// A reply: with the firing that gave it.
  case replied
  case neverReplied
  /// With the firing that threw; or with UInt32.max, another error.
  case failed
  case stopped, cleared, timedOut, cancelled, gone
  /// A call came back before its time.
  case tooEarly
  /// Control ended: with what it dropped.
  case done
  /// A stop ended before everything else did.
  case restless
  case notStopped
}

/// Performs operations on a world, and writes down what came of them.
struct Performer: Sendable {
  let world: World
  /// The operation in which the thread waits without a limit, plus 1; 0: none.
  let waiting: WaitingFlag
  /// Longer than anything may take that is promised to end.
  static let patience = Duration.seconds(60)

  private var recorder: Recorder { world.recorder }

  @available(*, noasync)
  func perform(_ operation: Chemistry.Operation, by thread: Int) {
    let subject = recorder.subject()
    if operation.code == .delay { return delay(operation.amount) }
    if isPointless(operation) { return }
    recorder.note(.begin, subject, operation.code.rawValue, UInt64(thread))
    let (outcome, value) = perform(operation, subject)
    recorder.note(.end, subject, outcome.rawValue, value)
  }

  /// Calls of slow names, and injections of fast ones.
  private func isPointless(_ operation: Chemistry.Operation) -> Bool {
    let isFast = world.chemistry.kinds[operation.name] == .fast
    return switch operation.code {
    case .inject, .several: isFast
    case .call, .callWithin, .callCancelled: !isFast
    default: false
    }
  }

  @available(*, noasync)
  private func perform(_ operation: Chemistry.Operation, _ subject: UInt32) -> (Outcome, UInt64) {
    let control = world.control
    switch operation.code {
    case .inject:
      let isAccepted = world.names[operation.name].inject(
        for: subject, as: operation.name, recorder, world.shared)
      return (isAccepted ? .accepted : .refused, 0)
    case .several: return (several(operation, subject) ? .accepted : .refused, 0)
    case .together: return (together(operation, subject) ? .accepted : .refused, 0)
    case .call, .callWithin, .callCancelled: return call(operation, subject)
    case .pause: control.pause()
    case .resume: control.resume()
    case .clear: return (.done, UInt64(control.clear()))
    case .stop:
      let report = control.blocking.stop(within: Performer.patience)
      return (report.isQuiet ? .done : .restless, UInt64(report.dropped))
    case .restart:
      do throws(RestartError) {
        try control.blocking.restart(within: Performer.patience)
      } catch {
        return (error == .notStopped ? .notStopped : .restless, 0)
      }
    case .snapshot: count(subject)
    case .delay: break
    }
    return (.done, 0)
  }

  private func count(_ subject: UInt32) {
    let snapshot = world.control.snapshot()
    let shown = world.chemistry.kinds.count + world.chemistry.stateCount
    for (index, count) in snapshot.counts.prefix(shown).enumerated() {
      recorder.note(.count, subject, index, UInt64(count.molecules))
    }
  }

  /// Looks at a soup. Requires: it was quiet just before, and every thread that has not ended was asleep in a call.
  ///
  /// True, and recorded as such: the soup was at rest from the look's begin to its end. The end takes its place in the
  /// record before `isStill` is asked. If all callers are still in their calls then, none of them has begun another
  /// operation within the look. A caller whose reply came right before the look can wake at any time. With the question
  /// first, such a caller could begin its next call before the end had its place, and the model missed the molecule of
  /// that call among the counts.
  @available(*, noasync)
  func look(ifStill isStill: () -> Bool) -> Bool {
    let subject = recorder.subject()
    recorder.note(.begin, subject, Chemistry.Code.snapshot.rawValue, UInt64(Chemistry.threads))
    count(subject)
    let snapshot = world.control.snapshot()
    let isQuiet = world.control.blocking.quiet(within: .zero)
    let end = recorder.reserve()
    let isAtRest = isStill() && isQuiet
    let rest = Rest(
      isAtRest: isAtRest, isHeld: snapshot.isPaused || snapshot.isStopped, dropped: snapshot.dropped,
      withdrawn: snapshot.withdrawn)
    recorder.note(.end, subject, Outcome.done.rawValue, rest.bits, at: end)
    return isAtRest
  }

  /// Until some events have been, or for a fraction of a millisecond.
  private func delay(_ amount: Int) {
    let target = recorder.count + (1 << amount)
    let end = ContinuousClock.now + .microseconds(2 << amount)
    while recorder.count < target && ContinuousClock.now < end { nap() }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Several at once
  // -------------------------------------------------------------------------------------------------------------------

  private func several(_ operation: Chemistry.Operation, _ subject: UInt32) -> Bool {
    let count = operation.amount + 2
    switch world.names[operation.name] {
    case .void(let name):
      recorder.note(.molecule, subject, operation.name, UInt64(count))
      return name.inject(count: count)
    case .plain(let name):
      let numbers = (0..<count).map { _ in number(subject, operation.name) }
      return name.inject(contentsOf: numbers)
    case .object(let name):
      let objects = (0..<count).map { _ in object(subject, operation.name) }
      return name.inject(contentsOf: objects)
    case .fast: return true
    }
  }

  private func number(_ subject: UInt32, _ name: Int) -> UInt64 {
    let number = recorder.molecule()
    recorder.note(.molecule, subject, name, number)
    return number
  }

  private func object(_ subject: UInt32, _ name: Int) -> Object {
    Object(number(subject, name), recorder, world.shared)
  }

  /// Two or three slow names, from the operation's on.
  private func together(_ operation: Chemistry.Operation, _ subject: UInt32) -> Bool {
    let count = world.names.count
    var chosen = (0..<count).map { (operation.name + $0 * (1 + operation.amount / 2)) % count }
    chosen = Array(chosen.filter { world.chemistry.kinds[$0] != .fast }.prefix(2 + operation.amount % 2))
    return chosen.isEmpty ? true : add(chosen[...], subject)
  }

  // One function for each place: a function over a pack that calls itself with a longer one is specialized without end.

  private func add(_ rest: ArraySlice<Int>, _ subject: UInt32) -> Bool {
    let index = rest.first!
    switch world.names[index] {
    case .void(let name):
      recorder.note(.molecule, subject, index, 1)
      return add(rest.dropFirst(), subject, (name, ()))
    case .plain(let name): return add(rest.dropFirst(), subject, (name, number(subject, index)))
    case .object(let name): return add(rest.dropFirst(), subject, (name, object(subject, index)))
    case .fast: return true
    }
  }

  private func add<A>(_ rest: ArraySlice<Int>, _ subject: UInt32, _ a: (Injector<A>, A)) -> Bool {
    guard let index = rest.first else { return Soup.inject(a) }
    switch world.names[index] {
    case .void(let name):
      recorder.note(.molecule, subject, index, 1)
      return add(rest.dropFirst(), subject, a, (name, ()))
    case .plain(let name): return add(rest.dropFirst(), subject, a, (name, number(subject, index)))
    case .object(let name): return add(rest.dropFirst(), subject, a, (name, object(subject, index)))
    case .fast: return Soup.inject(a)
    }
  }

  private func add<A, B>(
    _ rest: ArraySlice<Int>, _ subject: UInt32, _ a: (Injector<A>, A), _ b: (Injector<B>, B)
  ) -> Bool {
    guard let index = rest.first else { return Soup.inject(a, b) }
    switch world.names[index] {
    case .void(let name):
      recorder.note(.molecule, subject, index, 1)
      return Soup.inject(a, b, (name, ()))
    case .plain(let name): return Soup.inject(a, b, (name, number(subject, index)))
    case .object(let name): return Soup.inject(a, b, (name, object(subject, index)))
    case .fast: return Soup.inject(a, b)
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Calls
  // -------------------------------------------------------------------------------------------------------------------

  @available(*, noasync)
  private func call(_ operation: Chemistry.Operation, _ subject: UInt32) -> (Outcome, UInt64) {
    guard case .fast(let name) = world.names[operation.name] else { return (.done, 0) }
    let number = number(subject, operation.name)
    do throws(CallError) {
      switch operation.code {
      case .callWithin:
        let limit = Duration.microseconds(Chemistry.limits[operation.amount % 4])
        let begin = ContinuousClock.now
        do throws(CallError) {
          return (.replied, try name.blocking(number, within: limit))
        } catch {
          if error == .timedOut && ContinuousClock.now - begin < limit { return (.tooEarly, 0) }
          throw error
        }
      case .callCancelled: return (.replied, try cancelled(name, number, operation.amount))
      default:
        waiting.set(subject + 1)
        defer { waiting.set(0) }
        return (.replied, try name.blocking(number))
      }
    } catch {
      return Performer.outcome(of: error)
    }
  }

  private static func outcome(of error: CallError) -> (Outcome, UInt64) {
    switch error {
    case .neverReplied: (.neverReplied, 0)
    case .failed(let error): (.failed, UInt64((error as? Failed)?.firing ?? .max))
    case .stopped: (.stopped, 0)
    case .cleared: (.cleared, 0)
    case .timedOut: (.timedOut, 0)
    case .cancelled: (.cancelled, 0)
    case .gone: (.gone, 0)
    }
  }

  /// A task that is cancelled once it is about to call, and some time has passed.
  @available(*, noasync)
  private func cancelled(
    _ name: FastInjector<UInt64, UInt64>, _ number: UInt64, _ amount: Int
  ) throws(CallError) -> UInt64 {
    let isOver = DispatchSemaphore(value: 0)
    let cell = CallCell()
    let task = Task.detached {
      cell.hasBegun.store(true, ordering: .releasing)
      do throws(CallError) {
        cell.result = .success(try await name(number))
      } catch {
        cell.result = .failure(error)
      }
      isOver.signal()
    }
    while !cell.hasBegun.load(ordering: .acquiring) { nap() }
    delay(amount)
    task.cancel()
    isOver.wait()
    return try cell.result!.get()
  }
}

/// Written by the task, read after its signal.
private final class CallCell: @unchecked Sendable {
  let hasBegun = Atomic<Bool>(false)
  var result: Result<UInt64, CallError>?
}

final class WaitingFlag: Sendable {
  private let value = Atomic<UInt32>(0)

  func set(_ operation: UInt32) { value.store(operation, ordering: .sequentiallyConsistent) }
  var operation: UInt32 { value.load(ordering: .sequentiallyConsistent) }
}
