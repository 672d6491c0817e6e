import CHarness
import Crucible
import Glibc
import Synchronization

/// An unbounded buffer, put(item) & take → reply(item), inline. One thread puts, and another takes with a blocking
/// call. The producer waits, outside the chemistry, while it is far ahead of the progress that the consumer published.
/// Otherwise it would run away, so that the case measured two separate jobs and filled the memory. Verified: every item
/// arrives, in order.
func producerConsumer(_ setting: Setting) -> Contender {
  if setting.strategy == .pthreadCondition { return threadsPass(setting, RingBuffer()) }
  let (put, take, control) = Soup.define("producer-consumer", with: setting.options) { soup in
    let put = soup.slow("put", of: Int.self)
    let take = soup.fast("take", returning: Int.self)
    soup.react(put, take, on: .inline) { item, call in call.reply(item) }
    return (put, take, soup.control)
  }
  return threadsPass(setting, MoleculeBuffer(number: put, taker: take), control)
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

func threadsPass(
  _ setting: Setting, _ buffer: some BlockingBuffer, _ control: Soup.Control? = nil
) -> Contender {
  Contender { (rounds, _) throws(Wrong) in
    let progress = Consumption()
    let work = PutAndTake(buffer: buffer, items: rounds, progress: progress)
    let sample = setting.crew.run(Job(work), rounds: rounds, recorders: nil)
    try Wrong.unlessEqual("items out of order", expected: 0, found: progress.outOfOrder.value)
    try control?.checkEmpty()
    return sample
  }
}

/// The progress that the consumer publishes at intervals.
final class Consumption: Sendable {
  static let lead = 4096
  static let news = 64

  let taken = Atomic(0)
  let outOfOrder = Sum()

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
    progress.outOfOrder.add(outOfOrder)
  }
}
