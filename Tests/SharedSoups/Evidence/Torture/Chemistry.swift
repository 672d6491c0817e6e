import Crucible
import SharedSoups

/// The numbers of the molecules that a value was made of.
typealias Parts = [Int]

struct Total: Codable, Sendable {
  var parts = 0
  var sum = 0
}

struct Unlucky: Error {}

typealias Names = (
  a: InnerInjector<Parts>, b: InnerInjector<Parts>, c: InnerInjector<Parts>, e: InnerInjector<Parts>,
  z: InnerInjector<Parts>, coin: InnerInjector<Int>, total: InnerFastInjector<Nothing, Total>,
  grab: InnerFastInjector<Nothing, Int>, control: SharedControl
)

func define(on engine: Engine) async throws -> SharedSoup<Names> {
  try await Soup.share("torture", on: engine) { soup -> Names in
    let (a, b) = (soup.slow("a", of: Parts.self), soup.slow("b", of: Parts.self))
    let (c, e) = (soup.slow("c", of: Parts.self), soup.slow("e", of: Parts.self))
    let (z, coin) = (soup.slow("z", of: Parts.self), soup.slow("coin", of: Int.self))
    let sum = soup.state("sum", Total())
    let total = soup.fast("total", returning: Total.self)
    let grab = soup.fast("grab", returning: Int.self)
    let retry = Retry.upTo(1, backoff: .milliseconds(1), losses: 2)
    soup.react(a, b, retry: retry) { a, b in
      c(a + b)
      if Int.random(in: 0..<30) == 0 { throw Unlucky() }
    }
    soup.react(c, c, retry: retry) { one, two in
      if Int.random(in: 0..<30) == 0 { throw Unlucky() }
      e(one + two)
    }
    soup.react(state: sum, e, retry: retry) { sum, e in
      sum.parts += e.count
      sum.sum += e.reduce(0, +)
      z(e)
      if Int.random(in: 0..<30) == 0 { throw Unlucky() }
    }
    soup.react(state: sum, total, retry: retry) { sum, call in call.reply(sum) }
    soup.react(grab, coin, retry: retry) { call, number in call.reply(number, otherwise: { coin(number) }) }
    return (a, b, c, e, z, coin, total, grab, soup.control)
  }
}
