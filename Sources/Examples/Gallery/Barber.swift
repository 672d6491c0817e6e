// The sleeping barber. A customer that finds all chairs taken leaves. Otherwise the barber cuts one customer's hair
// after the other.
//
// Reactions cannot match on an absent molecule, so the state `room` counts both taken and free chairs. The barber is a
// molecule: while it waits, the barber sleeps.

import Crucible

typealias Barber = (enter: FastInjector<Int, Bool>, open: Injector<Void>, control: Soup.Control)

/// The reply says whether the customer's hair was cut.
func makeBarber(chairs: Int, _ options: Soup.Options = .init()) -> Barber {
  Soup.define("barber", with: options) { soup in
    let room = soup.state("room", 0)
    let enter = soup.fast("enter", of: Int.self, returning: Bool.self)
    let seated = soup.slow("seated", of: Call<Int, Bool>.self)
    let standUp = soup.slow("stand up", of: Call<Int, Bool>.self)
    let barber = soup.slow("barber")

    soup.react(state: room, enter) { taken, call in
      if taken < chairs {
        taken += 1
        seated(call)
      } else {
        call.reply(false)
      }
    }
    soup.react(barber, seated) { _, call in standUp(call) }
    soup.react(state: room, standUp) { taken, call in
      taken -= 1
      call.reply(true)
      barber()
    }
    return (enter, barber, soup.control)
  }
}
