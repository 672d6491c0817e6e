import Crucible

/// The activity of a philosopher.
enum Mood: Sendable, Equatable { case thinking, hungry, eating }

/// The new activity of a philosopher.
struct Change: Sendable {
  let seat: Int
  let mood: Mood
}

/// A table at which philosophers think, grow hungry and eat, for ever. A reaction on the loop calls `show`.
///
/// A reaction takes a philosopher and both forks, or nothing. So no philosopher ever holds one fork.
func makeTable(
  seats: Int, _ matcher: Soup.Matcher, on loop: GTKLoop, pace: Pace, show: @escaping @Sendable (Change) -> Void
) -> (think: [Injector<Void>], forks: [Injector<Void>], control: Soup.Control) {
  Soup.define("table", with: .init(matcher: matcher)) { soup in
    let forks = soup.slow("fork", count: seats)
    let think = soup.slow("think", count: seats)
    let hungry = soup.slow("hungry", count: seats)
    let shown = soup.slow("shown", of: Change.self)
    soup.react(shown, on: .loop(loop)) { change in show(change) }
    for seat in 0..<seats {
      let (left, right) = (forks[seat], forks[(seat + 1) % seats])
      soup.react(think[seat]) { _ async throws in
        shown(Change(seat: seat, mood: .thinking))
        try await pace.sleep()
        shown(Change(seat: seat, mood: .hungry))
        hungry[seat]()
      }
      soup.react(hungry[seat], left, right) { _, _, _ async throws in
        shown(Change(seat: seat, mood: .eating))
        try await pace.sleep()
        // First, so that the window draws it before a neighbour eats.
        shown(Change(seat: seat, mood: .thinking))
        left()
        right()
        think[seat]()
      }
    }
    return (think, forks, soup.control)
  }
}
