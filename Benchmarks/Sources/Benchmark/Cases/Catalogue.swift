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
  var onlyThreads: [Int]?
  /// Whether single injections of the case are timed.
  var timesCalls = false
  /// The programs that do the same job in Swift without Crucible.
  var baselines: Set<Strategy> = []
  /// The place of the case in a series, if it has one.
  var point: SeriesPoint?
  /// The names of filling and draining, if they are timed.
  var phases = ("fill", "drain")
  /// The number of samples, if one sample takes seconds; else nil. A case with such samples has no warm-up.
  var onlySamples: Int?
  /// The bytes of memory that must be free.
  var leastMemory = 0
  /// Whether a sample takes a second, which it mostly spends to fill a backlog and to drain it. --quick has fewer
  /// samples of it, at one thread.
  var isLong = false
  /// Whether a sample ends by its time, not after a number of rounds. Needed if one thread may take all rounds before
  /// another runs.
  var isByTime = false
  let openSwift: @Sendable (Setting) throws(Wrong) -> any Contender

  /// The number of rounds with which the calibration starts.
  var firstRounds: Int { isLong ? 60_000 : 2000 }

  func has(_ entrant: Entrant) -> Bool {
    switch entrant.layer {
    case .c: CContender.exists(name, entrant.strategy)
    case .swift: true
    case nil: baselines.contains(entrant.strategy) || isDoneInC(entrant)
    }
  }

  func open(_ entrant: Entrant, crew: Crew) throws(Wrong) -> any Contender {
    let setting = Setting(strategy: entrant.strategy, crew: crew)
    return entrant.layer == .c || isDoneInC(entrant) ? try CContender(name, setting) : try openSwift(setting)
  }

  /// Whether it is the baseline that is written in C, next to the core's own cases.
  private func isDoneInC(_ entrant: Entrant) -> Bool {
    entrant.strategy == .pthreadMutex && CContender.exists(name, entrant.strategy)
  }

  /// The cases of a run without options.
  static let overview: [Case] = [
    "counter-state", "counter", "counter-value", "join2", "producer-consumer", "rendezvous", "rendezvous-async",
    "chain",
    "philosophers", "mapreduce",
  ].map { name in all.first { $0.name == name }! }

  static let all: [Case] =
    joins + counters + [
      Case(
        name: "chain", summary: "a(n) → b(n-1), b(n) → a(n-1), one molecule under way", place: .pool,
        baselines: [.dispatchQueue], openSwift: chain),
      Case(
        name: "ring", summary: "503 soups pass a number around", place: .pool, onlyThreads: [2],
        baselines: [.swiftActor], openSwift: ring),
      Case(
        name: "task", summary: "a(n) → a(n-1) in a task, which has its injector's context", place: .pool,
        onlyThreads: [1], openSwift: taskChain),
      Case(
        name: "await", summary: "a task suspends in a call until a reaction replies", place: .pool, onlyThreads: [1],
        openSwift: awaitReply),
      Case(
        name: "await-at-once", summary: "the same, answered before the task has to suspend", place: .inline,
        onlyThreads: [1], baselines: [.swiftActor, .actorSameExecutor], openSwift: awaitAtOnce),
      Case(
        name: "await-limit", summary: "the same with a limit", place: .pool, onlyThreads: [1], openSwift: awaitLimit),
      Case(
        name: "philosophers", summary: "five of them; a reaction is a meal", place: .pool, openSwift: philosophers),
      Case(
        name: "producer-consumer", summary: "one thread puts, one takes with a call that blocks", place: .inline,
        onlyThreads: [2], baselines: [.pthreadCondition, .swiftActor, .asyncStream],
        openSwift: producerConsumer),
      Case(
        name: "mapreduce", summary: "an item is mapped by one reaction, and summed up in a state by another",
        place: .pool, baselines: [.taskGroup], openSwift: mapReduce),
      Case(
        name: "rendezvous", summary: "two threads, a number there and the next one back, by calls that block",
        place: .inline, onlyThreads: [2], baselines: [.pthreadCondition, .spinThenFutex, .dispatchSemaphore],
        openSwift: rendezvous),
      Case(
        name: "rendezvous-async", summary: "the same between two tasks, by calls that suspend", place: .inline,
        onlyThreads: [2], baselines: [.asyncStream, .continuations], openSwift: rendezvousAsync),
      Case(
        name: "fan-in", summary: "8 sources, 8 reactions that share one name", place: .inline, timesCalls: true,
        openSwift: fanIn),
      Case(
        name: "payload-256", summary: "join2 with values of 256 bytes", place: .inline, timesCalls: true,
        openSwift: payload256),
    ] + backlogs + waitings + defined + exclusions + exclusionTasks + compounds + compoundTasks
    + compoundTimes

  private static let joins = [(1, join1), (2, join2), (3, join3), (6, join6)].map { inputs, open in
    Case(
      name: "join\(inputs)", summary: "\(inputs) \(inputs == 1 ? "name" : "names"), one reaction", place: .inline,
      timesCalls: true, baselines: inputs == 2 ? [.swiftMutex] : [], openSwift: open)
  }

  private static let counters = [
    Case(
      name: "counter", summary: "a plain molecule that every increment injects again", place: .inline, timesCalls: true,
      openSwift: counter),
    Case(
      name: "counter-state", summary: "the same as a state", place: .inline, timesCalls: true,
      baselines: [.swiftMutex, .swiftActor, .dispatchQueue], openSwift: counterState),
    Case(
      name: "counter-value", summary: "a state and a call that counts and replies", place: .inline, timesCalls: true,
      baselines: [.swiftMutex, .swiftActor, .dispatchQueue], openSwift: counterValue),
  ]

  private static let defined =
    [
      Case(
        name: "define", summary: "the counter's soup is defined, used once, and released", place: .inline,
        onlyThreads: [1], baselines: [.swiftActor, .asyncStream], openSwift: define),
      Case(
        name: "define-promise", summary: "a Promise is made, fulfilled, and released", place: .inline,
        onlyThreads: [1], baselines: [.swiftActor, .asyncStream, .continuations], openSwift: definePromise),
      Case(
        name: "define-lock", summary: "a Lock is made, used once, and released", place: .inline,
        onlyThreads: [1], baselines: [.swiftActor, .swiftMutex], openSwift: defineLock),
      Case(
        name: "alive", summary: "the counter's soup, 1,000 of them alive: bytes of each", place: .inline,
        onlyThreads: [1], openSwift: soupsSlope(1000)),
      Case(
        name: "alive-promise", summary: "a fulfilled Promise, 1,000 of them alive: bytes of each", place: .inline,
        onlyThreads: [1], openSwift: promisesAlive(1000)),
      Case(
        name: "alive-lock", summary: "a Lock, 1,000 of them alive: bytes of each", place: .inline, onlyThreads: [1],
        openSwift: locksAlive(1000)),
      Case(
        name: "alive-names", summary: "names that never stored a value, 48 of them in a soup: bytes of each",
        place: .inline, onlyThreads: [1], openSwift: namesAlive),
    ]
    + [10, 20].map { n in
      Case(
        name: "fib-\(n)", summary: "fib(\(n)), a soup for each call", place: .inline, onlyThreads: [1],
        baselines: [.asyncLet], openSwift: fib(n))
    }
    + [
      Case(
        name: "mergesort-256", summary: "256 numbers are sorted by merging, a soup for each split", place: .inline,
        onlyThreads: [1], baselines: [.asyncLet, .taskGroup], openSwift: mergeSort(256))
    ]

  private static let exclusions = [("", "", 0), ("-work", ", with half a microsecond of work", 250)].flatMap {
    (suffix, addition, work) in
    [
      Case(
        name: "lock\(suffix)", summary: "a Lock around an addition\(addition)", place: .inline, timesCalls: true,
        baselines: [.swiftMutex, .pthreadMutex], isByTime: true, openSwift: lock(work)),
      Case(
        name: "semaphore\(suffix)", summary: "a Semaphore with one permit around an addition\(addition)",
        place: .inline, timesCalls: true, baselines: [.dispatchSemaphore, .posixSemaphore], isByTime: true,
        openSwift: semaphore(work)),
      Case(
        name: "read-write-lock\(suffix)",
        summary: "a ReadWriteLock around an addition, or around 15 looks\(addition)", place: .inline,
        timesCalls: true, baselines: [.pthreadRWLock], isByTime: true, openSwift: readWriteLock(work)),
    ]
  }

  private static let compounds = [
    Case(
      name: "barrier", summary: "threads meet at a Barrier", place: .inline, baselines: [.pthreadBarrier],
      openSwift: barrier),
    Case(
      name: "channel", summary: "a buffered Channel between two tasks", place: .inline, onlyThreads: [2],
      baselines: [.asyncStream], openSwift: channel),
    Case(
      name: "channel-unbuffered", summary: "an unbuffered Channel between two tasks", place: .inline, onlyThreads: [2],
      baselines: [.asyncStream], openSwift: channelUnbuffered),
    Case(
      name: "channel-unbounded", summary: "an unbounded Channel between two tasks", place: .inline, onlyThreads: [2],
      baselines: [.asyncStream], openSwift: channelUnbounded),
    Case(
      name: "bounded-buffer", summary: "a BoundedBuffer between two threads", place: .inline, onlyThreads: [2],
      baselines: [.pthreadCondition, .swiftActor, .asyncStream], openSwift: boundedBuffer),
    Case(
      name: "agent", summary: "tasks ask an Agent to count", place: .inline, baselines: [.swiftActor],
      openSwift: agent),
    Case(
      name: "promise", summary: "a Promise that is fulfilled, awaited again and again", place: .inline,
      baselines: [.continuations], openSwift: promise),
    Case(
      name: "promise-made", summary: "a Promise that is made, fulfilled, awaited, and gone", place: .inline,
      onlyThreads: [1], baselines: [.continuations], openSwift: promiseMade),
    Case(
      name: "promise-awaited", summary: "a Promise that is made, awaited, and fulfilled by another task",
      place: .inline,
      onlyThreads: [1], baselines: [.continuations], openSwift: promiseAwaited),
  ]

  private static let backlogs = [1, 1000, 100_000, 10_000_000].map { size in
    Case(
      name: "backlog-\(size)", summary: "join2 while \(size) \(size == 1 ? "molecule waits" : "molecules wait")",
      place: .inline, onlyThreads: size == 10_000_000 ? [1, 2] : nil, timesCalls: size < 10_000_000,
      point: SeriesPoint("backlog", of: "molecules", isLogarithmic: true, at: size), isLong: size == 10_000_000,
      openSwift: backlog(size))
  }

  private static let waitings = [
    Case(
      name: "waiting-int", summary: "a million molecules of Int wait: how long they take, and how many bytes",
      place: .inline, onlyThreads: [1], isLong: true, openSwift: waitingInt),
    Case(
      name: "waiting-void", summary: "a million molecules of Void wait", place: .inline, onlyThreads: [1], isLong: true,
      openSwift: waitingVoid),
  ]
}
