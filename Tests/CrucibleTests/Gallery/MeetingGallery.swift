import Crucible
import CrucibleTestSupport
import Testing

/// Classic problems: what brings threads together.
@Suite(.watched)
struct `Gallery of meetings` {
  @Test(arguments: Run.setups)
  func `a rendezvous swaps what two bring`(setup: Setup) async throws {
    let (left, right) = Soup.define("rendezvous", with: .init(matcher: setup.matcher)) { soup in
      let left = soup.fast("left", of: Int.self, returning: String.self)
      let right = soup.fast("right", of: String.self, returning: Int.self)
      soup.react(left, right, on: setup.placement) { left, right in
        left.reply(right.input)
        right.reply(left.input)
      }
      return (left, right)
    }
    let got = Log<String>()
    try await onThreads(2) { thread in
      for n in 0..<200 {
        got.append(thread == 0 ? try left.blocking(n) : "\(try right.blocking("\(n)") + 1000)")
      }
    }
    #expect(got.all.compactMap(Int.init).sorted() == Array(0..<200) + Array(1000..<1200))
  }

  @Test(arguments: Run.setups)
  func `a barrier lets three go when all have come`(setup: Setup) async throws {
    let barrier: FastInjector<Int, [Int]> = Soup.define("barrier", with: .init(matcher: setup.matcher)) { soup in
      let arrive = soup.fast("arrive", of: Int.self, returning: [Int].self)
      soup.react(arrive, arrive, arrive, on: setup.placement) { a, b, c in
        let rounds = [a.input, b.input, c.input]
        for call in [a, b, c] { call.reply(rounds) }
      }
      return arrive
    }
    let rounds = try await onThreads(3) { _ in try (0..<200).map { try barrier.blocking($0) } }
    for thread in rounds { #expect(thread == (0..<200).map { [$0, $0, $0] }) }
  }

  @Test(arguments: Run.setups)
  func `Santa is woken by nine reindeer or three elves`(setup: Setup) async throws {
    let deliveries = Tally()
    let consultations = Tally()
    let (reindeer, elf, control) = Soup.define("Santa", with: .init(matcher: setup.matcher)) { soup in
      let santa = soup.state("Santa", 0)
      let reindeer = soup.slow("reindeer")
      let elf = soup.slow("elf", of: Int.self)
      let sleigh = soup.slow("sleigh")
      soup.react(all: Array(repeating: reindeer, count: 9), on: setup.placement) { _ in sleigh() }
      soup.react(state: santa, sleigh, on: setup.placement) { tasks, _ in
        tasks += 1
        deliveries.add()
      }
      soup.react(state: santa, elf, elf, elf, on: setup.placement) { tasks, _, _, _ in
        tasks += 1
        consultations.add()
      }
      return (reindeer, elf, soup.control)
    }
    Watchdog.watch(control)
    try await onThreads(3) { thread in
      for n in 0..<100 {
        for _ in 0..<3 { reindeer() }
        elf(n)
      }
    }
    await control.settle()
    #expect(deliveries.count == 100)
    #expect(consultations.count == 100)
  }

  @Test(arguments: Run.setups)
  func `smokers each wait for the two ingredients they lack`(setup: Setup) async throws {
    let smoked = (0..<3).map { _ in Tally() }
    let (table, control) = Soup.define("smokers", with: .init(matcher: setup.matcher)) { soup in
      let ingredients = soup.slow("ingredient", count: 3)
      let agent = soup.slow("agent", of: Int.self)
      for smoker in 0..<3 {
        soup.react(ingredients[(smoker + 1) % 3], ingredients[(smoker + 2) % 3], on: setup.placement) { _, _ in
          smoked[smoker].add()
          if smoked.reduce(0, { $0 + $1.count }) < 300 { agent(smoked[smoker].count) }
        }
      }
      soup.react(agent, on: setup.placement) { n in
        for smoker in 0..<3 where smoker != n % 3 { ingredients[smoker]() }
      }
      return (agent, soup.control)
    }
    Watchdog.watch(control)
    table(0)
    await control.settle()
    #expect(smoked.reduce(0) { $0 + $1.count } == 300)
    #expect(control.snapshot().counts.allSatisfy { $0.molecules == 0 })
  }
}
