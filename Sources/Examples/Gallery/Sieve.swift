// A sieve of filters, each a soup of its own. A filter keeps the first number it gets. It passes the numbers that this
// number does not divide to the next filter, which it makes when it needs it.
//
// Each filter owns only the next one, so the chain ends with its first name.

import Crucible

/// Returns the primes up to n.
func primes(upTo n: Int, _ options: Soup.Options = .init()) async throws -> [Int] {
  let (end, result) = Soup.define("primes", with: options) { soup in
    let end = soup.slow("end", of: [Int].self)
    let result = soup.fast("result", returning: [Int].self)
    soup.react(result, end) { call, primes in call.reply(primes) }
    return (end, result)
  }
  let first = makeFilter(options)
  for number in stride(from: 2, through: n, by: 1) { first(.number(number)) }
  first(.end([], end))
  return try await result()
}

/// The messages between the filters. The end message collects the primes from filter to filter.
enum Sifted: Sendable {
  case number(Int)
  case end([Int], Injector<[Int]>)
}

private func makeFilter(_ options: Soup.Options) -> Injector<Sifted> {
  struct Filter: Sendable {
    var prime: Int?
    var next: Injector<Sifted>?
  }
  return Soup.define("filter", with: options) { soup in
    let filter = soup.state("filter", Filter())
    let pass = soup.slow("pass", of: Sifted.self)
    soup.react(state: filter, pass) { filter, item in
      switch (item, filter.prime) {
      case (.number(let number), nil): filter.prime = number
      case (.number(let number), let prime?) where number % prime != 0:
        if filter.next == nil { filter.next = makeFilter(options) }
        filter.next!(item)
      case (.number, _): break
      case (.end(let primes, let result), let prime):
        let all = primes + (prime.map { [$0] } ?? [])
        if let next = filter.next { next(.end(all, result)) } else { result(all) }
      }
    }
    return pass
  }
}
