import Crucible
import Testing

/// A form of reaction. Its body gets the arguments for its names, and its states as they are after the firing. A firing
/// adds one to a number, one letter to a text, and one element to an array.
struct Form<Name: Consumable, Where: Sendable, Body: Sendable>: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let arity: Int
  let states: Int
  let react: @Sendable (Soup, [Name], Where, Recovery, Body) -> Void

  init(
    _ description: String, _ arity: Int, states: Int = 0,
    _ react: @escaping @Sendable (Soup, [Name], Where, Recovery, Body) -> Void
  ) {
    testDescription = description
    self.arity = arity
    self.states = states
    self.react = react
  }

  /// The arguments that the body of the `round`-th firing must get, if molecules carry their indices.
  func expected(_ round: Int) -> [Int] { Array(0..<arity) + Array(repeating: round, count: states) }
}

/// A body on a placement.
typealias PlacedBody<Name: Consumable> = @Sendable ([Name.Argument], [Int]) throws -> Void
typealias AsyncBody<Name: Consumable> = @Sendable ([Name.Argument], [Int]) async throws -> Void
/// A body isolated to the main actor.
typealias MainBody<Name: Consumable> = @MainActor @Sendable ([Name.Argument], [Int]) throws -> Void
typealias AsyncMainBody<Name: Consumable> = @MainActor @Sendable ([Name.Argument], [Int]) async throws -> Void
/// A body isolated to an actor.
typealias ActorBody<Name: Consumable, T: Teller> = @Sendable (isolated T, [Name.Argument], [Int]) async throws -> Void

typealias PlacedForm<Name: Consumable> = Form<Name, Placement, PlacedBody<Name>>
typealias AsyncForm<Name: Consumable> = Form<Name, Placement, AsyncBody<Name>>
typealias MainForm<Name: Consumable> = Form<Name, MainPlacement, MainBody<Name>>
typealias AsyncMainForm<Name: Consumable> = Form<Name, MainPlacement, AsyncMainBody<Name>>
typealias ActorForm<Name: Consumable, T: Teller> = Form<Name, T, ActorBody<Name, T>>

/// A group of a name, an array of two, another name, and a group of two.
func grouped<Name: Consumable>(_ n: [Name]) -> Soup.Group<Name, [Name], Name, Soup.Group<Name, Name>> {
  Soup.Group(n[0], Array(n[1...2]), n[3], Soup.Group(n[4], n[5]))
}

func ungrouped<Value>(_ values: Soup.Values<(Value, [Value], Value, Soup.Values<(Value, Value)>)>) -> [Value] {
  let (a, b, c, (d, e)) = (values.all.0, values.all.1, values.all.2, values.all.3.all)
  return [a] + b + [c, d, e]
}

/// Changes a state in place, as the body of a form does. Returns its new value or length.
func step(_ state: inout Int) -> Int {
  state += 1
  return state
}

func step(_ state: inout String) -> Int {
  state += "x"
  return state.count
}

func step(_ state: inout [Int]) -> Int {
  state.append(0)
  return state.count
}

/// The states of the forms.
extension Soup {
  func number() -> State<Int> { state("s", 0) }
  func text() -> State<String> { state("t", "") }
  func list() -> State<[Int]> { state("u", [Int]()) }
}
