import CHarness
import Crucible
import Synchronization

/// Five forks and five hungry philosophers in a ring, on the pool. A reaction takes a philosopher and both neighbouring
/// forks. The body eats, returns the forks, and is hungry again until its meals are eaten.
func philosophers(_ setting: Setting) -> Contender {
  let dinner = Dinner()
  let (forks, hungry, control) = Soup.define("philosophers", with: setting.options) { soup in
    let forks = soup.slow("fork", count: Dinner.places)
    let hungry = soup.slow("hungry", of: Int.self, count: Dinner.places)
    for place in 0..<Dinner.places {
      let me = hungry[place]
      let left = forks[place]
      let right = forks[(place + 1) % Dinner.places]
      let seat = dinner.seats[place]
      soup.react(me, left, right) { meals, _, _ in
        tallyStamped(0)
        seat.eaten += 1
        left()
        right()
        if meals > 1 { me(meals - 1) } else { dinner.leave() }
      }
    }
    for fork in forks { fork() }
    return (forks, hungry, soup.control)
  }
  return Contender { (rounds, _) throws(Wrong) in
    let meals = max(1, rounds / Dinner.places)
    dinner.sitDown()
    var sample = dinner.gate.run {
      for philosopher in hungry { philosopher(meals) }
    }
    try control.rest()
    harness_tally_overlap(&sample)
    sample.reactions = UInt64(meals * Dinner.places)
    try Wrong.unlessEqual("reactions", expected: sample.reactions, found: harness_tally_total().count)
    for seat in dinner.seats { try Wrong.unlessEqual("meals of one", expected: meals, found: seat.eaten) }
    let counts = control.snapshot()
    try Wrong.unlessEqual("forks on the table", expected: Dinner.places, found: forks.reduce(0) { $0 + counts[$1] })
    try Wrong.unlessEqual("still hungry", expected: 0, found: hungry.reduce(0) { $0 + counts[$1] })
    return sample
  }
}

/// The philosophers that still eat, and the meals that each has eaten.
private final class Dinner: Sendable {
  static let places = 5

  let gate = Gate()
  let seats = (0..<places).map { _ in Seat() }
  private let eating = Atomic(0)

  /// Resets the dinner. Requires: no body runs.
  func sitDown() {
    for seat in seats { seat.eaten = 0 }
    eating.store(Dinner.places, ordering: .relaxed)
  }

  func leave() {
    if eating.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { gate.open() }
  }
}

/// A philosopher's meals. Only the body that has this philosopher's molecule changes them.
private final class Seat: @unchecked Sendable {
  var eaten = 0
}
