import CHarness
import Crucible

/// Runs the cases: sets up the entrants of each, runs them in turns, and collects the rows of the table.
///
/// For each case and number of threads the rounds of a sample are calibrated once, with the first entrant. They are the
/// same for all entrants, except for two kinds. Some need very much longer. Some need very much less, and their threads
/// share processors. Every sample is verified. The threads of a crew must have overlapped for at least half of the
/// longest one's time. The overlap lasts from the last start to the first end. If there are enough processors, the time
/// that one of them waited for a processor is subtracted. A sample without this overlap is repeated. An entrant that
/// never gets enough such samples is reported without a figure. On the pool the overlap is only reported, because the
/// pool decides how many workers a job needs. Tasks overlap also while they take turns on one processor, so of their
/// samples those count in which two were busy. An entrant without enough of these keeps all, and is marked.
///
/// Time is bounded twice. A sample deals out rounds for at most 20 times the desired time, and counts with the rounds
/// that it dealt out. A row's samples together have `Options.rowTime`. A row with too few samples by then has no
/// median, and shows a lower bound. Cases by time have no number of rounds: each of their samples ends when its time is
/// over. Cases beside which the machine was slow are measured once more at the end.
struct Session {
  let options: Options
  let peers: Peers?
  private(set) var results: [Row] = []
  private(set) var failures: [String] = []
  private(set) var seconds = 0
  /// The number of cases that were measured twice, because the machine was slow.
  private(set) var casesRepeated = 0
  private var compilerSlopes: [Slope] = []

  static let leastOverlap = 0.5

  init(_ options: Options, peers: Peers?) {
    self.options = options
    self.peers = peers
  }

  /// Calls `keep` after each case with the results so far, so that a case that never ends loses none of them.
  mutating func run(keep: ([Row]) -> Void) {
    let plan = options.cases.flatMap { one in threads(for: one).map { (one, $0) } }
    if plan.isEmpty { failures.append("none of these cases runs on \(options.threadCounts) threads") }
    reportAbsences()
    let start = harness_now()
    var groups: [[Row]] = []
    for (index, (one, threads)) in plan.enumerated() {
      groups.append(measure(one, threads: threads, as: "\(index + 1)/\(plan.count)", since: start))
      results += groups[index]
      keep(results)
    }
    repeatSlow(plan, &groups, since: start)
    results = groups.flatMap(\.self)
    keep(results)
    let conditions = Conditions(results)
    for index in results.indices { results[index].best = conditions.best(of: results[index]) }
    measureCompiler()
    seconds = Int((harness_now() - start) / 1_000_000_000)
    Progress.clear()
  }

  /// Measures a case with that number of threads, and returns its rows.
  private mutating func measure(_ one: Case, threads: Int, as place: String, since start: UInt64) -> [Row] {
    seconds = Int((harness_now() - start) / 1_000_000_000)
    let title = "\(one.name), \(inWords(threads))"
    Progress.show("[\(place), \(seconds) s] \(title)")
    if Double(harness_now() - start) > options.runTime {
      printError("\(title): left out, for the run's time is up")
      return []
    }
    if one.leastMemory > harness_free_memory() {
      printError("\(title): left out, for less than \(one.leastMemory >> 20) MiB of memory are free")
      return []
    }
    let poolWorkers = Soup.Pool.workers
    defer { Soup.Pool.workers = poolWorkers }
    do {
      if one.place == .pool { Soup.Pool.workers = threads }
      return try run(one, threads: threads)
    } catch {
      failures.append("\(title): \(error.message)")
      return []
    }
  }

  /// Measures the cases again that were measured while the machine was slow. Of both measurements, the one beside which
  /// the machine was faster stays, whatever its figures are. All entrants of a case are measured again together.
  private mutating func repeatSlow(_ plan: [(Case, Int)], _ groups: inout [[Row]], since start: UInt64) {
    let conditions = Conditions(groups.flatMap(\.self))
    let slow = groups.indices.filter { !plan[$0].0.isLong && conditions.slowness(of: groups[$0]) > 1 }
    for (count, index) in slow.enumerated() {
      if Double(harness_now() - start) > options.repeatTime { return }
      let place = "again \(count + 1)/\(slow.count)"
      let rows = measure(plan[index].0, threads: plan[index].1, as: place, since: start)
      casesRepeated += 1
      let conditions = Conditions(groups.flatMap(\.self) + rows)  // `rows` may show a better best
      let isFaster = conditions.slowness(of: rows) < conditions.slowness(of: groups[index])
      let hasAll = rows.count { $0.spread != nil } >= groups[index].count { $0.spread != nil }
      if isFaster && hasAll { groups[index] = rows }
    }
  }

  /// The series that were measured, with the lines that fit them.
  var slopes: [Slope] { results.slopes + compilerSlopes }

  private mutating func measureCompiler() {
    guard options.asksCompiler else { return }
    guard let program = environment("BENCHMARKS_COMPILE"), let build = environment("BENCHMARKS_BUILD") else {
      return printError("compile: left out, for Benchmarks/run did not start this")
    }
    Progress.show("compile: files of 1 to 64 reactions")
    do {
      let compiling = try Compiling(program: program, build: build, repetitions: options.extent == .full ? 3 : 1)
      results.append(compiling.row)
      compilerSlopes = compiling.slopes
    } catch {
      failures.append("compile: \(error.message)")
    }
  }

  func threads(for one: Case) -> [Int] {
    if options.extent == .compare {
      return Region.threads(for: one.name, in: options.regions).filter {
        !options.namesThreads || options.threadCounts.contains($0)
      }
    }
    if one.isSlope { return options.extent == .quick && one.onlySamples == 1 ? [] : one.onlyThreads! }
    if let only = one.onlyThreads, options.extent == .overview, !options.namesThreads { return only }
    return options.threadCounts.filter { count in
      if options.extent == .quick && one.isLong { return count == 1 }
      return one.onlyThreads?.contains(count) ?? true
    }
  }

  /// One case at one number of threads.
  private mutating func run(_ one: Case, threads: Int) throws(Wrong) -> [Row] {
    let crew = try Crew(threads: one.place == .pool ? 1 : threads)
    let time = sampleTime(one, threads: threads)
    if !one.isLong && one.onlySamples == nil { crew.limit = UInt64(one.isByTime ? time : 20 * time) }
    var group: [Turn] = []
    for entrant in Entrant.all where isAsked(entrant) && has(entrant, one, threads: threads) {
      var row = Row(name: one.name, entrant: entrant, place: one.place, threads: threads)
      if threads == 1 || one.onlyThreads == [threads] { row.point = one.point }
      do {
        let contender = try open(entrant, one, crew: crew, threads: threads)
        group.append(Turn(row: row, contender: contender, phases: one.phases))
      } catch {
        note(error, row)
      }
    }
    guard !group.isEmpty else { return [] }

    if let count = one.onlySamples {
      for _ in 0..<min(count, options.sampleCount) {
        for index in group.indices { take(&group[index], of: one, beside: 0) }
      }
      return group.rows
    }
    let rounds =
      one.isByTime ? HARNESS_UNTIL_LIMIT : calibrate(&group, from: one.firstRounds, to: time)
    for index in group.indices {
      group[index].rounds = rounds
      if one.place == .inline && threads > harness_cores() { lengthen(&group[index], of: one, to: time) }
      if !(options.extent == .quick && one.isLong) { warmUp(&group[index], from: one.firstRounds, to: time) }
    }
    let samples = options.extent == .quick && one.isLong ? min(2, options.sampleCount) : options.sampleCount
    for _ in 0..<samples {
      let transfer = threads > 1 ? harness_transfer_ns() : 0
      for index in group.indices where !isSpent(group[index], one) { take(&group[index], of: one, beside: transfer) }
    }
    if one.needsProcessors {
      for index in group.indices { group[index].row.dropSamplesOnOneProcessor(unlessFewerThan: Options.leastSamples) }
    }
    for index in group.indices where group[index].row.times.count < min(samples, Options.leastSamples) {
      giveUp(&group[index], one)
    }
    for index in group.indices where options.hasPasses && !isSpent(group[index], one) {
      countAllocations(&group[index])
      if one.timesCalls && group[index].row.entrant.strategy != .oneTBB { timeCalls(&group[index], threads: threads) }
    }
    return group.rows
  }

  private func isAsked(_ entrant: Entrant) -> Bool {
    entrant.layer.map(options.layers.contains) ?? true && options.strategies.contains(entrant.strategy)
  }

  func has(_ entrant: Entrant, _ one: Case, threads: Int) -> Bool {
    if entrant.strategy == .oneTBB { return peers?.has(one) ?? false }
    let fits = one.place == .inline || !entrant.strategy.hasThreadsOfItsOwn || threads == harness_cores()
    return fits && one.has(entrant)
  }

  private func open(_ entrant: Entrant, _ one: Case, crew: Crew, threads: Int) throws(Wrong) -> Contender {
    if let peers, entrant.strategy == .oneTBB { return peers.contender(one, threads: threads) }
    return try one.open(entrant, crew: crew)
  }

  // MARK: - Samples

  /// Returns the time that a sample should take, in ns. Threads that share a processor take turns of some milliseconds
  /// each. Only over several turns can they be said to run at the same time. The more of them share it, the less alike
  /// are their shares.
  private func sampleTime(_ one: Case, threads: Int) -> Double {
    let sharing = one.place == .inline ? max(1, threads / harness_cores()) : 1
    return options.sampleTime * Double(sharing > 8 ? 2 * sharing : sharing)
  }

  /// Returns the number of rounds in a sample of the desired time, by the first entrant that can show it.
  private mutating func calibrate(_ group: inout [Turn], from firstRounds: Int, to time: Double) -> Int {
    for index in group.indices {
      var rounds = firstRounds
      while let sample = measure(&group[index], rounds: rounds) {
        let missing = time / Double(sample.nanoseconds)
        // A sample of a quarter of the time suffices to compute the number. A shorter one mostly measures start and
        // end.
        if missing <= 4 { return max(1, Int(Double(done(sample, of: rounds)) * missing)) }
        rounds = Int(Double(rounds) * min(missing, 64))
      }
    }
    return firstRounds
  }

  /// Gives more rounds to an entrant that is much faster than the first one. Threads that share processors only show
  /// that they run at the same time in a sample of the desired time.
  private mutating func lengthen(_ turn: inout Turn, of one: Case, to time: Double) {
    while let sample = measure(&turn, rounds: turn.rounds) {
      let missing = time / Double(sample.nanoseconds)
      if missing <= 4 || isSpent(turn, one) { return }
      turn.rounds = Int(Double(turn.rounds) * min(missing, 64))
    }
  }

  /// Takes samples that do not count, longer and longer. If a sample of the entrant would take more than 10 times as
  /// long as desired, it gets fewer rounds than the others.
  private mutating func warmUp(_ turn: inout Turn, from firstRounds: Int, to time: Double) {
    var rounds = min(firstRounds, turn.rounds)
    while let sample = measure(&turn, rounds: rounds) {
      let took = Double(sample.nanoseconds)
      if rounds == turn.rounds { return }
      if took > time / 10 {
        let most = Double(done(sample, of: rounds)) * 10 * time / took
        if most < Double(turn.rounds) { turn.rounds = max(1, Int(most)) }
        break
      }
      rounds = min(turn.rounds, rounds * 8)
    }
    if options.extent != .quick { _ = measure(&turn, rounds: turn.rounds) }
  }

  /// Returns the rounds that were done: fewer than planned, if the time was over.
  private func done(_ sample: harness_sample, of rounds: Int) -> Int { sample.rounds > 0 ? Int(sample.rounds) : rounds }

  /// Takes one sample. Repeats it while the threads did not overlap, up to the time of the row, and up to 3 times the
  /// planned number of samples.
  private mutating func take(_ turn: inout Turn, of one: Case, beside transfer: Double) {
    let pace = harness_pace_ns()
    while let sample = measure(&turn, rounds: turn.rounds) {
      if hasOverlapped(sample, turn.row) {
        turn.row.paces.append(pace)
        if turn.row.threads > 1 { turn.row.transfers.append(transfer) }
        return turn.keep(sample)
      }
      turn.repeats += 1
      if turn.repeats > (options.extent == .quick ? 6 : 3 * options.sampleCount) { giveUp(&turn, one) }
      if isSpent(turn, one) { return }
    }
  }

  /// Whether the time limit of the row has passed. Cases with samples of several seconds have no limit.
  private func isSpent(_ turn: Turn, _ one: Case) -> Bool {
    !one.isLong && one.onlySamples == nil && turn.spent > rowTime(one, threads: turn.row.threads)
  }

  private func rowTime(_ one: Case, threads: Int) -> Double {
    options.rowTime(sample: sampleTime(one, threads: threads))
  }

  /// Notes the reason for which a row has no figure: most of its samples did not count, or its time was over.
  private func giveUp(_ turn: inout Turn, _ one: Case) {
    guard turn.row.failure == nil, let least = turn.least else { return }
    if turn.repeats > turn.row.times.count {
      turn.row.failure =
        "no overlap: the threads did not run at the same time in \(turn.repeats) of "
        + "\(turn.repeats + turn.row.times.count) samples"
    } else {
      turn.row.moreThan = least
      turn.row.failure =
        "more than \(nanoseconds(least)) ns: too few samples in "
        + "\(rowTime(one, threads: turn.row.threads) / 1e9) s, which is a row's time"
    }
  }

  private func hasOverlapped(_ sample: harness_sample, _ row: Row) -> Bool {
    row.place == .pool || row.threads == 1 || sample.overlap >= Self.leastOverlap
  }

  /// Takes a measurement. Returns nil after a wrong result, and notes it.
  private mutating func measure(
    _ turn: inout Turn, rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>? = nil
  ) -> harness_sample? {
    guard turn.row.failure == nil else { return nil }
    harness_watch(turn.row.title)
    let start = harness_now()
    do {
      let sample = try turn.contender.measure(rounds, recorders)
      turn.note(sample, rounds: rounds, took: Double(harness_now() - start))
      return sample
    } catch {
      turn.row.failure = "wrong: \(error.message)"
      note(error, turn.row)
      return nil
    }
  }

  // MARK: - Separate passes

  /// Counts every allocation of the process during one more sample. That sample follows the warm-up, so it shows the
  /// cost of each reaction, and the growth that the chemistry needs.
  private mutating func countAllocations(_ turn: inout Turn) {
    if turn.row.entrant.strategy == .oneTBB { return }  // another process
    harness_count_allocations(true)
    let sample = measure(&turn, rounds: turn.rounds)
    harness_count_allocations(false)
    if let sample { turn.row.allocations = Double(sample.allocations) / Double(sample.reactions) }
  }

  /// Times single injections, the first 200,000 of each thread. Gives no figure if the threads never overlapped.
  private mutating func timeCalls(_ turn: inout Turn, threads: Int) {
    let most = 200_000
    let recorders = UnsafeMutablePointer<harness_recorder>.allocate(capacity: threads)
    let values = UnsafeMutablePointer<UInt64>.allocate(capacity: threads * most)
    defer {
      recorders.deallocate()
      values.deallocate()
    }
    for _ in 0..<5 {
      for thread in 0..<threads {
        recorders[thread] = harness_recorder()
        recorders[thread].values = values + thread * most
        recorders[thread].capacity = most
      }
      guard let sample = measure(&turn, rounds: turn.rounds, recorders: recorders) else { return }
      if !hasOverlapped(sample, turn.row) { continue }
      turn.row.latency = Latency(
        (0..<threads).flatMap { thread in
          UnsafeBufferPointer(start: recorders[thread].values, count: recorders[thread].count)
        })
      return
    }
  }

  private mutating func note(_ error: Wrong, _ row: Row) {
    if !error.isNotServed { failures.append("\(row.title): \(error.message)") }
  }
}
