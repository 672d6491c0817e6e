import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Dispatch
import Testing

@testable import Crucible

/// Names with keys: molecules react with those of their own key, and each key has states of its own.
@Suite(.watched)
struct `Keys` {
  private static let placements = [Placement.inline, .pool, .automatic]

  @Test(arguments: placements)
  func `Molecules react with those of their key alone, and the rest waits`(placement: Placement) async {
    let (pairs, strangers) = (Tally(), Tally())
    let shop = Soup.define("shop", with: .init(placement: placement)) { soup in
      let order = soup.slow("order", of: Item.self, key: \.id)
      let payment = soup.slow("payment", of: Item.self, key: \.id)
      soup.react(order, payment) { order, payment in
        pairs.add()
        if order.id != payment.id { strangers.add() }
      }
      return (order: order, payment: payment, control: soup.control)
    }
    for i in 0..<5_000 {
      let item = Item(id: "\(i * 7 % 1_000)", amount: i)
      shop.order(item)
      shop.payment(item)
    }
    await shop.control.settle()
    #expect(pairs.count == 5_000 && strangers.count == 0)
    shop.order(Item(id: "a", amount: 1))
    shop.payment(Item(id: "b", amount: 1))
    shop.payment(Item(id: "b", amount: 2))
    await shop.control.settle()
    #expect(pairs.count == 5_000)
    let all = shop.control.snapshot()
    #expect(all[shop.order] == 1 && all[shop.payment] == 2)
    #expect(shop.control.snapshot(of: "b")[shop.payment] == 2 && shop.control.snapshot(of: "b")[shop.order] == 0)
    #expect(shop.control.snapshot(of: "c").counts.allSatisfy { $0.molecules == 0 })
    #expect(shop.control.keys(of: shop.payment, as: String.self) == ["b"])
    #expect(shop.control.clear() == 3 && shop.control.keys(of: shop.order, as: String.self).isEmpty)
  }

  @Test(arguments: placements + [.queue(DispatchQueue(label: "audit"))])
  func `A blocking call for a state of the body's own key throws Deadlock, and one of another key is answered`(
    placement: Placement
  ) async throws {
    let (errors, others) = (Log<CallError>(), Log<Int>())
    let nested = Shared<FastInjector<Int, Int>>(nil)
    let forward = Soup.define("forward") { soup in
      let forward = soup.fast("forward", of: Int.self, returning: Int.self)
      soup.react(forward, on: .inline) { call in call.reply(try nested.value!.blocking(call.input)) }
      return forward
    }
    let bank = Soup.define("bank") { soup in
      let balance = soup.state("balance", key: Int.self) { _ in 5 }
      let audit = soup.slow("audit", of: Int.self, key: { $0 })
      let read = soup.fast("read", of: Int.self, key: { $0 }, returning: Int.self)
      soup.react(state: balance, audit, on: placement) { balance, id in
        do throws(CallError) { _ = try read.blocking(id) } catch { errors.append(error) }
        do throws(CallError) { _ = try read.blocking(id, within: patience) } catch { errors.append(error) }
        do throws(CallError) { _ = try forward.blocking(id) } catch {
          if case .failed(let inner as CallError) = error { errors.append(inner) }
        }
        do throws(CallError) { others.append(try read.blocking(id + 1)) } catch { errors.append(error) }
        balance = 7
      }
      soup.react(state: balance, read, on: .inline) { balance, call in call.reply(balance) }
      nested.put(read.owning())
      return (audit: audit, read: read, control: soup.control)
    }
    bank.audit(1)
    await bank.control.settle()
    #expect(errors.all.map(\.deadlock?.cause) == Array(repeating: .state("balance"), count: 3))
    #expect(errors.all.first?.deadlock?.molecule == "read")
    #expect(others.all == [5])
    #expect(try await bank.read(1) == 7, "the body went on, and the refused calls left nothing")
    #expect(bank.control.snapshot()[bank.read] == 0)
    _ = nested.take()
  }

  @Test
  func `A call that a body awaits for a state of its own key throws Deadlock`() async throws {
    let (errors, others, strangers) = (Log<CallError>(), Log<Int>(), Log<Task<Int, any Error>>())
    let bank = Soup.define("bank") { soup in
      let balance = soup.state("balance", key: Int.self) { _ in 5 }
      let audit = soup.slow("audit", of: Int.self, key: { $0 })
      let read = soup.fast("read", of: Int.self, key: { $0 }, returning: Int.self)
      let peek = soup.fast("peek", of: Int.self, key: { $0 }, returning: Int.self)
      soup.react(state: balance, audit) { balance, id async in
        for limit in [Duration?.none, patience] {
          do throws(CallError) {
            _ = if let limit { try await read(id, within: limit) } else { try await read(id) }
          } catch { errors.append(error) }
        }
        do throws(CallError) { others.append(try await read(id + 1)) } catch { errors.append(error) }
        // The second branch of a select is answered, whatever the first one needs.
        if let value = try? await Soup.first(of: read.call(id), peek.call(id + 1)) { others.append(value) }
        strangers.append(Task { try await read(id) })
        for _ in 0..<10 { await Task.yield() }
        balance = 7
      }
      soup.react(state: balance, read, on: .inline) { balance, call in call.reply(balance) }
      soup.react(state: balance, peek, on: .inline) { balance, call in call.reply(balance) }
      return (audit: audit, read: read, control: soup.control)
    }
    for id in stride(from: 1, to: 41, by: 2) { bank.audit(id) }
    await bank.control.settle()
    #expect(errors.all.map(\.deadlock?.cause) == Array(repeating: .state("balance"), count: 40))
    #expect(others.all == Array(repeating: 5, count: 40))
    for stranger in strangers.all { #expect(try await stranger.value == 7, "it waited for the body") }
  }

  @Test(arguments: [Clash(hash: false), Clash(hash: true)])
  func `Keys of any type serve, also those with one hash`(clash: Clash) async {
    let sums = Log<Int>()
    let soup = Soup.define { soup in
      let add = soup.slow("add", of: (Collision, Int).self, key: \.0)
      let end = soup.slow("end", of: Collision.self, key: { $0 })
      let sum = soup.state("sum", key: Collision.self) { _ in 0 }
      soup.react(state: sum, add, on: .inline) { sum, add in sum += add.1 }
      soup.react(state: sum, end, on: .inline) { sum, _ in sums.append(sum) }
      return (add: add, end: end)
    }
    for i in 0..<400 { soup.add((Collision(name: "key \(i % 20)", clashes: clash.hash), i)) }
    for i in 0..<20 { soup.end(Collision(name: "key \(i)", clashes: clash.hash)) }
    #expect(sums.all == (0..<20).map { key in stride(from: key, to: 400, by: 20).reduce(0, +) })
  }

  @Test(arguments: placements)
  func `Each key has a state of its own, made for its first body`(placement: Placement) async throws {
    let made = Tally()
    let bank = Soup.define("bank", with: .init(placement: placement)) { soup in
      let account = soup.state("account", key: Int.self) { id in
        made.add()
        return Account(id: id)
      }
      let deposit = soup.fast("deposit", of: Deposit.self, key: \.account, returning: Int.self)
      soup.react(state: account, deposit) { account, call in
        account.balance += call.input.amount
        call.reply(account.balance * 100 + account.id)
      }
      return (deposit: deposit, control: soup.control)
    }
    for i in 0..<2_000 { _ = try await bank.deposit(Deposit(account: i % 10, amount: 1)) }
    for id in 0..<10 {
      let balance = try await bank.deposit(Deposit(account: id, amount: 0))
      #expect(balance == 200 * 100 + id)
    }
    await bank.control.settle()
    #expect(made.count == 10 && bank.control.snapshot()["account"] == 10)
    await bank.control.stop()
    try await bank.control.restart(within: patience)
    let after = try await bank.deposit(Deposit(account: 3, amount: 0))
    #expect(after == 3, "a restart forgets the values")
  }

  @Test func `States that need not stay go, and so do their keys`() async {
    let census = Census()
    do {
      let store = Soup.define { soup in
        let stock = soup.state("stock", key: String.self, forget: .when { $0.isEmpty }) { _ in [Live]() }
        let put = soup.slow("put", of: Item.self, key: \.id)
        let take = soup.slow("take", of: Item.self, key: \.id)
        soup.react(state: stock, put, on: .inline) { stock, item in stock.append(census.live(item.amount)) }
        soup.react(state: stock, take, on: .inline) { stock, item in stock.removeLast(item.amount) }
        return (put: put, take: take, control: soup.control)
      }
      for i in 0..<1_000 { store.put(Item(id: "a long key, with memory of its own \(i)", amount: i)) }
      #expect(census.alive == 1_000 && store.control.snapshot()["stock"] == 1_000)
      for i in 0..<1_000 { store.take(Item(id: "a long key, with memory of its own \(i)", amount: 1)) }
      #expect(census.alive == 0 && store.control.snapshot()["stock"] == 0)
      store.put(Item(id: "stays", amount: 7))
      #expect(census.alive == 1)
    }
    await census.expectExtinction()
  }

  @Test func `The memory of keys that have gone is used again`() async {
    await #expect(processExitsWith: .success) {
      let soup = Soup.define { soup in
        let left = soup.slow("left", of: Int.self, key: \.self)
        let right = soup.slow("right", of: Int.self, key: \.self)
        soup.react(left, right, on: .inline) { _, _ in }
        return (left: left, right: right)
      }
      @Sendable func meet(_ keys: Range<Int>) {
        for key in keys { soup.left(key) }
        for key in keys { soup.right(key) }
      }
      let grows = try await onThread {
        meet(0..<1_000)
        let before = Memory.settledBytes
        for round in 1..<100 { meet(round * 1_000..<round * 1_000 + 1_000) }
        return Memory.settledBytes > before + before / 2  // keys are not spread evenly
      }
      #expect(!grows)
    }
  }

  @Test func `A state that equals a new one goes, and nobody can tell`() {
    let made = Tally()
    let counter = Soup.define { soup in
      let count = soup.state("count", key: Int.self, forget: .whenEqualToNew) { _ in
        made.add()
        return 0
      }
      let add = soup.slow("add", of: (key: Int, amount: Int).self, key: \.key)
      soup.react(state: count, add, on: .inline) { count, add in count += add.amount }
      return (add: add, control: soup.control)
    }
    counter.add((1, 5))
    counter.add((2, 5))
    #expect(counter.control.snapshot()["count"] == 2)
    counter.add((1, -5))
    #expect(counter.control.snapshot()["count"] == 1)
  }

  @Test func `A call that is given up leaves its key, and others are answered`() async throws {
    let inbox = Soup.define { soup in
      let wait = soup.fast("wait", of: Int.self, key: { $0 }, returning: String.self)
      let send = soup.slow("send", of: (id: Int, text: String).self, key: \.id)
      soup.react(wait, send) { call, message in call.reply(message.text) }
      return (wait: wait, send: send, control: soup.control)
    }
    let waiting = (0..<20).map { id in Task { try await inbox.wait(id % 10) } }
    await eventually("all wait") { inbox.control.snapshot()[inbox.wait] == 20 }
    for i in 10..<20 { waiting[i].cancel() }
    for i in 10..<20 { #expect(await waiting[i].result.failure as? CallError == .cancelled) }
    for id in 0..<10 { inbox.send((id, "for \(id)")) }
    for id in 0..<10 { #expect(try await waiting[id].value == "for \(id)") }
    await #expect(throws: CallError.timedOut) { try await inbox.wait(3, within: .milliseconds(1)) }
    inbox.send((4, "kept"))
    #expect(try await inbox.wait(4) == "kept")
    await inbox.control.settle()
    #expect(inbox.control.snapshot().counts.allSatisfy { $0.molecules == 0 })
  }

  @Test func `Several molecules of many keys are injected in one step, and a select has a key`() async throws {
    let soup = Soup.define { soup in
      let left = soup.slow("left", of: Int.self, key: { $0 })
      let right = soup.slow("right", of: Int.self, key: { $0 })
      let get = soup.fast("get", of: Int.self, key: { $0 }, returning: Int.self)
      let ask = soup.fast("ask", of: String.self, key: { $0 }, returning: Int.self)
      let tell = soup.slow("tell", of: String.self, key: { $0 })
      soup.react(left, right, get, on: .inline) { left, right, call in call.reply(left + right) }
      soup.react(ask, tell, on: .inline) { call, _ in call.reply(0) }
      return (left: left, right: right, get: get, ask: ask, tell: tell, control: soup.control)
    }
    #expect(soup.left.inject(contentsOf: 0..<50))
    #expect(Soup.inject((soup.right, 3), (soup.right, 51), (soup.left, 51)))
    #expect(try await soup.get(51) == 102)
    soup.tell("other")
    let first = try await Soup.first(of: soup.ask.call("nobody"), soup.get.call(3))
    #expect(first == 6)
    #expect(soup.control.snapshot()[soup.ask] == 0 && soup.control.snapshot()[soup.left] == 49)
    soup.tell("somebody")
    #expect(try await Soup.first(of: soup.ask.call("somebody"), soup.get.call(7)) == 0)
  }

  @Test func `Async bodies have a state of their key, and the context of their injector`() async {
    let log = Log<String>()
    let soup = Soup.define { soup in
      let text = soup.state("text", key: Int.self) { "\($0):" }
      let word = soup.slow("word", of: (key: Int, word: String).self, key: \.key)
      soup.react(state: text, word) { text, word async in
        await Task.yield()
        text += word.word + Asking.name
        log.append(text)
      }
      return (word: word, control: soup.control)
    }
    for i in 0..<20 { Asking.$name.withValue("-\(i)") { _ = soup.word((i % 2, "w")) } }
    await soup.control.settle()
    #expect(log.all.sorted { $0.count < $1.count }.suffix(2).allSatisfy { $0.split(separator: "w").count == 11 })
    #expect(log.count == 20)
  }

  @Test func `A body that fails puts its molecules back under their key`() async {
    let tries = Tally()
    let soup = Soup.define(with: .init(onError: { _ in })) { soup in
      let job = soup.slow("job", of: Int.self, key: { $0 })
      let permit = soup.slow("permit", of: Int.self, key: { $0 })
      soup.react(job, permit, recovery: .retry(limit: 5)) { _, _ in
        if tries.add() < 4 { throw Failure() }
      }
      return (job: job, permit: permit, control: soup.control)
    }
    soup.job(1)
    soup.permit(2)
    soup.permit(1)
    await soup.control.settle()
    #expect(tries.count == 4 && soup.control.snapshot()[soup.permit] == 1)
  }

  @Test func `Explanations say that keys differ, and what one key lacks`() {
    let soup = Soup.define("shop") { soup in
      let order = soup.slow("order", of: Int.self, key: { $0 })
      let payment = soup.slow("payment", of: Int.self, key: { $0 })
      let stock = soup.state("stock", key: Int.self) { _ in 0 }
      soup.react(state: stock, order, payment) { _, _, _ in }
      let alone = soup.slow("alone")
      soup.react(alone) { _ in }
      return (order: order, payment: payment, alone: alone, control: soup.control)
    }
    soup.order(1)
    soup.payment(2)
    let (all, one) = (soup.control.explain(), soup.control.explain(of: 1))
    #expect(all.reactions.count == 2 && one.reactions.count == 1)
    #expect(!all.reactions[0].isEnabled && all.reactions[0].isOfAllKeys && all.reactions[0].missing.isEmpty)
    #expect(all.description.contains("every reaction lacks a molecule of one key"))
    #expect(all.description.contains("explain(of: key)"))
    #expect(one.reactions[0].missing.map(\.label) == ["payment"] && one.molecules == 1)
    #expect(soup.control.graph.names.map(\.hasKeys) == [true, true, true, false])
    #expect(soup.control.matchers.contains(.locked))
  }

  @Test func `A state whose making injects for the next key nests no deeper than bodies do`() async {
    let soup = Soup.define { soup in
      let add = soup.slow("add", of: Int.self, key: \.self)
      let sum = soup.state("sum", key: Int.self) { key in
        if key < 100_000 { add(key + 1) }
        return 0
      }
      soup.react(state: sum, add, on: .inline) { sum, _ in sum += 1 }
      return (add: add, control: soup.control)
    }
    soup.add(0)
    await soup.control.settle()
    #expect(soup.control.snapshot()["sum"] == 100_001)
  }

  @Test func `An observer sees the key of what is injected, consumed, begun and ended`() async throws {
    let log = Log<String>()
    let options = Soup.Options(
      placement: .inline, onError: ignored,
      observer: { event in log.append("\(words(event).prefix { $0 != " " }) \(event.key as? Int ?? 0)") })
    let soup = Soup.define(with: options) { soup in
      let (left, right) = (soup.slow("left", of: Int.self, key: { $0 }), soup.slow("right", of: Int.self, key: { $0 }))
      let ask = soup.fast("ask", of: Int.self, key: { $0 }, returning: Int.self)
      let sum = soup.state("sum", key: Int.self) { _ in 0 }
      let plain = soup.slow("plain")
      soup.react(left, right) { (_, _) async in }
      soup.react(state: sum, ask) { _, call in if call.input < 0 { throw Failure() } else { call.reply(1) } }
      soup.react(plain) { _ in }
      return (left: left, right: right, ask: ask, plain: plain, control: soup.control)
    }
    soup.left(7)
    soup.right(7)
    await soup.control.settle()
    #expect(try await soup.ask(8) == 1)
    await #expect(throws: CallError.self) { try await soup.ask(-8) }
    soup.plain()
    func events(_ key: Int, _ kinds: String...) -> [String] { kinds.map { "\($0) \(key)" } }
    let both = events(7, "injected", "injected", "consumed", "consumed", "started", "finished")
    let replied = events(8, "injected", "consumed", "consumed", "started") + ["replied 0", "finished 8"]
    let threw = events(-8, "injected", "consumed", "consumed", "started", "threw") + ["failed: 0"]
    #expect(log.all == ["made 0"] + both + replied + threw + events(0, "injected", "consumed", "started", "finished"))
  }

  @Test func `The longest backlogs of a name, and the number of its keys, are told`() {
    let soup = Soup.define { soup in
      let (left, right) = (soup.slow("left", of: Int.self, key: { $0 }), soup.slow("right", of: Int.self, key: { $0 }))
      soup.react(left, right) { _, _ in }
      return (left: left, control: soup.control)
    }
    for key in 0..<50 { for _ in 0...key { soup.left(key) } }
    let backlogs = soup.control.backlogs(longest: 3)
    #expect(backlogs.map(\.keys) == [50, 0])
    #expect(backlogs[0].longest.map { $0.key as? Int } == [49, 48, 47])
    #expect(backlogs[0].longest.map(\.molecules) == [50, 49, 48] && backlogs[1].longest.isEmpty)
    #expect(backlogs[0].description == "left: 50 keys, the longest 49 (50), 48 (49), 47 (48)")
  }

  @Test func `Steps of a paused soup serve all keys, and leave none behind`() {
    let soup = Soup.define { soup in
      let turn = soup.slow("turn", of: Int.self, key: \.self)
      let count = soup.state("count", key: Int.self) { _ in 0 }
      soup.react(state: count, turn, on: .inline) { count, key in
        count += 1
        turn(key)
      }
      let left = soup.slow("left", of: Int.self, key: \.self)
      let right = soup.slow("right", of: Int.self, key: \.self)
      soup.react(left, right, on: .inline) { _, _ in }
      return (turn: turn, left: left, right: right, control: soup.control)
    }
    soup.control.pause()
    for key in 0..<32 { soup.turn(key) }
    for _ in 0..<3_200 { soup.control.step() }
    #expect(soup.control.snapshot()["count"] == 32)
    soup.left(1)
    soup.right(1)
    while soup.control.snapshot()[soup.left] == 1 { soup.control.step() }
    #expect(soup.control.keys(of: soup.left, as: Int.self).isEmpty)
  }

  @Test func `A clear takes all keys and names in one step`() async {
    let seen = Tally()
    let soup = Soup.define { soup in
      let (a, b) = (soup.slow("a", of: Dying.self, key: \.key), soup.slow("b", of: Int.self, key: \.self))
      let c = soup.slow("c", of: Int.self, key: \.self)
      soup.react(a, b, c, on: .inline) { _, _, _ in }
      soup.react(b, c, on: .inline) { _, _ in seen.add() }
      return (a: a, b: b, c: c, control: soup.control)
    }
    soup.a(Dying(key: 1, soup.b.weak))
    soup.c(2)
    #expect(soup.control.clear() == 2 && seen.count == 0)
    #expect(soup.control.snapshot()[soup.b] == 1)
  }

  @Test func `A stop counts what waited of all keys`() async {
    let soup = Soup.define { soup in
      let order = soup.slow("order", of: Int.self, key: { $0 % 100 })
      let payment = soup.slow("payment", of: Int.self, key: { $0 })
      soup.react(order, payment) { _, _ in }
      return (order: order, payment: payment, control: soup.control)
    }
    for i in 0..<1_000 { soup.order(i) }
    for i in 0..<10 { soup.payment(i) }
    await soup.control.settle()
    soup.control.pause(soup.order)
    soup.payment(50)
    #expect(soup.control.snapshot()[soup.payment] == 1)
    soup.control.resume(soup.order)
    await soup.control.settle()
    #expect(soup.control.snapshot()[soup.payment] == 0)
    let report = await soup.control.stop()
    #expect(report.dropped == 989 && !soup.order(1))
  }
}

private struct Item: Sendable {
  let id: String
  let amount: Int
}

private struct Deposit: Sendable {
  let account: Int
  let amount: Int
}

private struct Account: ~Copyable {
  let id: Int
  var balance = 0

  init(id: Int) { self.id = id }
}

/// Injects its key into a name of a second key as it is destroyed.
private final class Dying: Sendable {
  let key: Int
  private let last: Injector<Int>

  init(key: Int, _ last: Injector<Int>) {
    self.key = key
    self.last = last
  }

  deinit { last(key + 1) }
}

/// A key whose hash may be that of all others.
private struct Collision: Hashable, Sendable {
  let name: String
  let clashes: Bool

  func hash(into hasher: inout Hasher) { if !clashes { hasher.combine(name) } }
}

struct Clash: Sendable { let hash: Bool }
private struct Failure: Error {}
private enum Asking { @TaskLocal static var name = "" }

extension Result {
  fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
