import Crucible
import CrucibleTestSupport
import Testing

/// The numbers of firings of reactions, counted only on request.
@Suite(.watched)
struct `A count of firings` {
  @Test(arguments: Run.setups)
  func `A count of firings counts the firings between its beginning and its end, observed or not`(setup: Setup) async {
    let (a, b, control) = setup.define(slow("a", of: Int.self), slow("b")) { soup, a, b in
      let n = soup.state("n", 0)
      soup.react(state: n, a) { n, x in n += x }
      soup.react(b) { _ async in await Task.yield() }
    }
    func fire() async {
      for x in 0..<20 { a(x) }
      for _ in 0..<3 { b() }
      await control.settle()
    }
    await fire()
    var count: Soup.FiringCount? = control.countFirings()
    #expect(count!.firings == [0, 0])
    await fire()
    #expect(count!.firings == [20, 3])
    let second = control.countFirings()
    let observation = control.observe { _ in }
    await fire()
    #expect(count!.firings == [40, 6])
    observation.end()
    await fire()
    #expect(second.firings == [40, 6])
    count = nil
    await fire()
    #expect(second.firings == [60, 9])
    #expect(Soup.all.controls.contains(control))
  }

  @Test func `A count of firings counts nothing before the definition has ended, or after the soup is gone`() async {
    var early: Soup.FiringCount?
    var late: Soup.FiringCount?
    do {
      let (a, control) = Soup.Options().define(slow("a")) { soup, a in
        soup.react(a, on: .inline) { _ in }
        early = soup.control.countFirings()
      }
      late = control.countFirings()
      a()
      #expect(late!.firings == [1])
      #expect(early!.firings == [])
      early = nil
      a()
      #expect(late!.firings == [2])
    }
    // A test that looks at all soups may keep this one for a moment.
    await eventually("the count is empty") { late!.firings == [] }
  }
}
