// A bounded buffer: producers wait while it is full, consumers wait while it is empty.
//
//   swift run bounded-buffer
//   swift run bounded-buffer --explain     prints why the caller of an empty buffer waits
//
// The two reactions are the whole definition. A `free` molecule is an empty place, a `full` molecule is an occupied
// one. Their number is the capacity, so no producer runs further ahead. A caller that gives up leaves nothing behind:
// its item is not in the buffer, or the item that it would have got stays the first. Ready-made: `BoundedBuffer` of
// Compounds.

import Crucible

func makeBuffer(capacity: Int) -> (FastInjector<String, Void>, FastInjector<Void, String>) {
  Soup.define("buffer") { soup in
    let put = soup.fast("put", of: String.self, returning: Void.self)  // a call: the caller waits for the reply
    let take = soup.fast("take", returning: String.self)
    let free = soup.slow("free")  // an empty place: calling a slow name returns at once
    let full = soup.slow("full")
    let items = soup.state("items", [String]())  // one copy, which a body has inout
    soup.react(state: items, put, free) { items, call, _ in
      if call.reply() {
        items.append(call.input)
        full()
      } else {
        free()  // the caller has given up
      }
    }
    soup.react(state: items, take, full) { items, call, _ in
      if call.reply(items[0]) {
        items.removeFirst()
        free()
      } else {
        full()
      }
    }
    free.inject(count: capacity)
    return (put, take)
  }
}

let (put, take) = makeBuffer(capacity: 2)

let producer = Task {
  for number in 1...5 { try await put("item \(number)") }
}
for _ in 1...5 { print(try await take()) }
try await producer.value

if CommandLine.arguments.contains("--explain") {
  let waiting = Task { try await take() }
  let buffer = Soup.all.controls[0]
  while buffer.explain().callers.isEmpty { await Task.yield() }
  await buffer.quiet(within: .seconds(10))
  print(buffer.explain())
  waiting.cancel()
} else {
  do {
    print(try await take(within: .milliseconds(20)))
  } catch {
    print("the buffer is empty: \(error)")
  }
}
