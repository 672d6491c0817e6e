import Crucible
import Foundation
import Synchronization

/// The commands that the page may send.
enum Command: String {
  case pause, step, resume, clear
  /// Records the injections of bodies for a second, so that the graph gets its arrows.
  case record
}

/// Looks at the soups that the page shows, while one is open.
final class Looks: @unchecked Sendable {
  private static let pause = 0.25
  /// The number of soups that the page shows. The others cost nothing.
  private static let shown = 50
  /// The firings a second from which on a soup's firings are counted only in windows, at intervals.
  private static let many = 50_000.0
  private static let window = 0.002
  private static let betweenWindows = Duration.seconds(1)

  /// Protects all members below.
  private let condition = NSCondition()
  private var readers = 0
  private var isRunning = false
  private var hasEnded = false
  private var number = 0
  private var frame: [UInt8] = []
  private var known: [Soup.Control: Known] = [:]
  private var last = 0
  /// The activity of each pool thread, and the time at which it was first seen. Only the thread that looks uses this.
  private var threads: [Int: (thread: Soup.Pool.Thread, since: ContinuousClock.Instant)] = [:]

  fileprivate struct Known {
    let id: Int
    var count: Soup.FiringCount?
    var before: [Int] = []
    /// For each reaction, by its number, whether it has not fired since the last look. Empty if that is unknown.
    var resting: [Bool] = []
    var since = ContinuousClock.now
    var rates: [Double] = []
    /// The time of the next count, if the soup is not counted all the time.
    var nextWindow = ContinuousClock.now
    var recording: ReactionGraph.Recording?
    var recordedUntil = ContinuousClock.now
    var outcomes: [ReactionGraph.Outcome] = []
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Readers
  // -------------------------------------------------------------------------------------------------------------------

  /// One page's stream of events.
  final class Reader {
    private let looks: Looks
    private var seen = 0
    private var rest: ArraySlice<UInt8> = []

    fileprivate init(_ looks: Looks) { self.looks = looks }

    deinit { looks.leave() }

    /// Blocks until there is data to send. Returns a negative number at the end of the stream.
    func read(into buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
      if rest.isEmpty {
        guard let (number, frame) = looks.next(after: seen) else { return -1 }
        (seen, rest) = (number, frame[...])
      }
      let part = rest.prefix(room)
      part.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: buffer, count: room).copyMemory(from: $0) }
      rest = rest.dropFirst(part.count)
      return part.count
    }
  }

  func reader() -> Reader {
    condition.withLock {
      readers += 1
      if !isRunning && !hasEnded {
        isRunning = true
        Thread.detachNewThread { [self] in run() }
      }
    }
    return Reader(self)
  }

  private func leave() {
    condition.withLock {
      readers -= 1
      condition.broadcast()
    }
  }

  private func next(after seen: Int) -> (Int, [UInt8])? {
    condition.lock()
    defer { condition.unlock() }
    while !hasEnded && number == seen { condition.wait() }
    return hasEnded ? nil : (number, frame)
  }

  func end() {
    condition.withLock {
      hasEnded = true
      condition.broadcast()
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Looking
  // -------------------------------------------------------------------------------------------------------------------

  /// Runs until no reader is left.
  private func run() {
    while true {
      let controls = Soup.all.controls
      let shown = Array(controls.prefix(Looks.shown))
      countFirings(of: shown)
      let look = look(at: shown, of: controls.count)
      let text = "data: " + String(decoding: (try? JSONEncoder().encode(look)) ?? Data(), as: UTF8.self)
      let isOver = condition.withLock {
        number += 1
        frame = Array("\(text)\n\n".utf8)
        condition.broadcast()
        let deadline = Date(timeIntervalSinceNow: Looks.pause)
        while !hasEnded && readers > 0 && condition.wait(until: deadline) {}
        if hasEnded || readers == 0 {
          isRunning = false
          known = known.mapValues { Known(id: $0.id) }  // ends the counts
        }
        return !isRunning
      }
      if isOver { return }
    }
  }

  /// Counts soups that fire often for a moment, and the others from look to look.
  private func countFirings(of controls: [Soup.Control]) {
    condition.withLock { () -> Void in
      known = known.filter { controls.contains($0.key) }
      for control in controls where known[control] == nil {
        last += 1
        known[control] = Known(id: last)
      }
    }
    var all = condition.withLock { known }
    let inWindows = all.filter { $0.value.count == nil && $0.value.nextWindow <= .now }.map(\.key)
    for control in inWindows {
      all[control]!.count = control.countFirings()
      all[control]!.before = []
      all[control]!.since = .now
    }
    if !inWindows.isEmpty { Thread.sleep(forTimeInterval: Looks.window) }
    for control in all.keys where all[control]!.count != nil {
      all[control]!.read()
      if all[control]!.rates.reduce(0, +) > Looks.many {
        all[control]!.count = nil
        all[control]!.resting = []
        all[control]!.nextWindow = .now + Looks.betweenWindows
      }
    }
    condition.withLock { for (control, one) in all where known[control] != nil { known[control]!.merge(one) } }
  }

  private func look(at controls: [Soup.Control], of count: Int) -> Look {
    let known = condition.withLock { self.known }
    return Look(
      pool: PoolLook(Soup.Pool.status), threads: lookAtThreads(known), count: count,
      soups: controls.compactMap { control in
        known[control].map { SoupLook($0.id, control, rates: $0.rates, outcomes: $0.outcomes) }
      })
  }

  /// Finds how long each thread has been in its body. If a thread is at the same reaction as before, and that reaction
  /// has not fired meanwhile, the thread is in the same body.
  private func lookAtThreads(_ known: [Soup.Control: Known]) -> [ThreadLook] {
    let now = ContinuousClock.now
    var seen: [Int: (thread: Soup.Pool.Thread, since: ContinuousClock.Instant)] = [:]
    for thread in Soup.Pool.threads {
      let rests = thread.body.map { body in
        let resting = known.first { thread.runs(in: $0.key) }?.value.resting ?? []
        return resting.indices.contains(body.reaction.index) && resting[body.reaction.index]
      }
      let old = threads[thread.number]
      seen[thread.number] = (thread, old?.thread == thread && rests != false ? old!.since : now)
    }
    threads = seen
    return seen.values.sorted { $0.thread.number < $1.thread.number }.map { thread, since in
      ThreadLook(thread, seconds: thread.state == .idle || since == now ? nil : (now - since) / .seconds(1))
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Commands
  // -------------------------------------------------------------------------------------------------------------------

  private func control(_ id: Int) -> Soup.Control? {
    condition.withLock { known.first { $0.value.id == id }?.key }
  }

  func explanation(of soup: Int) -> String? { control(soup).map { $0.explain().description } }

  /// Carries out the command. Returns false if there is no such soup or reaction, or its definition has not ended.
  func obey(_ command: Command, _ soup: Int?, reaction: Int?) -> Bool {
    guard let control = soup.flatMap(control) else { return false }
    let graph = control.graph
    if graph.names.isEmpty || reaction.map({ !graph.reactions.indices.contains($0) }) == true { return false }
    switch command {
    case .pause: control.pause()
    case .step: control.step(only: reaction)
    case .resume: control.resume()
    case .clear: control.clear()
    case .record:
      condition.withLock {
        known[control]?.recording = ReactionGraph.Recording(of: control)
        known[control]?.recordedUntil = .now + .seconds(1)
      }
    }
    return true
  }
}

extension Looks.Known {
  fileprivate mutating func read() {
    guard let count else { return }
    let now = ContinuousClock.now
    let firings = count.firings
    let seconds = (now - since) / .seconds(1)
    resting = zip(firings, before).map { $0 == $1 }
    let before = before.isEmpty ? firings.map { _ in 0 } : before
    rates = zip(firings, before).map { Double($0 - $1) / seconds }
    (self.before, since) = (firings, now)
  }

  /// Merges. A command may have begun a recording meanwhile.
  fileprivate mutating func merge(_ other: Looks.Known) {
    (count, before, since, rates) = (other.count, other.before, other.since, other.rates)
    resting = other.resting
    nextWindow = other.nextWindow
    if let recording, ContinuousClock.now > recordedUntil {
      recording.end()
      outcomes = recording.graphs.first?.outcomes ?? outcomes
      self.recording = nil
    }
  }
}
