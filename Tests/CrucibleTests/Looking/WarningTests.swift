import Crucible
import CrucibleTestSupport
import Testing

/// A definition, and the warnings that it gives: their kinds, with a part of each text.
struct Warned: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let warnings: [(kind: Soup.Warning.Kind, text: String)]
  let define: @Sendable () -> Soup.Control

  private init(
    _ title: String, _ warnings: (Soup.Warning.Kind, String)..., define: @escaping @Sendable () -> Soup.Control
  ) {
    testDescription = title
    self.warnings = warnings.map { (kind: $0, text: $1) }
    self.define = define
  }

  /// - Parameter declare: returns the names that leave the definition.
  private init<Names: Leaving & SendableMetatype>(
    _ title: String, _ warnings: (Soup.Warning.Kind, String)..., declare: @escaping @Sendable (Soup) -> Names
  ) {
    testDescription = title
    self.warnings = warnings.map { (kind: $0, text: $1) }
    define = { Soup.define { soup in (declare(soup), soup.control) }.1 }
  }

  private static let place = Shared<[any Sendable]>([])

  static let all = [
    Warned("a shadow that needs fewer of one input", (.shadowed, "reaction a & a & a")) {
      Soup.Options().define(slow("a")) { soup, a in
        soup.react(a, a) { _, _ in }
        soup.react(a, a, a) { _, _, _ in }
      }.1
    },
    Warned("reactions that share some inputs only") {
      Soup.define { soup in
        let (n, a, b) = (soup.state("n", 0), soup.slow("a"), soup.slow("b"))
        let call = soup.fast("call", returning: Int.self)
        soup.react(state: n, a) { _, _ in }
        soup.react(state: n, b) { _, _ in }
        soup.react(state: n, call) { n, call in call.reply(n) }
        soup.react(a, b) { _, _ in }
        return ([a, b], call, soup.control)
      }.2
    },
    Warned("identical reactions, their inputs in different orders", (.identical, "reaction b & a")) { soup in
      let (a, b) = (soup.slow("a"), soup.slow("b"))
      soup.react(a, b) { _, _ in }
      soup.react(b, a) { _, _ in }
      return [a, b]
    },
    Warned("a soup in which nothing can react", (.inert, "nothing can ever react: nothing injects 'water'")) { soup in
      let a = soup.slow("a")
      soup.react(a, soup.slow("water")) { _, _ in }
      return a
    },
    Warned("a soup without reactions", (.inert, "it has no reactions")) { Soup.define { $0.control } },
    Warned("a name that a body captures") { soup in
      let (a, water) = (soup.slow("a"), soup.slow("water"))
      soup.react(a, water) { _, _ in water() }
      return a
    },
    Warned("names that leave in containers") {
      Soup.define { soup in
        let (a, water) = (soup.slow("a"), soup.slow("water"))
        soup.react(a, water) { _, _ in }
        return ([a], ["water": water], soup.control)
      }.2
    },
    Warned("names that leave in a struct or a closure, by their owning forms") {
      struct Place: Sendable {
        let a: Injector<Void>
        let call: FastInjector<Void, Int>
      }
      return Soup.define { soup in
        let (a, water, call) = (soup.slow("a"), soup.slow("water"), soup.fast("call", returning: Int.self))
        soup.react(a, water) { _, _ in }
        soup.react(call, a) { call, _ in call.reply(1) }
        let rain: @Sendable () -> Void = { [water = water.owning()] in water() }
        place.put([Place(a: a.owning(), call: call.owning()), rain])
        return soup.control
      }
    },
    Warned("a name that is given out within the definition, whose owning form leaves") { soup in
      let a = soup.slow("a")
      soup.react(a, on: .inline) { _ in }
      place.put([[a.owning()]])
      return soup.control
    },
    Warned("a fast molecule that leaves by its owning form and is never served", (.neverServed, "'open'")) { soup in
      let (a, key, open) = (soup.slow("a"), soup.slow("key"), soup.fast("open", returning: Int.self))
      soup.react(a) { _ in }
      soup.react(open, key) { call, _ in call.reply(1) }
      place.put([open.owning()])
      return a
    },
    Warned("a name that is injected in the definition") { soup in
      let (a, water) = (soup.slow("a"), soup.slow("water", of: Int.self))
      soup.react(a, water) { _, _ in }
      water(1)
      return a
    },
    Warned("warnings that are switched off for reactions and names") {
      Soup.define { soup in
        let (names, never) = ([soup.slow("a"), soup.slow("b"), soup.slow("a")], soup.slow("never"))
        let call = soup.fast("call", returning: Int.self)
        soup.react(names[0]) { _ in }
        soup.react(names[2]) { _ in }
        soup.allow(.shadowed, in: soup.react(names[0], names[1]) { _, _ in })
        soup.allow(.identical, in: soup.react(names[0]) { _ in })
        soup.react(call, never) { _, _ in }
        soup.allow(.neverServed, of: call)
        soup.allow(.sameLabel, of: names[2])
        return (names, call, soup.control)
      }.2
    },
    Warned("warnings that are switched off for a soup") {
      Soup.Options(allowing: Set(Soup.Warning.Kind.allCases)).define(slow("a")) { soup, a in
        soup.react(a) { _ in }
        soup.react(a) { _ in }
      }.1
    },
    // As many labels as a soup may have, each different in one place. No label may be taken for another.
    Warned("256 labels") {
      Soup.Options().define(slow("name", count: 256)) { soup, names in
        for n in stride(from: 0, to: 256, by: 64) { soup.react(Array(names[n..<n + 64])) { _ in } }
      }.1
    },
    // A property of one name must not hold for the name 64 places before or behind it.
    Warned("129 names", (.shadowed, "name[100]"), (.neverFires, "reaction closed & name[127]")) {
      Soup.Options().define(slow("name", count: 128)) { soup, names in
        for n in 0..<64 { soup.react(names[n]) { _ in } }
        let closed = soup.slow("closed")
        for n in 64..<127 { soup.react(names[n], names[n + 1]) { _, _ in } }
        soup.react(closed, names[127]) { _, _ in }
        soup.react(names[100], names[101], names[102]) { _, _, _ in }
      }.1
    },
  ]
}

@Suite(.watched)
struct `Warnings at a definition` {
  @Test(arguments: Warned.all)
  func `A definition gives the warnings that its names and reactions deserve, and no others`(warned: Warned) {
    let control = warned.define()
    #expect(control.warnings.map(\.kind) == warned.warnings.map(\.kind))
    for (warning, expected) in zip(control.warnings, warned.warnings) {
      #expect(warning.description.contains(expected.text), "\(warning)")
    }
  }

  /// If a reaction's closure kept the names of its pattern, they would look as if a body could inject them.
  @Test(arguments: PlacedForm<Injector<Int>>.all)
  func `A reaction's own closure holds no warning back, whatever the reaction's form`(form: PlacedForm<Injector<Int>>) {
    let control = Soup.define("desert") { soup in
      form.react(soup, soup.slow("n", of: Int.self, count: form.arity), .pool, .report) { _, _ in }
      return soup.control
    }
    #expect(control.warnings.map(\.kind) == [.inert])
  }

  @Test func `A definition warns of a fast molecule whose reactions all need what nothing injects`() {
    let (_, _, control) = Soup.define("office") { soup in
      let tick = soup.slow("tick")
      let key = soup.slow("key")
      let seal = soup.slow("seal")
      let open = soup.fast("open", returning: Int.self)
      let sign = soup.fast("sign", returning: Int.self)
      soup.react(tick) { _ in }
      soup.react(open, key) { call, _ in call.reply(1) }
      soup.react(open, seal, tick) { call, _, _ in call.reply(2) }
      soup.react(sign, seal) { call, _ in call.reply(3) }
      soup.react(sign, tick) { call, _ in call.reply(4) }
      return (tick, [open, sign], soup.control)
    }
    let unserved = control.warnings.filter { $0.kind == .neverServed }
    #expect(unserved.map(\.subject) == ["fast molecule 'open'"])
    #expect(unserved[0].description.hasSuffix("nothing injects 'key', 'seal'"))
  }

  @Test func `A definition warns of a reaction that can never fire in a soup where others can`() {
    let (_, control) = Soup.define("forgotten") { soup in
      let n = soup.state("n", 0)
      let increment = soup.slow("increment")
      let value = soup.fast("value", returning: Int.self)
      soup.react(state: n, increment) { n, _ in n += 1 }
      soup.react(state: n, value) { n, call in call.reply(n) }
      return (value, soup.control)
    }
    #expect(control.warnings.map(\.kind) == [.neverFires])
    #expect(control.warnings[0].subject == "reaction n & increment")
    #expect(control.warnings[0].description.hasSuffix("it can never fire: nothing injects 'increment'"))
    #expect(control.explain().description.contains("warning: \(control.warnings[0])"))
    let meant = Soup.define("meant") { soup in
      let a = soup.slow("a")
      let later = soup.slow("later")
      soup.react(a) { _ in }
      soup.allow(.neverFires, in: soup.react(later) { _ in })
      return (a, soup.control)
    }
    #expect(meant.1.warnings == [])
  }

  /// Earlier soups of the site determine how many references a definition counts in advance. It must return those that
  /// no name took before it checks the references to a name.
  @Test func `A missing name causes a warning though earlier soups of its place referred to more names`() {
    func define(onlyOther: Bool) -> [Soup.Warning] {
      let (names, control) = Soup.define("lamps") { soup in
        let lamp = soup.slow("lamp")
        let other = soup.slow(onlyOther ? "other" : "lantern")
        soup.react(lamp) { _ in }
        soup.react(other) { _ in }
        return (onlyOther ? [other] : [lamp, other], soup.control)
      }
      return withExtendedLifetime(names) { control.warnings }
    }
    for _ in 0..<3 { #expect(define(onlyOther: false) == []) }
    #expect(define(onlyOther: true).map(\.subject) == ["reaction lamp"])
    #expect(define(onlyOther: false) == [])
  }

  @Test func `A warning log gets each warning once for each place in the source`() async {
    await #expect(processExitsWith: .success) {
      let log = Log<Soup.Warning>()
      Soup.Warning.log = { log.append($0) }
      for n in 0..<10_000 {
        let control = Soup.define("void") { $0.control }
        #expect(log.all == control.warnings && log.count == 1, "after \(n)")
      }
      Soup.define("elsewhere") { _ in }  // the lines in such a closure are all the same
      #expect(log.count == 2)
    }
  }

  @Test func `A warning log still gets warnings after a program has read it 100,000 times`() async {
    await #expect(processExitsWith: .success) {
      let log = Log<Soup.Warning>()
      Soup.Warning.log = { log.append($0) }
      for _ in 0..<100_000 { _ = Soup.Warning.log }
      try await onThread(stackSize: 128 << 10) { Soup.define("void") { _ in } }
      #expect(log.count == 1)
    }
  }

  @Test func `A warning goes to standard error, in one line`() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Soup.define("void") { _ in }
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("Crucible: warning: soup 'void' (CrucibleTests/WarningTests.swift:"))
    #expect(text.contains("): it has no reactions\n"))
  }

  @Test func `A warning names molecules of one label, once for each label`() {
    let (_, control) = Soup.define("twins") { soup in
      let labels = ["a", "b", "a", "a", "c", "b"]
      let names = labels.map { soup.slow($0) }
      soup.react(names) { _ in }
      return (names, soup.control)
    }
    let warnings = control.warnings
    #expect(warnings.map(\.kind) == [.sameLabel])
    #expect(warnings.map(\.subject) == ["molecule 'a'"])
    #expect(warnings.map(\.others) == [1])
    #expect(warnings[0].description.contains("(CrucibleTests/WarningTests.swift:\(#line - 8)): another name has"))
    let (_, meant) = Soup.define("twins") { soup in
      let names = [soup.slow("a"), soup.slow("a")]
      soup.react(names) { _ in }
      soup.allow(.sameLabel, of: names[1])
      return (names, soup.control)
    }
    #expect(meant.warnings == [])
  }

  @Test func `The warnings of a soup go with it`() {
    let control = Soup.define("void") { soup -> Soup.Control in soup.control }
    #expect(control.warnings.count == 1)
    var unowned: Soup.Control?
    _ = Soup.define("short") { soup in
      unowned = soup.control
      return [soup.control].filter { _ in false }
    }
    #expect(unowned!.warnings == [])
  }

  @Test(arguments: matchers)
  func `A definition warns once of reactions with equal inputs, and counts them`(matcher: Matcher) {
    let line = #line + 2
    let (_, control) = matcher.define(slow("job"), named: "workers") { soup, job in
      soup.react(job) { _ in }
      for _ in 0..<1000 { soup.react(job) { _ in } }
    }
    #expect(control.warnings.map(\.kind) == [.identical])
    #expect(control.warnings[0].source == Soup.Source(line: line + 1))
    #expect(control.warnings[0].description.contains("WarningTests.swift:\(line)): which"))
    #expect(control.warnings[0].others == 999 && control.warnings[0].description.hasSuffix("(and 999 more like it)"))
  }

  @Test(arguments: matchers)
  func `A warning about a shadowed reaction names the first shadow, and counts the others`(matcher: Matcher) {
    let line = #line + 2
    let (_, _, _, control) = matcher.define(slow("a"), slow("b"), slow("c"), named: "shadows") { soup, a, b, c in
      soup.react(a, b, c) { _, _, _ in }
      soup.react(b) { _ in }
      soup.react(a) { _ in }
      soup.react(c, c) { _, _ in }
    }
    #expect(control.warnings.map(\.kind) == [.shadowed])
    let warning = control.warnings[0]
    #expect(warning.subject == "reaction a & b & c" && warning.source == Soup.Source(line: line))
    let text = warning.description
    #expect(text.contains("soup 'shadows'") && text.contains("b (CrucibleTests/WarningTests.swift:\(line + 1))"))
    #expect(text.hasSuffix("which needs only a part of its inputs (and 1 other pattern)"))
  }

  @Test(arguments: matchers)
  func `Warnings take no time that grows with the square of the reactions`(matcher: Matcher) {
    let count = scaled(20_000)
    let (_, identical) = matcher.define(slow("job"), named: "workers") { soup, job in
      for _ in 0..<count { soup.react(job) { _ in } }
    }
    #expect(identical.warnings.count == 1)
    let (_, _, shadowed) = matcher.define(slow("a"), slow("b"), named: "shadows") { soup, a, b in
      soup.react(a) { _ in }
      for _ in 0..<count { soup.react(a, b) { _, _ in } }
    }
    #expect(Set(shadowed.warnings.map(\.kind)) == [.identical, .shadowed] && shadowed.warnings.count == 2)
  }

  @Test(arguments: matcherNames + ["keys"])
  func `A name without a capacity warns once, with its line, when very many molecules of it wait`(
    matcher: String
  ) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      let logged = Log<Soup.Warning>()
      Soup.Warning.log = { if $0.kind == .backlog { logged.append($0) } }
      let allowed = Soup.define(with: .init(matcher: Matcher(matcher) ?? .locked)) { soup in
        let (job, never) = (soup.slow("job", of: Int.self), soup.slow("never"))
        soup.react(job, never) { _, _ in }
        soup.allow(.backlog, of: job)
        return (job, job, soup.control)
      }
      let soups = [allowed, Self.works(matcher), Self.works(matcher)]
      for soup in soups { soup.2.pause() }
      for i in 0..<150_000 { for (job, bounded, _) in soups where !job(i) || !bounded(i) { fatalError("refused") } }
      await eventually("a warning is logged") { logged.count > 0 }
      #expect(logged.all.map(\.subject) == ["job"] && logged.all[0].soup.label == "works")
      #expect(logged.all[0].source.line == Self.lineOfJob && logged.all[0].description.contains("`capacity`"))
    }
  }

  private static let lineOfJob = UInt(#line) + 5

  private static func works(_ matcher: String) -> (Injector<Int>, Injector<Int>, Soup.Control) {
    let hasKeys = matcher == "keys"
    return Soup.define("works", with: .init(matcher: Matcher(matcher) ?? .locked)) { soup in
      let job = hasKeys ? soup.slow("job", of: Int.self, key: { $0 % 999 }) : soup.slow("job", of: Int.self)
      let never = hasKeys ? soup.slow("never", of: Int.self, key: { $0 }) : soup.slow("never", of: Int.self)
      let bounded = soup.slow("bounded", of: Int.self, capacity: 150_000, whenFull: .refuse)
      soup.react(job, never) { _, _ in }
      soup.react(bounded, bounded, bounded) { _, _, _ in }
      return (job, bounded, soup.control)
    }
  }

  @Test func `A fast molecule that no reaction consumes ends the process without a warning`() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Soup.define("s") { soup in
        let a = soup.slow("a")
        let b = soup.fast("b", returning: Int.self)
        soup.react(a) { _ in }
        a()
        return b
      }
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("molecule 'b'") && !text.contains("warning"))
  }
}
