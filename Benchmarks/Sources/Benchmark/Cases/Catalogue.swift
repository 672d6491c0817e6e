import Crucible

/// One case: its name, the placement of its bodies, and its setup in layer `swift`. Layer `c` has some of the cases,
/// with the same names.
struct Case: Sendable {
  enum Where: String {
    case inline, pool
  }

  let name: String
  let summary: String
  /// The placement of the bodies. Inline: the injecting threads run them. Pool: that many workers run them.
  let place: Where
  /// The numbers of threads for which the case makes sense; nil for any number.
  let onlyThreads: [Int]?
  /// Whether single injections of the case are timed.
  let timesCalls: Bool
  /// The programs that do the same job in Swift without Crucible.
  let baselines: Set<Strategy>
  /// The place of the case in a series, if it has one.
  let point: SeriesPoint?
  /// The names of filling and draining, if they are timed.
  var phases = ("fill", "drain")
  /// The number of samples, if one sample takes seconds; else nil. A case with such samples has no warm-up.
  var onlySamples: Int?
  /// The bytes of memory that must be free.
  var leastMemory = 0
  /// Whether a sample takes a second, which it mostly spends to fill a backlog and to drain it. --quick has fewer
  /// samples of it, at one thread.
  let isLong: Bool
  /// Whether a sample ends by its time, not after a number of rounds. Needed if one thread may take all rounds before
  /// another runs.
  let isByTime: Bool
  /// Whether the tasks of a sample could always run at the same time. Then a sample counts only if they did, which
  /// the overlap of tasks does not show: they may take turns on one processor.
  var needsProcessors = false
  /// The only matcher of the case: the one that the compound's initializer chooses. Nil for every matcher.
  var matcher: Strategy?
  let openSwift: Opening

  init(
    _ name: String, _ summary: String, _ place: Where, threads: [Int]? = nil, timesCalls: Bool = false,
    beside baselines: Set<Strategy> = [], point: SeriesPoint? = nil, isLong: Bool = false, isByTime: Bool = false,
    _ openSwift: @escaping Opening
  ) {
    (self.name, self.summary, self.place, onlyThreads, self.timesCalls) = (name, summary, place, threads, timesCalls)
    (self.baselines, self.point, self.isLong, self.isByTime) = (baselines, point, isLong, isByTime)
    self.openSwift = openSwift
  }

  /// The number of rounds with which the calibration starts.
  var firstRounds: Int { isLong ? 60_000 : 2000 }

  func has(_ entrant: Entrant) -> Bool {
    switch entrant.layer {
    case .c: CContender.exists(name, entrant.strategy)
    case .swift: matcher == nil || entrant.strategy == matcher
    case nil: baselines.contains(entrant.strategy) || isDoneInC(entrant)
    }
  }

  /// Returns the case with tasks that could always run at the same time.
  func needingProcessors() -> Case {
    var one = self
    one.needsProcessors = true
    return one
  }

  /// Returns the case with this matcher alone.
  func only(_ matcher: Strategy) -> Case {
    var one = self
    one.matcher = matcher
    return one
  }

  func open(_ entrant: Entrant, crew: Crew) throws(Wrong) -> Contender {
    let setting = Setting(strategy: entrant.strategy, crew: crew)
    return entrant.layer == .c || isDoneInC(entrant) ? try CContender(name, setting).contender : try openSwift(setting)
  }

  /// Whether it is the baseline that is written in C, next to the core's own cases.
  private func isDoneInC(_ entrant: Entrant) -> Bool {
    entrant.strategy == .pthreadMutex && CContender.exists(name, entrant.strategy)
  }

  /// The cases of a run without options.
  static let overview: [Case] = [
    "await-default", "paced", "await-async", "channel", "counter-value", "join2", "producer-consumer",
    "rendezvous-async", "philosophers", "mapreduce",
  ].map { name in all.first { $0.name == name }! }

  static let all: [Case] =
    joins + counters + [
      Case("chain", "a(n) → b(n-1), b(n) → a(n-1), one molecule under way", .pool, beside: [.dispatchQueue], chain),
      Case("ring", "503 soups pass a number around", .pool, threads: [2], beside: [.swiftActor], ring),
      Case("task", "a(n) → a(n-1) in a task, which has its injector's context", .pool, threads: [1], taskChain),
      Case("await", "a task suspends in a call until a reaction replies", .pool, threads: [1], awaitReply),
      Case(
        "await-at-once", "the same, answered before the task has to suspend", .inline, threads: [1],
        beside: [.swiftActor, .actorSameExecutor], awaitAtOnce),
      Case(
        "await-default", "the same by default placement", .inline, threads: [1],
        beside: [.swiftActor, .actorSameExecutor], awaitDefault),
      Case(
        "await-async", "the same with an async body", .inline, threads: [1], beside: [.swiftActor, .task], awaitAsync),
      paced,
      Case("await-limit", "the same with a limit", .pool, threads: [1], awaitLimit),
      Case("philosophers", "five of them; a reaction is a meal", .pool, philosophers),
      Case(
        "producer-consumer", "one thread puts, one takes with a call that blocks", .inline, threads: [2],
        beside: [.pthreadCondition], producerConsumer),
      Case(
        "mapreduce", "an item is mapped by one reaction, and summed up in a state by another", .pool,
        beside: [.taskGroup], mapReduce),
      Case(
        "rendezvous", "two threads, a number there and the next one back, by calls that block", .inline, threads: [2],
        beside: [.spinThenFutex], rendezvous),
      Case(
        "rendezvous-async", "the same between two tasks, by calls that suspend", .inline, threads: [2],
        beside: [.continuations], rendezvousAsync),
      Case("fan-in", "8 sources, 8 reactions that share one name", .inline, timesCalls: true, fanIn),
      Case("payload-256", "join2 with values of 256 bytes", .inline, timesCalls: true, payload256),
    ] + keyedJoins + backlogs + waitings + defined + exclusions + exclusionTasks + compounds + compoundTasks
    + compoundTimes

  private static let paced: Case = {
    var one = Case(
      "paced", "1,000 tasks call a counter now and then, by default placement: a call's mean time", .inline,
      threads: [1], beside: [.swiftActor], pacedCalls)
    one.phases = ("p50", "p99")
    one.onlySamples = 5
    return one
  }()

  private static let joins = [(1, join1), (2, join2), (3, join3), (6, join6)].map { inputs, open in
    Case(
      "join\(inputs)", "\(inputs) \(inputs == 1 ? "name" : "names"), one reaction", .inline, timesCalls: true,
      beside: inputs == 2 ? [.swiftMutex] : [], open)
  }

  private static let counters = [
    Case("counter", "a plain molecule that every increment injects again", .inline, timesCalls: true, counter),
    Case(
      "counter-state", "the same as a state", .inline, timesCalls: true,
      beside: [.swiftMutex], counterState),
    Case(
      "counter-value", "a state and a call that counts and replies", .inline, timesCalls: true,
      beside: [.swiftMutex], counterValue),
  ]

  private static let defined =
    [
      Case(
        "define", "the counter's soup is defined, used once, and released", .inline, threads: [1],
        beside: [.swiftActor], define),
      Case(
        "define-promise", "a Promise is made, fulfilled, and released", .inline, threads: [1],
        beside: [.swiftActor, .continuations], definePromise),
      Case(
        "define-lock", "a Lock is made, used once, and released", .inline, threads: [1],
        beside: [.swiftActor, .swiftMutex], defineLock),
      Case("alive", "the counter's soup, 1,000 of them alive: bytes of each", .inline, threads: [1], soupsAlive(1000)),
      Case(
        "alive-promise", "a fulfilled Promise, 1,000 of them alive: bytes of each", .inline, threads: [1],
        promisesAlive(1000)),
      Case("alive-lock", "a Lock, 1,000 of them alive: bytes of each", .inline, threads: [1], locksAlive(1000)),
      Case(
        "alive-names", "names that never stored a value, 48 of them in a soup: bytes of each", .inline, threads: [1],
        namesAlive),
    ]
    + [10, 20].map { n in
      Case("fib-\(n)", "fib(\(n)), a soup for each call", .inline, threads: [1], beside: [.asyncLet], fib(n))
    }
    + [
      Case(
        "mergesort-256", "256 numbers are sorted by merging, a soup for each split", .inline, threads: [1],
        beside: [.asyncLet], mergeSort(256))
    ]

  private static let exclusions = [("", "", 0), ("-work", ", with half a microsecond of work", 250)].flatMap {
    (suffix, addition, work) in
    [
      Case(
        "lock\(suffix)", "a Lock around an addition\(addition)", .inline, timesCalls: true,
        beside: [.swiftMutex, .pthreadMutex], isByTime: true, lock(work)),
      Case(
        "semaphore\(suffix)", "a Semaphore with one permit around an addition\(addition)", .inline, timesCalls: true,
        beside: [.dispatchSemaphore, .posixSemaphore], isByTime: true, semaphore(work)),
      Case(
        "read-write-lock\(suffix)", "a ReadWriteLock around an addition, or around 15 looks\(addition)", .inline,
        timesCalls: true, beside: [.pthreadRWLock], isByTime: true, readWriteLock(work)),
    ]
  }

  private static let compounds = [
    Case("barrier", "threads meet at a Barrier", .inline, beside: [.pthreadBarrier], barrier),
    Case(
      "channel", "a buffered Channel between two tasks", .inline, threads: [2], beside: [.asyncStream],
      channel(.buffered(Consumption.lead))),
    Case(
      "channel-unbuffered", "an unbuffered Channel between two tasks", .inline, threads: [2], beside: [.asyncStream],
      channel(.unbuffered)),
    Case(
      "channel-unbounded", "an unbounded Channel between two tasks", .inline, threads: [2], beside: [.asyncStream],
      channel(.unbounded)),
    Case(
      "bounded-buffer", "a BoundedBuffer between two threads", .inline, threads: [2],
      beside: [.pthreadCondition], boundedBuffer),
    Case("agent", "tasks ask an Agent to count", .inline, beside: [.swiftActor], agent)
      .only(.arrival).needingProcessors(),
    Case("promise", "a Promise that is fulfilled, awaited again and again", .inline, beside: [.continuations], promise)
      .needingProcessors(),
    Case(
      "promise-made", "a Promise that is made, fulfilled, awaited, and gone", .inline, threads: [1],
      beside: [.continuations], promiseMade),
    Case(
      "promise-awaited", "a Promise that is made, awaited, and fulfilled by another task", .inline, threads: [1],
      beside: [.continuations], promiseAwaited),
  ]

  private static let backlogs = [1, 1000, 100_000, 10_000_000].map { size in
    Case(
      "backlog-\(size)", "join2 while \(size) \(size == 1 ? "molecule waits" : "molecules wait")", .inline,
      threads: size == 10_000_000 ? [1, 2] : nil, timesCalls: size < 10_000_000,
      point: SeriesPoint("backlog", of: "molecules", isLogarithmic: true, at: size), isLong: size == 10_000_000,
      backlog(size))
  }

  private static let waitings = [
    Case(
      "waiting-int", "a million molecules of Int wait: how long they take, and how many bytes", .inline, threads: [1],
      isLong: true, waitingInt),
    Case("waiting-void", "a million molecules of Void wait", .inline, threads: [1], isLong: true, waitingVoid),
  ]
}
