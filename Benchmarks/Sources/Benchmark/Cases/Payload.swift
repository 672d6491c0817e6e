import Crucible

// payload-N: join2 with values of N bytes, filled with the number of the round so that a torn or stale one shows.

func payload8(_ setting: Setting) -> any Contender { payload(setting, Block8.self) }
func payload64(_ setting: Setting) -> any Contender { payload(setting, Block64.self) }
func payload256(_ setting: Setting) -> any Contender { payload(setting, Block256.self) }

private func payload<B: Block>(_ setting: Setting, _: B.Type) -> any Contender {
  let (a, b, control) = Soup.define("payload", matcher: setting.matcher) { soup in
    let a = soup.slow("a", of: B.self)
    let b = soup.slow("b", of: B.self)
    soup.react(a & b, on: .inline) { a, b in tally(a.first &+ b.last) }
    return (a, b, soup.control)
  }
  return InlineCase(setting, Job(PayloadRounds(a: a, b: b)), control: control, valuesPerRound: 2) {
    let counts = control.snapshot()
    return counts[a] + counts[b]
  }
}

private struct PayloadRounds<B: Block>: ThreadWork {
  let a, b: Injector<B>

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      let value = B(filledWith: round)
      probe.measure { _ = a(value) }
      probe.measure { _ = b(value) }
    }
  }
}

private protocol Block: Sendable {
  init(filledWith number: Int)
  var first: Int { get }
  var last: Int { get }
}

private struct Block8: Block {
  let words: Int
  init(filledWith number: Int) { words = number }
  var first: Int { words }
  var last: Int { words }
}

private struct Block64: Block {
  let words: InlineArray<8, Int>
  init(filledWith number: Int) { words = InlineArray(repeating: number) }
  var first: Int { words[0] }
  var last: Int { words[7] }
}

private struct Block256: Block {
  let words: InlineArray<32, Int>
  init(filledWith number: Int) { words = InlineArray(repeating: number) }
  var first: Int { words[0] }
  var last: Int { words[31] }
}
