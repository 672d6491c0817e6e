public import Crucible

/// Acts on the items of each key in batches: when enough of the key have come, or when the first of them has waited for
/// some time.
///
/// ```swift
/// let deposits = Batches<Int, Deposit>(size: 100, within: .seconds(1), by: \.account) { number, deposits in
///   await account.add(deposits.reduce(0) { sum, deposit in sum + deposit.amount })
/// }
/// deposits.add(Deposit(account: 7, amount: 10))
/// deposits.flush(7)                       // those of this account so far, now
/// ```
///
/// The definition. A batch has a number. So a timer whose batch was full earlier has no effect:
///
/// ```
/// soup.react(state: open, input) { open, input in /* an item: append it, and act if it is full; or flush a key */ }
/// soup.react(state: open, late) { open, batch in if open[batch.key]?.number == batch.number { act(/* it */) } }
/// soup.react(act) { batch in try await action(batch.key, batch.items); over(batch.key) }
/// soup.react(state: turns, over) { turns, key in /* the next batch of the key, if one waits: act */ }
/// ```
///
/// The action runs for one batch of a key after the other, in their order, and for several keys at the same time. A
/// batch has its items in the order in which they were added. ``Batcher`` is for items without keys: its batches come
/// one after the other.
///
/// A drain acts on the open batches before it ends. A stop drops the items, and counts them. In the reports of both,
/// `open` has the items of open batches, and `turns` those that wait for the end of an action. A restart begins without
/// items. A key takes memory only while it has a batch.
///
/// - Complexity: O(1) on average, and a timer for each open batch.
public struct Batches<Key: Hashable & Sendable, Item: Sendable>: Compound {
  /// One name, because the values of one name keep their order.
  @usableFromInline let input: Injector<Input>
  public let control: Soup.Control

  @usableFromInline
  enum Input: Sendable {
    case item(Item)
    case flush(Key)
  }

  @usableFromInline
  struct Open {
    @usableFromInline var batches: [Key: Batch<Item>] = [:]
    /// The number of items in them.
    @usableFromInline var held = 0
    /// The number of the batch that was opened last.
    @usableFromInline var last = 0
    /// Whether each item is a batch of its own, because it came too late for the last one.
    @usableFromInline var isDraining = false

    @inlinable init() {}
  }

  /// Makes a compound for batches of `size` items, 1 or more. The first item of a batch waits for `time` at most, by
  /// the clock of the options. `action` gets the key and the items of each batch, on the placement of the options.
  @inlinable
  public init(
    size: Int, within time: Duration, by key: @escaping @Sendable (Item) -> Key, _ label: String = "batches",
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    _ action: @escaping @Sendable (Key, [Item]) async throws -> Void
  ) {
    MadeAt("batches", label, file, line).require("the size", size, in: 1...Int.max)
    (input, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let input = soup.slow("add", of: Input.self)
      let draining = soup.slow("draining")
      let late = soup.slow("late", of: (key: Key, number: Int).self)
      let open = soup.state("open", holding: { $0.held }) { Open() }
      let act = Turns<Key, (key: Key, items: [Item])>.declare(in: soup, by: \.key, counting: \.items.count) { batch in
        try await action(batch.key, batch.items)
      }

      @Sendable func close(_ key: Key, in open: inout Open) {
        guard let items = open.batches[key]?.close() else { return }
        open.batches[key] = nil
        if act((key, items)) { open.held -= items.count }
      }
      soup.react(state: open, input, on: .inline) { open, input in
        let item: Item
        switch input {
        case .item(let added): item = added
        case .flush(let key):
          close(key, in: &open)
          return
        }
        let key = key(item)
        let count = open.batches[key, default: Batch()].append(item)
        open.held += 1
        if count == size || open.isDraining {
          close(key, in: &open)
        } else if count == 1 {
          open.last += 1
          open.batches[key]!.number = open.last
          open.batches[key]!.timer = late.after(time, (key, open.last))
        }
      }
      soup.react(state: open, late, on: .inline) { open, batch in
        if open.batches[batch.key]?.number == batch.number { close(batch.key, in: &open) }
      }
      soup.react(state: open, draining, on: .inline) { open, _ in
        open.isDraining = true
        let all = open.batches.sorted { $0.value.number < $1.value.number }
        for (key, _) in all { close(key, in: &open) }
      }
      soup.whenDraining(draining)
      return (input, soup.control)
    }
  }

  /// Adds an item to the batch of its key. Does not block. Returns false if the compound has been stopped, drains, or
  /// is gone.
  @inlinable
  @discardableResult
  public func add(_ item: Item) -> Bool { input(.item(item)) }

  /// Acts on the open batch of a key now, if it has items. Does not block. Returns a result as ``add(_:)`` does.
  @inlinable
  @discardableResult
  public func flush(_ key: Key) -> Bool { input(.flush(key)) }
}
