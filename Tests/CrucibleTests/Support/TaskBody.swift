import Crucible
import CrucibleTestSupport
import Testing

/// A kind of body that has a task, and where it runs.
enum TaskBody: Sendable, CustomTestStringConvertible {
  case placed(Place)
  case async(Place)
  case actor(DefaultTeller)
  case executing(CustomTeller)
  case main, asyncMain

  static let placed = Place.tasks.map(TaskBody.placed) + Place.all.map(TaskBody.async)
  static var isolated: [TaskBody] { [.actor(DefaultTeller()), .executing(CustomTeller()), .main, .asyncMain] }

  var testDescription: String {
    switch self {
    case .placed(let place): place.testDescription
    case .async(let place): "async, \(place.testDescription)"
    case .actor: "actor"
    case .executing: "actor with an executor of its own"
    case .main: "main"
    case .asyncMain: "async, main"
    }
  }

  func react<A: Soup.Input>(in soup: Soup, _ a: A, _ body: @escaping @Sendable (A.Argument) -> Void) {
    switch self {
    case .placed(let place): soup.react(a, on: place.placement) { x in body(x) }
    case .async(let place):
      soup.react(a, on: place.placement) { x in
        await Context.suspend()
        body(x)
      }
    case .actor(let teller): soup.react(a, on: .actor(teller)) { _, x in body(x) }
    case .executing(let teller): soup.react(a, on: .actor(teller)) { _, x in body(x) }
    case .main: soup.react(a, on: .main) { x in body(x) }
    case .asyncMain:
      soup.react(a, on: .main) { x in
        await Context.suspend()
        body(x)
      }
    }
  }

  func react<A: Soup.Input, B: Soup.Input>(
    in soup: Soup, _ a: A, _ b: B, _ body: @escaping @Sendable (A.Argument, B.Argument) -> Void
  ) {
    switch self {
    case .placed(let place): soup.react(a, b, on: place.placement) { x, y in body(x, y) }
    case .async(let place):
      soup.react(a, b, on: place.placement) { x, y in
        await Context.suspend()
        body(x, y)
      }
    case .actor(let teller): soup.react(a, b, on: .actor(teller)) { _, x, y in body(x, y) }
    case .executing(let teller): soup.react(a, b, on: .actor(teller)) { _, x, y in body(x, y) }
    case .main: soup.react(a, b, on: .main) { x, y in body(x, y) }
    case .asyncMain:
      soup.react(a, b, on: .main) { x, y in
        await Context.suspend()
        body(x, y)
      }
    }
  }
}

/// The task-local values of a test's injector.
enum Context {
  /// What a body must find.
  @TaskLocal static var number = 0
  /// A value that is alive as long as something keeps the context.
  @TaskLocal static var live: Live?

  static func suspend() async {
    let before = number
    await Task.yield()
    #expect(number == before, "a suspension leaves the context as it is")
  }

  /// Runs `act` with `number`, and a new instance of the census.
  static func with<Result>(_ number: Int, _ census: Census, _ act: () async -> Result) async -> Result {
    await $live.withValue(census.live()) { await $number.withValue(number, operation: act) }
  }
}

/// Injects in the context of `number`.
func inject(_ number: Int, _ inject: () -> Void) { Context.$number.withValue(number, operation: inject) }

/// Pauses the soup while molecules are injected, and resumes it in a context that no body must find.
func paused(_ control: Soup.Control, _ inject: () -> Void) async {
  Watchdog.watch(control)
  control.pause()
  inject()
  Context.$number.withValue(-1) { control.resume() }
  await control.settle()
}

/// The numbers that bodies found, each with the number that the body must find.
final class SeenContexts: Sendable {
  private let seen = Log<[Int]>()

  func append(_ number: Int) { seen.append([Context.number, number]) }

  func expect(_ numbers: some Sequence<Int>, _ location: SourceLocation = #_sourceLocation) {
    #expect(seen.all.filter { $0[0] != $0[1] } == [], "found, and to be found", sourceLocation: location)
    #expect(seen.all.map { $0[1] }.sorted() == numbers.sorted(), sourceLocation: location)
  }
}
