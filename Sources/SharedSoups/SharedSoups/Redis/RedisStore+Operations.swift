extension RedisStore {
  func define(_ chemistry: Chemistry, _ upgrade: Upgrade, initial: ([Int64]) -> [Injection]) throws -> Defined {
    // The positions stand for names that have no ids yet.
    let injections = initial(chemistry.names.indices.map { Int64($0 + 1) })
    while true {
      // A random id that the soup gets if it is new.
      let new = Int64.random(in: 1...Int64.max)
      var stored = try step("definition", new, label: chemistry.label, isRead: true) { _ in }!
      let token = try stored.text()
      let names = try stored.list { name in
        var name = try name.fields()
        return (label: try name.text(), text: try name.text())
      }
      let reactions = try stored.list { try $0.text() }
      if !token.isEmpty {
        let all = differences(names: names, reactions: reactions, from: chemistry, allowing: upgrade)
        if !all.isEmpty {
          throw EngineError(
            .differs,
            "the shared soup '\(chemistry.label)' is defined differently already: \(all.joined(separator: "; "))")
        }
      }
      expect(names.count + chemistry.names.count, namesOf: new)
      let defined = try step("define", new, label: chemistry.label) { request in
        request.put(token)
        request.put(microseconds(memoryOfReactions))
        request.put(chemistry.names) { request, name in
          request.put(name.label)
          request.put(name.description)
          request.put(name.late.map { "\($0 + 1)" } ?? "")
          request.put(name.lifetime.map { "\(microseconds($0))" } ?? "")
        }
        request.put(chemistry.reactions) { request, reaction in
          request.put(reaction.label)
          request.put(reaction.state.map { "\($0 + 1)" } ?? "")
          request.put(reaction.losses)
          request.put(reaction.inputs) { $0.put($1 + 1) }
        }
        request.put(injections)
      }
      guard var defined else { continue }
      guard let soup = Int64(try defined.text()) else { throw RedisFields.error }
      let result = Defined(
        soup: soup, names: try defined.list { try $0.number() }, reactions: try defined.list { try $0.number() })
      try enter(soup, chemistry.label, names: max(names.count, Int(result.names.max() ?? 0)))
      return result
    }
  }

  func destroy(_ soup: Int64) throws { _ = try step("destroy", soup) { _ in } }

  func inject(
    _ injections: [Injection], into soup: Int64, _ repetition: Repetition?, forgetting calls: [ClientID]
  ) throws -> Bool {
    var fields = try step("inject", soup) { request in
      switch repetition {
      case nil: for _ in 1...3 { request.put("") }
      case .once(let tag): for word in ["once", tag, ""] { request.put(word) }
      case .numbered(let producer, let number):
        // Twenty digits of a number without sign, which the server compares as text.
        let numeral = "\(UInt64(bitPattern: number) ^ 1 << 63)"
        let zeros = String(repeating: "0", count: 20 - numeral.count)
        for word in ["numbered", producer, zeros + numeral] { request.put(word) }
      }
      request.put(calls) { $0.put($1) }
      request.put(injections)
    }!
    return try fields.number() == 1
  }

  func outcomes(of client: Int64, in soup: Int64) throws -> [Int64: CallOutcome] {
    try refresh(soup, ifSilentFor: hour)
    guard var fields = try step("outcomes", soup, isRead: true, { $0.put(client) }) else {
      try refresh(soup, ifSilentFor: 0)
      return [:]
    }
    var outcomes: [Int64: CallOutcome] = [:]
    while !fields.isEmpty {
      var call = try fields.fields()
      outcomes[try call.id().number] = CallOutcome(kind: try call.number(), value: try call.bytes())
    }
    return outcomes
  }

  func withdraw(_ calls: [ClientID], from soup: Int64) throws -> [CallOutcome?] {
    var fields = try step("withdraw", soup) { $0.put(calls) { $0.put($1) } }!
    return try calls.map { _ in
      let outcome = try fields.next()
      if case .none = outcome { return nil }
      var state = try RedisFields(outcome)
      return CallOutcome(kind: try state.number(), value: try state.bytes())
    }
  }

  func register(_ worker: Int64, of soup: Int64, offering reactions: [Int64], lease: Int64) throws -> Registration {
    var fields = try step("register", soup) { request in
      request.put(worker)
      request.put(microseconds(lease))
      request.put(processNumber())
      request.put(reactions.sorted()) { $0.put($1) }
    }!
    return Registration(bell: bell(of: soup, class: try fields.number()), life: newLife(), peers: [])
  }

  func extend(_ worker: Int64, of soup: Int64, lease: Int64) throws -> [Peer] {
    _ = try step("extend", soup) { request in
      request.put(worker)
      request.put(microseconds(lease))
    }
    return []
  }

  func release(_ worker: Int64, of soup: Int64) throws { _ = try step("release", soup) { $0.put(worker) } }

  func commit(
    _ settlements: [Settlement], of worker: Int64, in soup: Int64, taking limit: Int, _ ids: Numbers
  ) throws -> (accepted: [Bool], Taken) {
    let first = ids.next(limit * longestRun)
    var fields = try step("commit", soup) { request in
      request.put(worker)
      request.put(limit)
      request.put(first.client)
      request.put(first.number)
      request.put(settlements) { request, settlement in
        request.put(settlement.firings) { request, firing in
          let (held, end) = firing
          request.put(held.id)
          request.put(held.fence)
          switch end {
          case .done(let outputs, let replies):
            request.put("done")
            request.put(outputs)
            request.put(replies) { request, reply in
              let (kind, value) = reply.outcome.stored
              request.put(reply.call)
              request.put(kind)
              request.put(value)
              request.put(reply.otherwise)
            }
          case .failed(let error, let retryAfter):
            request.put("failed")
            request.put(error)
            request.put(retryAfter.map { "\(microseconds($0))" } ?? "")
          }
        }
        request.put(settlement.state.map { "\($0.name)" } ?? "")
        if let state = settlement.state {
          request.put(state.id)
          request.put(state.value)
        }
      }
    }!
    let accepted = try fields.list { try $0.number() == 1 }
    var list = try fields.fields()
    var taken = Taken()
    taken.runs = try list.list { run in
      var run = try run.fields()
      let state = try run.next()
      let molecule: Molecule? = if case .list = state { try Molecule(fields: RedisFields(state)) } else { nil }
      return Run(state: molecule, firings: try run.list { try HeldFiring(&$0) })
    }
    taken.isFull = try list.number() == 1
    // The server says how long it takes, because its clock is another one.
    taken.nextDue = try list.numberOrNil().map { left in
      let (nanoseconds, isFar) = left.multipliedReportingOverflow(by: 1000)
      return isFar ? Int64.max : clock.now.adding(nanoseconds)
    }
    taken.version = try list.number()
    return (accepted, taken)
  }

  func setCondition(_ condition: Condition, of soup: Int64) throws {
    _ = try step("condition", soup) { $0.put(condition.rawValue) }
  }

  func contents(of soup: Int64) throws -> Contents {
    var fields = try step("contents", soup) { _ in }!
    return try Contents(&fields)
  }

  func endDrain(of soup: Int64, inAnyCase: Bool) throws -> Contents? {
    var fields = try step("end_drain", soup) { $0.put(inAnyCase ? 1 : 0) }!
    if fields.isEmpty { return nil }
    var contents = try fields.fields()
    return try Contents(&contents)
  }

  func molecules(of name: Int64, in soup: Int64, limit: Int) throws -> [Molecule] {
    var fields = try step("molecules", soup, isRead: true) { request in
      request.put(name)
      request.put(limit)
    }!
    var molecules: [Molecule] = []
    while !fields.isEmpty { molecules.append(try Molecule(fields: try fields.fields())) }
    return molecules
  }

  func deadFirings(of soup: Int64) throws -> [DeadFiring] {
    var fields = try step("dead_firings", soup, isRead: true) { _ in }!
    var letters: [DeadFiring] = []
    while !fields.isEmpty {
      var letter = try fields.fields()
      letters.append(
        DeadFiring(
          id: try letter.id(), reaction: try letter.number(), failures: try letter.int(), losses: try letter.int(),
          error: try letter.text(), inputs: try letter.list { try Molecule(fields: try $0.fields()) }))
    }
    return letters
  }

  func settleDead(_ id: ClientID, of soup: Int64, retry: Bool) throws -> Bool {
    var fields = try step("settle_dead", soup) { request in
      request.put(id)
      request.put(retry ? 1 : 0)
    }!
    return try fields.number() == 1
  }
}

/// Rounded up, and at most 126 years: sums of such times are exact in Lua.
private func microseconds(_ nanoseconds: Int64) -> Int64 {
  min(nanoseconds / 1000 + (nanoseconds % 1000 > 0 ? 1 : 0), 4_000_000_000_000_000)
}

extension RedisRequest {
  fileprivate mutating func put(_ injections: [Injection]) {
    put(injections) { request, new in
      request.put(new.name)
      request.put(new.key)
      request.put(new.value)
      request.put(new.call)
      request.put(new.lifetime.map { "\(microseconds($0))" } ?? "")
      request.put(microseconds(new.delay))
    }
  }
}

extension Molecule {
  fileprivate init(fields: RedisFields) throws {
    var fields = fields
    let (name, id, key, value) = (
      try fields.number(), try fields.number(), try fields.text(), try fields.bytes()
    )
    let call = try fields.next()
    var ids: ClientID?
    if case .bytes = call {
      var fields = try RedisFields(.list([call]))
      ids = try fields.id()
    }
    self.init(
      name: name, key: key, id: id, value: value, call: ids,
      expires: try fields.numberOrNil().map { $0.multipliedReportingOverflow(by: 1000).partialValue })
  }
}

extension HeldFiring {
  fileprivate init(_ fields: inout RedisFields) throws {
    var firing = try fields.fields()
    self.init(
      id: try firing.id(), reaction: try firing.number(), fence: try firing.number(), failures: try firing.int(),
      losses: try firing.int(), inputs: try firing.list { try Molecule(fields: try $0.fields()) })
  }
}

extension Contents {
  fileprivate init(_ fields: inout RedisFields) throws {
    func counts(_ fields: inout RedisFields) throws -> [Int64: Int] {
      var (flat, counts) = (try fields.fields(), [Int64: Int]())
      while !flat.isEmpty { counts[try flat.number()] = try flat.int() }
      return counts
    }
    condition = Condition(rawValue: try fields.number()) ?? .stopped
    waiting = try counts(&fields)
    later = try counts(&fields)
    retries = try counts(&fields)
    running = try counts(&fields)
    dead = try fields.int()
    calls = try fields.int()
    consumed = try fields.number()
    isBusy = try fields.number() == 1
    workers = try fields.list { worker in
      var worker = try worker.fields()
      return Worker(
        reactions: Set(try worker.list { try $0.number() }), firings: try worker.int(),
        process: Int32(try worker.number()))
    }
  }
}
