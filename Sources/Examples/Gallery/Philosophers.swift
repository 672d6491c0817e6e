// Dining philosophers, five or n, with a restart in the middle of the meal.
//
// A reaction takes a philosopher and both forks, or nothing. So no philosopher ever holds one fork. There is no
// deadlock, and the philosophers need no order of the forks.
//
// At a table for one, both hands reach for the same fork. The textbook's chemistry asks for it twice and waits for
// ever. Here each fork is named once.

import Crucible

typealias Table = (
  seat: FastInjector<Int, Void>, eaten: FastInjector<Void, [Int]>, forks: [Injector<Void>], control: Soup.Control
)

/// A table without forks: the caller injects them, at the beginning and after each restart. Requires: at least one
/// seat.
func makeTable(seats: Int, _ options: Soup.Options = .init()) -> Table {
  Soup.define("table", with: options) { soup in
    let forks = soup.slow("fork", count: seats)
    let hungry = soup.slow("hungry", of: (meals: Int, call: Call<Int, Void>).self, count: seats)
    let meals = soup.state("meals") { Array(repeating: 0, count: seats) }
    let done = soup.slow("done", of: Int.self)
    let seat = soup.fast("seat", of: Int.self, returning: Void.self)
    let eaten = soup.fast("eaten", returning: [Int].self)
    for number in 0..<seats {
      let hands = Set([number, (number + 1) % seats]).map { forks[$0] }
      soup.react(hungry[number], hands) { one, _ in
        for fork in hands { fork() }
        done(number)
        if one.meals > 1 { hungry[number]((one.meals - 1, one.call)) } else { one.call.reply() }
      }
    }
    soup.react(state: meals, done) { meals, number in meals[number] += 1 }
    soup.react(state: meals, eaten) { meals, call in call.reply(meals) }
    soup.react(seat) { call in hungry[call.input % seats]((call.input / seats, call)) }
    return (seat, eaten, forks, soup.control)
  }
}
