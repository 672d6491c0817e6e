import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// `call.putBack()`: the caller waits again, in its place, until another molecule of the component arrives.
@Suite(.watched, .serialized)
struct `Calls that are put back` {
  /// A shelf of things. A caller that asks for a missing thing waits until it arrives.
  struct Shop: Sendable {
    let take: FastInjector<Int, Int>
    let put: Injector<Int>
    let control: Soup.Control
    let attempts: Tally
    let clock = ManualClock()

    init(_ setup: Setup) {
      let attempts = Tally()
      let (take, put, control) = Soup.define("shop", with: .init(matcher: setup.matcher, clock: clock)) { soup in
        let shelf = soup.state("shelf", [Int]())
        let take = soup.fast("take", of: Int.self, returning: Int.self, canPutBack: true)
        let put = soup.slow("put", of: Int.self)
        soup.react(state: shelf, take, on: setup.placement) { things, call in
          attempts.add()
          if let index = things.firstIndex(where: { $0 / 10 == call.input }) {
            call.reply(things.remove(at: index))
          } else {
            #expect(call.putBack())
            #expect(!call.reply(-1) && !call.putBack() && !call.isAwaited)
          }
        }
        soup.react(state: shelf, put, on: setup.placement) { things, thing in things.append(thing) }
        return (take, put, soup.control)
      }
      (self.take, self.put, self.control, self.attempts) = (take, put, control, attempts)
    }

    /// Makes a call, and returns it once it has been put back and `count` calls wait.
    func asking(_ wanted: Int, _ way: WayToCall, waiting count: Int = 1) async -> Task<Result<Int, CallError>, Never> {
      await afterPuttingBack(count) { await way.call(take, wanted) }
    }

    /// Makes a call that times out after it has been put back. Returns its outcome.
    func timingOut(
      _ wanted: Int, _ form: CallForm = .suspending, waiting count: Int = 1
    ) async -> Result<Int, CallError> {
      let limit = Duration.seconds(3600)
      let call = await afterPuttingBack(count) { await take.outcome(wanted, within: limit, form) }
      await clock.advanceOnceAwaited(by: limit)
      return await call.value
    }

    private func afterPuttingBack(
      _ count: Int, _ act: @escaping @Sendable () async -> Result<Int, CallError>
    ) async -> Task<Result<Int, CallError>, Never> {
      let call = Task.detached { await act() }
      while control.snapshot()[take] < count { await Task.yield() }
      await control.settle()
      return call
    }
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A call that is put back gets one more attempt for each molecule`(setup: Setup, way: WayToCall) async {
    let shop = Shop(setup)
    let call = await shop.asking(1, way)
    // The injection of the call may be counted after a body has taken it.
    #expect(shop.attempts.count <= 2, "the body does not spin")
    let snapshot = shop.control.snapshot()
    #expect(snapshot[shop.take] == 1, "a call that was put back is present")
    #expect(snapshot.waitingCallers == 1)
    shop.put(10)
    #expect(await call.value == .success(10))
    await shop.control.settle()
    #expect(shop.attempts.count <= 4)
    #expect(shop.control.snapshot()[shop.take] == 0)
  }

  @Test(arguments: Run.setups)
  func `Calls that are put back keep their places before later calls`(setup: Setup) async {
    let shop = Shop(setup)
    var calls: [Task<Result<Int, CallError>, Never>] = []
    for number in 1...4 { calls.append(await shop.asking(1, .suspending, waiting: number)) }
    #expect(shop.control.snapshot()[shop.take] == 4)
    for number in 0..<4 {
      shop.put(10 + number)
      #expect(await calls[number].value == .success(10 + number))
      await shop.control.settle()
    }
  }

  @Test(arguments: Run.setups)
  func `A call that is put back comes before calls that wait in the bag`(setup: Setup) async {
    let shop = Shop(setup)
    let first = await shop.asking(1, .suspending)
    shop.control.pause()
    let second = Task.detached { await WayToCall.suspending.call(shop.take, 1) }
    while shop.control.snapshot()[shop.take] < 2 { await Task.yield() }
    shop.put(10)
    shop.control.resume()
    #expect(await first.value == .success(10))
    shop.put(11)
    #expect(await second.value == .success(11))
  }

  @Test(arguments: Run.setups, CallForm.allCases)
  func `A call that is put back keeps its deadline`(setup: Setup, form: CallForm) async {
    let shop = Shop(setup)
    #expect(await shop.timingOut(1, form) == .failure(.timedOut))
    await shop.control.settle()
    let attempts = shop.attempts.count
    #expect(attempts <= 2)
    let snapshot = shop.control.snapshot()
    #expect(snapshot[shop.take] == 0)
    #expect(snapshot.withdrawn == 1)
    shop.put(10)
    await shop.control.settle()
    #expect(shop.attempts.count == attempts, "no body gets a call that timed out")
  }

  @Test(arguments: Run.setups)
  func `A call that is put back ends when its task is cancelled`(setup: Setup) async {
    let shop = Shop(setup)
    let call = await shop.asking(1, .suspending)
    call.cancel()
    #expect(await call.value == .failure(.cancelled))
    #expect(shop.control.snapshot()[shop.take] == 0)
    #expect(shop.control.snapshot().withdrawn == 1)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A call that is put back ends with a clear, a clear of its name, or a stop`(setup: Setup, way: WayToCall) async {
    let shop = Shop(setup)
    let cleared = await shop.asking(1, way)
    #expect(shop.control.clear() == 1)
    #expect(await cleared.value == .failure(.cleared))
    let alone = await shop.asking(1, way)
    #expect(shop.control.clear(shop.take) == 1)
    #expect(await alone.value == .failure(.cleared))
    let stopped = await shop.asking(1, way)
    let report = await shop.control.stop()
    #expect(report.dropped == 1)
    #expect(await stopped.value == .failure(.stopped))
    #expect(shop.control.snapshot().dropped == 3)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A call that is put back ends when the last owner of its soup goes`(setup: Setup, way: WayToCall) async {
    let (attempts, weak) = (Tally(), Shared<FastInjector<Int, Int>>(nil))
    var owner: Injector<Int>? = Soup.define("left", with: .init(matcher: setup.matcher)) { soup in
      let take = soup.fast("take", of: Int.self, returning: Int.self, canPutBack: true)
      let other = soup.slow("other", of: Int.self)
      soup.react(take, on: setup.placement) { call in
        attempts.add()
        call.putBack()
      }
      soup.react(take, other, on: setup.placement) { call, other in call.reply(other) }
      weak.put(take.weak)
      return other
    }
    let take = weak.value!
    let call = Task.detached { await way.call(take, 1) }
    while attempts.count < 1 { await Task.yield() }
    #expect(owner != nil)
    owner = nil
    #expect(await call.value == .failure(.gone))
  }

  @Test(arguments: Run.setups)
  func `A call that is put back gets another attempt for a molecule that came while the body ran`(setup: Setup) async {
    let (begun, comes) = (Gate(), Gate())
    let attempts = Tally()
    let (take, put, control) = Soup.define("race", with: .init(matcher: setup.matcher)) { soup in
      let shelf = soup.state("shelf", 0)
      let take = soup.fast("take", returning: Int.self, canPutBack: true)
      let put = soup.slow("put")
      soup.react(state: shelf, take, on: setup.placement) { count, call in
        if attempts.add() == 1 {
          begun.open()
          Soup.Pool.blocking { comes.waitBlocking() }
        }
        if count > 0 { call.reply(count) } else { call.putBack() }
      }
      soup.react(state: shelf, put, on: setup.placement) { count, _ in count += 1 }
      return (take, put, soup.control)
    }
    let call = Task.detached { await WayToCall.blocking.call(take) }
    await begun.wait()
    put()
    comes.open()
    #expect(await call.value == .success(1))
    await control.settle()
    #expect(attempts.count <= 4)
  }

  @Test(arguments: matchers)
  func `Calls that tasks put back wait, each in its caller's context`(matcher: Matcher) async {
    let contexts = Log<String>()
    let (take, put, control) = Soup.define("tasks", with: .init(matcher: matcher)) { soup in
      let shelf = soup.state("shelf", 0)
      let take = soup.fast("take", of: Int.self, returning: Int.self, canPutBack: true)
      let put = soup.slow("put")
      soup.react(state: shelf, take, on: .task) { count, call in
        await Task.yield()
        contexts.append("\(call.input) in \(PutBackContext.number)")
        if count >= call.input {
          count -= call.input
          call.reply(call.input)
        } else {
          call.putBack()
        }
      }
      soup.react(state: shelf, put, on: .pool) { count, _ in count += 1 }
      return (take, put, soup.control)
    }
    let calls = (1...3).map { number in
      Task.detached { await PutBackContext.$number.withValue(number) { await WayToCall.suspending.call(take, number) } }
    }
    for _ in 1...6 { put() }
    for (index, call) in calls.enumerated() { #expect(await call.value == .success(index + 1)) }
    await control.settle()
    for number in 1...3 { #expect(contexts.all.contains("\(number) in \(number)")) }
    #expect(contexts.all.allSatisfy { $0.first == $0.last }, "each body runs in its own caller's context")
  }

  /// A serial place runs one body at a time. The body that a call waits for after `putBack` runs there, too.
  @Test(arguments: matchers, [Place.serial, .looped])
  func `Calls that a queue or a loop puts back wait for molecules`(matcher: Matcher, place: Place) async {
    let shop = Shop(Setup(matcher: matcher, placement: place.placement))
    let first = await shop.asking(1, .suspending)
    let second = await shop.asking(1, .blocking, waiting: 2)
    #expect(shop.attempts.count <= 5, "the body does not spin")
    #expect(await shop.timingOut(2, waiting: 3) == .failure(.timedOut))
    shop.put(10)
    #expect(await first.value == .success(10))
    shop.put(11)
    #expect(await second.value == .success(11))
    await shop.control.settle()
    let snapshot = shop.control.snapshot()
    #expect(snapshot[shop.take] == 0 && snapshot.withdrawn == 1)
  }

  @Test(arguments: matchers.filter(\.servesAnySoup))
  func `A call that is put back waits in a component of more than 64 names`(matcher: Matcher) async {
    let (take, puts, control) = Soup.define("large", with: .init(matcher: matcher)) { soup in
      let shelf = soup.state("shelf", 0)
      let puts = soup.slow("put", of: Int.self, count: 80)
      let take = soup.fast("take", returning: Int.self, canPutBack: true)
      soup.react(state: shelf, take, on: .inline) { sum, call in
        if sum > 0 { call.reply(sum) } else { call.putBack() }
      }
      for put in puts { soup.react(state: shelf, put, on: .inline) { sum, number in sum += number } }
      return (take, puts, soup.control)
    }
    let call = Task.detached { await WayToCall.suspending.call(take) }
    while control.snapshot()[take] == 0 { await Task.yield() }
    puts[3](0)
    await control.settle()
    #expect(control.snapshot()[take] == 1 && puts.allSatisfy { control.snapshot()[$0] == 0 })
    puts[79](5)
    #expect(await call.value == .success(5))
    await control.settle()
    #expect(control.snapshot()[take] == 0)
  }

  @Test(arguments: Run.setups)
  func `A body may put back some of its calls, and reply to others`(setup: Setup) async {
    let (take, put, control) = Soup.define("pairs", with: .init(matcher: setup.matcher)) { soup in
      let shelf = soup.state("shelf", 0)
      let take = soup.fast("take", returning: Int.self, canPutBack: true)
      let put = soup.slow("put")
      soup.react(state: shelf, take, take, on: setup.placement) { count, first, second in
        if count == 0 { first.putBack() } else { first.reply(count) }
        second.putBack()
        count = 0
      }
      soup.react(state: shelf, put, on: setup.placement) { count, _ in count += 1 }
      return (take, put, soup.control)
    }
    let calls = (0..<2).map { _ in Task.detached { await WayToCall.suspending.call(take) } }
    while control.snapshot()[take] < 2 { await Task.yield() }
    await control.settle()
    put()
    while control.snapshot()[take] > 1 { await Task.yield() }
    await control.settle()
    #expect(control.snapshot()[take] == 1)
    #expect(control.clear() == 1)
    var outcomes: [Result<Int, CallError>] = []
    for call in calls { outcomes.append(await call.value) }
    #expect(outcomes.contains(.success(1)) && outcomes.contains(.failure(.cleared)))
  }

  @Test(arguments: Run.setups)
  func `A call that is put back may be a branch of a select`(setup: Setup) async throws {
    let shop = Shop(setup)
    let call = Task.detached {
      try await Soup.first(of: [shop.take.call(1)], within: .seconds(3600))
    }
    while shop.attempts.count < 1 { await Task.yield() }
    await shop.control.settle()
    shop.put(10)
    #expect(try await call.value == 10)
  }

  @Test(arguments: Run.setups)
  func `A caller that gives up tells the body that has its call, and none that put it back`(setup: Setup) async {
    let (census, attempts, abandoned) = (Census(), Tally(), Log<Int>())
    let (isTold, answers, kept) = (Gate(), Log<Bool>(), Shared<Call<Void, Int>>(nil))
    let (isKept, clock) = (Gate(), ManualClock())
    let (take, put, control) = Soup.define("watched", with: .init(matcher: setup.matcher, clock: clock)) { soup in
      let shelf = soup.state("shelf", 0)
      let take = soup.fast("take", returning: Int.self, canPutBack: true)
      let put = soup.slow("put")
      soup.react(state: shelf, take, on: setup.placement) { count, call in
        let attempt = attempts.add()
        let live = census.live(attempt)
        call.onAbandoned {
          abandoned.append(live.number)
          isTold.open()
        }
        if count == 0 {
          Task { answers.append(await call.abandoned()) }
          call.putBack()
          call.onAbandoned { abandoned.append(-1) }
        } else {
          kept.put(call)
          isKept.open()
        }
      }
      soup.react(state: shelf, put, on: setup.placement) { count, _ in count += 1 }
      return (take, put, soup.control)
    }
    let call = Task.detached { await take.outcome(within: .seconds(3600)) }
    while control.snapshot()[take] == 0 || answers.all.count < attempts.count { await Task.yield() }
    await control.settle()
    await census.expectExtinction()
    put()
    await isKept.wait()
    let last = attempts.count
    await clock.advanceOnceAwaited(by: .seconds(3600))
    #expect(await call.value == .failure(.timedOut))
    await isTold.wait()
    #expect(abandoned.all == [last])
    #expect(!kept.take()!.reply(1) && !answers.all.contains(true))
  }

  @Test(arguments: Run.setups)
  func `A body cannot put back a call after its reply`(setup: Setup) async {
    let answers = Log<Bool>()
    let (take, control) = Soup.define("late", with: .init(matcher: setup.matcher)) { soup in
      let take = soup.fast("take", returning: Int.self, canPutBack: true)
      soup.react(take, on: setup.placement) { call in
        call.reply(1)
        answers.append(call.putBack())
      }
      return (take, soup.control)
    }
    for way in WayToCall.allCases { #expect(await way.call(take) == .success(1)) }
    await control.settle()
    #expect(answers.all == [false, false, false, false])
  }
}

enum PutBackContext {
  @TaskLocal static var number = 0
}
