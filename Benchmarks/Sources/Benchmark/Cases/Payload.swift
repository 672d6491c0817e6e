import Crucible

// payload-N: join2 with values of N bytes. They are filled with the number of the round, so that a torn or stale value
// shows.

func payload256(_ setting: Setting) -> Contender { payload(setting, Block256.self) }

/// Makes join2 with values of so many bytes. Requires: a type of this size exists.
func payloadSlope(_ bytes: Int) -> Opening {
  { setting throws(Wrong) in
    switch bytes {
    case 0: return payload(setting, Block0.self)
    case 8: return payload(setting, Block8.self)
    case 64: return payload(setting, Block64.self)
    case 256: return payload(setting, Block256.self)
    case 1024: return payload(setting, Block1024.self)
    case 4096: return payload(setting, Block4096.self)
    default: throw Wrong("no type of \(bytes) bytes")
    }
  }
}

private func payload<B: Block>(_ setting: Setting, _: B.Type) -> Contender {
  let (a, b, control) = Soup.define("payload", with: setting.options) { soup in
    let a = soup.slow("a", of: B.self)
    let b = soup.slow("b", of: B.self)
    soup.react(a, b, on: .inline) { a, b in tally(a.first &+ b.last) }
    return (a, b, soup.control)
  }
  let seen = MemoryLayout<B>.size == 0 ? 0 : 2
  return inline(setting, Job(PayloadRounds(a: a, b: b)), control, valuesPerRound: seen)
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

/// A block without bytes to check.
private struct Block0: Block {
  init(filledWith number: Int) {}
  var first: Int { 0 }
  var last: Int { 0 }
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

private struct Block1024: Block {
  let words: InlineArray<128, Int>
  init(filledWith number: Int) { words = InlineArray(repeating: number) }
  var first: Int { words[0] }
  var last: Int { words[127] }
}

private struct Block4096: Block {
  let words: InlineArray<512, Int>
  init(filledWith number: Int) { words = InlineArray(repeating: number) }
  var first: Int { words[0] }
  var last: Int { words[511] }
}
