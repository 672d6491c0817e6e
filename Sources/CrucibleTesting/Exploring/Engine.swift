import Crucible
import Dispatch
import Synchronization

/// The threads of an exploration, which take turns.
///
/// Work that has begun has a thread of its own, so that it can stop anywhere. One thread has the turn, and only that
/// thread uses the engine. At a *point*, which is an event of a soup, the end of a piece of work or a wait, it asks the
/// chooser which of the alternatives goes on: work that stopped, work that has not begun, or the next timer.
///
/// A thread without the turn waits for its own bell. It gives the turn away as its last act before that: it is already
/// among those that are ready, idle or blocked, and keeps no reference to the work of others, because a release may end
/// a soup. So whatever a thread does with the turn happens before what the next thread does.
final class Engine: ControlledRun, @unchecked Sendable {
  /// A piece of work: a job, a body, a thread of the program, a timer.
  final class Item {
    let id: Int
    let name: String
    let run: () -> Void
    /// The serial place that it belongs to.
    let place: ObjectIdentifier?
    /// Whether it waits in a call, so that its place may do other work.
    var isBlocked = false
    /// Whether it has had an event.
    var hasActed = false
    /// Its thread, after it has begun.
    var strand: Strand?
    /// The place of the calls that it is about to inject, in a run that is recorded.
    var calls: (count: Int, source: Soup.Source)?

    init(_ id: Int, _ name: String, in place: ObjectIdentifier? = nil, _ run: @escaping () -> Void) {
      self.id = id
      self.place = place
      self.name = name
      self.run = run
    }
  }

  final class Strand: @unchecked Sendable {
    let bell = DispatchSemaphore(value: 0)
    /// What it does, or is to begin with its next turn. Nil: its thread ends.
    var item: Item?
    /// Whether its thread has the context of the exploration.
    let hasContext: Bool
    init(hasContext: Bool) { self.hasContext = hasContext }
  }

  private struct Timer {
    let time: UInt64
    let id: Int
    let name: String
    let act: () -> Void
  }

  static let mostSteps = 20_000
  /// Later choices of a run are fair. Otherwise a loop that looks again and again could starve what it waits for.
  static let mostChoices = 500

  @exclusivity(unchecked) private var running: Strand!
  @exclusivity(unchecked) private var ready: [Item] = []
  @exclusivity(unchecked) private var idle: [Strand] = []
  /// Idle threads without the context of the exploration, for want of others.
  @exclusivity(unchecked) private var plain: [Strand] = []
  /// By serial place: the work that has begun there, the innermost last.
  @exclusivity(unchecked) private var places: [ObjectIdentifier: [Item]] = [:]
  @exclusivity(unchecked) private var timers: [Timer] = []
  @exclusivity(unchecked) private var driven: [WeakAlarms] = []
  @exclusivity(unchecked) private var lastID = 0
  @exclusivity(unchecked) private(set) var now: UInt64 = 0
  /// For choices among reactions after ``mostChoices``.
  @exclusivity(unchecked) private var random = Splitmix(state: 0)
  /// Whether the choice in progress has been made, so that no later candidate replaces it.
  @exclusivity(unchecked) private var hasChosen = false
  @exclusivity(unchecked) private var chooser: any Chooser = Replay([:])
  @exclusivity(unchecked) private(set) var choices: [Choice] = []
  /// The alternatives of the choice in progress.
  @exclusivity(unchecked) private var ids: [Int] = []
  @exclusivity(unchecked) private(set) var steps = 0
  @exclusivity(unchecked) private(set) var controls: [Soup.Control] = []
  /// Whether something outside of the run had taken part in it when it was given up.
  @exclusivity(unchecked) private(set) var isTouched = false
  /// Why the run was given up.
  @exclusivity(unchecked) private(set) var reason: String?
  /// A hash of all steps.
  @exclusivity(unchecked) private(set) var digest: UInt64 = 0
  /// The number of the run, to tell its work from what is left of others.
  @exclusivity(unchecked) private var number = 0
  /// Functions that resume tasks which wait until nothing else goes on, in the order in which they began.
  @exclusivity(unchecked) private var atRest: [() -> Void] = []
  /// What happens, if the run is recorded.
  @exclusivity(unchecked) var story: Story?
  /// Whether the story is being changed.
  @exclusivity(unchecked) private var isTelling = false
  /// What tests have found wrong in the run.
  @exclusivity(unchecked) var issues: [String] = []
  /// Whether the run was given up, and ends without choices.
  @exclusivity(unchecked) private(set) var isUnwinding = false
  @exclusivity(unchecked) private var isGivingUp = false
  let crashText = CrashText()
  /// The number of steps of all runs.
  private let taken = Atomic<Int>(0)
  var progress: Int { taken.load(ordering: .relaxed) }
  private let open = Atomic<Bool>(true)
  /// Whether there are further runs.
  var isOpen: Bool { open.load(ordering: .relaxed) }
  private let hasStarted = Atomic<Bool>(false)
  /// Why the run fails, if something outside of it has taken part.
  private let foreign = Guarded<String?>(nil)
  /// Cancel the tasks of the run.
  @exclusivity(unchecked) var cancellations: [() -> Void] = []

  private struct WeakAlarms {
    weak var alarms: ClockAlarms?
  }

  let timeWaits: Bool

  init(timeWaits: Bool) { self.timeWaits = timeWaits }

  // ---- A run ----

  /// Begins a run. Requires: the last one has ended, or what is left of it never goes on.
  func begin(_ chooser: any Chooser) {
    self.chooser = chooser
    random = Splitmix(state: 1)
    crashText.begin()
    ready = []
    places = [:]
    timers = []
    driven = []
    choices = []
    controls = []
    cancellations = []
    issues = []
    foreign.withLock { $0 = nil }
    number += 1
    (now, lastID, steps) = (0, 0, 0)
    (reason, isUnwinding) = (nil, false)
  }

  /// The chooser, after the run.
  func end() -> any Chooser {
    chooser.end(choices)
    return chooser
  }

  /// Suspends until nothing else goes on.
  func rest() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      if isMine { return atRest.append { continuation.resume() } }
      noteForeign("world.quiet")
      continuation.resume()
    }
  }

  func add(_ name: String, in place: ObjectIdentifier? = nil, _ run: @escaping () -> Void) {
    if !isMine { return noteForeign("work '\(name)'") }
    settle()
    lastID += 1
    ready.append(Item(lastID, name, in: place, run))
  }

  /// Sets a timer. Returns its number.
  func addTimer(_ name: String, at time: UInt64, _ act: @escaping () -> Void) -> Int {
    if !isMine {
      noteForeign("a timer")
      return 0
    }
    lastID += 1
    timers.append(Timer(time: time, id: lastID, name: name, act: act))
    return lastID
  }

  /// Removes a timer. Returns false if its time has passed.
  func removeTimer(_ id: Int) -> Bool {
    if !isMine {
      noteForeign("a cancellation")
      return false
    }
    guard let index = timers.firstIndex(where: { $0.id == id }) else { return false }
    timers.remove(at: index)
    return true
  }

  func add(_ alarms: ClockAlarms) { driven.append(WeakAlarms(alarms: alarms)) }

  // ---- The threads ----

  /// The processor of all threads. Between two processors, giving the turn takes much longer.
  private let processor = ControlledThread.nextProcessor

  /// Starts the first thread with this work. Later, work of threads that the run does not control fails it.
  func start(_ run: @escaping () -> Void) {
    if hasStarted.exchange(true, ordering: .relaxed) { return noteForeign("another thread has resumed a task") }
    let strand = makeStrand()
    strand.item = Item(0, "explore", run)
    running = strand
    strand.bell.signal()
  }

  /// Ends the threads that are idle, after the calling thread's work. Work that comes later goes its usual way.
  func close() {
    open.store(false, ordering: .relaxed)
    ControlledThread.leaveProcessor()  // what this thread resumes next may create threads
    for strand in idle + plain { strand.bell.signal() }
    (idle, plain) = ([], [])
  }

  private func makeStrand() -> Strand {
    let strand = Strand(hasContext: false)
    startThread { [self] in
      withThread { serve(on: strand) }
    }
    return strand
  }

  /// Makes idle threads that have the context of the calling task. A body on them has it too, so that an expectation
  /// there finds its test.
  func addStrands(upTo count: Int) {
    for _ in 0..<max(0, count - idle.count) {
      let strand = Strand(hasContext: true)
      idle.append(strand)
      Task(executorPreference: StrandExecutor(self)) { self.serve(on: strand) }
    }
  }

  /// Starts a thread of the run that does a job.
  fileprivate func start(_ job: UnownedJob, on executor: StrandExecutor) {
    startThread { [self] in
      withThread { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }
  }

  private func withThread(_ run: () -> Void) {
    let thread = ControlledThread(of: self)
    thread.begin(on: processor)
    run()
    thread.end()
  }

  /// Does the work of a strand, until the end of the exploration.
  private func serve(on strand: Strand) {
    while true {
      strand.bell.wait()
      if strand.item == nil { return }
      repeat {
        perform(on: strand)
        if !isOpen { return }
      } while goOn(from: nil, on: strand)
    }
  }

  /// Does the work of a strand. Has released it when it returns.
  @inline(never)
  private func perform(on strand: Strand) {
    let item = strand.item!
    item.strand = strand
    ControlledThread.beNew()
    if let place = item.place { places[place, default: []].append(item) }
    item.run()
    if let place = item.place { places[place]?.removeAll { $0 === item } }
    strand.item = nil
  }

  /// Gives the turn to what goes on next. `item`: the work of the calling thread, if it can go on. Returns whether the
  /// thread has the turn, and work: the same work as before, or work that it begins because its own has ended.
  private func goOn(from item: Item?, on strand: Strand) -> Bool {
    guard let next = choose(orContinue: item) else { fatalError("Crucible: an exploration has nothing to do") }
    if next === item { return true }
    if item == nil && next.strand == nil && (strand.hasContext || idle.isEmpty) {
      strand.item = next
      return true
    }
    if let item { ready.append(item) } else if strand.hasContext { idle.append(strand) } else { plain.append(strand) }
    give(consume next)
    if item == nil { return false }  // from here on the strand may have other work
    strand.bell.wait()
    return true
  }

  private func give(_ item: consuming Item) {
    let strand = item.strand ?? idle.popLast() ?? plain.popLast() ?? makeStrand()
    strand.item = consume item
    running = strand
    strand.bell.signal()
  }

  /// Chooses the next work, and removes it from `ready`. If there is none, resumes a task that waits for a rest.
  private func choose(orContinue item: Item?) -> Item? {
    while true {
      checkLimits()
      if steps > 2 * Self.mostSteps {
        // It does not even end when it is stopped. What is left of it never goes on.
        (ready, timers, driven, steps) = ([], [], [], 0)
        guard let act = atRest.popLast() else { return nil }
        act()
      }
      ids.removeAll(keepingCapacity: true)
      if let item { ids.append(item.id) }
      for other in ready where mayGoOn(other) { ids.append(other.id) }
      let works = ids.count
      let time = timeWaits && works > 0 ? nil : nextTime()
      if let time { addTimersDue(at: time) }
      if ids.isEmpty {
        guard let act = atRest.popLast() else { return nil }
        act()
        continue
      }
      steps += 1
      taken.wrappingAdd(1, ordering: .relaxed)
      let index = pick(Alternatives(count: ids.count, canContinue: item != nil, timers: ids.count - works))
      if let item, index == 0 { return item }
      let id = ids[index]
      if index < works { return ready.remove(at: ready.firstIndex { $0.id == id }!) }
      return pass(to: time!, timer: id)
    }
  }

  /// Whether the place of work that is ready does not do other work.
  private func mayGoOn(_ item: Item) -> Bool {
    guard let place = item.place, let last = places[place]?.last else { return true }
    return last === item || (item.strand == nil && last.isBlocked)
  }

  private func pick(_ alternatives: Alternatives) -> Int {
    if alternatives.count == 1 { return 0 }
    if isUnwinding || choices.count == Self.mostChoices { return alternatives.fair(&random) }
    let index = chooser.choose(alternatives, ids)
    if index > 0 { crashText.add(step: choices.count, index) }
    choices.append(Choice(index: index, alternatives: alternatives))
    let id = alternatives.isOfSoup ? index : ids[index]
    digest = (digest ^ UInt64(bitPattern: Int64(id))) &* 0x100_0000_01B3 &+ UInt64(alternatives.count)
    return index
  }

  private func checkLimits() {
    if steps > Self.mostSteps { giveUp("the run does not end within \(Self.mostSteps) steps") }
    if let foreign = foreign.withLock({ $0 }) { giveUp(foreign) }
  }

  /// Lets the run end: stops its soups and cancels its tasks. From now on there is no choice.
  func giveUp(_ reason: String) {
    if isUnwinding { return }
    (self.reason, isUnwinding, isGivingUp) = (reason, true, true)
    story?.end()
    isTouched = foreign.withLock { $0 != nil }
    for control in controls { control.abandon() }
    for cancel in cancellations { cancel() }
    isGivingUp = false
  }

  // ---- Time ----

  private func nextTime() -> UInt64? {
    var next: UInt64?
    for timer in timers where next.map({ timer.time < $0 }) ?? true { next = timer.time }
    for case let alarms? in driven.lazy.map(\.alarms) {
      if let remaining = alarms.remaining {
        next = min(next ?? .max, now.addingReportingOverflow(remaining).partialValue)
      }
    }
    return next
  }

  /// Adds the ids of the timers with this time. Those of soups have negative ones.
  private func addTimersDue(at time: UInt64) {
    for timer in timers where timer.time == time { ids.append(timer.id) }
    for (index, weak) in driven.enumerated() {
      if let remaining = weak.alarms?.remaining, now + remaining == time { ids.append(-1 - index) }
    }
  }

  /// Lets time pass. Returns the work of the timer with this id.
  private func pass(to time: UInt64, timer id: Int) -> Item {
    var (name, act) = ("clock", {})
    if id < 0 {
      if let alarms = driven[-1 - id].alarms { act = { alarms.goOffDue() } }
    } else {
      let timer = timers.remove(at: timers.firstIndex { $0.id == id }!)
      (name, act) = (timer.name, timer.act)
    }
    if time > now {
      now = time
      story?.add(time: now)
    }
    lastID += 1
    return Item(lastID, name, act)
  }

  // ---- What the soups and the executors ask for ----

  private(set) lazy var ownExecutor = EngineExecutor(self)
  var executor: any TaskExecutor { ownExecutor }
  private(set) lazy var worldClock = WorldClock(self)
  var clock: any Clock<Duration> { worldClock }

  func choose(below bound: Int) -> Int { pick(Alternatives(ofSoup: bound)) }

  func replaces(_ number: Int) -> Bool {
    if number == 2 { hasChosen = false }
    if !hasChosen { hasChosen = choose(below: 2) == 0 }
    return !hasChosen
  }

  func add(_ control: Soup.Control) { controls.append(control) }

  func look() -> [Story.Contents] {
    controls.enumerated().filter(\.element.isAlive).map { number, control in
      let explanation = control.explain()
      return Story.Contents(
        number: number, soup: explanation.soup, molecules: control.snapshot().counts, callers: explanation.callers)
    }
  }

  func note(_ event: Soup.Event) {
    if !isMine {
      // Another thread may hold a soup for a moment, and release it last.
      if case .gone = event.kind { return }
      return noteForeign("\(event)")
    }
    if isTelling { return }
    if story != nil { record(event) }
    switch event.kind {
    case .injected, .finished, .threw, .replied: point()
    // A caller may give up between the match and the body. For a body that is all of its work, the turn begins there.
    case .started where running.item?.hasActed == true: point()
    default: break
    }
    running.item?.hasActed = true
  }

  private func record(_ event: Soup.Event) {
    let item = running.item
    var source: Soup.Source?
    if case .injected = event.kind, event.call != nil, let calls = item?.calls {
      source = calls.source
      item!.calls = calls.count > 1 ? (calls.count - 1, calls.source) : nil
    }
    telling { story!.add(event, by: name, item?.id ?? 0, at: source) }
  }

  /// Changes the story. The description of a value may use soups, which is no part of the run.
  private func telling(_ body: () -> Void) {
    isTelling = true
    body()
    isTelling = false
  }

  /// Adds an act of the work that has the turn to the story.
  func record(_ act: String) { telling { story?.act(act, by: name, running.item?.id ?? 0) } }

  /// Adds an act that fails the run, and ends the story.
  func recordFailure(_ act: String) {
    record(act)
    story?.end()
  }

  func noteCalls(_ count: Int, at file: StaticString, _ line: UInt) {
    if isMine && story != nil { running.item?.calls = (count, Soup.Source(file, line)) }
  }

  func noteLateReply(toCall call: UInt) {
    if isMine, let molecule = story?.molecule(of: call) { record("the reply to \(molecule) is false") }
  }

  /// Completes the last reply of the calling thread, before its caller goes on.
  private func settle() { telling { if let item = running.item { story?.settle(item.id) } } }

  var isMine: Bool { ControlledThread.currentRun === self }

  /// Fails the run, because a thread that it does not control has taken part in it.
  func noteForeign(_ what: String) { note(failure: "a thread that the run does not control took part: \(what)") }

  private func note(failure: String) { foreign.withLock { if $0 == nil { $0 = failure } } }

  /// The name of the work that has the turn, for another thread.
  var nameOfTurn: String { running.item?.name ?? "explore" }

  /// The name of the work that runs.
  var name: String { World.taskName ?? running.item?.name ?? "explore" }

  /// Another thread may go on here.
  func point() {
    if !isMine { return noteForeign("world.point") }
    if isTelling { return }
    let strand = running!
    if let item = strand.item, !isGivingUp { _ = goOn(from: item, on: strand) }
  }

  func take(_ work: ControlledThread.Work, _ perform: @escaping () -> Void) -> Bool {
    if !isOpen { return false }
    switch work {
    case .pool(let soup):
      if let soup, !controls.contains(where: { $0.controls(soup) }) {
        note(failure: "the run uses \(Soup.Definition(soup)), which was defined outside of it")
      }
      add("pool", perform)
    case .task: add("task", perform)
    case .place(let place, let name): add(name, in: place, perform)
    }
    return true
  }

  func isDoing(_ place: ObjectIdentifier) -> Bool { running.item?.place == place }

  func sleep(nanoseconds: UInt64) {
    block { end in
      _ = addTimer(name, at: now.addingReportingOverflow(nanoseconds).partialValue, end)
      return true
    }
  }

  func block(_ begin: (_ end: @escaping @Sendable () -> Void) -> Bool) {
    let strand = running!
    let item = strand.item!
    let blocked = Blocked(item)
    let end = { @Sendable [self, number] in
      if !isMine { return noteForeign("another thread has answered \(blocked.item.name)") }
      settle()
      if number == self.number { ready.append(blocked.item) }
    }
    if !begin(end) { return }
    settle()
    item.isBlocked = true
    defer { item.isBlocked = false }
    guard let next = choose(orContinue: nil) else { fatalError("Crucible: an exploration has nothing to do") }
    if next === item { return }
    give(consume next)
    strand.bell.wait()
  }

  private struct Blocked: @unchecked Sendable {
    let item: Item
    init(_ item: Item) { self.item = item }
  }
}

/// The executor of the task around the work of a strand.
private final class StrandExecutor: TaskExecutor {
  private let engine: Engine
  init(_ engine: Engine) { self.engine = engine }
  func enqueue(_ job: consuming ExecutorJob) { engine.start(UnownedJob(job), on: self) }
}
