// Santa sleeps until nine reindeer are back, or three elves have questions. Reindeer go first.
//
// The groups are two reactions. Reactions have no priority. So the second reaction passes its group to a molecule. The
// state `santa` counts the waiting teams, and serves elves only after them.

import Crucible

typealias Santa = (
  reindeer: FastInjector<Void, Void>, elf: FastInjector<Int, Void>, trips: FastInjector<Void, Int>,
  control: Soup.Control
)

func makeSanta(_ options: Soup.Options = .init()) -> Santa {
  struct Sleeper {
    var teams: [[Call<Void, Void>]] = []
    var groups: [[Call<Int, Void>]] = []
    var trips = 0
  }
  return Soup.define("Santa", with: options) { soup in
    let santa = soup.state("santa", Sleeper())
    let reindeer = soup.fast("reindeer", returning: Void.self)
    let elf = soup.fast("elf", of: Int.self, returning: Void.self)
    let team = soup.slow("team", of: [Call<Void, Void>].self)
    let group = soup.slow("group", of: [Call<Int, Void>].self)
    let wake = soup.slow("wake")
    let trips = soup.fast("trips", returning: Int.self)

    soup.react(Array(repeating: reindeer, count: 9)) { calls in team(calls) }
    soup.react(elf, elf, elf) { a, b, c in group([a, b, c]) }
    soup.react(state: santa, team) { santa, team in
      santa.teams.append(team)
      wake()
    }
    soup.react(state: santa, group) { santa, group in
      santa.groups.append(group)
      wake()
    }
    // Each group wakes Santa once, so the groups that the body finds are never empty.
    soup.react(state: santa, wake) { santa, _ in
      if !santa.teams.isEmpty {
        santa.trips += 1
        for call in santa.teams.removeFirst() { call.reply() }
      } else {
        for call in santa.groups.removeFirst() { call.reply() }
      }
    }
    soup.react(state: santa, trips) { santa, call in call.reply(santa.trips) }
    return (reindeer, elf, trips, soup.control)
  }
}
