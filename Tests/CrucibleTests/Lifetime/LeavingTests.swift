import Crucible
import CrucibleTestSupport
import Testing

/// Contract 7: the names that leave a definition own its soup, in any container.
@Suite(.watched)
struct `Names that leave a definition` {
  @Test(arguments: matchers)
  func `Names in the fields of a struct own their soup, however deep`(matcher: Matcher) async throws {
    struct Nested {
      let label = "sums"
      let sums: [FastInjector<Void, Int>]
    }
    struct Counter {
      let number = 7
      let add: Injector<Int>?
      let rest: (Nested, byLabel: [String: Injector<Int>])
    }
    let census = Census()
    for _ in 0..<3 {
      let counter = Soup.define("fields", with: .init(matcher: matcher)) { soup in
        let (add, sum) = makeCounter(in: soup, census)
        return Counter(add: add, rest: (Nested(sums: [sum]), ["add": add]))
      }
      #expect(counter.add?(2) == true && counter.rest.byLabel["add"]?(3) == true)
      #expect(try await counter.rest.0.sums[0]() == 5)
      #expect(census.alive == 1)
      #expect(counter.number == 7 && counter.rest.0.label == "sums")
      let add = counter.add!.weak
      let kept = Counter(add: nil, rest: counter.rest)
      #expect(add(1))
      withExtendedLifetime(kept) {}
    }
    #expect(census.alive == 0)
  }

  /// A definition counts one reference to its owner for each element in advance, and returns those that no name took.
  @Test(arguments: matchers)
  func `Names own their soup however many of them a tuple has`(matcher: Matcher) async throws {
    let census = Census()
    for _ in 0..<3 {
      let (adds, sum) = Soup.define("more", with: .init(matcher: matcher)) { soup in
        let (add, sum) = makeCounter(in: soup, census)
        return ([add, add, add, add], sum)
      }
      #expect(adds.allSatisfy { $0(1) })
      #expect(try await sum() == 4)
      let (no, nobody, only) = Soup.define("fewer", with: .init(matcher: matcher)) { soup in
        let (add, _) = makeCounter(in: soup, census)
        return (Injector<Int>?.none, [Injector<Int>](), add)
      }
      #expect(no == nil && nobody == [] && only(1))
      #expect(census.alive == 2)
      withExtendedLifetime(adds) {}
    }
    #expect(census.alive == 0)
  }

  @Test func `Names own their soup beside values of any type`() {
    struct Failed: Error {}
    struct Mixed: @unchecked Sendable {
      let error: any Error = Failed()
      let value: any Sendable = 7
      let clock: any Clock<Duration> = ContinuousClock()
      let object: AnyObject = Census()
      let type: any Any.Type = Int.self
      let closure: () -> Int = { 7 }
      let result: Result<Int, any Error> = .success(7)
      let optional: (any Sendable)? = nil
      let add: Injector<Int>
    }
    struct Boxed: Leaving {
      let error: any Error = Failed()
      let add: Injector<Int>
    }
    let census = Census()
    do {
      let (mixed, boxed) = Soup.define("mixed") { soup in
        let (add, _) = makeCounter(in: soup, census)
        return (Mixed(add: add), Boxed(add: add))
      }
      #expect(mixed.add(2) && boxed.add(3))
      #expect(mixed.closure() == 7)
      #expect(census.alive == 1)
    }
    #expect(census.alive == 0)
  }

  @Test(arguments: matchers)
  func `Names in a tuple with labels and in a leaving struct own their soup`(matcher: Matcher) async throws {
    struct Counter: Leaving {
      let add: Injector<Int>
      let sum: FastInjector<Void, Int>
      let control: Soup.Control
    }
    let census = Census()
    do {
      let made = Soup.define("conforming", with: .init(matcher: matcher)) { soup in
        let (add, sum) = makeCounter(in: soup, census)
        let one = Counter(add: add, sum: sum, control: soup.control)
        return (counters: [one, one], only: one)
      }
      let only = made.only
      let late = Counter(add: only.add.weak, sum: only.sum.weak, control: only.control).owning()
      #expect(made.counters[0].add(2) && made.counters[1].add(3) && late.add(4))
      #expect(try await only.sum() == 9)
      #expect(census.alive == 1)
    }
    #expect(census.alive == 0)
  }

  /// The plain forms stay as they are. The other forms add no cost to one name or to a tuple without labels.
  @Test func `Names keep the types that their definition returns`() {
    let pair: (Injector<Int>, FastInjector<Void, Int>) = Soup.define { makeCounter(in: $0, Census()) }
    let labelled: (add: Injector<Int>, sum: FastInjector<Void, Int>) = Soup.define { soup in
      let (add, sum) = makeCounter(in: soup, Census())
      return (add, sum)
    }
    #expect(pair.0 != labelled.add)
  }

  @Test(arguments: matchers)
  func `Names are equal if they are one name of one soup, whether they own it or not`(matcher: Matcher) {
    let define = {
      Soup.define("equal", with: .init(matcher: matcher)) { soup in
        let (add, sum) = makeCounter(in: soup, Census())
        let other = soup.slow("other", of: Int.self)
        soup.react(other) { _ in }
        return (add, sum, other)
      }
    }
    let (first, second) = (define(), define())
    #expect(first.0 == first.0.owning() && first.0 == first.0.weak)
    #expect(first.0 != first.2 && first.0 != second.0)
    #expect(first.1 == first.1.weak && first.1 != second.1)
    #expect(Set([first.0, first.0.weak, first.2, second.0]).count == 3)
    #expect(Set([first.1, first.1.weak, second.1]).count == 2)
  }
}

/// Contract 7: a weak name keeps nothing alive, and is safe to call.
@Suite(.watched)
struct `A weak name` {
  @Test(arguments: matchers)
  func `A weak name injects while its soup lives, and keeps no soup`(matcher: Matcher) async throws {
    let census = Census()
    var names: (Injector<Int>, FastInjector<Void, Int>)?
    do {
      let (add, sum) = Soup.define("weak", with: .init(matcher: matcher)) { makeCounter(in: $0, census) }
      names = (add.weak, sum.weak)
      #expect(names!.0(2))
      #expect(try await names!.1() == 2)
      withExtendedLifetime((add, sum)) {}
    }
    #expect(census.alive == 0)
    #expect(!names!.0(2))
    for way in WayToCall.allCases { #expect(await way.call(names!.1) == .failure(.gone)) }
  }

  @Test(arguments: matchers)
  func `A weak name owns again by its owning form, while its soup lives`(matcher: Matcher) {
    let census = Census()
    var name: Injector<Int>?
    do {
      let (add, _) = Soup.define("owning", with: .init(matcher: matcher)) { makeCounter(in: $0, census) }
      name = add.weak.owning()
    }
    #expect(census.alive == 1)
    #expect(name!(1))
    name = nil
    #expect(census.alive == 0)
  }

  @Test func `A weak name causes no warning when its soup is gone`() async {
    await #expect(processExitsWith: .success) {
      let log = Log<Soup.Warning>()
      Soup.Warning.log = { log.append($0) }
      var weak: Injector<Int>?
      var captured: Injector<Int>?
      do {
        let (add, _) = Soup.define("meant") { makeCounter(in: $0, Census()) }
        weak = add.weak
        let other = Soup.define("not meant") { soup in
          let (add, sum) = makeCounter(in: soup, Census())
          captured = add
          return (add, sum)
        }
        withExtendedLifetime(other) {}
      }
      #expect(!weak!(1) && log.count == 0)
      #expect(!captured!(1) && log.all.map(\.kind) == [.gone])
    }
  }
}

private func makeCounter(in soup: Soup, _ census: Census) -> (Injector<Int>, FastInjector<Void, Int>) {
  let add = soup.slow("add", of: Int.self)
  let sum = soup.fast("sum", returning: Int.self)
  let total = soup.state("total", 0)
  let live = census.live()
  soup.react(state: total, add, on: .inline) { total, x in total += x }
  soup.react(state: total, sum, on: .inline) { total, call in
    withExtendedLifetime(live) {}
    call.reply(total)
  }
  return (add, sum)
}
