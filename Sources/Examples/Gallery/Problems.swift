// All problems of this folder, each small enough to run at once. `main.swift` prints what each returns.

import Crucible
import Dispatch

let problems: KeyValuePairs<String, @Sendable () async throws -> String> = [
  "barber": {
    let barber = makeBarber(chairs: 2)
    barber.open()
    let served = try await together(6) { try await barber.enter($0) }
    return "\(served.count { $0 }) of 6 customers"
  },
  "barrier": {
    let barrier = makeBarrier(parties: 3)
    _ = try await together(3) { number in for _ in 0..<2 { try await barrier.arrive(number) } }
    return "two rounds of three"
  },
  "bathroom": {
    let bathroom = makeBathroom(places: 2)
    _ = try await together(6) { number in
      for _ in 0..<20 {
        try await number < 3 ? bathroom.woman() : bathroom.man()
        await Task.yield()
        if number < 3 { bathroom.womanLeaves() } else { bathroom.manLeaves() }
      }
    }
    return "three women and three men"
  },
  "blocked-main": {
    let sum = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try sumWhileBlocked(upTo: 100) }) }
    }
    return "\(sum)"
  },
  "cancelable": {
    let (first, second) = (makeCancelable(steps: 10), makeCancelable(steps: .max / 2))
    let sum = try await first.result()!
    _ = try await first.cancel()
    _ = try await second.cancel()
    return "\(sum), and \(try await second.result() == nil ? "cancelled" : "not cancelled")"
  },
  "chameneos": { "\(try await meet([.blue, .red, .yellow, .blue], meetings: 1000))" },
  "counter": {
    let counters = [makeOpenCounter().face, makeCounter()]
    for counter in counters { for _ in 0..<10 { counter.increment() } }
    for counter in counters { await counter.control.quiet(within: .seconds(10)) }
    return "\(try await counters[0].value()) and \(try await counters[1].value())"
  },
  "crawler": {
    let pages = try await crawl(from: 1) { page in [2 * page, page / 3].filter { $0 > 0 && $0 < 100 } }
    return "\(pages.count) pages"
  },
  "first-result": { "\(try await firstResult(of: (1...5).map { n in { n > 2 ? n : nil } })!)" },
  "fork-join": { "\(try await makeFibonacci()(10))" },
  "game-of-life": {
    let blinker = (0..<5).map { row in (0..<5).map { row == 2 && (1...3).contains($0) } }
    let world = try await play(blinker, generations: 3)
    return "\n" + world.map { $0.map { $0 ? "#" : "." }.joined() }.joined(separator: "\n")
  },
  "groups": {
    let (water, river, coaster) = (makeWater(), makeRiver(), makeCoaster(cars: 2, seats: 3))
    _ = try await together(6) { try await $0 < 4 ? water.hydrogen($0) : water.oxygen($0) }
    for hackers in [4, 2, 0] {
      _ = try await together(4) { try await $0 < hackers ? river.hacker() : river.serf() }
    }
    _ = try await together(9) { try await coaster.ride($0) }
    return "two molecules, three boats, three rides"
  },
  "hotline": {
    let (calls, line) = AsyncStream.makeStream(of: String.self)
    let hotline = makeHotline(patience: .milliseconds(20)) { question, expert in
      line.yield("\(expert) answers \(question)")
    } missed: { question in
      line.yield("nobody answers \(question)")
    }
    hotline.ask("why")
    hotline.ask("how", expires: .milliseconds(5))
    hotline.expert("Ada")
    return await calls.prefix(2).reduce("") { $0.isEmpty ? $1 : "\($0), \($1)" }
  },
  "maximum": { "\(try await maximum(of: [3, 9, 4])!)" },
  "merge-sort": { "\(try await mergeSort([3, 9, 4, 1, 5]))" },
  "multiplex": {
    let multiplex = makeMultiplex(permits: 3)
    _ = try await together(6) { _ in
      try await multiplex.enter()
      multiplex.leave()
    }
    return "six tasks, three at a time"
  },
  "overload": {
    let press = makePress(capacity: 2) { _ in }
    let accepted = (0..<5).count { press.urgent($0) }
    for number in 5..<10 { press.news(number) }
    press.ready.inject(count: 9)
    for number in 10..<15 { try await press.print(number) }
    await press.control.quiet(within: .seconds(10))
    return "\(5 - accepted) refused, \(try await press.missed()) missed, the rest printed"
  },
  "pair-up": {
    let dance = makeDance()
    _ = try await together(4) { try await dance.dance($0) }
    try await dance.close()
    return "two pairs, and \(try await dance.dance(4).map(String.init) ?? "nobody") for the fifth"
  },
  "paxos": {
    let acceptors = (0..<3).map { _ in makeAcceptor() }
    return "\(Set(try await together(2) { try await propose("value \($0)", by: $0, of: 2, to: acceptors) }))"
  },
  "philosophers": {
    let table = makeTable(seats: 3)
    for fork in table.forks { fork() }
    _ = try await together(3) { try await table.seat(10 * 3 + $0) }
    await table.control.quiet(within: .seconds(10))  // `eaten` may overtake the last `done`
    return "\(try await table.eaten()) meals"
  },
  "primes": { "\(try await primes(upTo: 50))" },
  "producer-consumer": {
    let lines = [makeHandover(of: Int.self), makeOrderedLine(of: Int.self), makeBoundedLine(of: Int.self, capacity: 2)]
    for line in lines {
      _ = try await together(2) { side in
        for n in 0..<9 { if side == 0 { try await line.put(n) } else { _ = try await line.take() } }
      }
    }
    return "nine items through each of three lines"
  },
  "queens": { "\(try await queens(on: 8).count) placements of 8 queens" },
  "readers-writers": {
    let room = makeReadersWriters()
    _ = try await together(4) { number in
      for _ in 0..<20 {
        try await number < 3 ? room.read() : room.write()
        await Task.yield()
        if number < 3 { room.endRead() } else { room.endWrite() }
      }
    }
    return "three readers and a writer"
  },
  "readers-writers-in-order": {
    for discipline in [Discipline.ordered, .fair, .majority] {
      let room = makeReadersWriters(discipline)
      _ = try await together(4) { number in
        try await room.enter(number < 3 ? .read : .write)
        room.leave(number < 3 ? .read : .write)
      }
    }
    return "three disciplines"
  },
  "rendezvous": {
    let (pair, three) = (makeRendezvous(), makeMeeting(of: 3, bringing: Int.self))
    async let left = pair.left(1)
    async let right = pair.right("one")
    let met = try await together(3) { try await three.meet($0) }
    return "\(try await left) and \(try await right); \(met[0].count) met"
  },
  "run-all": { "\(try await runAll((1...5).map { n in { n * n } }))" },
  "santa": {
    let santa = makeSanta()
    _ = try await together(12) { try await $0 < 9 ? santa.reindeer() : santa.elf($0) }
    return "\(try await santa.trips()) trip"
  },
  "savages": {
    let pot = makePot(servings: 3)
    return "\(try await together(7) { _ in try await pot.eat() }.max()!) fillings for seven meals"
  },
  "select": {
    let channels = makeTwoChannels()
    channels.number(1)
    channels.text("a")
    return "\(try await channels.receive()) and \(try await channels.receive())"
  },
  "smokers": { "\(try await smoke(rounds: 300).smoked)" },
  "stop-and-restart": { "\(try await stopAgainAndAgain(times: 2))" },
  "switch": {
    let (count, doors) = (makeCounter(), makeSwitch())
    for turn in [doors.enable, doors.enable, doors.disable, doors.disable, doors.enable] {
      turn()
      await doors.control.quiet(within: .seconds(10))
    }
    doors.request(count.increment)
    await doors.control.quiet(within: .seconds(10))
    await count.control.quiet(within: .seconds(10))
    return "\(try await count.value()) request"
  },
  "thread-ring": { "node \(try await passToken(around: 503, passes: 10_000))" },
]
