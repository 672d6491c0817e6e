import Crucible

/// The groups of values that wait for an action. It gets one group of a key at a time, in their order, and groups of
/// several keys at the same time.
@usableFromInline
struct Turns<Key: Hashable & Sendable, Group: Sendable> {
  /// The keys that have a turn, with the groups that wait for its end.
  private var waiting: [Key: Queue<Group>] = [:]
  /// The number of values in these groups.
  private var held = 0

  /// Declares the action in a soup. Returns the name that hands a group over. Reports count the values of groups.
  @usableFromInline
  static func declare(
    in soup: Soup, by key: @escaping @Sendable (Group) -> Key, counting count: @escaping @Sendable (Group) -> Int,
    _ action: @escaping @Sendable (Group) async throws -> Void
  ) -> Injector<Group> {
    let ready = soup.slow("ready", of: Group.self, holding: { count($0) })
    let act = soup.slow("act", of: Group.self, holding: { count($0) })
    let over = soup.slow("over", of: Key.self)
    let turns = soup.state("turns", holding: \.held) { Turns() }

    soup.react(state: turns, ready, on: .inline) { turns, group in
      let key = key(group)
      if turns.waiting[key] == nil && act(group) {
        turns.waiting[key] = Queue()
      } else {
        // What a stop has refused stays in the state, where the stop counts it.
        turns.waiting[key, default: Queue()].append(group)
        turns.held += count(group)
      }
    }
    soup.react(state: turns, over, on: .inline) { turns, key in
      guard let group = turns.waiting[key].flatMap({ $0.isEmpty ? nil : $0.first }) else {
        turns.waiting[key] = nil
        return
      }
      if act(group) {
        turns.held -= count(group)
        turns.waiting[key]!.removeFirst()
      }
    }
    soup.react(act) { group async throws in
      defer { over(key(group)) }
      try await action(group)
    }
    return ready
  }
}
