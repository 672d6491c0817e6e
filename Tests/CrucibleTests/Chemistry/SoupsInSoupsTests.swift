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

  @Test(arguments: matcherNames)
  func `A chain of soups, each captured by the next one's body, ends without deep recursion`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("chain of bodies")
      let census = Census()
      try await onThread(stackSize: 512 << 10) {
        let before = Memory.settledBytes
        var next: Injector<Void>?
        for _ in 0..<links {
          let inner = next
          next = Soup.define("link", with: .init(matcher: Matcher(matcher)!)) { soup in
            let a = soup.slow("a")
            let live = census.live()
            soup.react(a) { _ in withExtendedLifetime((inner, live)) {} }
            return a
          }
        }
        #expect(Soup.all.count == links)
        next = nil
        #expect(Soup.all.count == 0)
        #expect(census.alive == 0)
        #expect(Memory.settledBytes == before)
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

  @Test(arguments: matcherNames)
  func `A body on the pool releases a chain of soups without deep recursion`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("chain on the pool")
      try await onThread(stackSize: 512 << 10) {
        let (drop, done, _) = Matcher(matcher)!.react(
          slow("drop", of: Holder.self), fast("done", returning: Void.self), named: "drop"
        ) { _, call in call.reply() }
        do {
          var next: [Injector<Holder>] = []
          // Threads of the pool have larger stacks, so the chain is longer.
          for _ in 0..<links * 4 {
            let held = next
            next = [
              Soup.define("link", with: .init(matcher: Matcher(matcher)!)) { soup in
                let a = soup.slow("a", of: Holder.self)
                soup.react(a) { _ in withExtendedLifetime(held) {} }
                return a
              }
            ]
          }
          drop(Holder(names: next))
        }
        #expect(Soup.all.count == links * 4 + 1)
        try done.blocking()
        while Soup.all.count > 1 { sched_yield() }
      }
    }
  }
}

/// Makes a chain of soups, and returns the last one's name. Each soup holds the previous one in a bag or in a state.
private func heldInValues(_ matcher: Matcher) -> Injector<Holder> {
  var next: [Injector<Holder>] = []
  for number in 0..<links {
    let (put, keep) = Soup.define("link", with: .init(matcher: matcher)) { soup in
      let put = soup.slow("put", of: Holder.self)
      let keep = soup.slow("keep", of: Holder.self)
      let never = soup.slow("never")
      let state = soup.state("state", [Holder]())
      soup.react(put, never) { _, _ in }
      soup.react(state: state, keep, on: .inline) { state, holder in state.append(holder) }
      return (put, keep)
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
