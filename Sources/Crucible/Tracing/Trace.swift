import CCrucible

extension Soup {
  /// A recording of what happens in soups, in the format of Chrome's and Perfetto's viewers.
  ///
  /// ```swift
  /// let trace = try Soup.Trace.record(to: "run.json")
  /// try await work()
  /// try trace.end()
  /// ```
  ///
  /// <doc:Seeing> says what a viewer shows. A trace observes, as ``Soup/Control/observe(_:)`` does: bodies take
  /// microseconds longer, and the file grows by some hundred bytes for each molecule. The observer sees names, not
  /// molecules. So if several injections of one name overlap, an arrow may begin at another of them.
  public final class Trace: Sendable {
    /// The error of a trace that could not be written.
    ///
    /// ```swift
    /// do { try trace.end() } catch { print(error.path, error) }
    /// ```
    public struct Failure: Error, Hashable, CustomStringConvertible {
      /// The file of the trace.
      public let path: String
      /// The reason, as `errno` says it.
      public let error: Int32

      public var description: String { "the trace \(path) could not be written: \(describe(error))" }
    }

    private let path: String
    private let writer: TraceWriter
    private let observations: [Soup.Observation]

    /// Records all soups that live or are made from now on, until ``end()`` or until nothing refers to the trace.
    ///
    /// - Throws: ``Failure`` if the file cannot be made. A file of this name is replaced.
    /// - Complexity: O(soups) now, and a write for each event.
    public static func record(to path: String) throws(Failure) -> Trace {
      try Trace(path) { writer in [Soup.observe { writer.note($0) }] }
    }

    /// Records some soups, until ``end()`` or until nothing refers to the trace.
    ///
    /// - Throws: ``Failure`` if the file cannot be made. A file of this name is replaced.
    public static func record(_ controls: [Soup.Control], to path: String) throws(Failure) -> Trace {
      try Trace(path) { writer in controls.map { $0.observe { writer.note($0) } } }
    }

    private init(_ path: String, _ observe: (TraceWriter) -> [Soup.Observation]) throws(Failure) {
      self.path = path
      let (file, error) = createFile(path)
      if let error { throw Failure(path: path, error: error) }
      let writer = TraceWriter(file)
      self.writer = writer
      observations = observe(writer)
    }

    deinit {
      for observation in observations { observation.end() }
      _ = writer.end()
    }

    /// Ends the recording and completes the file. Further calls do nothing.
    ///
    /// - Throws: ``Failure`` if something could not be written, now or before.
    /// - Complexity: O(soups), and the last write. Blocks while that goes on.
    public func end() throws(Failure) {
      for observation in observations { observation.end() }
      if let error = writer.end() { throw Failure(path: path, error: error) }
    }
  }
}

/// The state of a trace: what it knows of the soups. Writes each event.
final class TraceWriter: Sendable {
  fileprivate struct Injection {
    let time: UInt64
    let track: Int
    /// The task or thread that injected it, for molecules that are withdrawn.
    let by: UInt
    var count: Int
  }

  fileprivate struct Name {
    let label: String
    let isState: Bool
    /// The injections, the oldest first.
    var waiting: ArraySlice<Injection> = []
    var count = 0
  }

  fileprivate struct Traced {
    let label: String
    var names: [Name]
    let asyncReactions: [Bool]
  }

  fileprivate struct State {
    var file: TraceFile
    var soups: [UInt: Traced] = [:]
    var labels: [String: Int] = [:]
    var bodies = ActiveBodies<Int>()
    /// The injections whose molecules a body is about to have, by the task or thread.
    var taken: [UInt: [(name: String, Injection)]] = [:]
    /// Whether each lane of `async` bodies is in use.
    var lanes: [Bool] = []
    var flows = 0
    var hasEnded = false
  }

  private let state: Guarded<State>

  init(_ file: Int32) { state = Guarded(State(file: TraceFile(file))) }

  func end() -> Int32? {
    state.withLock { state in
      if !state.hasEnded { state.file.end() }
      state.hasEnded = true
      return state.file.error
    }
  }

  func note(_ event: Soup.Event) {
    state.withLock { state in
      if state.hasEnded { return }
      if state.soups[event.instance] == nil {
        if case .gone = event.kind { return }
        state.meet(event)
      }
      switch event.kind {
      case .injected(let molecule, let count): state.inject(molecule, count, event.instance)
      case .refused(let molecule, let count): for _ in 0..<count { state.takeBack(molecule, event) }
      case .withdrew(let molecule):
        state.takeBack(molecule, event)
        state.mark(event)
      case .expired(let molecule), .displaced(let molecule):
        state.end(molecule, event.instance)
        state.mark(event)
      case .consumed(let molecule, _): state.consume(molecule, event.instance)
      case .started(let reaction): state.begin(reaction, event)
      case .finished(let reaction): state.finish(reaction, event.instance, nil)
      case .threw(let reaction, let error): state.finish(reaction, event.instance, error)
      case .cleared, .stopped:
        state.drop(event.instance)
        state.mark(event)
      case .gone:
        state.mark(event)
        state.soups[event.instance] = nil
      default: state.mark(event)
      }
    }
  }
}

extension TraceWriter.State {
  /// The first lane. The track of an `async` body is its lane. No Linux thread has such a number.
  private static let firstLane = 10_000_000

  fileprivate mutating func meet(_ event: Soup.Event) {
    let core = OpaquePointer(bitPattern: event.instance)!
    labels[event.soup.label, default: 0] += 1
    let number = labels[event.soup.label]!
    let label = number == 1 ? event.soup.label : "\(event.soup.label) #\(number)"
    // The trace does not ask the soup which molecules wait, because an observer must not wait for the soup.
    let names = namesOfSoup(core).map {
      TraceWriter.Name(label: labelOfName($0), isState: MoleculeKind(crucible_name_kind($0)).stays)
    }
    let reactions = ReactionBody.all(in: core).map(\.isAsync)
    soups[event.instance] = TraceWriter.Traced(label: label, names: names, asyncReactions: reactions)
  }

  private func index(_ molecule: Soup.Event.Molecule) -> Int {
    crucible_name_index(OpaquePointer(bitPattern: molecule.name)!)
  }

  fileprivate mutating func inject(_ molecule: Soup.Event.Molecule, _ count: Int, _ instance: UInt) {
    let by = ActiveBodies<Int>.here
    var track: Int?
    _ = bodies.changeInnermost { track = $0 }
    let thread = track ?? file.currentThread
    let time = file.now()
    // An arrow begins in a slice. Outside bodies it begins in a slice of its own.
    if track == nil { file.slice("inject \(molecule.label)", at: time, on: thread) }
    let name = index(molecule)
    soups[instance]!.names[name].waiting.append(.init(time: time, track: thread, by: by, count: count))
    soups[instance]!.names[name].count += count
    showCount(name, instance)
  }

  fileprivate mutating func consume(_ molecule: Soup.Event.Molecule, _ instance: UInt) {
    let index = index(molecule)
    if soups[instance]!.names[index].isState { return }
    if let injection = soups[instance]!.names[index].takeOldest() {
      taken[ActiveBodies<Int>.here, default: []].append((molecule.label, injection))
    }
    showCount(index, instance)
  }

  /// Removes the newest molecule that this thread or task injected. If another thread decided, removes any.
  fileprivate mutating func takeBack(_ molecule: Soup.Event.Molecule, _ event: Soup.Event) {
    let name = index(molecule)
    soups[event.instance]!.names[name].takeBack(from: ActiveBodies<Int>.here)
    showCount(name, event.instance)
  }

  fileprivate mutating func drop(_ instance: UInt) {
    for name in soups[instance]!.names.indices {
      soups[instance]!.names[name].dropAll()
      showCount(name, instance)
    }
  }

  /// Removes one of the oldest molecules. It has expired, or was dropped.
  fileprivate mutating func end(_ molecule: Soup.Event.Molecule, _ instance: UInt) {
    let name = index(molecule)
    _ = soups[instance]!.names[name].takeOldest()
    showCount(name, instance)
  }

  private mutating func showCount(_ name: Int, _ instance: UInt) {
    let soup = soups[instance]!
    if soup.names[name].isState { return }
    file.counter("\(soup.label): \(soup.names[name].label)", soup.names[name].count)
  }

  fileprivate mutating func begin(_ reaction: Soup.ReactionInfo, _ event: Soup.Event) {
    let (instance, key) = (event.instance, event.key.map { "\($0)" })
    let soup = soups[instance]!
    let isAsync = soup.asyncReactions[reaction.index]
    let track = isAsync ? Self.firstLane + takeLane() : file.currentThread
    if isAsync { file.nameTrack(track, "async bodies") }
    bodies.begin(reaction.index, of: instance, track)
    file.begin(reaction.pattern, soup: soup.label, source: reaction.source, key: key, on: track)
    for (name, injection) in taken.removeValue(forKey: ActiveBodies<Int>.here) ?? [] {
      flows += 1
      file.flow(flows, name, from: injection.track, at: injection.time, to: track)
    }
  }

  fileprivate mutating func finish(_ reaction: Soup.ReactionInfo, _ instance: UInt, _ error: (any Error)?) {
    taken[ActiveBodies<Int>.here] = nil  // from a discarded firing, which has no body
    guard let track = bodies.end(reaction.index, of: instance) else { return }
    file.end(on: track, error.map { "\($0)" })
    if track >= Self.firstLane { lanes[track - Self.firstLane] = false }
  }

  private mutating func takeLane() -> Int {
    let lane = lanes.firstIndex(of: false) ?? lanes.count
    if lane == lanes.count { lanes.append(true) } else { lanes[lane] = true }
    return lane
  }

  fileprivate mutating func mark(_ event: Soup.Event) {
    file.mark(event.description, on: file.currentThread)
  }
}

extension TraceWriter.Name {
  /// Takes one of the oldest molecules. Nil if the trace saw no injection of it.
  fileprivate mutating func takeOldest() -> TraceWriter.Injection? {
    guard let oldest = waiting.first else { return nil }
    take(at: waiting.startIndex)
    return oldest
  }

  fileprivate mutating func takeBack(from place: UInt) {
    if let index = waiting.lastIndex(where: { $0.by == place }) ?? waiting.indices.last { take(at: index) }
  }

  private mutating func take(at index: Int) {
    count -= 1
    waiting[index].count -= 1
    if waiting[index].count > 0 { return }
    // Of a slice the first is removed in O(1).
    if index == waiting.startIndex { waiting.removeFirst() } else { waiting.remove(at: index) }
  }

  fileprivate mutating func dropAll() { (waiting, count) = ([], 0) }
}
