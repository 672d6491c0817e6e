/// A chemistry and what is done to it: names, reactions, and the scripts of the threads. A seed draws it, and it prints
/// as text.
public struct Chemistry: Sendable {
  public enum Kind: Int, Sendable, CaseIterable {
    /// Carries nothing.
    case void
    /// Carries a number.
    case plain
    /// Carries an object, whose end is seen.
    case object
    /// Is called.
    case fast
  }

  public enum Place: Int, Sendable, CaseIterable { case inline, pool, task }

  /// The ways in which a body ends the calls that it has.
  public enum Ending: Int, Sendable, CaseIterable { case reply, drop, fail }

  public struct Reaction: Sendable {
    /// Indices of names; one may stand there more than once.
    public var pattern: [Int] = [0]
    public var states: [Int] = []
    public var place = Place.inline
    public var ending = Ending.reply
    /// Indices of names that the body injects; those of fast names are skipped.
    public var products: [Int] = []
  }

  public enum Code: Int, Sendable, CaseIterable {
    case inject, several, together, call, callWithin, callCancelled, pause, resume, clear, stop, restart, snapshot,
      delay
  }

  public struct Operation: Sendable {
    public var code = Code.inject
    public var name = 0
    /// How many, how long, or what else, by the code.
    public var amount = 0
  }

  public var kinds: [Kind] = []
  public var stateCount = 0
  public var reactions: [Reaction] = []
  public var beginsPaused = false
  /// How many names there are beside that nobody injects: they leave the others so narrow a field of the word that it
  /// is soon full.
  public var padding = 0
  /// The operations of each thread, done `rounds` times.
  public var scripts: [[Operation]] = []
  public var rounds = 1
  /// Whether the threads wait for each other after each round, and the soup is looked at when it has come to rest.
  /// With each rest the scripts go over to the next name: so what one round leaves behind another one uses up.
  public var rests = false
  /// The seed of the choices among reactions, and of the noise under the core.
  public var seed = 0

  static let threads = 8

  /// Makes of what was drawn a chemistry that can be defined. Names that no reaction consumes would be a mistake: they
  /// go, and what referred to them refers to others.
  mutating func normalize() {
    let used = kinds.indices.filter { name in reactions.contains { $0.pattern.contains(name) } }
    let place = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, $0) })
    func other(_ name: Int) -> Int { place[name % kinds.count] ?? name % used.count }
    for index in reactions.indices {
      reactions[index].pattern = reactions[index].pattern.map(other)
      reactions[index].products = reactions[index].products.map(other)
    }
    for thread in scripts.indices {
      for index in scripts[thread].indices { scripts[thread][index].name = other(scripts[thread][index].name) }
    }
    kinds = used.map { kinds[$0] }
    let states = (0..<stateCount).filter { state in reactions.contains { $0.states.contains(state) } }
    for index in reactions.indices {
      reactions[index].states = Set(reactions[index].states.compactMap { states.firstIndex(of: $0) }).sorted()
    }
    stateCount = states.count
    scripts.removeAll { $0.isEmpty }
    if scripts.isEmpty { scripts = [[Operation()]] }
  }
}

extension Chemistry {
  func shifted(_ operation: Operation, by round: Int) -> Operation {
    var shifted = operation
    shifted.name = (operation.name + round) % kinds.count
    return shifted
  }

  /// The part of the padding that fits a word of 62 bits beside the states and the names, at most four in a pattern.
  var paddingThatFits: Int { min(padding, (62 - 4 * kinds.count - 2 * stateCount) / 2) }

  static func label(_ name: Int) -> String { String("abcdefghijkl".dropFirst(name).first!) }

  /// Which names are connected by reactions: for each name the least of its component.
  var components: [Int] {
    var least = Array(kinds.indices)
    for _ in kinds.indices {
      for reaction in reactions {
        var together = reaction.pattern
        for state in reaction.states {
          for other in reactions where other.states.contains(state) { together += other.pattern }
        }
        let lowest = together.map { least[$0] }.min()!
        for name in together { least[name] = lowest }
      }
    }
    return least
  }
}

extension Chemistry.Operation {
  var text: String {
    let name = Chemistry.label(self.name)
    switch code {
    case .inject: return name
    case .several: return "\(name)×\(amount + 2)"
    case .together: return "together(\(name), …\(amount))"
    case .call: return "call \(name)"
    case .callWithin: return "call \(name) within \(Chemistry.limits[amount % 4]) µs"
    case .callCancelled: return "call \(name), cancel after \(amount)"
    case .delay: return "delay \(amount)"
    default: return "\(code)"
    }
  }
}

extension Chemistry: CustomStringConvertible {
  /// Deadlines of calls, in microseconds.
  static let limits = [0, 20, 200, 2000]

  public var description: String {
    var lines = ["names: " + kinds.enumerated().map { "\(Chemistry.label($0)) \($1)" }.joined(separator: ", ")]
    if stateCount > 0 { lines[0] += ", " + (0..<stateCount).map { "s\($0) state" }.joined(separator: ", ") }
    for reaction in reactions {
      let inputs = reaction.states.map { "s\($0)" } + reaction.pattern.map(Chemistry.label)
      let products = reaction.products.map(Chemistry.label).joined(separator: ", ")
      let ending = reaction.ending == .reply ? "" : ", \(reaction.ending)"
      lines.append("\(inputs.joined(separator: " & ")) → \(products) on \(reaction.place)\(ending)")
    }
    if beginsPaused { lines.append("begins paused") }
    if padding > 0 { lines.append("\(paddingThatFits) names beside, which nobody injects") }
    for (index, script) in scripts.enumerated() {
      lines.append("thread \(index): " + script.map(\.text).joined(separator: "; "))
    }
    lines.append("rounds: \(rounds)\(rests ? ", with a rest and the next name after each" : ""), seed: \(seed)")
    return lines.joined(separator: "\n")
  }
}
