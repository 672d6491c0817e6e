// A barrier for many rounds: no caller begins round r + 1 before all callers have ended round r.
//
// The n callers of a round are consumed together. A fast caller that calls again early is a molecule of the next round.
// It cannot slip into the one that just ended: no turnstiles are needed. Ready-made: `Barrier` of Compounds.

import Crucible

typealias Barrier = (arrive: FastInjector<Int, Void>, control: Soup.Control)

func makeBarrier(parties: Int, _ options: Soup.Options = .init()) -> Barrier {
  Soup.define("barrier", with: options) { soup in
    let arrive = soup.fast("arrive", of: Int.self, returning: Void.self)
    soup.react(Array(repeating: arrive, count: parties)) { calls in
      for call in calls { call.reply() }
    }
    return (arrive, soup.control)
  }
}
