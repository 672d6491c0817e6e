import CHistories
import Crucible
import Glibc
import Synchronization

/// Runs chemistries over real soups, one after the other, on eight threads, and has their histories checked.
public final class Laboratory: @unchecked Sendable {
  /// The result of one run.
  public struct Verdict: Sendable {
    /// The findings that the model does not allow. It is empty if all is well.
    public var mistakes: [String] = []
    /// Molecules whose way was followed.
    public var molecules = 0
    public var firings = 0
    public var operations = 0
    /// Operations of scripts during which another thread began or ended one.
    public var overlapped = 0
  }

  private let crew = Crew(Chemistry.threads)
  private let recorder = Recorder(capacity: 1 << 17)
  private let waiting = (0..<Chemistry.threads).map { _ in WaitingFlag() }
  private let matcher: Soup.Matcher

  /// The record of the last run, for people.
  public var record: String { recorder.text }

  /// `patience`: how long nothing may happen. Then the process ends, and says of what.
  public init(matcher: Soup.Matcher, patience: Duration) {
    self.matcher = matcher
    Watchdog.shared.start(within: patience)
  }

  /// `attempt` makes the noise another one.
  @available(*, noasync)
  public func run(_ chemistry: Chemistry, _ title: String, attempt: Int = 0) -> Verdict {
    recorder.reset()
    Watchdog.shared.begin("\(title) on \(matcher)\n\(chemistry)") { [recorder] in recorder.count }
    let shared = performAndForget(
      chemistry, noise: UInt64(chemistry.seed) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(attempt) &+ 1)
    // Whoever let go last may be a thread of the pool. That it never does is the watchdog's.
    while !shared.isGone.load(ordering: .acquiring) || shared.objects.load(ordering: .acquiring) > 0 { nap() }
    let verdict = Model(
      History(recorder.all, chemistry), takesEarly: matcher == .arrival || matcher == .locked,
      carries: matcher == .word
    ).verdict
    Watchdog.shared.end()
    return verdict
  }

  /// In a function of its own, so that nothing refers to the soup any more when it returns.
  @available(*, noasync)
  @inline(never)
  private func performAndForget(_ chemistry: Chemistry, noise: UInt64) -> World.Shared {
    let world = World(chemistry, matcher: matcher, recorder)
    Watchdog.shared.watch(world.control)
    defer { Watchdog.shared.forget() }
    let main = Performer(world: world, waiting: WaitingFlag())
    if chemistry.beginsPaused {
      main.perform(.init(code: .pause), by: Chemistry.threads)
      rest(main)
    }
    let performers = waiting.map { Performer(world: world, waiting: $0) }
    for round in 0..<(chemistry.rests ? chemistry.rounds : 1) {
      histories_noise(noise &+ UInt64(round) << 32)
      crew.begin(chemistry.scripts.count) { thread in
        for _ in 0..<(chemistry.rests ? 1 : chemistry.rounds) {
          for operation in chemistry.scripts[thread] {
            performers[thread].perform(chemistry.shifted(operation, by: round), by: thread)
          }
        }
      }
      helpTheStuck(chemistry.scripts.count, main)
      crew.forget()
      if chemistry.rests { rest(main) }
    }
    histories_noise(0)
    finish(main)
    return world.shared
  }

  /// Waits until all threads have ended. When all that have not wait for replies, the soup has to be at rest: that is
  /// looked at, and then something is done for them.
  @available(*, noasync)
  private func helpTheStuck(_ threads: Int, _ main: Performer) {
    let control = main.world.control
    while crew.busy > 0 {
      let before = waiting.map(\.operation)
      if before.count(where: { $0 != 0 }) < crew.busy || !areAsleep(before, in: control) {
        nap()
        continue
      }
      let isAtRest = main.look { self.waiting.map(\.operation) == before }
      if !isAtRest {
        nap()
        continue
      }
      main.perform(.init(code: control.snapshot().isPaused ? .resume : .clear), by: Chemistry.threads)
    }
  }

  /// Whether all these calls have been injected and not been answered, and nothing else goes on.
  @available(*, noasync)
  private func areAsleep(_ operations: [UInt32], in control: Soup.Control) -> Bool {
    let asleep = control.explain().calls.reduce(0) { $0 + $1.callers.count }
    return asleep == operations.count { $0 != 0 } && control.blocking.quiet(within: .zero)
  }

  /// Lets everything that can react do so, looks at what is left, and stops.
  @available(*, noasync)
  private func finish(_ main: Performer) {
    let control = main.world.control
    if control.snapshot().isStopped {
      rest(main)
      main.perform(.init(code: .restart), by: Chemistry.threads)
    }
    main.perform(.init(code: .resume), by: Chemistry.threads)
    rest(main)
    main.perform(.init(code: .stop), by: Chemistry.threads)
    rest(main)
  }

  /// A look at a soup that nobody disturbs any more. That it does not come to rest is the watchdog's.
  @available(*, noasync)
  private func rest(_ main: Performer) {
    while !main.world.control.blocking.quiet(within: .seconds(1)) {}
    _ = main.look { true }
  }
}
