import Crucible
import CrucibleTesting
import Testing

private struct Entry {
  var value: Int?
  var isLoading = false
  var waiting: [Call<Void, Int>] = []
}

/// Values that are lost, doubled, or seen in the wrong order.
extension Flaw {
  static let values: [Flaw] = [
    Flaw("A buffer forgets the value of a consumer that gave up") { world, isRight in
      let (put, take, control) = Soup.define("buffer") { soup in
        let free = soup.slow("free")
        let full = soup.slow("full", of: Int.self)
        let put = soup.fast("put", of: Int.self, returning: Void.self)
        let take = soup.fast("take", returning: Int.self)
        soup.react(put, free) { call, _ in if call.reply() { _ = full(call.input) } else { _ = free() } }
        soup.react(take, full) { call, value in
          if call.reply(value) { _ = free() } else if isRight { _ = full(value) }
        }
        free()
        return (put, take, soup.control)
      }
      world.task("producer") { try? await put(1, within: .seconds(1)) }
      world.task("consumer") { _ = try? await take(within: .seconds(1)) }
      await world.quiet()
      #expect(control.snapshot()["free"]! + control.snapshot()["full"]! == 1)
    },
    Flaw("A put that timed out has put its value") { world, isRight in
      let (put, _, control) = Soup.define("buffer") { soup in
        let full = soup.slow("full", of: Int.self)
        let put = soup.fast("put", of: Int.self, returning: Void.self)
        let take = soup.fast("take", returning: Void.self)
        soup.react(put) { call in
          if isRight {
            if call.reply() { full(call.input) }
          } else {
            full(call.input)
            call.reply()
          }
        }
        soup.react(full, take) { _, call in call.reply() }
        return (put, take, soup.control)
      }
      let accepted = Cell()
      world.task("producer") { accepted.value = (try? await put(1, within: .seconds(1))) == nil ? 0 : 1 }
      await world.quiet()
      #expect(control.snapshot()["full"]! == accepted.value)
    },
    Flaw("A ticket is lost with a caller that gave up") { world, isRight in
      let (take, last) = Soup.define("tickets") { soup in
        let next = soup.state("next", 0)
        let take = soup.fast("take", returning: Int.self)
        let last = soup.fast("last", returning: Int.self)
        soup.react(state: next, take) { next, call in
          let isHeard = call.reply(next + 1)
          if isHeard || !isRight { next += 1 }
        }
        soup.react(state: next, last) { next, call in call.reply(next) }
        return (take, last)
      }
      let sold = Cell()
      for name in ["a", "b"] {
        world.task(name) { if (try? await take(within: .seconds(1))) != nil { sold.value += 1 } }
      }
      await world.quiet()
      let got = try await last()
      #expect(got == sold.value)
    },
    Flaw("A retry does the work twice") { world, isRight in
      let done = Cell()
      let order = Soup.define("orders") { soup in
        let order = soup.fast("order", returning: Void.self)
        soup.react(order) { call in
          if isRight {
            if call.reply() { done.value += 1 }
          } else {
            done.value += 1
            call.reply()
          }
        }
        return order
      }
      world.task("client") {
        if (try? await order(within: .seconds(1))) == nil { try await order() }
      }
      await world.quiet()
      #expect(done.value == 1)
    },
    Flaw("A cache computes twice") { world, isRight in
      let computed = Cell()
      let get = Soup.define("cache") { soup in
        let entry = soup.state("entry", Entry())
        let get = soup.fast("get", returning: Int.self)
        let load = soup.slow("load", of: Call<Void, Int>.self)
        let store = soup.slow("store", of: Int.self)
        soup.react(state: entry, get) { entry, call in
          if let value = entry.value {
            _ = call.reply(value)
            return
          }
          if isRight && entry.isLoading { return entry.waiting.append(call) }
          entry.isLoading = true
          load(call)
        }
        soup.react(load) { call in
          computed.value += 1
          store(7)
          call.reply(7)
        }
        soup.react(state: entry, store) { entry, value in
          entry.value = value
          for call in entry.waiting { call.reply(value) }
          entry.waiting = []
        }
        return get
      }
      for name in ["a", "b"] {
        world.task(name) {
          let got = try await get()
          #expect(got == 7)
        }
      }
      await world.quiet()
      #expect(computed.value == 1)
    },
    Flaw("A saga compensates twice") { world, isRight in
      let undone = Cell()
      let (fail, expire, _) = Soup.define("saga") { soup in
        let fail = soup.slow("fail")
        let expire = soup.slow("expire")
        let pending = soup.slow("pending")
        for reason in [fail, expire] {
          soup.react(reason, pending) { _, _ in
            undone.value += 1
            if !isRight { pending() }
          }
        }
        pending()
        return (fail, expire, pending)
      }
      expire.after(.seconds(1))
      world.task("step") { fail() }
      await world.quiet()
      #expect(undone.value == 1)
    },
    Flaw("The end is expected after the last value, of another name") { world, isRight in
      let (item, end, total) = Soup.define("stream") { soup in
        let sum = soup.state("sum", 0)
        let finished = soup.slow("finished", of: Int.self)
        let item = soup.slow("item", of: Int?.self)
        let end = soup.slow("end")
        let total = soup.fast("total", returning: Int.self)
        soup.react(state: sum, item) { sum, value in if let value { sum += value } else { _ = finished(sum) } }
        soup.react(state: sum, end) { sum, _ in finished(sum) }
        soup.react(total, finished) { call, sum in call.reply(sum) }
        return (item, end, total)
      }
      world.task("source") {
        item(1)
        item(2)
        if isRight { item(nil) } else { end() }
      }
      world.task("reader") {
        let got = try await total()
        #expect(got == 3)
      }
    },
    Flaw("A result is ready when no other partial one is seen") { world, isRight in
      let (part, result, control) = Soup.define("reduce") { soup in
        let part = soup.slow("part", of: [Int].self)
        let result = soup.fast("result", returning: Int.self)
        let done = soup.slow("done", of: Int.self)
        soup.react(part, part) { a, b in
          let sum = a + b
          if sum.count == 3 { done(sum.reduce(0, +)) } else { part(sum) }
        }
        soup.react(result, done) { call, sum in call.reply(sum) }
        return (part, result, soup.control)
      }
      world.task("reader") {
        if !isRight {
          while control.snapshot()["part"]! > 1 { world.point() }
          #expect(control.snapshot()["done"] == 1)
        }
        let got = try await result()
        #expect(got == 6)
      }
      for value in 1...3 { part([value]) }
    },
    Flaw("Two lines are printed one after the other", steps: 11) { world, isRight in
      let (print, lines) = Soup.define("printer") { soup in
        let text = soup.state("text", [String]())
        let print = soup.fast("print", of: [String].self, returning: Void.self)
        let lines = soup.fast("lines", returning: [String].self)
        soup.react(state: text, print) { text, call in
          text += call.input
          call.reply()
        }
        soup.react(state: text, lines) { text, call in call.reply(text) }
        return (print, lines)
      }
      for name in ["a", "b"] {
        world.task(name) {
          if isRight { return try await print([name, name]) }
          try await print([name])
          try await print([name])
        }
      }
      await world.quiet()
      let text = try await lines()
      #expect(text[0] == text[1] && text[2] == text[3])
    },
    Flaw("The first answer leaks the connection of the second") { world, isRight in
      let (ask, control) = Soup.define("hedge") { soup in
        let idle = soup.slow("idle")
        let ask = soup.fast("ask", returning: Int.self)
        let first = soup.slow("first", of: Call<Void, Int>.self)
        let second = soup.slow("second", of: Call<Void, Int>.self)
        soup.react(ask) { call in
          first(call)
          second(call)
        }
        for query in [first, second] {
          soup.react(query, idle) { call, _ in if call.reply(1) || isRight { idle() } }
        }
        idle.inject(count: 2)
        return (ask, soup.control)
      }
      world.task("client") {
        let got = try await ask()
        #expect(got == 1)
      }
      await world.quiet()
      #expect(control.snapshot()["idle"] == 2)
    },
    Flaw("A loader stores a value that was forgotten meanwhile") { world, isRight in
      let (load, forget, get) = Soup.define("memo") { soup in
        let entry = soup.state("entry", Int?.none)
        let version = soup.state("version", 1)
        let load = soup.slow("load")
        let loaded = soup.slow("loaded", of: Int.self)
        let forget = soup.fast("forget", returning: Void.self)
        let get = soup.fast("get", returning: Int?.self)
        soup.react(state: version, load) { version, _ in loaded(version) }
        soup.react(state: entry, state: version, loaded) { entry, version, value in
          if !isRight || value == version { entry = value } else { _ = load() }
        }
        soup.react(state: entry, state: version, forget) { entry, version, call in
          entry = nil
          version += 1
          call.reply()
        }
        soup.react(state: entry, get) { entry, call in call.reply(entry) }
        return (load, forget, get)
      }
      world.task("loader") { load() }
      world.task("owner") { try await forget() }
      await world.quiet()
      let got = try await get()
      #expect(got != 1)
    },
    Flaw("A reference count is raised after it was zero") { world, isRight in
      let open = Cell()
      let (acquire, release) = Soup.define("shared file") { soup in
        let count = soup.state("count", 1)
        let closed = soup.slow("closed")
        let acquire = soup.fast("acquire", returning: Bool.self)
        let release = soup.slow("release")
        soup.react(state: count, acquire) { count, call in
          if isRight && count == 0 {
            _ = call.reply(false)
            return
          }
          count += 1
          call.reply(true)
        }
        soup.react(state: count, release) { count, _ in
          count -= 1
          if count == 0 { closed() }
        }
        soup.react(closed) { _ in open.value = -1 }
        return (acquire, release)
      }
      world.task("owner") { release() }
      world.task("user") {
        if try await acquire() {
          world.point()
          #expect(open.value == 0)
          release()
        }
      }
    },
    Flaw("A commit counts the first vote alone") { world, isRight in
      let votes = Cell()
      let (yes, commit) = Soup.define("commit") { soup in
        let yes = soup.slow("yes")
        let commit = soup.fast("commit", returning: Void.self)
        if isRight {
          soup.react(commit, yes, yes) { call, _, _ in call.reply() }
        } else {
          soup.react(commit, yes) { call, _ in call.reply() }
        }
        return (yes, commit)
      }
      for name in ["a", "b"] {
        world.task(name) {
          votes.value += 1
          yes()
        }
      }
      world.task("coordinator") {
        try await commit()
        #expect(votes.value == 2)
      }
    },
    Flaw("An identifier is drawn outside of any state") { world, isRight in
      let drawn = Cell()
      let (draw, _) = Soup.define("identifiers") { soup in
        let next = soup.state("next", 0)
        let draw = soup.fast("draw", returning: Int.self)
        let never = soup.slow("never")
        if isRight {
          soup.react(state: next, draw) { next, call in
            next += 1
            call.reply(next)
          }
        } else {
          soup.react(draw) { call in
            let value = drawn.value + 1
            world.point()
            drawn.value = value
            call.reply(value)
          }
        }
        soup.react(state: next, never) { next, _ in next = 0 }
        return (draw, never)
      }
      let sum = Cell()
      for name in ["a", "b"] {
        world.task(name) {
          let value = try await draw()
          sum.value += value
        }
      }
      await world.quiet()
      #expect(sum.value == 3)
    },
  ]
}
