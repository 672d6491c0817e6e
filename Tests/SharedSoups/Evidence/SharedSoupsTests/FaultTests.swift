import Crucible
import Glibc
import Testing

@testable import SharedSoups

private typealias Bench = `Shared engines`.Bench

/// What goes wrong around an engine: disks, links, bodies that end their processes, and versions side by side.
@Suite struct `Shared faults` {
  @Test func `A file that is opened through a link is the same engine, with the same files beside it`() async throws {
    try await withFolder { folder in
      // The first link leads to a file that does not exist yet.
      for name in ["link", "second"] { #expect(symlink("\(folder)/soup.db", "\(folder)/\(name).db") == 0) }
      let benches = try await [
        Bench(.sqlite("\(folder)/link.db")), Bench(.sqlite("\(folder)/soup.db")), Bench(.sqlite("\(folder)/second.db")),
      ]
      let registrations = try benches.enumerated().map { try $1.register(Int64($0 + 1), [0]) }
      #expect(try benches[0].contents.workers.count == 3, "each sees that the others live")
      try benches[1].inject(2, 1)
      #expect(try benches[2].waiting(2) == 1)
      for end in ["-turn", "-lives", "-bell"] {
        #expect(access("\(folder)/soup.db\(end)", F_OK) == 0)
        for name in ["link", "second"] { #expect(access("\(folder)/\(name).db\(end)", F_OK) != 0) }
      }
      withExtendedLifetime(registrations) {}
    }
  }

  @Test func `The files beside a database have its mode, and their room on the disk; links are refused`() async throws {
    try await withFolder { folder in
      let path = "\(folder)/soup.db"
      close(open(path, O_CREAT | O_RDWR, 0o600))
      chmod(path, 0o660)
      // Of a later version, with more bells.
      let bells = open("\(path)-bell", O_CREAT | O_RDWR, 0o660)
      ftruncate(bells, 1_000_000)
      close(bells)
      _ = try await Engine.sqlite(path)
      var status = stat()
      for end in ["-turn", "-lives"] {
        #expect(stat(path + end, &status) == 0 && status.st_mode & 0o777 == 0o660)
      }
      #expect(stat("\(path)-bell", &status) == 0 && status.st_size == 1_000_000)
      #expect(Int(status.st_blocks) * 512 >= 4096 * 64, "a ring must not find a full disk")
      unlink("\(path)-lives")
      symlink("/dev/null", "\(path)-lives")
      let error = await #expect(throws: EngineError.self) { try await Engine.sqlite(path) }
      #expect(error?.description.contains("-lives") == true)
    }
  }

  @Test(arguments: EngineKind.allCases, [0, 2])
  func `A body that ends its process each time makes a dead letter of its own firing alone`(
    kind: EngineKind, name: Int
  ) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      for n in 0..<32 as Range<UInt8> {
        try bench.inject(name, n)
        if name == 0 { try bench.inject(1, n) }
      }
      var (done, workers): (Set<UInt8>, Int64) = ([], 0)
      while try bench.store.deadFirings(of: bench.ids.soup).isEmpty && workers < 20 {
        workers += 1
        let (registration, numbers) = (try bench.register(workers), Numbers(workers))
        var settlements: [Settlement] = []
        while true {
          let taken = try bench.store.commit(
            settlements, of: workers, in: bench.ids.soup, taking: 8, numbers
          ).1
          let values = taken.runs.flatMap(\.firings).map { $0.inputs[0].value[0] }
          if values.isEmpty || values.contains(5) { break }
          done.formUnion(values)
          settlements = taken.runs.map { run in
            Settlement(firings: run.firings.map { ($0, .done([], [])) }, state: run.state)
          }
        }
        withExtendedLifetime(registration) {}
        try kind.loseWorkers(of: bench)
      }
      let letters = try bench.store.deadFirings(of: bench.ids.soup)
      #expect(letters.map { $0.inputs[0].value } == [[5]] && workers <= 6)
      let last = try bench.register(99)
      let rest = try bench.take(99, Numbers(99)).1.flatMap(\.firings).map { $0.inputs[0].value[0] }
      #expect(done.union(rest).count >= 30, "\(done.count) and \(rest.count)")
      withExtendedLifetime(last) {}
    }
  }

  @Test func `A worker that lives keeps its lease when all have waited for the turn for longer than that`()
    async throws
  {
    try await EngineKind.sqlite.with { engine in
      let bench = try Bench(engine)
      let registration = try bench.register(1)
      let store = try #require(engine.store as? SQLiteStore)
      try store.transact { _ in
        // Stands for the time until this transaction has its turn.
        store.clock.advance(by: 2 * Bench.lease)
        return bench.ids.soup
      } _: {
        try store.recover($0)
      }
      _ = try store.extend(1, of: bench.ids.soup, lease: Bench.lease)
      withExtendedLifetime(registration) {}
    }
  }

  @Test func `A caller that gives up while the disk is full takes its call back with the next step`() async throws {
    await #expect(processExitsWith: .success) {
      try await withFolder { folder in
        let soup = try await Soup.share("coins", on: .sqlite("\(folder)/soup.db", durability: .normal)) { soup in
          let grab = soup.fast("grab", returning: Int.self)
          let coin = soup.slow("coin", of: Int.self)
          soup.react(grab, coin) { call, n in call.reply(n, otherwise: { coin(n) }) }
          return (grab: grab, coin: coin, control: soup.control)
        }
        let grab = soup.grab
        let call = Task { try await grab() }
        try await eventually("the call waits") { try await soup.control.snapshot()["grab"] == 1 }
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let all = limit
        limit.rlim_cur = 1000
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        call.cancel()
        let error = await #expect(throws: CallError.self) { try await call.value }
        if case .failed? = error {} else { Issue.record("the call ended with \(String(describing: error))") }
        limit = all
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        try await soup.coin(7)
        try await soup.control.working { try await soup.control.settle() }
        #expect(try await soup.control.waiting(soup.coin) == [7])
        #expect(try await soup.control.snapshot().calls == 0)
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A stop and a drain end the calls that wait for another attempt`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let soup = try await Soup.share("calls", on: engine) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        soup.react(ask, retry: .upTo(5, backoff: .seconds(1000))) { _ in throw Refused() }
        return (ask: ask, control: soup.control)
      }
      let ask = soup.ask
      try await soup.control.working {
        for isDrain in [false, true] {
          let call = Task { try await ask(1) }
          try await eventually("it waits for another attempt") {
            try await soup.control.snapshot().reactions[0].waiting == (isDrain ? 2 : 1)
          }
          if isDrain { try await soup.control.drain(within: .zero) } else { try await soup.control.stop() }
          await #expect(throws: CallError.stopped) { try await call.value }
          try await soup.control.resume()
        }
      }
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `A call whose worker is lost after a stop ends`(kind: EngineKind) async throws {
    try await kind.with { engine in
      let bench = try Bench(engine)
      let call = ClientID(client: 7, number: 1)
      try {
        let registration = try bench.register(1)
        _ = try bench.store.inject(
          [Injection(name: bench.ids.names[2], key: "", value: [1], call: call)], into: bench.ids.soup, nil,
          forgetting: [])
        #expect(try bench.take(1, Numbers(1)).1.count == 1)
        try bench.store.setCondition(.stopped, of: bench.ids.soup)
        #expect(try bench.store.outcomes(of: 7, in: bench.ids.soup).isEmpty, "the body may still reply")
        withExtendedLifetime(registration) {}
      }()
      try kind.loseWorkers(of: bench)
      #expect(try bench.contents.workers.isEmpty, "a worker whose process has ended does not count")
      #expect(try bench.store.outcomes(of: 7, in: bench.ids.soup) == [1: .stopped])
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `An old program starts again beside a new one, whose names and reactions stay`(kind: EngineKind) async throws {
    try await kind.with { engine in
      typealias Names = (a: InnerInjector<Int>, b: InnerInjector<Int>?, control: SharedControl)
      let done = Box<Int>()
      func define(new: Bool, text: Bool = false) async throws -> (SharedInjector<Int>?, SharedControl) {
        let soup = try await Soup.share("versions", on: engine, upgrade: .rolling) { soup -> Names in
          let a = soup.slow("a", of: Int.self)
          soup.react(a) { _ in }
          if text { _ = soup.slow("b", of: String.self) }
          if !new { return (a: a, b: nil, control: soup.control) }
          let b = soup.slow("b", of: Int.self)
          soup.react(b) { b in await done.add(b) }
          return (a: a, b: b, control: soup.control)
        }
        return (soup.names.b.map { SharedInjector($0, soup.link) }, soup.control)
      }
      _ = try await define(new: false)
      let (b, control) = try await define(new: true)
      _ = try await define(new: false)
      let error = await #expect(throws: EngineError.self) { try await define(new: false, text: true) }
      #expect(error?.kind == .differs)
      try await b?(7)
      try await control.working {
        await eventually("the new reaction fires") { await done.values == [7] }
        try await control.settle()
        // It is in use, however long ago it was declared.
        engine.store.clock.advance(by: 2 * memoryOfReactions)
        _ = try await define(new: false)
        try await b?(8)
        await eventually("it fires again") { await done.values == [7, 8] }
      }
      engine.store.clock.advance(by: 2 * memoryOfReactions)
      _ = try await define(new: false)
      let outdated = await #expect(throws: EngineError.self) { try await control.work() }
      #expect(outdated?.kind == .differs)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `An expired molecule expires in the name that gets it as well, and that name is part of the definition`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      func define(swapped: Bool) async throws -> SharedSoup<(job: InnerInjector<Int>, control: SharedControl)> {
        try await Soup.share("late", on: engine) { soup in
          let last = soup.slow("last", of: Int.self)
          let late = soup.slow("late", of: Int.self, expires: .seconds(10), into: last)
          let job = soup.slow("job", of: Int.self, expires: .seconds(10), into: swapped ? last : late)
          let never = soup.slow("never", of: Int.self)
          soup.react(job, late, never) { _, _, _ in }
          return (job: job, control: soup.control)
        }
      }
      let soup = try await define(swapped: false)
      await #expect(throws: EngineError.self) { try await define(swapped: true) }
      try await soup.job(1)
      try await soup.control.working {
        for name in ["late", "last"] {
          try await advance(engine, by: .seconds(11), soup.control)
          try await eventually("the molecule is in '\(name)'") { try await soup.control.snapshot()[name] == 1 }
        }
      }
    }
  }

  @Test func `A process may work 150 times at once, and Swift's own threads go on`() async throws {
    let soup = try await Soup.share("many", on: .memory()) { soup in
      let a = soup.slow("a", of: Int.self)
      soup.react(a) { _ in }
      return (a: a, control: soup.control)
    }
    let works = (0..<150).map { _ in Task { try await soup.control.work(atOnce: 1) } }
    try await eventually("all are there") { try await soup.control.snapshot().workers == 150 }
    try await soup.a(1)
    try await eventually("one has fired") { try await soup.control.snapshot().consumed == 1 }
    for work in works { work.cancel() }
    for work in works { try await work.value }
  }

  @Test func `A process that has ended is told once, as long as another worker names it`() async throws {
    func start() -> pid_t {
      var words = [strdup("sleep"), strdup("600"), nil]
      defer { for word in words { free(word) } }
      var process: pid_t = 0
      #expect(posix_spawnp(&process, "sleep", nil, nil, &words, environ) == 0)
      return process
    }
    let (first, second) = (start(), start())
    let (watch, ends) = (try Watch.ofProcess(), Box<Int>())
    // Until the end of the test they are zombies, whose descriptors stay readable.
    kill(first, SIGKILL)
    let worker = Int64.random(in: 1...Int64.max)
    for round in 1...2 {
      watch.set([Peer(process: first), Peer(process: second)], for: worker) { Task { await ends.add(1) } }
      await eventually("\(round) has ended") { await ends.count >= round }
      kill(second, SIGKILL)
    }
    #expect(await ends.count == 2)
    watch.end(for: worker)
    for process in [first, second] { #expect(waitpid(process, nil, 0) == process) }
  }

  @Test func `An outcome that was read leaves the engine with a later step if one fails`() async throws {
    try await EngineKind.sqlite.with { engine in
      let soup = try await Soup.share("calls", on: engine) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let a = soup.slow("a", of: Int.self)
        soup.react(ask) { call in call.reply(call.input) }
        soup.react(a) { _ in }
        return (ask: ask, a: a, control: soup.control)
      }
      let ask = soup.ask
      let answer = try await soup.control.working { try await ask(1) }
      #expect(answer == 1)
      try await soup.control.stop()
      await #expect(throws: EngineError.self) { try await soup.a(1) }
      try await soup.control.resume()
      try await soup.a(1)
      let store = try #require(engine.store as? SQLiteStore)
      #expect(try store.read { try $0.first("SELECT count(*) FROM call") { $0.int(0) } } == 0)
    }
  }

  @Test(arguments: EngineKind.allCases)
  func `An engine ends with the names of its soups, also if bodies have names`(kind: EngineKind) async throws {
    weak var store: (any Store)?
    try await kind.with { engine in
      store = engine.store
      let soup = try await Soup.share("short", on: engine) { soup in
        let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b", of: Int.self))
        soup.react(a) { a in b(a) }
        return (a: a, b: b, control: soup.control)
      }
      try await soup.a(1)
      try await soup.control.working { try await soup.control.settle() }
    }
    await eventually("the engine has ended") { store == nil }
  }

  @Test func `Classes of workers that are gone leave their bells to others`() async throws {
    try await EngineKind.sqlite.with { engine in
      let bench = try Bench(engine)
      for round in 0..<20 {
        let registration = try bench.register(Int64(round + 1), [[0], [1], [0, 1]][round % 3])
        #expect(registration.bell <= Bell.ofClass(3))
        try bench.store.release(Int64(round + 1), of: bench.ids.soup)
      }
      #expect(try bench.register(100, [1]).bell == Bell.ofClass(1))
    }
  }
}
