import Crucible
import CrucibleTesting
import Testing

/// Callers that wait for ever, rounds, timers, stops.
extension Flaw {
  static let waiting: [Flaw] = [
    Flaw("An event is looked at, and then waited for") { world, isRight in
      let (set, isSet, wait) = Soup.define("event") { soup in
        let flag = soup.state("flag", false)
        let waiting = soup.state("waiting", [Call<Void, Void>]())
        let set = soup.fast("set", returning: Void.self)
        let isSet = soup.fast("is set", returning: Bool.self)
        let wait = soup.fast("wait", returning: Void.self)
        soup.react(state: flag, isSet) { flag, call in call.reply(flag) }
        soup.react(state: flag, state: waiting, wait) { flag, waiting, call in
          if isRight && flag { _ = call.reply() } else { waiting.append(call) }
        }
        soup.react(state: flag, state: waiting, set) { flag, waiting, call in
          flag = true
          for caller in waiting { caller.reply() }
          waiting = []
          call.reply()
        }
        return (set, isSet, wait)
      }
      world.task("setter") { try await set() }
      world.task("waiter") { if try await !isSet() { try await wait() } }
    },
    Flaw("A latch that opens lets one caller through") { world, isRight in
      let (count, wait) = Soup.define("latch") { soup in
        let count = soup.slow("count")
        let open = soup.slow("open")
        let wait = soup.fast("wait", returning: Void.self)
        soup.react(count, count) { _, _ in open() }
        soup.react(wait, open) { call, _ in
          if isRight { open() }
          call.reply()
        }
        return (count, wait)
      }
      for name in ["a", "b"] { world.task(name) { try await wait() } }
      count()
      count()
    },
    Flaw("A report of no jobs never comes") { world, isRight in
      let report = Soup.define("jobs") { soup in
        let results = soup.state("results", [Int]())
        let result = soup.slow("result", of: Int.self)
        let complete = soup.slow("complete", of: [Int].self)
        let report = soup.fast("report", returning: [Int].self)
        soup.react(state: results, result) { results, new in
          results.append(new)
          complete(results)
        }
        soup.react(report, complete) { call, results in call.reply(results) }
        if isRight { complete([]) }
        return (report, result)
      }.0
      world.task("reader") {
        let got = try await report()
        #expect(got == [])
      }
    },
    Flaw("The first success never comes if all fail") { world, isRight in
      let (ended, first) = Soup.define("race") { soup in
        let missing = soup.state("missing", 2)
        let ended = soup.slow("ended", of: Bool.self)
        let won = soup.slow("won", of: Bool.self)
        let first = soup.fast("first", returning: Bool.self)
        soup.react(state: missing, ended) { missing, success in
          missing -= 1
          if success || isRight && missing == 0 { won(success) }
        }
        soup.react(first, won) { call, success in call.reply(success) }
        return (ended, first)
      }
      world.task("caller") {
        let got = try await first()
        #expect(!got)
      }
      for name in ["a", "b"] { world.task(name) { ended(false) } }
    },
    Flaw("A fast thread passes a barrier twice in one round", steps: 12) { world, isRight in
      let arrive = Soup.define("barrier") { soup in
        let arrive = soup.fast("arrive", returning: Void.self)
        let open = soup.slow("open")
        let count = soup.state("count", 0)
        let note = soup.slow("note")
        if isRight {
          soup.react(arrive, arrive) { a, b in
            a.reply()
            b.reply()
          }
        } else {
          soup.react(arrive, open) { call, _ in call.reply() }
        }
        soup.react(state: count, note) { count, _ in
          count += 1
          if count % 2 == 0 { open.inject(count: 2) }
        }
        if isRight { soup.react(open) { _ in } }
        return (arrive, note)
      }
      let rounds = [Cell(), Cell()]
      for side in 0..<2 {
        world.task("side \(side)") {
          for _ in 1...2 {
            rounds[side].value += 1
            arrive.1()
            try await arrive.0()
            #expect(rounds[1 - side].value >= rounds[side].value)
          }
        }
      }
    },
    Flaw("A stop is taken for a drain") { world, isRight in
      let done = Cell()
      let (job, control) = Soup.define("jobs") { soup in
        let ended = soup.state("ended", 0)
        let job = soup.slow("job")
        soup.react(state: ended, job) { ended, _ in
          ended += 1
          done.value = ended
        }
        return (job, soup.control)
      }
      world.task("main") {
        job.inject(count: 3)
        if isRight { await control.drain(within: .seconds(3600)) } else { await control.stop() }
        #expect(done.value == 3)
      }
    },
    Flaw("A drain forgets what a timer would flush") { world, isRight in
      let flushed = Cell()
      let (add, _, control) = Soup.define("batch") { soup in
        let items = soup.state("items", 0)
        let drains = soup.state("drains", false)
        let add = soup.slow("add")
        let flush = soup.slow("flush")
        let drain = soup.slow("drain")
        soup.react(state: items, state: drains, add) { items, drains, _ in
          items += 1
          if drains { flush() } else if items == 1 { flush.after(.seconds(10)) }
        }
        soup.react(state: items, flush) { items, _ in
          flushed.value += items
          items = 0
        }
        soup.react(state: drains, drain) { drains, _ in
          drains = true
          flush()
        }
        if isRight { soup.whenDraining(drain) }
        return (add, drain, soup.control)
      }
      world.task("main") {
        add()
        await control.drain(within: .seconds(3600))
        #expect(flushed.value == 1)
      }
    },
    Flaw("A debounce gives an old value out") { world, isRight in
      let out = Cell()
      let (value, _) = Soup.define("debounce") { soup in
        let last = soup.state("last", 0)
        let value = soup.slow("value", of: Int.self)
        let due = soup.slow("due", of: Int.self)
        soup.react(state: last, value) { last, value in
          last = value
          due.after(.seconds(10), value)
        }
        soup.react(state: last, due) { last, value in if !isRight || value == last { out.value += last - value } }
        return (value, due)
      }
      world.task("source") {
        value(1)
        value(2)
      }
      await world.quiet()
      #expect(out.value == 0)
    },
    Flaw("A bucket is refilled beyond its size") { world, isRight in
      let (take, control) = Soup.define("bucket") { soup in
        let tokens = soup.state("tokens", 2)
        let refill = soup.slow("refill")
        let take = soup.fast("take", returning: Int.self)
        soup.react(state: tokens, refill) { tokens, _ in if !isRight || tokens < 2 { tokens += 1 } }
        soup.react(state: tokens, take) { tokens, call in
          tokens = max(0, tokens - 1)
          if call.reply(tokens) { refill.after(.seconds(1)) } else { refill() }
        }
        refill()
        return (take, soup.control)
      }
      world.task("a") {
        let got = try await take()
        #expect(got <= 1)
      }
      await world.quiet()
      await control.quiet(within: .seconds(1))
    },
    Flaw("A timer goes off for a request that was answered") { world, isRight in
      let late = Cell()
      let (answer, expire, _) = Soup.define("request") { soup in
        let answer = soup.slow("answer")
        let expire = soup.slow("expire")
        let pending = soup.slow("pending")
        soup.react(answer, pending) { _, _ in }
        if isRight {
          soup.react(expire, pending) { _, _ in late.value += 1 }
        } else {
          soup.react(expire) { _ in late.value += 1 }
        }
        pending()
        return (answer, expire, pending)
      }
      let timer = expire.after(.seconds(1))
      world.task("server") {
        answer()
        late.value -= 1
        if !isRight { timer.cancel() }  // it may have gone off
      }
      await world.quiet()
      #expect(late.value <= 0 && (isRight || late.value == -1))
    },
    Flaw("A subscriber that comes late waits for a value that has gone") { world, isRight in
      let (publish, next) = Soup.define("topic") { soup in
        let last = soup.state("last", Int?.none)
        let waiting = soup.state("waiting", [Call<Void, Int>]())
        let publish = soup.slow("publish", of: Int.self)
        let next = soup.fast("next", returning: Int.self)
        soup.react(state: last, state: waiting, publish) { last, waiting, value in
          last = value
          for caller in waiting { caller.reply(value) }
          waiting = []
        }
        soup.react(state: last, state: waiting, next) { last, waiting, call in
          if isRight, let last { _ = call.reply(last) } else { waiting.append(call) }
        }
        return (publish, next)
      }
      world.task("publisher") { publish(1) }
      world.task("subscriber") {
        let got = try await next()
        #expect(got == 1)
      }
    },
    Flaw("A pause is taken for the end of what runs") { world, isRight in
      let busy = Cell()
      let (job, control) = Soup.define("jobs") { soup in
        let job = soup.slow("job")
        let step = soup.slow("step")
        soup.react(job) { _ in
          busy.value = 1
          step()
          busy.value = 0
        }
        soup.react(step) { _ in }
        return (job, soup.control)
      }
      world.task("client") { job() }
      world.task("operator") {
        control.pause()
        if isRight { await control.quiet(within: .seconds(60)) }
        #expect(busy.value == 0)
        control.resume()
      }
    },
    Flaw("Two consumers empty a mailbox until a look finds nothing") { world, isRight in
      let (mail, take, control) = Soup.define("mailbox") { soup in
        let mail = soup.slow("mail", of: Int.self)
        let take = soup.fast("take", returning: Int.self)
        soup.react(take, mail, on: .inline) { call, value in if !call.reply(value) { mail(value) } }
        return (mail, take, soup.control)
      }
      mail(1)
      mail(2)
      mail(3)
      for name in ["a", "b"] {
        world.task(name) {
          while control.snapshot()["mail"]! > 0 {
            if isRight { _ = try? await take(within: .zero) } else { _ = try await take() }
          }
        }
      }
    },
  ]
}
