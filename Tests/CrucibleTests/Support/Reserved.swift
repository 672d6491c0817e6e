import Crucible
import CrucibleTestSupport

/// A soup whose firings are reserved and cannot begin, because the pool's one worker waits at a gate. Tests use it in
/// processes of their own.
struct Reserved {
  let a: Injector<Int>
  let control: Soup.Control
  let gate = Gate()
  let reacted = Tally()

  /// Begins the first of `count` bodies, and reserves the others.
  init(_ count: Int, matcher: String) async {
    Soup.Pool.workers = 1
    let begun = Gate()
    (a, control) = Soup.define("reserved", with: .init(matcher: Matcher(matcher)!)) { [gate, reacted] soup in
      let a = soup.slow("a", of: Int.self)
      soup.react(a) { number in
        if number == 0 {
          begun.open()
          gate.waitBlocking()
        }
        reacted.add()
      }
      return (a, soup.control)
    }
    for number in 0..<count { a(number) }
    await begun.wait()
  }
}
