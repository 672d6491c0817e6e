import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The models of promises, topics, agents and coroutines.
extension Modelled {
  /// Odd numbers are errors.
  static let promise = Modelled(testDescription: "a promise") { world, options, seed in
    let (promise, recorder) = (Promise<Int>(options: options), Recorder<Settling>())
    try await recorder.run(world, seed: seed) { random, number in
      try recorder.record {
        if Int.random(in: 0..<4, using: &random) == 0 {
          let fault = Fault(number: number)
          return .settled(number, isFirst: number % 2 == 0 ? promise.fulfil(number) : promise.reject(fault))
        }
        let outcome = promise.value.blockingOutcome((), within: limit(&random))
        if case .failure(.failed(let error)) = outcome { return .got((error as! Fault).number) }
        return try outcome.inTime().map { .got($0) }
      }
    }
    return recorder.unexplained(from: Int?.none) { settled, step in
      switch step {
      case .settled(let number, let isFirst):
        defer { settled = settled ?? number }
        return isFirst == (settled == nil)
      case .got(let number): return settled == number
      }
    }
  }

  /// The number of the attempt that made the value, or 0 for one that failed, as do two of three.
  static let once = Modelled(testDescription: "a value made once") { world, options, seed in
    let (attempts, recorder) = (Tally(), Recorder<Int>())
    let once = Once(options: options) {
      let number = attempts.add()
      if number % 3 != 0 { throw Fault() }
      return number
    }
    try await recorder.run(world, seed: seed) { random, _ in
      try recorder.record {
        let outcome = once.value.blockingOutcome((), within: Bool.random(using: &random) ? nil : limit(&random))
        if case .failure(.failed) = outcome { return 0 }
        return try outcome.inTime()
      }
    }
    return recorder.unexplained(from: 0) { value, number in
      defer { value = max(value, number) }
      return value == 0 || value == number
    }
  }

  enum Post: Sendable {
    case published(Int)
    case subscribed(Int)
    case ended(Int)
  }

  /// The state is what each subscriber has got, as a number of values, up to its end.
  static let topic = Modelled(testDescription: "a topic") { world, options, seed in
    let (topic, recorder) = (Topic<Int>(options: options), Recorder<Post>())
    let newest = Shared<(number: Int, subscription: Topic<Int>.Subscription)>(nil)
    let subscribers = Log<(number: Int, control: Soup.Control, got: Log<Int>)>()
    try await recorder.run(world, seed: seed) { random, number in
      try recorder.record {
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          let got = Log<Int>()
          let subscription = try topic.subscribe(options: options) { got.append($0) }
          subscribers.append((number, subscription.control, got))
          newest.put((number, subscription))
          return .subscribed(number)
        case 1:
          guard let (number, subscription) = newest.take() else { return nil }
          try subscription.blocking.end()
          return .ended(number)
        default:
          topic.publish(number)
          return .published(number)
        }
      }
    }
    await topic.control.settle()
    for subscriber in subscribers.all { await subscriber.control.settle() }
    let got = Dictionary(uniqueKeysWithValues: subscribers.all.map { ($0.number, $0.got.all) })
    return recorder.unexplained(from: [Int: Int]()) { counts, post in
      switch post {
      case .published(let value):
        // What follows the last value that it got is dropped by its end.
        let isWanted = counts.allSatisfy { number, count in count >= got[number]!.count || got[number]![count] == value
        }
        counts = counts.mapValues { $0 + 1 }
        return isWanted
      case .subscribed(let number):
        counts[number] = 0
        return true
      case .ended(let number): return counts.removeValue(forKey: number).map { $0 >= got[number]!.count } ?? false
      }
    } finally: { counts in
      counts.allSatisfy { number, count in count == got[number]!.count }
    }
  }

  static let publications = Modelled(testDescription: "publications") { world, _, seed in
    let (publications, recorder) = (PubSub<Int, Int>(), Recorder<Int>())
    let readers = [try await publications.subscribe(to: 1), try await publications.subscribe(to: 1)]
    try await recorder.run(world, seed: seed) { _, number in
      try recorder.record {
        try publications.blocking.publish(number, to: 1)
        return number
      }
    }
    await publications.control.stop(within: patience)
    for reader in readers {
      let got = try await reader.reduce(into: []) { $0.append($1) }
      if let wrong = unexplained(recorder, inOrder: got) { return wrong }
    }
    return nil
  }

  /// A broadcast, or 0 for a new member. The model counts the broadcasts of each member, the oldest member first.
  static let agents = Modelled(testDescription: "a pool of agents") { world, options, seed in
    let (pool, recorder, got) = (AgentPool(members: 1, options: options) { [Int]() }, Recorder<Int>(), Log<[Int]>())
    try await recorder.run(world, seed: seed) { random, number in
      recorder.record {
        if Int.random(in: 0..<3, using: &random) > 0 { return pool.broadcast { $0.append(number) } ? number : nil }
        pool.add(1)
        return 0
      }
    }
    await pool.control.settle()
    pool.broadcast { got.append($0) }
    await pool.control.settle()
    let logs = got.all.sorted { $0.count > $1.count }
    return recorder.unexplained(from: [0]) { counts, number in
      if number == 0 {
        counts.append(0)
        return true
      }
      counts = counts.map { $0 + 1 }
      return counts[0] <= logs[0].count && logs[0][counts[0] - 1] == number
    } finally: { counts in
      logs.elementsEqual(counts) { $0 == logs[0].suffix($1) }
    }
  }

  typealias Asking = Recorder<(number: Int, seen: [Int]?)>

  /// Returns the history as text if no order of the calls explains it. `all`: the numbers of the calls that the
  /// compound has handled, in this order. Each answer must be the part of `all` up to its call. A call without an
  /// answer may be missing in `all`.
  static func unexplained(_ recorder: Asking, seeing all: [Int]) -> String? {
    recorder.unexplained(from: 0) { count, step in
      if step.seen == nil && !all.contains(step.number) { return true }
      count += 1
      return count <= all.count && all[count - 1] == step.number && step.seen.map { $0 == Array(all[..<count]) } ?? true
    } finally: {
      $0 == all.count
    }
  }

  /// Messages, and questions with what they have seen. On other matchers than `arrival` a question may overtake.
  static func asking<Asked: Recipient<[Int]>>(
    _ title: String, _ make: @escaping @Sendable (Soup.Options) -> Asked
  ) -> Modelled {
    Modelled(testDescription: title) { world, options, seed in
      let (agent, recorder) = (make(options), Asking())
      try await recorder.run(world, seed: seed) { random, number in
        try recorder.record {
          if options.matcher == .arrival && Bool.random(using: &random) {
            agent.send { $0.append(number) }
            return (number, nil)
          }
          return (
            number,
            try agent.blocking.ask { seen in
              seen.append(number)
              return seen
            }
          )
        }
      }
      let all = try await agent.ask { $0 }
      return unexplained(recorder, seeing: all)
    }
  }

  static let agent = asking("an agent") { options in Agent(options: options) { [Int]() } }
  static let asyncAgent = asking("an async agent") { options in AsyncAgent(options: options) { [Int]() } }

  /// A caller that gives up has told its number, or not.
  static let coroutine = Modelled(testDescription: "a coroutine") { world, options, seed in
    let recorder = Asking()
    let coroutine = Coroutine<Int, [Int]>(options: options) { first, yield in
      var seen = [first]
      while true { seen.append(try await yield(seen)) }
    }
    try await recorder.run(world, seed: seed) { random, number in
      try recorder.record { (number, try attempt(coroutine.next, number, &random) ?? nil) }
    }
    return unexplained(recorder, seeing: try await coroutine.next(0)!.dropLast())
  }

  static let generator = Modelled(testDescription: "a generator") { world, options, seed in
    let recorder = Recorder<Int?>()
    let generator = Generator<Int>(options: options) { yield in for number in 1...8 { try await yield(number) } }
    try await recorder.run(world, seed: seed) { random, _ in
      try recorder.record { try attempt(generator.next, (), &random) }
    }
    return recorder.unexplained(from: 0) { last, number in
      defer { last = min(last + 1, 8) }
      return number == (last < 8 ? last + 1 : nil)
    }
  }

  static func unexplained(_ recorder: Recorder<Int>, inOrder all: [Int]) -> String? {
    recorder.unexplained(from: 0) { count, number in
      count += 1
      return count <= all.count && all[count - 1] == number
    } finally: {
      $0 == all.count
    }
  }

  /// Sends numbers, and looks whether one that may be the last one sent is right.
  static func unexplained(
    _ send: @escaping @Sendable (Int) -> Bool, of control: Soup.Control, in world: World, seed: UInt64,
    isRight: (Int) -> Bool
  ) async throws -> String? {
    let recorder = Recorder<Int>()
    try await recorder.run(world, seed: seed) { _, number in
      recorder.record { send(number) ? number : nil }
    }
    await control.drain(within: patience)
    return recorder.unexplained(from: 0) {
      $0 = $1
      return true
    } finally: {
      isRight($0)
    }
  }
}
