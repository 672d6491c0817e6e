import Crucible
import CrucibleTestSupport
import Testing

/// Names are values. Programs make soups anywhere, also in bodies, and by the hundred thousand.
@Suite(.watched, .serialized)
struct `Names as values` {
  @Test(arguments: Run.setups)
  func `A name in a molecule of another soup reaches its own, whatever value has it`(setup: Setup) async {
    struct Order: Sendable {
      var number: Int
      var reply: Injector<Int>
      var witnesses: [Injector<Int>] = []
      var then: (@Sendable (Int) -> Void)?
    }
    enum Address: Sendable {
      case nobody
      case one(Injector<Int>)
      indirect case several([Address])

      func tell(_ number: Int) {
        switch self {
        case .nobody: break
        case .one(let name): name(number)
        case .several(let list): for address in list { address.tell(number) }
        }
      }
    }
    let seen = Log<String>()
    func listener(_ label: String) -> (Injector<Int>, Soup.Control) {
      setup.react(slow("hear", of: Int.self), named: label) { seen.append("\(label) \($0)") }
    }
    let listeners = ["a", "b", "c", "d"].map(listener)
    let names = listeners.map(\.0)
    let (order, address, control) = setup.define(
      slow("order", of: Order.self), slow("address", of: [String: Address].self)
    ) { soup, order, address in
      soup.react(order) { order in
        order.reply(order.number)
        for witness in order.witnesses { witness(order.number + 1) }
        order.then?(order.number + 2)
      }
      soup.react(address) { addresses in for address in addresses.values { address.tell(7) } }
    }
    order(Order(number: 1, reply: names[0], witnesses: [names[1], names[2]]) { [name = names[3]] in name($0) })
    address(["x": .several([.one(names[0]), .nobody, .several([.one(names[3])])])])
    await control.settle()
    for (_, control) in listeners { await control.settle() }
    #expect(seen.all.sorted() == ["a 1", "a 7", "b 2", "c 2", "d 3", "d 7"])
  }

  @Test(arguments: Run.setups)
  func `A name in a reply owns its soup only if it was made to`(setup: Setup) async throws {
    let census = Census()
    do {
      let (make, control) = setup.react(fast("make", of: Bool.self, returning: FastInjector<Int, Int>.self)) { call in
        var inner: FastInjector<Int, Int>?
        let (owner, _) = setup.matcher.define(fast("add", of: Int.self, returning: Int.self)) { soup, add in
          let captured = census.live(10)
          soup.react(add) { call in call.reply(call.input + captured.number) }
          inner = add
        }
        call.reply(call.input ? owner : inner!)
      }
      let owning = try await make(true)
      #expect(try await owning(1) == 11)
      let borrowed = try await make(false)
      await control.settle()
      await #expect(throws: CallError.gone) { try await borrowed(1) }
      #expect(try await onThread { try owning.blocking(2) } == 12)
      #expect(census.alive == 1)
    }
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `A name that a body makes owning keeps its soup as long as the name lives`(setup: Setup) async throws {
    let (census, kept, seen) = (Census(), Shared<[Injector<Int>]>(nil), Log<Int>())
    do {
      let (leave, _, _) = setup.define(fast("leave", returning: Void.self), slow("hear", of: Int.self)) {
        soup, leave, hear in
        let captured = census.live()
        soup.react(leave) { call in
          kept.put([hear.owning(), hear])
          call.reply()
        }
        soup.react(hear) { number in
          seen.append(number)
          withExtendedLifetime(captured) {}
        }
      }
      try await leave()
    }
    #expect(census.alive == 1)
    let borrowed = kept.value![1]
    #expect(kept.value!.count { $0(1) } == 2)
    _ = kept.take()
    await census.expectExtinction()
    #expect(seen.all == [1, 1])
    #expect(!borrowed(2))
  }

  @Test(arguments: matchers)
  func `An owning name that waits in its own soup keeps it until a reaction takes the name`(matcher: Matcher) {
    let (census, borrowed) = (Census(), Shared<Injector<Void>>(nil))
    do {
      let _: Soup.Control = Soup.define("cycle", with: .init(matcher: matcher)) { soup in
        let captured = census.live()
        let inward = soup.slow("inward", of: [Soup.Control].self)
        let cut = soup.slow("cut")
        soup.react(inward, cut, on: .inline) { _, _ in withExtendedLifetime(captured) {} }
        inward([soup.control.owning()])
        borrowed.put(cut)
        return soup.control
      }
    }
    #expect(census.alive == 1, "the documented cycle keeps the soup alive")
    #expect(borrowed.value!())
    #expect(census.alive == 0, "the reaction that took the name ended the soup")
    #expect(!borrowed.value!())
  }

  @Test(arguments: matchers)
  func `An owning name in a state of its own soup keeps it until the state releases the name`(matcher: Matcher) {
    let (census, borrowed) = (Census(), Shared<Injector<Bool>>(nil))
    do {
      let (_, _) = matcher.define(slow("hold", of: Bool.self)) { soup, hold in
        let captured = census.live()
        let inward = soup.state("inward", [Injector<Bool>]())
        soup.react(state: inward, hold, on: .inline) { inward, isHeld in
          inward = isHeld ? [hold.owning()] : []
          withExtendedLifetime(captured) {}
        }
        hold(true)
        borrowed.put(hold)
      }
    }
    #expect(census.alive == 1)
    #expect(borrowed.value!(false))
    #expect(census.alive == 0)
    #expect(!borrowed.value!(false))
  }

  @Test(arguments: matchers)
  func `Names that do not own make no cycle when they wait in other soups`(matcher: Matcher) {
    let census = Census()
    do {
      let (ping, _) = waiting(census.live(), matcher)
      let (pong, inner) = waiting(census.live(), matcher)
      // Each soup has a name of the other. If `inner` owned its soup, both would live for ever.
      pong(ping)
      ping(inner)
    }
    #expect(census.alive == 0)
  }

  /// Makes a soup in which names wait for ever. Returns its name, first owning the soup and then not.
  private func waiting(_ live: Live, _ matcher: Matcher) -> (Injector<any Sendable>, Injector<any Sendable>) {
    var inner: Injector<any Sendable>?
    let (outer, _, _) = matcher.define(slow("name", of: (any Sendable).self), slow("never")) { soup, name, never in
      soup.react(name, never) { _, _ in withExtendedLifetime(live) {} }
      inner = name
    }
    return (outer, inner!)
  }
}
