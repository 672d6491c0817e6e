import Crucible
import Glibc
import Synchronization
import Testing

@testable import SharedSoups

private typealias Bench = `Shared engines`.Bench

/// Stands between an engine and its server. When told to, it drops the reply to the next call, and cuts the connection.
private final class Proxy: Sendable {
  private let server: String
  private let listener: Int32
  let path: String
  let mustCut = Atomic(false)
  let cuts = Atomic<Int>(0)

  init(_ server: RedisServer) throws {
    self.server = "\(server.folder)/redis"
    path = "\(server.folder)/proxy"
    listener = try Proxy.socket(path, bind)
    if listen(listener, 100) != 0 { throw EngineError("listening at \(path)") }
    try onOwnThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        try? serve(client)
      }
    }
  }

  func end() { shutSocket(listener) }

  private static func socket(
    _ path: String, _ use: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
  ) throws -> Int32 {
    let file = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { use(file, $0, size) }
    }
    if status != 0 { throw EngineError("the socket \(path)") }
    return file
  }

  private func serve(_ client: Int32) throws {
    let (upstream, isDoomed) = (try Proxy.socket(server, connect), Flag())
    @Sendable func copy(_ from: Int32, _ to: Int32, isReply: Bool) {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(from, &bytes, bytes.count, 0)
        if count <= 0 { break }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        if !isReply && text.contains("FCALL") && mustCut.exchange(false, ordering: .relaxed) { isDoomed.set() }
        if isReply && isDoomed.isSet {
          cuts.add(1, ordering: .relaxed)
          break
        }
        if send(to, bytes, count, Int32(MSG_NOSIGNAL)) != count { break }
      }
      shutSocket(from)
      shutSocket(to)
    }
    try onOwnThread { copy(client, upstream, isReply: false) }
    try onOwnThread { copy(upstream, client, isReply: true) }
  }
}

/// What goes wrong between an engine and a Redis server, and in the server.
@Suite struct `Shared soups on Redis` {
  typealias Names = (a: InnerInjector<Int>, b: InnerInjector<Int>, control: SharedControl)

  func define(_ engine: Engine) async throws -> SharedSoup<Names> {
    try await Soup.share("redis", on: engine) { soup -> Names in
      let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
      soup.react(a) { a in b(a) }
      return (a: a, b: b, control: soup.control)
    }
  }

  @Test func `A call whose reply is lost with the connection is repeated, and takes effect once`() async throws {
    let server = try RedisServer()
    let proxy = try Proxy(server)
    defer { proxy.end() }
    let engine = try await Engine.redis("unix://\(proxy.path)")
    var calls = 0
    func cutting<Result>(_ step: () throws -> Result) rethrows -> Result {
      proxy.mustCut.store(true, ordering: .relaxed)
      defer {
        calls += 1
        #expect(proxy.cuts.load(ordering: .relaxed) == calls, "the reply was dropped")
      }
      return try step()
    }
    let bench = try cutting { try Bench(engine) }
    let (store, soup, numbers) = (bench.store, bench.ids.soup, Numbers(1))
    #expect(try bench.waiting(3) == 1, "the first molecules are there once")
    let isNew = try cutting {
      try store.inject(
        [Injection(name: bench.ids.names[0], key: "", value: [1])], into: soup, .once("x"), forgetting: [])
    }
    #expect(isNew, "the repetition gets the first answer")
    try cutting { try bench.inject(1, 2) }
    #expect(try bench.waiting(0) == 1 && bench.waiting(1) == 1)
    _ = try cutting { try bench.register(1) }
    let runs = try cutting { try bench.take(1, numbers).1 }
    #expect(runs.count == 1 && runs[0].firings[0].inputs.map(\.value) == [[1], [2]])
    _ = try cutting { try store.extend(1, of: soup, lease: Bench.lease) }
    let outputs = [Injection(name: bench.ids.names[2], key: "", value: [3])]
    let done = Settlement(firings: [(runs[0].firings[0], .done(outputs, []))])
    #expect(try cutting { try store.commit([done], of: 1, in: soup, taking: 0, numbers) }.accepted == [true])
    #expect(try bench.waiting(2) == 1 && bench.contents.consumed == 2)
    let state = try bench.take(1, numbers).1[0]
    let failed = Settlement(firings: [(state.firings[0], .failed("no", retryAfter: nil))], state: state.state)
    _ = try cutting { try store.commit([failed], of: 1, in: soup, taking: 0, numbers) }
    let letters = try store.deadFirings(of: soup)
    #expect(letters.count == 1)
    #expect(try cutting { try store.settleDead(letters[0].id, of: soup, retry: true) })
    let call = ClientID(client: 7, number: 1)
    _ = try store.inject(
      [Injection(name: bench.ids.names[0], key: "", value: [], call: call, lifetime: 1)], into: soup, nil,
      forgetting: [])
    engine.store.clock.advance(by: 1_000_000)
    _ = try bench.take(1, numbers)
    #expect(try cutting { try store.withdraw([call], from: soup) } == [.timedOut])
    try cutting { try store.setCondition(.draining, of: soup) }
    #expect(try cutting { try store.endDrain(of: soup, inAnyCase: true) }?.condition == .stopped)
    try cutting { try store.release(1, of: soup) }
    try cutting { try store.destroy(soup) }
    #expect(throws: EngineError.destroyed) { try bench.contents }
  }

  @Test func `A server that is killed and starts again loses nothing that its disk has, and nothing happens twice`()
    async throws
  {
    let server = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
    let soup = try await define(.redis(server.address, acknowledge: .disk))
    try await soup.control.working(atOnce: 8) {
      for round in 0..<4 {
        let numbers = (round * 50)..<(round * 50 + 50)
        let injection = Task { [a = soup.a] in for n in numbers { try await a(n) } }
        try await eventually("some have reacted") {
          try await soup.control.snapshot().consumed > round * 50 + 5
        }
        server.end()
        try server.start()
        try await injection.value
      }
      try await eventually("all have reacted") { try await soup.control.snapshot().consumed == 200 }
    }
    #expect(try await soup.control.waiting(soup.b).sorted() == Array(0..<200))
  }

  @Test func `A server without memory refuses molecules, and workers finish what it has`() async throws {
    let server = try RedisServer()
    let soup = try await define(.redis(server.address))
    try await soup.a.inject(contentsOf: 0..<100)
    try server.ask("CONFIG", "SET", "maxmemory", "1")
    let error = await #expect(throws: EngineError.self) { try await soup.a(100) }
    #expect(error?.description.contains("OOM") == true)
    try await soup.control.working { try await soup.control.settle() }
    #expect(try await soup.control.waiting(soup.b).sorted() == Array(0..<100))
    try server.ask("CONFIG", "SET", "maxmemory", "0")
    try await soup.a(100)
    #expect(try await soup.control.snapshot()["a"] == 1)
  }

  @Test func `A server that could lose molecules is refused, with the reason`() async throws {
    let server = try RedisServer()
    func refusal(_ address: String, _ acknowledge: Engine.Acknowledgement = .memory) async throws -> String {
      let error = await #expect(throws: EngineError.self) {
        try await Engine.redis(address, acknowledge: acknowledge, patience: .milliseconds(50))
      }
      return error?.description ?? ""
    }
    #expect(try await refusal("rediss://localhost").contains("no TLS"))
    #expect(try await refusal("http://localhost").contains("redis://host:port"))
    #expect(try await refusal("unix:///no/such/socket").contains("No such file"))
    #expect(try await refusal(server.address, .disk).contains("appendfsync always"))
    try server.ask("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")
    #expect(try await refusal(server.address).contains("noeviction"))
    try server.ask("CONFIG", "SET", "maxmemory", "0", "requirepass", "secret")
    #expect(try await refusal(server.address).contains("NOAUTH"))
    let soup = try await define(.redis("unix://:secret@" + server.address.dropFirst("unix://".count)))
    try await soup.a(1)
  }

  @Test func `Fewer replicas than asked for are an error, and the step has happened`() async throws {
    let server = try RedisServer()
    let soup = try await define(.redis(server.address))
    let engine = try await Engine.redis(server.address, acknowledge: .replicas(1), patience: .seconds(1))
    let error = await #expect(throws: EngineError.self) { try await self.define(engine) }
    #expect(error?.description.contains("may have happened") == true)
    #expect(try await soup.control.snapshot()["a"] == 0)
  }

  @Test func `A server that has forgotten the functions gets them again`() async throws {
    let server = try RedisServer()
    let soup = try await define(.redis(server.address))
    try server.ask("FUNCTION", "FLUSH")
    try await soup.a(1)
    #expect(try await soup.control.snapshot()["a"] == 1)
  }

  @Test func `A worker that has lost its subscription hears of molecules from another process`() async throws {
    let server = try RedisServer()
    let soup = try await define(.redis(server.address))
    let other = try await define(.redis(server.address))
    try await soup.control.working(lease: .seconds(1000)) {
      for n in 1...5 {
        try server.ask("CLIENT", "KILL", "TYPE", "pubsub")
        try await other.a(n)
        try await eventually("it has reacted") { try await other.control.snapshot()["b"] == n }
      }
    }
  }

  @Test func `After a server rolls back, lost firings run again, and every caller gets an error`() async throws {
    let server = try RedisServer()
    let engine = try await Engine.redis(server.address)
    let bench = try Bench(engine)
    let numbers = Numbers(1)
    _ = try bench.register(1)
    try bench.inject(0, 1)
    try bench.inject(1, 2)
    try bench.inject(2, 3)
    let runs = try bench.take(1, numbers).1
    #expect(runs.count == 2)
    let calls = try await Soup.share("calls", on: engine) { soup in
      let call = soup.fast("call", returning: Int.self)
      soup.react(call) { $0.reply(1) }
      return (call: call, control: soup.control)
    }
    let early = Task { try await calls.call() }
    try await eventually("its molecule waits") { try await calls.control.snapshot().calls == 1 }
    try server.ask("SAVE")
    #expect(try bench.take(1, numbers, runs.map { bench.done($0, output: 4) }).0 == [true, true])
    let late = Task { try await calls.call() }
    let blocked = (1...2).map { _ in Task { try await blocking { _ = try calls.call.blocking(Nothing()) } } }
    try await eventually("their molecules wait") { try await calls.control.snapshot().calls == 4 }
    server.end()
    try server.start()
    #expect(throws: LeaseIsOver.self) { try bench.store.extend(1, of: bench.ids.soup, lease: Bench.lease) }
    _ = try bench.register(2)
    let again = try bench.take(2, numbers).1
    #expect(Set(again.map { $0.firings[0].id }) == Set(runs.map { $0.firings[0].id }))
    #expect(again.allSatisfy { $0.firings[0].losses == 0 } && again.contains { $0.state != nil })
    for call in [early, late] { await #expect { try await call.value } throws: { "\($0)".contains("has lost steps") } }
    for call in blocked { await #expect { try await call.value } throws: { "\($0)".contains("has lost steps") } }
    try await eventually("the calls are withdrawn") { try await calls.control.snapshot().calls == 0 }
  }

  @Test func `A process that is idle for more than a day has lost nothing`() async throws {
    let server = try RedisServer()
    let engine = try await Engine.redis(server.address)
    let bench = try Bench(engine)
    guard case .list(let keys) = try server.ask("KEYS", "*reply*") else { throw RedisFields.error }
    try server.ask("DEL", keys[0].text!)
    engine.store.clock.advance(by: 25 * hour)
    try bench.inject(0, 1)
    #expect(engine.store.losses(of: bench.ids.soup) == 0)
  }

  @Test func `A server that has lost the soup says so`() async throws {
    let server = try RedisServer()
    let soup = try await define(.redis(server.address))
    try server.ask("FLUSHALL")
    await #expect { try await soup.control.work() } throws: { "\($0)".contains("has lost the shared soup 'redis'") }
  }

  @Test func `No worker is lost because the server was away for longer than its lease`() async throws {
    let server = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
    let engine = try await Engine.redis(server.address)
    let bench = try Bench(engine)
    let (soup, reactions) = (bench.ids.soup, bench.ids.reactions)
    _ = try bench.store.register(1, of: soup, offering: reactions, lease: 1_000_000_000)
    try bench.inject(0, 1)
    try bench.inject(1, 2)
    let start = MachineClock.monotonic.now
    let run = try bench.take(1, Numbers(1)).1[0]
    repeat {
      server.end()
      try server.start()
    } while MachineClock.monotonic.now < start + 1_000_000_000
    // Steps of others come first.
    try bench.inject(0, 4)
    _ = try Bench(engine)
    _ = try bench.register(2)
    #expect(try bench.take(2, Numbers(2)).1.isEmpty)
    #expect(try bench.take(1, Numbers(1), [bench.done(run, output: 3)]).0 == [true])
  }

  @Test func `Molecules wake no worker whose process has ended`() async throws {
    let server = try RedisServer()
    let soup = try await define(.redis(server.address))
    try await soup.control.working(lease: .seconds(1000)) {
      try await eventually("it works") { try await soup.control.snapshot().workers == 1 }
      try await {
        let link = try await self.define(.redis(server.address)).control.link!
        for worker in 1...10 as ClosedRange<Int64> {
          _ = try link.store.register(
            worker, of: link.soup, offering: Array(link.bodies.keys), lease: 1_000_000_000_000)
        }
      }()
      let other = try await define(.redis(server.address))
      try await eventually("the other process has ended") {
        guard case .list(let answer) = try server.ask("PUBSUB", "CHANNELS") else { return false }
        return answer.count == 3
      }
      try await other.a(1)
      try await eventually("it has reacted") { try await other.control.snapshot()["b"] == 1 }
    }
  }

  @Test func `A worker that ends leaves what comes to others`() async throws {
    let server = try RedisServer()
    for round in 1...8 {
      let gate = Gate()
      @Sendable func define() async throws -> SharedSoup<Names> {
        try await Soup.share("ending \(round)", on: .redis(server.address)) { soup -> Names in
          let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
          soup.react(a) { a in
            if a == 0 { await gate.pass() }
            b(a)
          }
          return (a: a, b: b, control: soup.control)
        }
      }
      let (ending, other) = (try await define(), try await define())
      let work = Task { try await ending.control.work(lease: .seconds(1000)) }
      try await ending.a(0)
      await eventually("its body runs") { await gate.arrived == 1 }
      try await other.control.working(lease: .seconds(1000)) {
        try await eventually("the other works") { try await other.control.snapshot().workers == 2 }
        work.cancel()
        try await other.a(1)
        try await eventually("the other has the molecule") { try await other.control.snapshot()["b"] == 1 }
        await gate.open()
        try await work.value
      }
    }
  }

  @Test func `Hundreds of thousands of molecules may be injected in one step`() async throws {
    let server = try RedisServer()
    let soup = try await define(.redis(server.address))
    try await soup.a.inject(contentsOf: 0..<180_000)
    #expect(try await soup.control.snapshot()["a"] == 180_000)
  }
}
