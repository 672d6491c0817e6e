import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The models of compounds that hold values: channels, caches, batches, pools.
extension Modelled {
  static let channel = Modelled(testDescription: "a channel") { world, options, seed in
    let (channel, recorder) = (Channel<Int>(.buffered(2), options: options), Recorder<Passage>())
    try await recorder.run(world, seed: seed) { random, number in
      recorder.record {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .closed(channel.close())
        case 1...6: .sent(number, channel.trySend(number))
        default: .received(channel.tryReceive())
        }
      }
    }
    return recorder.unexplained(from: Line()) { $0.apply($1) }
  }

  static let buffer = Modelled(testDescription: "a buffer") { world, options, seed in
    let (buffer, recorder) = (BoundedBuffer<Int>(capacity: 2, options: options), Recorder<Passage>())
    try await recorder.run(world, seed: seed) { random, number in
      try recorder.record {
        if Bool.random(using: &random) { return try attempt(buffer.put, number, &random).map { .sent(number, true) } }
        return try attempt(buffer.take, (), &random).map { .received($0) }
      }
    }
    await buffer.control.quiet(within: patience)
    let left = buffer.control.snapshot()["full"]
    return recorder.unexplained(from: Line()) {
      $0.apply($1)
    } finally: {
      $0.values.count == left
    }
  }

  static let counter = Modelled(testDescription: "a counter") { world, options, seed in
    let (counter, recorder) = (Counter(options: options), Recorder<(added: Int, sum: Int)>())
    try await recorder.run(world, seed: seed) { random, number in
      let more = Int.random(in: 0...1, using: &random)
      try recorder.record { (more, try more == 0 ? counter.value.blocking() : counter.add.blocking(more)) }
    }
    return recorder.unexplained(from: 0) { sum, step in
      sum += step.added
      return sum == step.sum
    }
  }

  enum Memory: Sendable {
    case got(Int)
    case forgot(Int)
  }

  struct Known: Hashable {
    var value: Int?
    var forgotten = 0

    /// A value that is made anew was begun after the last `forget` had begun.
    mutating func apply(_ step: Memory) -> Bool {
      switch step {
      case .got(let number):
        if let value { return number == value }
        value = number
        return number > forgotten
      case .forgot(let moment):
        self = Known(forgotten: moment)
        return true
      }
    }
  }

  /// Each value is the moment at which its making began.
  static let cache = Modelled(testDescription: "a cache") { world, options, seed in
    let recorder = Recorder<Memory>()
    let cache = Cache<Int, Int> { _ in recorder.tick() }
    try await recorder.run(world, seed: seed) { random, _ in
      try recorder.record {
        if Int.random(in: 0..<3, using: &random) > 0 { return .got(try cache.value.blocking(0)) }
        let moment = recorder.tick()
        try cache.invalidate.blocking(0)
        return .forgot(moment)
      }
    }
    return recorder.unexplained(from: Known()) { $0.apply($1) }
  }

  enum Sight: Sendable {
    case came(Int, isFirst: Bool)
    case forgot(Int)
    case advanced(Int)
  }

  struct Seen: Hashable {
    var now = 0
    var ends: [Int: Int] = [:]

    mutating func apply(_ sight: Sight) -> Bool {
      switch sight {
      case .came(let key, let isFirst):
        let isNew = ends[key].map { $0 <= now } ?? true
        if isNew { ends[key] = now + 3 }
        return isFirst == isNew
      case .forgot(let key): ends[key] = nil
      case .advanced(let time): now += time
      }
      return true
    }
  }

  static let dedup = Modelled(testDescription: "a dedup") { world, _, seed in
    let (clock, recorder) = (ManualClock(), Recorder<Sight>())
    let dedup = Dedup<Int>(for: .milliseconds(3), options: .init(clock: clock))
    try await recorder.run(world, seed: seed) { random, _ in
      let key = Int.random(in: 1...2, using: &random)
      try recorder.record {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
          clock.advance(by: .milliseconds(key))
          return .advanced(key)
        case 2:
          try dedup.forget.blocking(key)
          return .forgot(key)
        default: return .came(key, isFirst: try dedup.isFirst.blocking(key))
        }
      }
    }
    return recorder.unexplained(from: Seen()) { $0.apply($1) }
  }

  static let debounce = Modelled(testDescription: "a debounce") { world, options, seed in
    let acted = Log<Int>()
    let byHand = Soup.Options(matcher: options.matcher, clock: ManualClock())
    let debounce = Debounce<Int>(for: .seconds(1), options: byHand) { acted.append($0) }
    return try await unexplained({ debounce.send($0) }, of: debounce.control, in: world, seed: seed) {
      acted.all == [$0]
    }
  }

  static let throttle = Modelled(testDescription: "a throttle") { world, options, seed in
    let acted = Log<Int>()
    let byHand = Soup.Options(matcher: options.matcher, clock: ManualClock())
    let throttle = Throttle<Int>(every: .seconds(1), options: byHand) { acted.append($0) }
    return try await unexplained({ throttle.send($0) }, of: throttle.control, in: world, seed: seed) {
      acted.all.count == 2 && acted.all[1] == $0
    }
  }

  static let batcher = batching("a batcher", keys: 1) { options, act in
    let batcher = Batcher<Int>(size: 3, within: .seconds(1), options: options, act)
    return (batcher.control, { batcher.add($0) }, { _ in batcher.flush() })
  }

  static let batches = batching("batches by key", keys: 2) { options, act in
    let batches = Batches<Int, Int>(size: 3, within: .seconds(1), by: { $0 % 2 }, options: options) { act($1) }
    return (batches.control, { batches.add($0) }, { batches.flush($0) })
  }

  struct Filling: Hashable {
    var batch = 0
    var items = 0

    /// Whether a batch that ends here is one of these.
    mutating func close(_ batches: [[Int]]) -> Bool {
      if items == 0 { return true }
      defer { self = Filling(batch: batch + 1) }
      return items == batches[batch].count
    }
  }

  /// Batches of three numbers, by the remainder of the number. `make` returns how to add a number, and to flush a key.
  static func batching(
    _ title: String, keys: Int,
    _ make:
      @escaping @Sendable (Soup.Options, @escaping @Sendable ([Int]) -> Void) -> (
        Soup.Control, @Sendable (Int) -> Bool, @Sendable (Int) -> Void
      )
  ) -> Modelled {
    Modelled(testDescription: title) { world, options, seed in
      let (acted, recorder) = (Log<[Int]>(), Recorder<(key: Int, number: Int?)>())
      let (control, add, flush) = make(.init(matcher: options.matcher, clock: ManualClock()), acted.append)
      try await recorder.run(world, seed: seed) { random, number in
        let key = number % keys
        recorder.record {
          if Int.random(in: 0..<3, using: &random) > 0 { return add(number) ? (key, number) : nil }
          flush(key)
          return (key, nil)
        }
      }
      await control.drain(within: patience)
      let batches = Dictionary(grouping: acted.all) { $0[0] % keys }
      return recorder.unexplained(from: [Int: Filling]()) { fillings, step in
        var filling = fillings[step.key, default: Filling()]
        defer { fillings[step.key] = filling }
        let batches = batches[step.key, default: []]
        guard let number = step.number else { return filling.close(batches) }
        if batches.dropFirst(filling.batch).first?.dropFirst(filling.items).first != number { return false }
        filling.items += 1
        return filling.items < 3 || filling.close(batches)
      } finally: { fillings in
        batches.allSatisfy { key, batches in
          var filling = fillings[key, default: Filling()]
          return filling.close(batches) && filling.batch == batches.count
        }
      }
    }
  }

  /// Adds values and advances the time. The last two digits of a value are its time in seconds. The history has a time
  /// as a negative number.
  static let windows = Modelled(testDescription: "windows") { world, options, seed in
    let (given, late, recorder) = (Log<Int>(), Log<Int>(), Recorder<Int>())
    let windows = Windows<Int, Int>(
      .tumbling(.seconds(10)), by: { $0 / 100 % 2 }, at: { .seconds($0 % 100) }, lateness: .seconds(5), options: options
    ) {
      late.append($0)
    } action: {
      $0.values.forEach(given.append)
    }
    try await recorder.run(world, seed: seed) { random, number in
      recorder.record {
        let time = Int.random(in: 1...40, using: &random)
        if Bool.random(using: &random) { return windows.add(number * 100 + time) ? number * 100 + time : nil }
        return windows.advance(.seconds(time)) ? -time : nil
      }
    }
    await windows.control.drain(within: patience)
    return recorder.unexplained(from: 0) { newest, value in
      let time = abs(value) % 100
      defer { newest = max(newest, time) }
      if value < 0 { return true }
      let isLate = time / 10 * 10 + 10 <= newest - 5
      return given.all.filter { $0 == value }.count == (isLate ? 0 : 1)
        && late.all.filter { $0 == value }.count == (isLate ? 1 : 0)
    }
  }

  enum Settling: Sendable {
    case settled(Int, isFirst: Bool)
    case got(Int)
  }
}
