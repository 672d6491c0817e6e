import Crucible
import CrucibleTestSupport
import Glibc
import Testing

#if DEBUG
  private let elements = 1500
  private let links = 5000
#else
  private let elements = 100_000
  private let links = 100_000
#endif

/// Soups that bodies of soups make, recursively, and long chains of soups. Each test runs in a process of its own,
/// where all soups and all memory of the core can be counted.
@Suite(.watched, .serialized)
struct `Soups in soups` {
  @Test(arguments: matcherNames, [true, false])
  func `Soups in soups sort by merging, with a soup for each split`(matcher: String, inline: Bool) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String, inline = inline as Bool] in
      Watchdog.guardProcess("merge sort")
      let setup = Setup(matcher: Matcher(matcher)!, placement: inline ? .inline : .pool)
      var random = Seeded(11)
      let numbers = (0..<elements).map { _ in Int.random(in: 0..<elements, using: &random) }
      let splits = Tally()
      try await onThread(stackSize: 512 << 10) {
        let (sorted, done) = (Shared<[Int]>(nil), Gate())
        do {
          let (result, _) = setup.react(slow("result", of: [Int].self), named: "result") {
            sorted.put($0)
            done.open()
          }
          sorter(into: result, setup, splits)(numbers[...])
        }
        done.waitBlocking()
        #expect(sorted.value == numbers.sorted())
        #expect(splits.count == elements - 1)
        // The last bodies and their soups may end a moment after the result arrives.
        while Soup.all.count > 0 { sched_yield() }
      }
    }
  }

  /// Threads of the pool have larger stacks, so the chain that a body releases is longer.
  @Test(arguments: matcherNames, [true, false])
  func `A chain of soups, each in the next one's body, ends without recursion`(matcher: String, onPool: Bool) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String, onPool = onPool as Bool] in
      Watchdog.guardProcess("chain of bodies")
      let matcher = Matcher(matcher)!
      let (census, count) = (Census(), onPool ? 4 * links : links)
      try await onThread(stackSize: 512 << 10) {
        let (drop, done, _) = matcher.react(
          slow("drop", of: Holder.self), fast("done", returning: Void.self), named: "drop"
        ) { _, call in call.reply() }
        let before = Memory.settledBytes
        var next: [Injector<Holder>] = []
        for _ in 0..<count {
          let (inner, live) = (next, census.live())
          next = [matcher.react(slow("a", of: Holder.self)) { _ in withExtendedLifetime((inner, live)) {} }.0]
        }
        #expect(Soup.all.count == count + 1)
        if onPool { drop(Holder(names: next)) }
        next = []
        if onPool { try done.blocking() }
        while onPool && Soup.all.count > 1 { sched_yield() }
        #expect(Soup.all.count == 1)
        #expect(census.alive == 0)
        #expect(onPool || Memory.settledBytes == before)
      }
    }
  }

  @Test(arguments: matcherNames)
  func `A chain of soups, each held by the next, ends without deep recursion`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("chain of values")
      try await onThread(stackSize: 512 << 10) {
        let chain = Shared(heldInValues(Matcher(matcher)!))
        #expect(Soup.all.count == links)
        _ = chain.take()
        #expect(Soup.all.count == 0)
      }
    }
  }
}

/// Makes a chain of soups, and returns the last one's name. Each soup holds the previous one in a bag or in a state.
private func heldInValues(_ matcher: Matcher) -> Injector<Holder> {
  var next: [Injector<Holder>] = []
  for number in 0..<links {
    let (put, keep, _, _) = matcher.define(
      slow("put", of: Holder.self), slow("keep", of: Holder.self), slow("never"), named: "link"
    ) { soup, put, keep, never in
      let state = soup.state("state", [Holder]())
      soup.react(put, never) { _, _ in }
      soup.react(state: state, keep, on: .inline) { state, holder in state.append(holder) }
    }
    let holder = Holder(names: next)
    if number.isMultiple(of: 2) { put(holder) } else { keep(holder) }
    next = [put]
  }
  return next[0]
}

/// Makes a soup whose body splits its input between two soups that it makes. Its other body merges their results.
private func sorter(into result: Injector<[Int]>, _ setup: Setup, _ splits: Tally) -> Injector<ArraySlice<Int>> {
  Soup.define("sorter", with: .init(matcher: setup.matcher)) { soup in
    let sort = soup.slow("sort", of: ArraySlice<Int>.self)
    let left = soup.slow("left", of: [Int].self)
    let right = soup.slow("right", of: [Int].self)
    soup.react(sort, on: setup.placement) { numbers in
      splits.add()
      let middle = numbers.startIndex + numbers.count / 2
      for (part, name) in [(numbers[..<middle], left), (numbers[middle...], right)] {
        // A soup that is made here owns this soup until it has delivered its part.
        if part.count < 2 { name(Array(part)) } else { sorter(into: name.owning(), setup, splits)(part) }
      }
    }
    soup.react(left, right, on: setup.placement) { left, right in result(merged(left, right)) }
    return sort
  }
}

private func merged(_ a: [Int], _ b: [Int]) -> [Int] {
  var result: [Int] = []
  result.reserveCapacity(a.count + b.count)
  var (i, j) = (0, 0)
  while i < a.count && j < b.count {
    if a[i] <= b[j] {
      result.append(a[i])
      i += 1
    } else {
      result.append(b[j])
      j += 1
    }
  }
  return result + a[i...] + b[j...]
}

private struct Holder: Sendable {
  let names: [Injector<Holder>]
}
