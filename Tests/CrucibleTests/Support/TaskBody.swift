import Crucible
import CrucibleTestSupport
import Testing

/// A kind of body, and its placement. An `async` body suspends after its work.
enum TaskBody: Sendable, CustomTestStringConvertible {
  case placed(Placement)
  case async(Placement)
  case actor(any Teller)
  case main
  case asyncMain

  /// All bodies that have a task by their placement.
  static let placed = Place.tasks.map { TaskBody.placed($0.placement) } + Place.all.map { TaskBody.async($0.placement) }

  var testDescription: String {
    switch self {
    case .placed(let placement): "\(placement)"
    case .async(let placement): "async, \(placement)"
    case .actor(let teller): "actor \(type(of: teller))"
    case .main: "main"
    case .asyncMain: "async, main"
    }
  }

  func react<A: Soup.Input>(in soup: Soup, _ a: A, _ body: @escaping @Sendable (A.Argument) -> Void) {
    func react(on teller: some Teller) { soup.react(a, on: .actor(teller)) { _, x in body(x) } }
    switch self {
    case .placed(let placement): soup.react(a, on: placement) { x in body(x) }
    case .async(let placement):
      soup.react(a, on: placement) { x in
        body(x)
        await Context.suspend()
      }
    case .actor(let teller): react(on: teller)
    case .main: soup.react(a, on: .main) { x in body(x) }
    case .asyncMain:
      soup.react(a, on: .main) { x in
        body(x)
        await Context.suspend()
      }
    }
  }

  func react<A: Soup.Input, B: Soup.Input>(
    in soup: Soup, _ a: A, _ b: B, _ body: @escaping @Sendable (A.Argument, B.Argument) -> Void
  ) {
    react(in: soup, Soup.Group(a, b)) { values in body(values.all.0, values.all.1) }
  }
}

/// The task-local values of a test's injector.
enum Context {
  /// The number that a body must find.
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
    #expect(seen.all.filter { $0[0] != $0[1] } == [], "a body found another context", sourceLocation: location)
    #expect(seen.all.map { $0[1] }.sorted() == numbers.sorted(), sourceLocation: location)
  }
}
