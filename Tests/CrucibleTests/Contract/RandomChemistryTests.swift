import Crucible
import CrucibleTestSupport
import Synchronization
import Testing

/// Contract 1 and 2 on chemistries that nobody thought of: names, patterns, states, placements and injections are drawn from
/// a seed. Bodies put molecules back, so that reactions feed reactions.
@Suite(.watched, .serialized)
struct `Random chemistry` {
  @Test(arguments: matchers, 0..<12)
  func `conserves unique payloads and comes to rest with nothing enabled`(matcher: Soup.Matcher, number: Int)
    async throws
  {
    let seed = Run.seed(of: "random chemistry", number)
    let recipe = Recipe(seed)
    let census = Census()
    let world = World(nameCount: recipe.nameCount, capacity: 8 * recipe.perThread * 2, census: census)
    try await Watchdog.whileWatching {
      let (names, control) = Soup.define("random \(number)", with: .init(matcher: matcher, seed: seed)) { soup in
        let names = soup.slow("n", of: Item.self, count: recipe.nameCount)
        let states = recipe.stateIndices.map { soup.state("s\($0)", World.Exclusive()) }
        for reaction in recipe.reactions { reaction.declare(in: soup, names, states, world) }
        return (names, soup.control)
      }
      Watchdog.watch(control)
      try await onThreads(8) { thread in
        var random = Seeded(seed &+ UInt64(thread))
        for _ in 0..<recipe.perThread { world.inject(into: names, Int.random(in: 0..<names.count, using: &random)) }
      }
      await control.settle()
      let counts = control.snapshot().counts
      #expect(counts.filter { $0.label.hasPrefix("s") }.allSatisfy { $0.molecules == 1 }, "states are back: \(counts)")
      let present = counts.filter { $0.label.hasPrefix("n") }.map(\.molecules)
      for name in names.indices {
        #expect(world.injected[name].count == world.consumed[name].count + present[name], "of name \(name): \(control)")
      }
      for reaction in recipe.reactions {
        let chemistry = Chemistry("", [reaction.pattern])
        #expect(!chemistry.isEnabled(reaction.pattern, with: present), "\(reaction.pattern) at rest: \(control)")
      }
      #expect(world.ledger.outstanding == present.reduce(0, +))
    }
    #expect(world.ledger.duplicates == 0)
    #expect(world.mistakes.all == [])
    await census.expectExtinction()
  }
}

/// What the bodies of a random chemistry keep book in.
private final class World: Sendable {
  /// Found entered by two bodies at once, it says so. Not Sendable, as a state may be.
  struct Exclusive {
    var isEntered = false
    var uses = 0
  }

  let injected: [Tally]
  let consumed: [Tally]
  let ledger: Ledger
  let mistakes = Log<String>()
  private let census: Census

  init(nameCount: Int, capacity: Int, census: Census) {
    injected = (0..<nameCount).map { _ in Tally() }
    consumed = (0..<nameCount).map { _ in Tally() }
    ledger = Ledger(capacity: capacity)
    self.census = census
  }

  func inject(into names: [Injector<Item>], _ name: Int) {
    guard let number = ledger.issue() else { return }
    injected[name].add()
    if !names[name](Item(name: name, payload: census.live(number))) { mistakes.append("\(name) refused") }
  }

  func consume(_ items: [Item], by pattern: [Int]) {
    if items.map(\.name) != pattern { mistakes.append("\(pattern) got \(items.map(\.name))") }
    for item in items {
      ledger.consume(item.payload.number)
      consumed[item.name].add()
    }
  }

  func use(_ state: inout Exclusive) {
    if state.isEntered { mistakes.append("a state had by two bodies") }
    state.isEntered = true
    state.uses += 1
    withExtendedLifetime(state) {}
    state.isEntered = false
  }
}

/// One reaction of a random chemistry.
private struct RandomReaction: Sendable {
  let pattern: [Int]
  let state: Int?
  let placement: Placement
  /// What the body injects.
  let product: Int?

  func declare(in soup: Soup, _ names: [Injector<Item>], _ states: [Soup.State<World.Exclusive>], _ world: World) {
    let reaction = self
    let inputs = pattern.map { names[$0] }
    let finish = { @Sendable (items: [Item]) in
      world.consume(items, by: reaction.pattern)
      if let product = reaction.product { world.inject(into: names, product) }
    }
    switch (state.map { states[$0] }, inputs.count) {
    case (let state?, 1):
      soup.react(state: state, inputs[0], on: placement) { state, a in
        world.use(&state)
        finish([a])
      }
    case (let state?, 2):
      soup.react(state: state, inputs[0], inputs[1], on: placement) { state, a, b in
        world.use(&state)
        finish([a, b])
      }
    case (let state?, _):
      soup.react(state: state, inputs[0], inputs[1], inputs[2], on: placement) { state, a, b, c in
        world.use(&state)
        finish([a, b, c])
      }
    case (nil, _):
      soup.react(inputs, on: placement) { finish($0) }
    }
  }
}

/// A chemistry drawn from a seed: 2 to 16 names, each in at least one pattern of 1 to 3 inputs.
private struct Recipe: Sendable {
  let nameCount: Int
  let stateIndices: Range<Int>
  let reactions: [RandomReaction]
  let perThread: Int

  init(_ seed: UInt64) {
    var random = Seeded(seed)
    let nameCount = Int.random(in: 2...16, using: &random)
    let stateCount = Int.random(in: 0...2, using: &random)
    var reactions: [RandomReaction] = []
    func add(first: Int, state: Int?) {
      let rest = (0..<Int.random(in: 0...2, using: &random)).map { _ in Int.random(in: 0..<nameCount, using: &random) }
      reactions.append(
        RandomReaction(
          pattern: [first] + rest, state: state, placement: Bool.random(using: &random) ? .inline : .pool,
          product: Bool.random(using: &random) ? Int.random(in: 0..<nameCount, using: &random) : nil))
    }
    for name in 0..<nameCount {
      let state = stateCount > 0 && Bool.random(using: &random) ? Int.random(in: 0..<stateCount, using: &random) : nil
      add(first: name, state: state)
    }
    for state in 0..<stateCount { add(first: Int.random(in: 0..<nameCount, using: &random), state: state) }
    self.nameCount = nameCount
    stateIndices = 0..<stateCount
    self.reactions = reactions
    perThread = scaled(2000)
  }
}
