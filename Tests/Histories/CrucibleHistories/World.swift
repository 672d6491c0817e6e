import Crucible
import Synchronization

/// A chemistry as a soup: its names, and the bodies, which write down what they get.
struct World: Sendable {
  let chemistry: Chemistry
  let recorder: Recorder
  let shared: Shared
  let names: [Name]
  let control: Soup.Control

  enum Name: Sendable {
    case void(Injector<Void>)
    case plain(Injector<UInt64>)
    case object(Injector<Object>)
    case fast(FastInjector<UInt64, UInt64>)

    var consumable: any Consumable {
      switch self {
      case .void(let name): name
      case .plain(let name): name
      case .object(let name): name
      case .fast(let name): name
      }
    }

    func owning() -> Name {
      switch self {
      case .void(let name): .void(name.owning())
      case .plain(let name): .plain(name.owning())
      case .object(let name): .object(name.owning())
      case .fast(let name): .fast(name.owning())
      }
    }
  }

  /// The counters of one run.
  final class Shared: Sendable {
    /// Molecules that bodies may still inject: many chemistries would go on for ever.
    let fuel = Atomic<Int>(600)
    let eras = Atomic<UInt32>(0)
    let objects = Atomic<Int>(0)
    /// Errors of bodies that no caller received.
    let reported = Atomic<Int>(0)
    /// Whether the bodies, and with them the soup, are gone.
    let isGone = Atomic<Bool>(false)
  }

  /// An object to which only the bodies refer.
  final class Canary: Sendable {
    private let shared: Shared

    init(_ shared: Shared) { self.shared = shared }

    deinit { shared.isGone.store(true, ordering: .releasing) }
  }

  init(_ chemistry: Chemistry, matcher: Soup.Matcher, _ recorder: Recorder) {
    let shared = Shared()
    let report: Soup.ErrorHandler = { _ in shared.reported.add(1, ordering: .relaxed) }
    var made: [Name] = []
    let control = Soup.define(
      "histories",
      with: .init(
        matcher: matcher, seed: UInt64(chemistry.seed) + 1, onError: report, allowing: Set(Soup.Warning.Kind.allCases))
    ) { soup in
      for (index, kind) in chemistry.kinds.enumerated() {
        let label = Chemistry.label(index)
        switch kind {
        case .void: made.append(.void(soup.slow(label)))
        case .plain: made.append(.plain(soup.slow(label, of: UInt64.self)))
        case .object: made.append(.object(soup.slow(label, of: Object.self)))
        case .fast: made.append(.fast(soup.fast(label, of: UInt64.self, returning: UInt64.self)))
        }
      }
      let states = (0..<chemistry.stateCount).map { index in
        soup.state("s\(index)") { Register(index: index, era: shared.eras.add(1, ordering: .relaxed).newValue) }
      }
      let canary = Canary(shared)
      for index in chemistry.reactions.indices {
        let bodies = Bodies(chemistry, index, made, recorder, shared, canary)
        Definition(soup, chemistry, index, bodies).declare(made, states)
      }
      World.pad(soup, made[0].consumable, with: chemistry.paddingThatFits)
      return soup.control
    }
    self.chemistry = chemistry
    self.recorder = recorder
    self.shared = shared
    self.control = control
    names = made.map { $0.owning() }
  }

  /// Names that nobody injects, in the same component as `name`.
  private static func pad(_ soup: Soup, _ name: some Consumable, with count: Int) {
    if count == 0 { return }
    let padding = soup.slow("padding", count: count)
    soup.react(padding) { _ in }
    soup.react(padding[0], name) { _, _ in }
  }
}

/// The value of a name whose values' end is seen.
final class Object: @unchecked Sendable {
  let number: UInt64
  private let recorder: Recorder
  private let shared: World.Shared
  /// By a body, which alone has it then; or by an injector that was refused.
  var isTaken = false

  init(_ number: UInt64, _ recorder: Recorder, _ shared: World.Shared) {
    self.number = number
    self.recorder = recorder
    self.shared = shared
    shared.objects.add(1, ordering: .relaxed)
  }

  deinit {
    if !isTaken { recorder.note(.destroyed, 0, 0, number) }
    shared.objects.subtract(1, ordering: .relaxed)
  }
}

/// The value of a state: how often it was used since it was made.
struct Register {
  let index: Int
  let era: UInt32
  var version: UInt32 = 0
  var isEntered = false
}

/// The argument that a body got for one molecule.
enum Taken: Sendable {
  case void
  case plain(UInt64)
  case object(Object)
  case call(Call<UInt64, UInt64>)

  init<Value>(_ value: Value) {
    switch value {
    case let number as UInt64: self = .plain(number)
    case let object as Object: self = .object(object)
    case let call as Call<UInt64, UInt64>: self = .call(call)
    default: self = .void
    }
  }

  var number: UInt64 {
    switch self {
    case .void: 0
    case .plain(let number): number
    case .object(let object): object.number
    case .call(let call): call.input
    }
  }
}

/// Thrown by bodies, with the firing's number.
struct Failed: Error, Equatable { let firing: UInt32 }

/// The bodies of one reaction.
struct Bodies: Sendable {
  let reaction: Chemistry.Reaction
  let index: Int
  let names: [World.Name]
  let recorder: Recorder
  let shared: World.Shared
  private let canary: World.Canary

  init(
    _ chemistry: Chemistry, _ index: Int, _ names: [World.Name], _ recorder: Recorder, _ shared: World.Shared,
    _ canary: World.Canary
  ) {
    self.canary = canary
    reaction = chemistry.reactions[index]
    self.index = index
    self.names = names
    self.recorder = recorder
    self.shared = shared
  }

  func begin() -> UInt32 {
    let firing = recorder.subject()
    recorder.note(.fire, firing, index, withUnsafeCurrentTask { $0 == nil ? 0 : 1 })
    return firing
  }

  /// A state had by two bodies at once shows here too: as one version that two of them had.
  func enter(_ register: inout Register, _ firing: UInt32) {
    recorder.note(.state, firing, register.index, UInt64(register.era) << 32 | UInt64(register.version))
    register.version += register.isEntered ? 2 : 1
    register.isEntered = true
  }

  func leave(_ register: inout Register) { register.isEntered = false }

  func end(_ firing: UInt32) { recorder.note(.fired, firing) }

  func run(_ firing: UInt32, _ inputs: [Taken]) throws {
    for (name, input) in zip(reaction.pattern, inputs) {
      if case .object(let object) = input { object.isTaken = true }
      recorder.note(.take, firing, name, input.number)
    }
    for product in reaction.products { inject(product) }
    var hasCall = false
    for input in inputs {
      guard case .call(let call) = input else { continue }
      hasCall = true
      if reaction.ending == .reply {
        let isDelivered = call.reply(UInt64(firing))
        recorder.note(.reply, firing, Int(call.input), isDelivered ? 1 : 0)
      }
    }
    if hasCall && reaction.ending == .fail { throw Failed(firing: firing) }
  }

  private func inject(_ name: Int) {
    if case .fast = names[name] { return }
    if shared.fuel.subtract(1, ordering: .relaxed).newValue < 0 { return }
    let operation = recorder.subject()
    recorder.note(.begin, operation, Chemistry.Code.inject.rawValue, Event.ofBody)
    let isAccepted = names[name].inject(for: operation, as: name, recorder, shared)
    recorder.note(.end, operation, isAccepted ? 1 : 0)
  }
}

extension World.Name {
  /// One molecule of a slow name.
  func inject(for operation: UInt32, as index: Int, _ recorder: Recorder, _ shared: World.Shared) -> Bool {
    switch self {
    case .void(let name):
      recorder.note(.molecule, operation, index, 1)
      return name()
    case .plain(let name):
      let number = recorder.molecule()
      recorder.note(.molecule, operation, index, number)
      return name(number)
    case .object(let name):
      let object = Object(recorder.molecule(), recorder, shared)
      recorder.note(.molecule, operation, index, object.number)
      return name(object)
    case .fast: return false
    }
  }
}
