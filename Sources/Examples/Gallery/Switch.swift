// A switch that passes requests while it is on. A request carries the name that it wants injected.
//
// The position is a molecule, `on` or `off`. A request waits while it is `off`. Ready-made: `Switch` of Compounds.

import Crucible

typealias Switch = (
  enable: Injector<Void>, disable: Injector<Void>, request: Injector<Injector<Void>>, control: Soup.Control
)

func makeSwitch(_ options: Soup.Options = .init()) -> Switch {
  Soup.define("switch", with: options) { soup in
    let on = soup.slow("on")
    let off = soup.slow("off")
    let enable = soup.slow("enable")
    let disable = soup.slow("disable")
    let request = soup.slow("request", of: Injector<Void>.self)

    soup.react(off, enable) { _, _ in on() }
    soup.react(on, disable) { _, _ in off() }
    soup.react(on, request) { _, name in
      on()
      name()
    }
    // Without these two a second `enable` would wait, and would undo a later `disable`.
    soup.react(on, enable) { _, _ in on() }
    soup.react(off, disable) { _, _ in off() }

    off()
    return (enable, disable, request, soup.control)
  }
}
