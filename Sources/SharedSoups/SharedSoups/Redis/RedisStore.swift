import Synchronization

/// An engine in a Redis server, for processes of many machines. The steps are functions inside the server
/// (`Functions.lua`), whose library has a hash of its text in its name, so programs of two versions work side by side.
///
/// Exactly once. The process has a random id, and numbers its writing calls; one connection sends one call at a time.
/// After a broken connection the process sends the same call with the same number again. If the server has run it, it
/// answers with the stored reply. A call that arrives even later has a number below the last one, and is refused. This
/// holds as long as the server keeps what it has run: a failover or a restart that rolls back forgets the number with
/// the effect, so the repetition runs then. The process says in each step what it has heard of, so the server notices,
/// and ends the leases and calls of the process. None of this holds if a process is silent for a day within a step. The
/// server forgets a silent process after a day, so what was acknowledged longer ago is not said.
///
/// Time is that of the server, and leases are the only sign of life. Wake-ups arrive by `RedisSubscriber`. Nothing here
/// needs a C library: the protocol is a page of code, and the socket must be our own for deadlines in any case.
final class RedisStore: Store, @unchecked Sendable {
  let bell: Bell
  let clock = SoupClock()
  let address: RedisAddress
  let acknowledgement: Engine.Acknowledgement
  private let patience: Int64
  private let client = "\(Int64.random(in: 1...Int64.max))"
  private let subscriber: RedisSubscriber
  private static let library = Library()

  // One thread has these at a time: the one with the lock.
  private let lock = Lock()
  private var connection: RedisConnection?
  private var last: Int64 = 0
  /// The number and the time of the last writing call that was acknowledged, by the label of its soup.
  private var acknowledged: [String: (number: Int64, time: Int64)] = [:]
  /// How often the server has lost steps of this process, by the label of the soup.
  private var losses: [String: Int] = [:]
  /// The number of names by soup, of all programs: for each there is a key.
  private var names: [Int64: Int] = [:]

  /// The labels of soups, and the bells of their classes of workers.
  private struct Places {
    var labels: [Int64: String] = [:]
    var bells: [Int64: [Int64: Int]] = [:]
    var lives: Int64 = 0
  }
  private let places = Mutex(Places())

  init(_ address: RedisAddress, _ acknowledgement: Engine.Acknowledgement, _ patience: Int64) throws {
    (self.address, self.acknowledgement, self.patience) = (address, acknowledgement, patience)
    bell = try Bell(of: nil)
    _ = clock.begin(try SoupClock.Machine.now(), stored: nil)
    subscriber = RedisSubscriber(address, bell)
    let deadline = MachineClock.monotonic.now.adding(patience)
    try lock.with { try repeating("", until: deadline) { connection = try connect(until: deadline) } }
    try subscriber.begin { [weak self] channel, message in self?.hear(channel, message) }
  }

  deinit { subscriber.end() }

  /// The library's text, with its name.
  private struct Library {
    let name: String
    let text: String

    init() {
      let template = String(decoding: PackageResources.Functions_lua, as: UTF8.self)
      let hash = template.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
      name = "crucible_\(String(hash, radix: 16))"
      text = template.split(separator: "@NAME@", omittingEmptySubsequences: false).joined(separator: name)
    }
  }

  /// Repeats a body while the server is away. `what`: the step, for an error; empty while there is none.
  private func repeating<Result>(
    _ what: String, until deadline: Int64, _ body: () throws -> Result
  ) throws -> Result {
    var reason: EngineError?
    while true {
      do {
        return try body()
      } catch let error as EngineError where reason != nil && error.kind == .system {
        throw EngineError(.system, "\(error.description); the step may have happened")
      } catch let error as RedisIsAway {
        connection = nil
        // An attempt that began shortly before the deadline has only found that it is over.
        let isOver = MachineClock.monotonic.now >= deadline
        if !isOver || reason == nil { reason = error.reason }
        if isOver && what.isEmpty { throw reason! }
        if isOver { throw EngineError(.system, "\(what)\(reason!); the step may have happened") }
        pause(20)
      }
    }
  }

  /// Connects, and refuses a server that would lose molecules.
  private func connect(until deadline: Int64) throws -> RedisConnection {
    let connection = try address.open(until: deadline)
    let info = try connection.ask(RedisRequest("INFO"), until: deadline).text ?? ""
    var facts: [Substring: Substring] = [:]
    for line in info.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { facts[parts[0]] = parts[1] }
    }
    func refuse(_ reason: String) -> EngineError { EngineError(.system, "\(address): \(reason)") }
    // While it reads its log, it says that it has none.
    if facts["loading"] == "1" { throw RedisIsAway(reason: refuse("it reads its data from the disk")) }
    let version = facts["redis_version"] ?? "unknown"
    guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 7 else {
      throw refuse("its version is \(version), and functions need 7.0 or later")
    }
    // A process without the right to publish wakes nobody.
    _ = try connection.ask(RedisRequest("PUBLISH", channel("", ""), ""), until: deadline)
    if facts["cluster_enabled"] == "1" { throw refuse("it belongs to a cluster, which this engine does not support") }
    let policy = facts["maxmemory_policy"] ?? "noeviction"
    if facts["maxmemory"] != "0" && policy != "noeviction" {
      throw refuse("its maxmemory-policy is \(policy), which deletes molecules; it must be noeviction")
    }
    if acknowledgement == .disk {
      let setting = try connection.ask(RedisRequest("CONFIG", "GET", "appendfsync"), until: deadline)
      var fields = try RedisFields(setting)
      guard facts["aof_enabled"] == "1", try fields.text() == "appendfsync", try fields.text() == "always" else {
        throw refuse("'acknowledge: .disk' needs appendonly yes and appendfsync always")
      }
    }
    return connection
  }

  /// Runs a function, and rings the bells of this process that it names. `nil`: the definition has changed meanwhile,
  /// or the server has lost steps.
  func step(
    _ function: String, _ soup: Int64, label: String? = nil, isRead: Bool = false,
    _ put: (inout RedisRequest) -> Void
  ) throws -> RedisFields? {
    guard let label = label ?? places.withLock({ $0.labels[soup] }) else { throw EngineError.destroyed }
    // The wait for other threads belongs to the patience.
    let deadline = MachineClock.monotonic.now.adding(patience)
    let (result, rings) = try lock.with {
      if !isRead { last += 1 }
      return try repeating("the shared soup '\(label)': ", until: deadline) {
        while true {
          let connection = try self.connection ?? connect(until: deadline)
          self.connection = connection
          var request = RedisRequest("FCALL", "\(RedisStore.library.name)_\(function)")
          let keys = keys(label, names[soup] ?? 0)
          request.put(keys) { $0.put($1) }
          request.put(soup)
          request.put(client)
          request.put(last)
          request.put((clock.advanced + 999) / 1000)
          request.put(channel(label, ""))
          request.put(names[soup] ?? 0)
          request.put(silence(of: label) < 20 * hour ? acknowledged[label]!.number : 0)
          put(&request)
          do {
            var fields = try RedisFields(try connection.ask(request, until: deadline))
            let kind = try fields.text()
            let isLost = try kind != "names" && !fields.isEmpty && fields.number() == 1
            if isLost { losses[label, default: 0] += 1 }
            switch kind {
            case "ok":
              if !isRead {
                try awaitReplicas(connection, label, deadline)
                acknowledged[label] = (last, MachineClock.sinceBoot.now + clock.advanced)
              }
              let rings = try fields.list { try $0.text() }
              return (Optional(try fields.fields()), rings)
            case "names": names[soup] = try fields.int()
            case "changed": return (nil, [])
            case "stopped": throw EngineError.stopped(label)
            case "outdated": throw EngineError.outdated(label)
            case "destroyed" where isLost:
              throw EngineError(.system, "\(address) has lost the shared soup '\(label)' with all its molecules")
            case "destroyed": throw EngineError.destroyed
            case "lost": return (nil, [])
            case "lease": throw LeaseIsOver()
            default: throw RedisFields.error
            }
          } catch let error as EngineError where error.description.contains("Function not found") {
            try load(connection, deadline)
          }
        }
      }
    }
    for message in rings { ring(soup, message) }
    return result
  }

  private func load(_ connection: RedisConnection, _ deadline: Int64) throws {
    do {
      _ = try connection.ask(RedisRequest("FUNCTION", "LOAD", RedisStore.library.text), until: deadline)
    } catch let error as EngineError where error.description.contains("already exists") {
      // Another process was first.
    }
  }

  private func awaitReplicas(_ connection: RedisConnection, _ label: String, _ deadline: Int64) throws {
    guard case .replicas(let count) = acknowledgement else { return }
    let left = max(1, (deadline - MachineClock.monotonic.now) / 1_000_000)
    let reply = try connection.ask(RedisRequest("WAIT", "\(count)", "\(left)"), until: deadline.adding(1_000_000_000))
    guard case .number(let reached) = reply, reached >= count else {
      throw EngineError(
        .system, "the shared soup '\(label)': fewer than \(count) replicas have answered; the step may have happened")
    }
  }

  func losses(of soup: Int64) -> Int {
    let label = places.withLock { $0.labels[soup] ?? "" }
    return lock.with { losses[label] ?? 0 }
  }

  /// The time since the server has last acknowledged a writing call of this process.
  private func silence(of label: String) -> Int64 {
    acknowledged[label].map { MachineClock.sinceBoot.now + clock.advanced - $0.time } ?? Int64.max
  }

  /// Makes a step that changes nothing: the server remembers the process, and mends what it has lost.
  func refresh(_ soup: Int64, ifSilentFor limit: Int64) throws {
    let label = places.withLock { $0.labels[soup] ?? "" }
    if lock.with({ silence(of: label) }) >= limit { _ = try withdraw([], from: soup) }
  }

  /// The keys of a soup. They share a hash tag. The order is that of `Functions.lua`.
  private func keys(_ label: String, _ names: Int) -> [String] {
    let tag = "crucible:{\(label)}:"
    let fixed = [
      "meta", "reply:\(client)", "calls", "ended", "leases", "workers", "firings", "again", "due", "idle", "keyed",
      "ready", "turns", "dead", "later", "expiring", "producers", "once",
    ]
    return fixed.map { tag + $0 } + (0..<names).map { "\(tag)bag:\($0 + 1)" }
  }

  /// Channels do not belong to a database, so their names contain its number.
  private func channel(_ label: String, _ process: String) -> String {
    "crucible:\(address.database):{\(label)}:\(process)"
  }

  /// Declares the keys of at least so many names in the next steps.
  func expect(_ count: Int, namesOf soup: Int64) { lock.with { names[soup] = max(count, names[soup] ?? 0) } }

  /// Makes a soup known to this process, which hears of it from then on.
  func enter(_ soup: Int64, _ label: String, names count: Int) throws {
    expect(count, namesOf: soup)
    places.withLock { $0.labels[soup] = label }
    try subscriber.listen(to: [channel(label, "all"), channel(label, client)], patience)
  }

  func newLife() -> Life {
    Life(
      number: places.withLock {
        $0.lives += 1
        return $0.lives
      })
  }

  /// The bell of a class of workers in this process. The server's number of it is that of one soup.
  func bell(of soup: Int64, class number: Int64) -> Int {
    places.withLock { places in
      let next = Int64(places.bells.values.reduce(1) { $0 + $1.count })
      let bell = places.bells[soup, default: [:]][number] ?? Bell.ofClass(next)
      places.bells[soup, default: [:]][number] = bell
      return bell
    }
  }

  private func hear(_ channel: String, _ message: String) {
    let soups = places.withLock { places in
      places.labels.filter { channel.hasPrefix(self.channel($0.value, "")) }.map(\.key)
    }
    let isForAll = channel.hasSuffix(":all")
    // The steps of this process have rung already.
    if isForAll && message.hasPrefix(client + " ") { return }
    let words = isForAll ? String(message.drop { $0 != " " }.dropFirst()) : message
    for soup in soups { ring(soup, words) }
  }

  private func ring(_ soup: Int64, _ message: String) {
    let words = message.split(separator: " ")
    switch (words.first, words.last.flatMap { Int64($0) }) {
    case ("class", let number?): bell.ring(bell(of: soup, class: number), Bell.molecules, all: true)
    case ("client", let number?): bell.ring(Bell.ofClient(number), Bell.everybody, all: true)
    case ("everybody", _):
      let all = places.withLock { $0.bells[soup]?.values.map { $0 } ?? [] }
      for bell in all + [Bell.ofControl] { self.bell.ring(bell, Bell.everybody, all: true) }
    default: bell.ring(Bell.ofControl, Bell.everybody, all: true)
    }
  }
}

extension RedisAddress {
  /// Connects, logs in and selects the database.
  func open(until deadline: Int64) throws -> RedisConnection {
    let connection = try RedisConnection(self, until: deadline)
    var steps: [RedisRequest] = []
    if !login.isEmpty {
      var request = RedisRequest("AUTH")
      for word in login { request.put(word) }
      steps.append(request)
    }
    if database != 0 { steps.append(RedisRequest("SELECT", "\(database)")) }
    for step in steps { _ = try connection.ask(step, until: deadline) }
    return connection
  }
}

let hour: Int64 = 3_600_000_000_000
