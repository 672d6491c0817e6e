import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `Warnings at a definition` {
  @Test func `A definition warns of a reaction that another one with fewer of its inputs shadows`() {
    let (_, _, control) = Soup.define("shop") { soup in
      let a = soup.slow("a")
      let b = soup.slow("b")
      soup.react(a) { _ in }
      soup.react(a, b) { _, _ in }
      return (a, b, soup.control)
    }
    let warning = control.warnings[0]
    #expect(control.warnings.count == 1)
    #expect(warning.kind == .shadowed)
    #expect(warning.subject == "reaction a & b")
    #expect(warning.source == Soup.Source(line: #line - 7))
    #expect(warning.description.contains("soup 'shop'") && warning.description.contains("a (CrucibleTests/"))
  }

  @Test func `A warning about a shadowed reaction counts repeated inputs`() {
    let (_, control) = Soup.define("pairs") { soup in
      let a = soup.slow("a")
      soup.react(a, a) { _, _ in }
      soup.react(a, a, a) { _, _, _ in }
      return (a, soup.control)
    }
    #expect(control.warnings.map(\.subject) == ["reaction a & a & a"])
  }

  @Test func `A definition does not warn of reactions that share some inputs only`() {
    let (_, control) = Soup.define("counter") { soup in
      let n = soup.state("n", 0)
      let a = soup.slow("a")
      let b = soup.slow("b")
      let call = soup.fast("call", returning: Int.self)
      soup.react(state: n, a) { _, _ in }
      soup.react(state: n, b) { _, _ in }
      soup.react(state: n, call) { n, call in call.reply(n) }
      soup.react(a, b) { _, _ in }
      return ([a, b], soup.control)
    }
    #expect(control.warnings.filter { $0.kind == .shadowed || $0.kind == .identical } == [])
  }

  @Test func `A definition warns of identical reactions, whatever the order of their inputs`() {
    let (_, control) = Soup.define("twins") { soup in
      let a = soup.slow("a")
      let b = soup.slow("b")
      soup.react(a, b) { _, _ in }
      soup.react(b, a) { _, _ in }
      return ([a, b], soup.control)
    }
    #expect(control.warnings.map(\.kind) == [.identical])
    #expect(control.warnings.map(\.subject) == ["reaction b & a"])
  }

  @Test func `A definition warns of a soup in which nothing can ever react`() {
    let (_, control) = Soup.define("desert") { soup in
      let a = soup.slow("a")
      let water = soup.slow("water")
      soup.react(a, water) { _, _ in }
      return (a, soup.control)
    }
    #expect(control.warnings.map(\.kind) == [.inert])
    #expect(control.warnings[0].description.hasSuffix("nothing can ever react: nothing injects 'water'"))
  }

  @Test func `A definition warns of a soup without reactions`() {
    let control = Soup.define("void") { $0.control }
    #expect(control.warnings.map(\.kind) == [.inert])
  }

  @Test func `A name that a body captures causes no warning`() {
    let (_, control) = Soup.define("oasis") { soup in
      let a = soup.slow("a")
      let water = soup.slow("water")
      soup.react(a, water) { _, _ in water() }
      return (a, soup.control)
    }
    #expect(control.warnings == [])
  }

  @Test func `A name that leaves the definition, in whatever form, causes no warning`() {
    let (_, _, control) = Soup.define("oasis") { soup in
      let a = soup.slow("a")
      let water = soup.slow("water")
      soup.react(a, water) { _, _ in }
      return ([a], ["water": water], soup.control)
    }
    #expect(control.warnings == [])
  }

  @Test func `A name that leaves in a struct or a closure, by its owning form, causes no warning`() {
    struct Place {
      let a: Injector<Void>
      let call: FastInjector<Void, Int>
    }
    var place: Place?
    var rain: (() -> Void)?
    let control = Soup.define("oasis") { soup in
      let a = soup.slow("a")
      let water = soup.slow("water")
      let call = soup.fast("call", returning: Int.self)
      soup.react(a, water) { _, _ in }
      soup.react(call, a) { call, _ in call.reply(1) }
      place = Place(a: a.owning(), call: call.owning())
      rain = { [water = water.owning()] in water() }
      return soup.control
    }
    #expect(control.warnings == [])
    withExtendedLifetime((place, rain)) {}
  }

  @Test func `A definition warns of a fast molecule that leaves by its owning form and is never served`() {
    var call: FastInjector<Void, Int>?
    let (a, control) = Soup.define("office") { soup in
      let a = soup.slow("a")
      let key = soup.slow("key")
      let open = soup.fast("open", returning: Int.self)
      soup.react(a) { _ in }
      soup.react(open, key) { call, _ in call.reply(1) }
      call = open.owning()
      return (a, soup.control)
    }
    #expect(control.warnings.map(\.kind) == [.neverServed])
    withExtendedLifetime((a, call)) {}
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

  @Test func `A name that is injected while the soup is defined causes no warning`() {
    let (_, control) = Soup.define("oasis") { soup in
      let a = soup.slow("a")
      let water = soup.slow("water", of: Int.self)
      soup.react(a, water) { _, _ in }
      water(1)
      return (a, soup.control)
    }
    #expect(control.warnings == [])
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

  @Test func `A name that is given out inside of the definition causes no warning`() {
    struct Names {
      let a: Injector<Void>
    }
    var names: Names?
    let control = Soup.define("given out") { soup in
      let a = soup.slow("a")
      soup.react(a, on: .inline) { _ in }
      names = Names(a: a.owning())
      return soup.control
    }
    #expect(control.warnings == [])
    #expect(names!.a())
    let twice = Soup.define("twice") { soup in
      let a = soup.slow("a")
      soup.react(a, on: .inline) { _ in }
      return a.owning()
    }
    #expect(twice())
  }

  @Test func `A definition may switch warnings off for a reaction, a name or a soup`() {
    let (_, _, control) = Soup.define("meant") { soup in
      let a = soup.slow("a")
      let b = soup.slow("b")
      let never = soup.slow("never")
      let call = soup.fast("call", returning: Int.self)
      soup.react(a) { _ in }
      let both = soup.react(a, b) { _, _ in }
      let twin = soup.react(a) { _ in }
      soup.react(call, never) { _, _ in }
      soup.allow(.shadowed, in: both)
      soup.allow(.identical, in: twin)
      soup.allow(.neverServed, of: call)
      return ([a, b], call, soup.control)
    }
    #expect(control.warnings == [])
    let all = Soup.define("all meant", with: .init(allowing: Set(Soup.Warning.Kind.allCases))) { soup in
      let a = soup.slow("a")
      soup.react(a) { _ in }
      soup.react(a) { _ in }
      return soup.control
    }
    #expect(all.warnings == [])
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

  /// As many labels as a soup may have, each different in one place. No label may be taken for another.
  @Test func `A warning does not take different labels for one`() {
    let (_, control) = Soup.define("crowd") { soup in
      let names = soup.slow("name", count: 256)
      for n in stride(from: 0, to: 256, by: 64) { soup.react(Array(names[n..<n + 64])) { _ in } }
      return (names, soup.control)
    }
    #expect(control.warnings == [])
  }

  /// A property of one name must not hold for the name 64 places before or behind it.
  @Test func `A definition tells names apart for its warnings, however many there are`() {
    let (_, control) = Soup.define("crowd") { soup in
      let names = soup.slow("name", count: 128)
      for n in 0..<64 { soup.react(names[n]) { _ in } }
      let closed = soup.slow("closed")
      for n in 64..<127 { soup.react(names[n], names[n + 1]) { _, _ in } }
      soup.react(closed, names[127]) { _, _ in }
      soup.react(names[100], names[101], names[102]) { _, _, _ in }
      return (names, soup.control)
    }
    #expect(control.warnings.map(\.kind) == [.shadowed, .neverFires])
    #expect(control.warnings.map(\.subject).last == "reaction closed & name[127]")
  }

  @Test func `A definition gives one warning for reactions that one line declares in a loop`() {
    let (_, control) = Soup.define("shops") { soup in
      let open = soup.slow("open")
      soup.react(open) { _ in }
      for name in soup.slow("closed", count: 20) { soup.react(name) { _ in } }
      return (open, soup.control)
    }
    #expect(control.warnings.map(\.kind) == [.neverFires])
    #expect(control.warnings.first?.others == 19)
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
}
