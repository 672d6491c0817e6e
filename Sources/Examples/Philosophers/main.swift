// Dining philosophers: a philosopher eats with two forks, and every fork lies between two philosophers.
//
//   swift run philosophers [--seats N] [--meals M]
//
// A reaction takes a hungry philosopher and both forks at once, or nothing. So no philosopher ever holds a single fork.
// The table cannot deadlock, and the philosophers need no order of the forks.

import Crucible

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

func option(_ name: String, default value: Int, in range: ClosedRange<Int>) -> Int {
  guard let index = CommandLine.arguments.firstIndex(of: name) else { return value }
  let text = CommandLine.arguments.dropFirst(index + 1).first ?? ""
  guard let number = Int(text), range.contains(number) else {
    print("\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    exit(2)
  }
  return number
}

let seats = option("--seats", default: 5, in: 2...30)
let meals = option("--meals", default: 1000, in: 1...1_000_000)

let dinner = Soup.define("table") { soup in
  let forks = (0..<seats).map { seat in soup.slow("fork \(seat)") }
  let hungry = (0..<seats).map { seat in soup.slow("hungry \(seat)", of: Int.self) }
  let full = soup.slow("full")
  let guests = soup.state("guests", seats)
  let over = soup.slow("over")
  let dinner = soup.fast("dinner", returning: Void.self)

  for seat in 0..<seats {
    let left = forks[seat]
    let right = forks[(seat + 1) % seats]
    soup.react(hungry[seat], left, right) { eaten, _, _ in
      left()
      right()
      if eaten + 1 < meals { hungry[seat](eaten + 1) } else { full() }
    }
  }
  soup.react(state: guests, full) { guests, _ in
    guests -= 1
    if guests == 0 { over() }
  }
  soup.react(dinner, over) { call, _ in call.reply() }

  for seat in 0..<seats {
    forks[seat]()
    hungry[seat](0)
  }
  return dinner
}
try await dinner()
print("\(seats) philosophers have eaten \(meals) times each")
