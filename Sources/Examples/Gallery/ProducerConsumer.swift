// Producers and consumers: unordered, ordered, and bounded. Ready-made: `Channel`, `BoundedBuffer` of Compounds.

import Crucible

typealias Line<Value: Sendable> = (
  put: FastInjector<Value, Void>, take: FastInjector<Void, Value>, control: Soup.Control
)

/// Unordered: a producer waits for a consumer, and any two may meet. Callers must not give up.
func makeHandover<Value: Sendable>(of type: Value.Type, _ options: Soup.Options = .init()) -> Line<Value> {
  Soup.define("handover", with: options) { soup in
    let put = soup.fast("put", of: Value.self, returning: Void.self)
    let take = soup.fast("take", returning: Value.self)
    soup.react(put, take) { put, take in
      take.reply(put.input)
      put.reply()
    }
    return (put, take, soup.control)
  }
}

/// Ordered: replies follow the order of `take`, with the items in the order of `put`.
///
/// Without the state, two items are consumed in their order, but by two bodies on two threads, and the second may
/// answer first. The state `queue` lets one body run at a time.
func makeOrderedLine<Value: Sendable>(of type: Value.Type, _ options: Soup.Options = .init()) -> Line<Value> {
  Soup.define("ordered line", with: options) { soup in
    let queue = soup.state("queue", (items: [Value](), takers: [Call<Void, Value>]()))
    let put = soup.fast("put", of: Value.self, returning: Void.self)
    let take = soup.fast("take", returning: Value.self)
    soup.react(state: queue, put) { queue, call in
      if !call.reply() { return }  // that producer has given up
      while !queue.takers.isEmpty {
        if queue.takers.removeFirst().reply(call.input) { return }  // false: that consumer has given up
      }
      queue.items.append(call.input)
    }
    soup.react(state: queue, take) { queue, call in
      guard let first = queue.items.first else { return queue.takers.append(call) }
      if call.reply(first) { queue.items.removeFirst() }
    }
    return (put, take, soup.control)
  }
}

/// Bounded: a producer consumes a free place first, so producers run ahead by `capacity` items at most.
///
/// Without any place, the first `put` of the textbook waits for ever. Here producers and consumers meet.
func makeBoundedLine<Value: Sendable>(
  of type: Value.Type, capacity: Int, _ options: Soup.Options = .init()
) -> Line<Value> {
  if capacity == 0 { return makeHandover(of: type, options) }
  return Soup.define("bounded line", with: options) { soup in
    let put = soup.fast("put", of: Value.self, returning: Void.self)
    let take = soup.fast("take", returning: Value.self)
    let free = soup.slow("free")
    let full = soup.slow("full", of: Value.self)
    soup.react(put, free) { call, _ in
      if call.reply() { full(call.input) } else { free() }
    }
    soup.react(take, full) { call, value in
      if call.reply(value) { free() } else { full(value) }
    }
    free.inject(count: capacity)
    return (put, take, soup.control)
  }
}
