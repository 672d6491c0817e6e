// More work than can be done. A name with a capacity decides what happens to the rest: producers wait, or are told at
// once, or the oldest work makes room.

import Crucible

typealias Press = (
  print: BoundedInjector<Int>, urgent: Injector<Int>, news: Injector<Int>, ready: Injector<Void>,
  missed: FastInjector<Void, Int>, control: Soup.Control
)

/// A printing press that prints one page for each `ready`. At most `capacity` pages of each kind wait for it. Ordinary
/// pages wait for their place, urgent ones are refused, and of the news only the latest are kept.
func makePress(capacity: Int, _ options: Soup.Options = .init(), page: @escaping @Sendable (Int) -> Void) -> Press {
  Soup.define("press", with: options) { soup in
    let old = soup.slow("old", of: Int.self)
    let print = soup.slow("print", of: Int.self, capacity: capacity, whenFull: .wait)
    let urgent = soup.slow("urgent", of: Int.self, capacity: capacity, whenFull: .refuse)
    let news = soup.slow("news", of: Int.self, capacity: capacity, whenFull: .dropOldest(into: old))
    let ready = soup.slow("ready")
    let missed = soup.fast("missed", returning: Int.self)
    let count = soup.state("count", 0)
    soup.react(urgent, ready) { number, _ in page(number) }
    soup.react(news, ready) { number, _ in page(number) }
    soup.react(print, ready) { number, _ in page(number) }
    soup.react(state: count, old) { count, _ in count += 1 }
    soup.react(state: count, missed) { count, call in call.reply(count) }
    return (print, urgent, news, ready, missed, soup.control)
  }
}
