import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `A reaction that does not keep its actor` {
  @Test(arguments: matchers)
  func `A reaction with a weak actor runs while it lives, and releases it although the actor keeps the soup`(
    matcher: Matcher
  ) async throws {
    let census = Census()
    do {
      let account = Account(census)
      let (deposit, balance, control) = bank(of: account, matcher)
      await account.keep(deposit)
      for _ in 0..<100 { deposit(2) }
      await control.settle()
      #expect(try await balance() == 200)
    }
    while census.alive > 0 { await Task.yield() }
  }

  @Test(arguments: matchers)
  func `A reaction whose weak actor is gone fails, and gives its states back`(matcher: Matcher) async {
    let (census, errors) = (Census(), Log<ReactionError>())
    let (deposit, balance, control) = bank(of: Account(census), matcher, onError: errors.append)
    while census.alive > 0 { await Task.yield() }
    for way in WayToCall.allCases {
      let result = await way.call(balance)
      guard case .failure(.failed(let error)) = result else {
        Issue.record("\(result)")
        continue
      }
      #expect(error is ActorGone)
    }
    #expect(errors.count == 0)
    deposit(1)
    deposit(2)
    await control.settle()
    #expect(errors.all.map { $0.error is ActorGone } == [true, true])
    #expect(control.snapshot()["turn"] == 1)
  }
}

private actor Account {
  private let live: Live
  private var name: Injector<Int>?
  var balance = 0

  init(_ census: Census) { live = census.live() }

  func keep(_ name: Injector<Int>) { self.name = name }
}

private func bank(
  of account: Account, _ matcher: Matcher, onError: Soup.ErrorHandler? = nil
) -> (Injector<Int>, FastInjector<Void, Int>, Soup.Control) {
  matcher.with(onError: onError).define(slow("deposit", of: Int.self), fast("balance", returning: Int.self)) {
    soup, deposit, balance in
    let turn = soup.state("turn", 0)
    soup.react(state: turn, deposit, on: .actor(weak: account)) { account, turn, sum in
      turn += 1
      account.balance += sum
    }
    soup.react(balance, on: .actor(weak: account)) { account, call in call.reply(account.balance) }
  }
}
