import Crucible
import CrucibleTestSupport
import Testing

/// Classic problems: computing by reactions.
@Suite(.watched)
struct `Gallery of computation` {
  @Test(arguments: Run.setups)
  func `map and reduce`(setup: Setup) async throws {
    let (map, result) = Soup.define("map and reduce", with: .init(matcher: setup.matcher)) { soup in
      let map = soup.slow("map", of: Int.self)
      let partial = soup.slow("partial", of: (sum: Int, count: Int).self)
      let result = soup.fast("result", of: Int.self, returning: Int.self)
      let done = soup.slow("done", of: Int.self)
      soup.react(map, on: setup.placement) { n in partial((n * n, 1)) }
      soup.react(partial, partial, on: setup.placement) { a, b in
        let both = (a.sum + b.sum, a.count + b.count)
        if both.1 == 1000 { done(both.0) } else { partial(both) }
      }
      soup.react(result, done, on: setup.placement) { call, sum in call.reply(sum) }
      return (map, result)
    }
    try await onThreads(2) { thread in for n in 0..<500 { map(n * 2 + thread) } }
    #expect(try await result(0) == (0..<1000).reduce(0) { $0 + $1 * $1 })
  }

  @Test(arguments: Run.setups)
  func `Fibonacci by fork and join`(setup: Setup) async throws {
    let fibonacci: FastInjector<Int, Int> = Soup.define("Fibonacci", with: .init(matcher: setup.matcher)) { soup in
      let fibonacci = soup.fast("fibonacci", of: Int.self, returning: Int.self)
      soup.react(fibonacci, on: setup.placement) { call in
        if call.input < 2 {
          call.reply(call.input)
        } else {
          Task { call.reply(try await fibonacci(call.input - 1) + fibonacci(call.input - 2)) }
        }
      }
      return fibonacci
    }
    #expect(try await fibonacci(12) == 144)
  }

  @Test(arguments: Run.setups)
  func `merge sort: two sorted runs react to one`(setup: Setup) async throws {
    var random = Seeded(Run.seed(of: "merge sort"))
    let numbers = (0..<500).map { _ in Int.random(in: 0..<1000, using: &random) }
    let total = numbers.count
    let (run, sorted) = Soup.define("merge sort", with: .init(matcher: setup.matcher)) { soup in
      let run = soup.slow("run", of: [Int].self)
      let complete = soup.slow("complete", of: [Int].self)
      let sorted = soup.fast("sorted", returning: [Int].self)
      soup.react(run, run, on: setup.placement) { a, b in
        let merged = merge(a, b)
        if merged.count == total { complete(merged) } else { run(merged) }
      }
      soup.react(sorted, complete, on: setup.placement) { call, numbers in call.reply(numbers) }
      return (run, sorted)
    }
    try await onThreads(2) { thread in for n in numbers.indices where n % 2 == thread { run([numbers[n]]) } }
    #expect(try await sorted() == numbers.sorted())
  }

  @Test(arguments: Run.setups)
  func `a sieve of filters, each a soup of its own`(setup: Setup) async throws {
    let primes = Log<Int>()
    let end = Gate()
    let first = makeFilter(setup, primes, end)
    for n in 2...200 { first(n) }
    first(0)
    await end.wait()
    #expect(
      primes.all == (2...200).filter { n in !(2..<n).contains { n % $0 == 0 } })
  }

  /// Keeps the first number it gets, and passes on those that it does not divide to the next filter, made when needed.
  /// Zero ends the stream.
  private func makeFilter(_ setup: Setup, _ primes: Log<Int>, _ end: Gate) -> Injector<Int> {
    struct Filter: Sendable {
      var prime = 0
      var next: Injector<Int>?
    }
    return Soup.define("filter", with: .init(matcher: setup.matcher)) { soup in
      let filter = soup.state("filter", Filter())
      let number = soup.slow("number", of: Int.self)
      soup.react(state: filter, number, on: setup.placement) { filter, n in
        switch n {
        case 0:
          if let next = filter.next { next(0) } else { end.open() }
        case _ where filter.prime == 0:
          filter.prime = n
          primes.append(n)
        case _ where n % filter.prime != 0:
          let next = filter.next ?? makeFilter(setup, primes, end)
          filter.next = next
          next(n)
        default: break
        }
      }
      return number
    }
  }

  @Test(arguments: matchers)
  func `the general chemistry of a maximum: the greater one survives`(matcher: Soup.Matcher) async throws {
    let (number, greatest, control) = Soup.define("maximum", with: .init(matcher: matcher)) { soup in
      let number = soup.slow("number", of: Int.self)
      let greatest = soup.fast("greatest", returning: Int.self)
      soup.react(number, number, on: .inline) { a, b in number(max(a, b)) }
      soup.react(greatest, number, on: .inline) { call, n in call.reply(n) }
      return (number, greatest, soup.control)
    }
    Watchdog.watch(control)
    try await onThreads(4) { thread in for n in 0..<500 { number(n * 4 + thread) } }
    await control.settle()
    #expect(control.snapshot()[number] == 1)
    #expect(try await greatest() == 1999)
  }
}

private func merge(_ a: [Int], _ b: [Int]) -> [Int] {
  var result: [Int] = []
  result.reserveCapacity(a.count + b.count)
  var (i, j) = (0, 0)
  while i < a.count || j < b.count {
    if j == b.count || i < a.count && a[i] <= b[j] {
      result.append(a[i])
      i += 1
    } else {
      result.append(b[j])
      j += 1
    }
  }
  return result
}
