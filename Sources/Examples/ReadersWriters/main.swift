// Readers and writers: any number of readers at once, or one writer alone.
//
//   swift run readers-writers
//
// Either one `empty` molecule exists, or one `readers` molecule with the number of readers inside, or neither. If
// neither exists, a writer is inside. Five reactions move between these three conditions. A caller that cannot enter
// yet waits in a bag. Ready-made, and in the order of arrival: `ReadWriteLock` of Compounds.

import Crucible

struct Room: Sendable {
  let enter, write: FastInjector<Void, Void>  // calls: the caller waits until it may enter
  let leave, finish: Injector<Void>
}

func makeRoom() -> Room {
  let (enter, write, leave, finish) = Soup.define("room") { soup in
    let empty = soup.slow("empty")
    let readers = soup.slow("readers", of: Int.self)
    let enter = soup.fast("enter", returning: Void.self)
    let leave = soup.slow("leave")
    let write = soup.fast("write", returning: Void.self)
    let finish = soup.slow("finish")

    soup.react(empty, enter, on: .inline) { _, call in
      readers(1)
      call.reply()
    }
    soup.react(readers, enter, on: .inline) { n, call in
      readers(n + 1)
      call.reply()
    }
    soup.react(readers, leave, on: .inline) { n, _ in
      if n > 1 { readers(n - 1) } else { empty() }
    }
    soup.react(empty, write, on: .inline) { _, call in call.reply() }
    soup.react(finish, on: .inline) { _ in empty() }

    empty()
    return (enter, write, leave, finish)
  }
  return Room(enter: enter, write: write, leave: leave, finish: finish)
}

/// The page that the room protects. It has no lock of its own. A writer changes its two halves one after the other.
final class Page: @unchecked Sendable {
  var title = 0, text = 0
}

let room = makeRoom()
let page = Page()

let torn = try await withThrowingTaskGroup(of: Int.self) { group in
  for _ in 1...4 {
    group.addTask {
      for _ in 1...250 {
        try await room.write()
        page.title += 1
        page.text += 1
        room.finish()
      }
      return 0
    }
    group.addTask {
      var torn = 0
      for _ in 1...1000 {
        try await room.enter()
        if page.title != page.text { torn += 1 }
        room.leave()
      }
      return torn
    }
  }
  var torn = 0
  for try await number in group { torn += number }
  return torn
}
print("4 writers made \(page.text) changes; 4 readers saw \(torn) torn pages")
