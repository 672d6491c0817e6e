import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Contract 5, oldest first, with its bound.
///
/// Once an injection has returned, its molecule is consumed before any molecule of that name whose injection begins
/// later. So between the return and its own consumption, at most B + (P - 1) other molecules of its name are consumed.
/// B of them wait at that moment, and each of the P - 1 other threads may be injecting one. If only one thread injects
/// a name, the order is strictly first-in-first-out, however many threads consume.
///
/// Proof: when a molecule is published, every other thread is in one of these places at most. It has claimed an earlier
/// place and not published it yet. Or it pops, has passed this molecule's place already, and takes a molecule that was
/// published before. Or it has seen the bag empty, and is about to complete a reaction with a molecule of its own. A
/// later injection claims a later place, finds this molecule, and sees a bag with contents.
@Suite(.watched, .serialized)
struct `Overtaking` {
  @Test(arguments: Run.setups, [1, 2, 8])
  func `Each other thread overtakes a molecule with at most one`(setup: Setup, injectors: Int) async throws {
    let rounds = scaled(2000)
    let total = 8 * rounds
    let served = Places(total)
    let latest = Places(total)
    let (item, token, control) = setup.define(slow("item", of: Int.self), slow("token")) { soup, item, token in
      // Bodies that share a state run in the order in which their firings took their molecules.
      let consumed = soup.state("consumed", 0)
      soup.react(state: consumed, item, token) { consumed, number, _ in
        consumed += 1
        served[number] = consumed
      }
    }
    let returned = Tally()
    try await onThreads(8) { thread in
      for round in 0..<rounds {
        for part in 0..<(thread < injectors ? 8 / injectors : 0) {
          let number = (round * 8 / injectors + part) * injectors + thread
          item(number)
          // This counts all injections that began before the return, except for one of each other thread at most.
          latest[number] = returned.add() + injectors - 1
        }
        token()
      }
    }
    await control.settle()
    let late = (0..<total).filter { served[$0] > latest[$0] }
    #expect(late.isEmpty, "\(late.count) of \(total), the first by \(late.first.map { served[$0] - latest[$0] } ?? 0)")
    #expect((0..<total).map { served[$0] }.sorted() == Array(1...total))
    #expect((injectors..<total).allSatisfy { served[$0 - injectors] < served[$0] }, "each thread's items are in order")
  }

  @Test(arguments: Run.setups)
  func `A newcomer to eight molecules that come back for ever reacts within nine firings`(setup: Setup) async throws {
    let crowd = 8
    let newcomers = scaled(100)
    let served = Places(newcomers)
    let firings = Tally()
    let (customer, turn, control) = setup.define(slow("customer", of: Int?.self), slow("turn")) {
      soup, customer, turn in
      let counter = soup.state("counter", 0)
      soup.react(state: counter, customer, turn) { count, newcomer, _ in
        count += 1
        firings.add()
        if let newcomer { served[newcomer] = count } else { customer(nil) }
      }
    }
    for _ in 0..<crowd { customer(nil) }
    let done = Latch(1)
    let latest = Places(newcomers)
    try await onThreads(8) { thread in
      if thread > 0 {
        while !done.isOpen {
          for _ in 0..<20 { turn() }
          while control.snapshot()[turn] > 1000 && !done.isOpen { sched_yield() }
        }
      } else {
        for newcomer in 0..<newcomers {
          customer(newcomer)
          latest[newcomer] = firings.count + crowd + 1
          // The other threads inject the turns. The next newcomer is injected after these have served this one.
          while firings.count < latest[newcomer] { sched_yield() }
        }
        done.countDown()
      }
    }
    await control.settle()
    let late = (0..<newcomers).filter { served[$0] == 0 || served[$0] > latest[$0] }
    #expect(late.isEmpty, "\(late.count) of \(newcomers)")
    #expect(control.snapshot()[customer] == crowd)
  }
}

/// One number for each molecule. Only one thread at a time writes each of them.
private final class Places: @unchecked Sendable {
  private let numbers: UnsafeMutableBufferPointer<Int>

  init(_ count: Int) {
    numbers = .allocate(capacity: count)
    numbers.initialize(repeating: 0)
  }

  deinit { numbers.deallocate() }

  subscript(index: Int) -> Int {
    get { numbers[index] }
    set { numbers[index] = newValue }
  }
}
