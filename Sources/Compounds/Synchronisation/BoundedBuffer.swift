public import Crucible

/// A queue with a capacity: producers wait while it is full, consumers wait while it is empty.
///
/// ```swift
/// let jobs = BoundedBuffer<Job>(capacity: 16)
/// try await jobs.put(job)
/// let next = try await jobs.take()
/// ```
///
/// The definition. `free` is an empty place, `full` an occupied one. The items are in a state, so an item whose caller
/// has given up stays the first:
///
/// ```
/// soup.react(state: items, put, free) { items, call, _ in
///   if call.reply() { items.append(call.input); full() } else { free() }
/// }
/// soup.react(state: items, take, full) { items, call, _ in
///   if call.reply(items.first) { items.removeFirst(); free() } else { full() }
/// }
/// ```
///
/// Consumers take items in the order in which producers put them. If a caller gives up, its call is withdrawn: its item
/// is not in the buffer, or no item was taken for it. A ``Channel`` can also be closed.
///
/// - Complexity: O(1), amortised.
public struct BoundedBuffer<Element: Sendable>: Compound {
  /// Waits while the buffer is full, and appends an item.
  public let put: FastInjector<Element, Void>
  /// Waits while the buffer is empty, and removes the oldest item.
  public let take: FastInjector<Void, Element>
  public let control: Soup.Control

  /// The items, and the number of those for which a stop has refused `full`.
  @usableFromInline
  struct Items {
    @usableFromInline var queue = Queue<Element>()
    @usableFromInline var uncounted = 0

    @inlinable init() {}
  }

  /// Makes a buffer with room for `capacity` items. A capacity below 1 ends the program.
  @inlinable
  public init(
    capacity: Int, _ label: String = "buffer", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    MadeAt("buffer", label, file, line).require("the capacity", capacity, in: 1...1 << 40)
    (put, take, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let put = soup.fast("put", of: Element.self, returning: Void.self)
      let take = soup.fast("take", returning: Element.self)
      let free = soup.slow("free")
      let full = soup.slow("full")
      // A stop counts each item once: as `full`, or here.
      let items = soup.state("items", holding: { $0.uncounted }) { Items() }

      @Sendable func fill(_ items: inout Items) {
        if !full() { items.uncounted += 1 }
      }
      soup.react(state: items, put, free, on: .inline) { items, call, _ in
        if call.reply() {
          items.queue.append(call.input)
          fill(&items)
        } else {
          free()
        }
      }
      soup.react(state: items, take, full, on: .inline) { items, call, _ in
        if call.reply(items.queue.first) {
          items.queue.removeFirst()
          free()
        } else {
          fill(&items)
        }
      }

      soup.initially { free.inject(count: capacity) }
      return (put, take, soup.control)
    }
  }
}
