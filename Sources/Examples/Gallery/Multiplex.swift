// A multiplex admits at most n at a time. With n = 1 it is a mutex. Ready-made: `Semaphore`, `Lock` of Compounds.
//
// A permit is a molecule. To enter is a call that consumes one, to leave is to inject it again.

import Crucible

typealias Multiplex = (enter: FastInjector<Void, Void>, leave: Injector<Void>, control: Soup.Control)

func makeMultiplex(permits: Int, _ options: Soup.Options = .init()) -> Multiplex {
  Soup.define("multiplex", with: options) { soup in
    let permit = soup.slow("permit")
    let enter = soup.fast("enter", returning: Void.self)
    soup.react(enter, permit) { call, _ in
      if !call.reply() { permit() }  // the caller has given up, so the permit stays
    }
    permit.inject(count: permits)
    return (enter, permit, soup.control)
  }
}

func makeMutex(_ options: Soup.Options = .init()) -> Multiplex { makeMultiplex(permits: 1, options) }
