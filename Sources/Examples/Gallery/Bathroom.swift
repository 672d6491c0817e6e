// The unisex bathroom: at most n inside, and never women and men together.
//
// `empty`, `women` and `men` exclude each other: exactly one of them exists at any time. Each place is a molecule too,
// so no reaction compares a count.

import Crucible

typealias Bathroom = (
  woman: FastInjector<Void, Void>, womanLeaves: Injector<Void>, man: FastInjector<Void, Void>,
  manLeaves: Injector<Void>, control: Soup.Control
)

func makeBathroom(places: Int, _ options: Soup.Options = .init()) -> Bathroom {
  Soup.define("bathroom", with: options) { soup in
    let empty = soup.slow("empty")
    let place = soup.slow("place")

    func makeDoor(_ who: String) -> (FastInjector<Void, Void>, Injector<Void>) {
      let inside = soup.slow("\(who) inside", of: Int.self)
      let enter = soup.fast("\(who) enters", returning: Void.self)
      let leave = soup.slow("\(who) leaves")
      soup.react(empty, enter, place) { _, call, _ in
        if call.reply() {
          inside(1)
        } else {
          empty()
          place()
        }
      }
      soup.react(inside, enter, place) { n, call, _ in
        let isInside = call.reply()
        if !isInside { place() }
        inside(isInside ? n + 1 : n)
      }
      soup.react(inside, leave) { n, _ in
        place()
        if n > 1 { inside(n - 1) } else { empty() }
      }
      return (enter, leave)
    }

    let (woman, womanLeaves) = makeDoor("woman")
    let (man, manLeaves) = makeDoor("man")
    empty()
    place.inject(count: places)
    return (woman, womanLeaves, man, manLeaves, soup.control)
  }
}
