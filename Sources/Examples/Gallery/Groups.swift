// Groups that form only in certain compositions: water, the boat across the river, the roller coaster.

import Crucible

typealias Water = (
  hydrogen: FastInjector<Int, [Int]>, oxygen: FastInjector<Int, [Int]>, control: Soup.Control
)

/// H₂O: two hydrogen atoms and one oxygen atom bond. Each caller learns the three numbers.
func makeWater(_ options: Soup.Options = .init()) -> Water {
  Soup.define("water", with: options) { soup in
    let hydrogen = soup.fast("hydrogen", of: Int.self, returning: [Int].self)
    let oxygen = soup.fast("oxygen", of: Int.self, returning: [Int].self)
    soup.react(hydrogen, hydrogen, oxygen) { a, b, o in
      let molecule = [a.input, b.input, o.input]
      for call in [a, b, o] { call.reply(molecule) }
    }
    return (hydrogen, oxygen, soup.control)
  }
}

/// The passengers of one boat.
struct Boat: Sendable, Equatable {
  var hackers: Int
  var serfs: Int
}

typealias River = (hacker: FastInjector<Void, Boat>, serf: FastInjector<Void, Boat>, control: Soup.Control)

/// River crossing: a boat takes four. Three of one kind with one of the other would fight, so there are three
/// reactions.
func makeRiver(_ options: Soup.Options = .init()) -> River {
  Soup.define("river", with: options) { soup in
    let hacker = soup.fast("hacker", returning: Boat.self)
    let serf = soup.fast("serf", returning: Boat.self)
    @Sendable func cross(_ calls: [Call<Void, Boat>], hackers: Int) {
      for call in calls { call.reply(Boat(hackers: hackers, serfs: 4 - hackers)) }
    }
    soup.react(hacker, hacker, hacker, hacker) { a, b, c, d in cross([a, b, c, d], hackers: 4) }
    soup.react(hacker, hacker, serf, serf) { a, b, c, d in cross([a, b, c, d], hackers: 2) }
    soup.react(serf, serf, serf, serf) { a, b, c, d in cross([a, b, c, d], hackers: 0) }
    return (hacker, serf, soup.control)
  }
}

typealias Coaster = (ride: FastInjector<Int, [Int]>, control: Soup.Control)

/// Roller coaster: a car leaves when it is full, and returns empty. Passengers leave the car after the ride.
func makeCoaster(cars: Int, seats: Int, _ options: Soup.Options = .init()) -> Coaster {
  Soup.define("roller coaster", with: options) { soup in
    let ride = soup.fast("ride", of: Int.self, returning: [Int].self)
    let car = soup.slow("car")
    soup.react(car, Array(repeating: ride, count: seats)) { _, passengers in
      let names = passengers.map(\.input)
      for passenger in passengers { passenger.reply(names) }
      car()
    }
    car.inject(count: cars)
    return (ride, soup.control)
  }
}
