import Crucible
import CrucibleTestSupport
import Testing

/// The dining philosophers, for any number of them: an array of names, patterns of three.
@Suite(.watched)
struct `Philosophers` {
  @Test(arguments: [2, 5, 15], Run.setups)
  func `all eat as often as they are hungry`(count: Int, setup: Setup) async throws {
    let meals = scaled(500)
    let eaten = (0..<count).map { _ in Tally() }
    let inHand = (0..<count).map { _ in Tally() }
    let clashes = Tally()
    let (hungry, control) = Soup.define("philosophers", with: .init(matcher: setup.matcher)) { soup in
      let forks = soup.slow("fork", count: count)
      let hungry = soup.slow("hungry", of: Int.self, count: count)
      for i in 0..<count {
        let next = (i + 1) % count
        soup.react(hungry[i], forks[i], forks[next], on: setup.placement) { left, _, _ in
          if inHand[i].add() != 1 || inHand[next].add() != 1 { clashes.add() }
          eaten[i].add()
          inHand[i].add(-1)
          inHand[next].add(-1)
          forks[i]()
          forks[next]()
          if left > 1 { hungry[i](left - 1) }
        }
      }
      for fork in forks { fork() }
      return (hungry, soup.control)
    }
    Watchdog.watch(control)
    try await onThreads(2) { thread in
      for i in 0..<count where i % 2 == thread { hungry[i](meals) }
    }
    await control.settle()
    #expect(eaten.map(\.count) == Array(repeating: meals, count: count))
    #expect(clashes.count == 0)
    #expect((0..<count).allSatisfy { control.snapshot()["fork[\($0)]"] == 1 })
  }
}
