// Dining savages: all eat from one pot of n servings. A savage that finds it empty wakes the cook, who fills it.
//
// The pot is `full`, with its number of servings, or `empty`. The cook is a molecule that sleeps until the pot is
// empty.

import Crucible

typealias Pot = (eat: FastInjector<Void, Int>, control: Soup.Control)

/// A meal's reply is the number of times that the cook had filled the pot by then. Requires: at least one serving.
func makePot(servings: Int, _ options: Soup.Options = .init()) -> Pot {
  Soup.define("pot", with: options) { soup in
    let full = soup.slow("full", of: Int.self)
    let empty = soup.slow("empty")
    let cook = soup.slow("cook", of: Int.self)
    let eat = soup.fast("eat", of: Void.self, returning: Int.self)
    let meal = soup.slow("meal", of: (call: Call<Void, Int>, servings: Int).self)
    let fillings = soup.state("fillings", 0)

    soup.react(full, eat) { servings, call in meal((call, servings)) }
    soup.react(state: fillings, meal) { fillings, meal in
      let isEaten = meal.call.reply(fillings)
      let left = isEaten ? meal.servings - 1 : meal.servings  // a savage that has given up eats nothing
      if left > 0 { full(left) } else { empty() }
    }
    soup.react(state: fillings, empty, cook) { fillings, _, servings in
      fillings += 1
      full(servings)
      cook(servings)
    }

    empty()
    cook(servings)
    return (eat, soup.control)
  }
}
