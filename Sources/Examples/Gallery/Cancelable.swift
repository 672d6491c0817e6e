// A computation in steps that can be cancelled between any two of them. Ready-made: `Cancelable` of Compounds.
//
// `running` is the right to take a step. The reaction of `cancel` consumes this molecule, so no later step finds it.
// The call becomes the molecule `cancelled`, which consumes the step that was due.

import Crucible

typealias Cancelable = (
  cancel: FastInjector<Void, Int>, result: FastInjector<Void, Int?>, control: Soup.Control
)

/// Adds 1 + 2 + … + `steps`. `cancel` replies with the number of steps that were taken; `result` is nil if cancelled.
func makeCancelable(steps: Int, _ options: Soup.Options = .init()) -> Cancelable {
  Soup.define("cancelable", with: options) { soup in
    let running = soup.slow("running")
    let step = soup.slow("step", of: (number: Int, sum: Int).self)
    let ended = soup.slow("ended", of: Int?.self)
    let cancelled = soup.slow("cancelled", of: Call<Void, Int>.self)
    let cancel = soup.fast("cancel", returning: Int.self)
    let result = soup.fast("result", returning: Int?.self)

    soup.react(running, step) { _, at in
      if at.number > steps {
        ended(at.sum)
      } else {
        running()
        step((at.number + 1, at.sum + at.number))
      }
    }
    soup.react(running, cancel) { _, call in cancelled(call) }
    soup.react(cancelled, step) { call, at in
      ended(nil)
      call.reply(at.number - 1)
    }
    soup.react(ended, cancel) { sum, call in
      ended(sum)
      call.reply(steps)
    }
    soup.react(ended, result) { sum, call in
      ended(sum)
      call.reply(sum)
    }

    running()
    step((1, 0))
    return (cancel, result, soup.control)
  }
}
