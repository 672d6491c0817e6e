/// The names and reactions of a definition, in the form in which an engine stores and compares them.
struct Chemistry: Sendable {
  struct Name: Sendable {
    enum Kind: Int64, Sendable {
      case slow, fast, state
    }
    var label: String
    var kind: Kind
    /// The types of value, reply and key, by name. Values of another type could not be read.
    var type: String
    /// The index of the name that gets expired values.
    var late: Int?
    /// The time after which a molecule leaves that an engine puts here: an expired one of another name.
    var lifetime: Int64?

    var description: String { "\(label) (\(["slow", "fast", "state"][Int(kind.rawValue)]), \(type))" }
  }

  struct Reaction: Sendable {
    /// The labels of its inputs, with a number if several reactions have the same.
    var label: String
    var state: Int?
    var inputs: [Int]
    /// The number of lost workers after which a firing becomes a dead letter.
    var losses: Int
  }

  var label: String
  var names: [Name] = []
  var reactions: [Reaction] = []
}

/// The numbers that an engine has given to a definition, in the order of the chemistry.
struct Defined: Sendable {
  var soup: Int64
  var names: [Int64]
  var reactions: [Int64]
}

/// How a definition that differs from the stored one is treated.
public enum Upgrade: Sendable {
  /// It is refused.
  case refused
  /// Reactions and names may be added or lacking. The names that both definitions have must be the same.
  ///
  /// ```swift
  /// let shop = try await Soup.share("shop", on: engine, upgrade: .rolling) { soup in … }
  /// ```
  ///
  /// So processes of the old and the new version work side by side. Each worker gets the reactions that it declares.
  case rolling
}

/// The reactions of a soup as its engine stores them.
struct StoredChemistry: Sendable {
  struct Reaction: Sendable {
    var id: Int64
    var label: String
    var state: Int64?
    var inputs: [Int64]
    var losses: Int

    /// Whether a firing was with so many lost workers that it must be alone in the next one. So a body that ends its
    /// process does not make dead letters of the firings beside it.
    func isSuspect(losses count: Int) -> Bool { count > 0 && count >= min(2, losses - 1) }

    /// Each name that one firing consumes, once, with the number of its molecules.
    var needs: [(name: Int64, count: Int)] {
      var needs: [(name: Int64, count: Int)] = []
      for name in inputs + (state.map { [$0] } ?? []) {
        if let index = needs.firstIndex(where: { $0.name == name }) {
          needs[index].count += 1
        } else {
          needs.append((name, 1))
        }
      }
      return needs
    }
  }

  var version: Int64 = -1
  var reactions: [Int64: Reaction] = [:]
  /// The reactions that consume a name.
  var consumers: [Int64: [Int64]] = [:]
  /// The name that gets the expired values of another one, and the time for which it has them.
  var late: [Int64: (name: Int64, lifetime: Int64?)] = [:]
  /// The bells of the workers that offer a reaction.
  var bells: [Int64: [Int]] = [:]
  /// The reactions that a class of workers offers.
  var offers: [Int64: [Int64]] = [:]
}

/// The differences between two definitions of one soup, in words.
func differences(
  names oldNames: [(label: String, text: String)], reactions oldReactions: [String], from new: Chemistry,
  allowing upgrade: Upgrade
) -> [String] {
  let names = Set(new.names.map(\.description))
  let reactions = Set(new.reactions.map(\.label))
  let old = oldNames.map(\.text)
  var gone = Set(old).subtracting(names)
  if case .rolling = upgrade {
    // An old program may start again after a new one has added names.
    let labels = Set(new.names.map(\.label))
    gone.subtract(oldNames.filter { !labels.contains($0.label) }.map(\.text))
    return gone.sorted().map { "it has no name \($0)" }
  }
  return gone.sorted().map { "it has no name \($0)" }
    + names.subtracting(old).sorted().map { "it adds the name \($0)" }
    + Set(oldReactions).subtracting(reactions).sorted().map { "it has no reaction \($0)" }
    + reactions.subtracting(oldReactions).sorted().map { "it adds the reaction \($0)" }
}
