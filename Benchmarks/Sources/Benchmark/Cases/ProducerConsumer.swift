import CHarness
import Crucible
import Glibc
import Synchronization

/// An unbounded buffer, put(item) & take → reply(item), inline. One thread puts, and another takes with a blocking
/// call. The producer waits, outside the chemistry, while it is far ahead of the progress that the consumer published.
/// Otherwise it would run away, so that the case measured two separate jobs and filled the memory. Verified: every item
/// arrives, in order.
func producerConsumer(_ setting: Setting) -> any Contender {
  if let baseline = producerConsumerBaseline(setting) { return baseline }
  let (put, take, control) = Soup.define("producer-consumer", with: .init(matcher: setting.matcher)) { soup in
    let put = soup.slow("put", of: Int.self)
    let take = soup.fast("take", returning: Int.self)
    soup.react(put, take, on: .inline) { item, call in call.reply(item) }
    return (put, take, soup.control)
  }
  return BlockingBufferCase(setting, MoleculeBuffer(number: put, taker: take)) { () throws(Wrong) in
    try control.rest()
    let counts = control.snapshot()
    try Wrong.unlessEqual("molecules left over", expected: 0, found: counts[put] + counts[take])
  }
}

/// A buffer into which one thread puts, and from which another takes.
protocol BlockingBuffer: Sendable {
  func put(_ item: Int)
  /// Takes an item. Nil after an error.
  func take() -> Int?
}

private struct MoleculeBuffer: BlockingBuffer {
  let number: Injector<Int>
  let taker: FastInjector<Void, Int>

  @inline(__always) func put(_ item: Int) { number(item) }
  @inline(__always) func take() -> Int? { try? taker.blocking() }
}

final class BlockingBufferCase<Buffer: BlockingBuffer>: Contender {
  private let crew: Crew
  private let buffer: Buffer
  private let check: () throws(Wrong) -> Void

  init(_ setting: Setting, _ buffer: Buffer, check: @escaping () throws(Wrong) -> Void) {
    crew = setting.crew
    self.buffer = buffer
    self.check = check
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let progress = Consumption()
    var sample = crew.run(
      Job(PutAndTake(buffer: buffer, items: rounds, progress: progress)), rounds: rounds, recorders: nil)
    sample.reactions = UInt64(rounds)
    try Wrong.unlessEqual("items out of order", expected: 0, found: progress.outOfOrder.load(ordering: .relaxed))
    try check()
    return sample
  }
}

/// The progress that the consumer publishes at intervals.
final class Consumption: Sendable {
  static let lead = 4096
  static let news = 64

  let taken = Atomic(0)
  let outOfOrder = Atomic(0)

  /// Waits while this item is too far ahead. `known` is the last value that the thread read of `taken`.
  @inline(__always)
  func wait(before item: Int, _ known: inout Int) {
    while item >= known + Self.lead {
      known = taken.load(ordering: .relaxed)
      if item >= known + Self.lead { usleep(20) }
    }
  }
}

private struct PutAndTake<Buffer: BlockingBuffer>: ThreadWork {
  let buffer: Buffer
  let items: Int
  let progress: Consumption

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    if share.thread == 0 { produce() } else { consume() }
  }

  private func produce() {
    var known = 0
    for item in 0..<items {
      progress.wait(before: item, &known)
      buffer.put(item)
    }
  }

  private func consume() {
    var outOfOrder = 0
    for item in 0..<items {
      if buffer.take() != item { outOfOrder += 1 }
      if item % Consumption.news == 0 { progress.taken.store(item, ordering: .relaxed) }
    }
    progress.outOfOrder.add(outOfOrder, ordering: .relaxed)
  }
}
