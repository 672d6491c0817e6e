import Crucible
import CrucibleTestSupport

/// A name that a test declares: `slow("a", of: Int.self)` stands for `soup.slow("a", of: Int.self)`.
struct Declared<Name>: Sendable {
  let declare: @Sendable (Soup) -> Name
}

func slow(_ label: String) -> Declared<Injector<Void>> { .init { $0.slow(label) } }

func slow<Value: Sendable>(_ label: String, of type: Value.Type) -> Declared<Injector<Value>> {
  .init { $0.slow(label, of: Value.self) }
}

func slow(_ label: String, count: Int) -> Declared<[Injector<Void>]> { .init { $0.slow(label, count: count) } }

func slow<Value: Sendable>(_ label: String, of type: Value.Type, count: Int) -> Declared<[Injector<Value>]> {
  .init { $0.slow(label, of: Value.self, count: count) }
}

func fast<Output: Sendable>(_ label: String, returning: Output.Type) -> Declared<FastInjector<Void, Output>> {
  .init { $0.fast(label, returning: Output.self) }
}

func fast<Output: Sendable>(
  _ label: String, returning: Output.Type, count: Int
) -> Declared<[FastInjector<Void, Output>]> {
  .init { soup in (0..<count).map { soup.fast("\(label)[\($0)]", returning: Output.self) } }
}

func fast<Input: Sendable, Output: Sendable>(
  _ label: String, of: Input.Type, returning: Output.Type
) -> Declared<FastInjector<Input, Output>> {
  .init { $0.fast(label, of: Input.self, returning: Output.self) }
}

func fact<Value: Sendable>(_ label: String, of type: Value.Type) -> Declared<Soup.Fact<Value>> {
  .init { $0.fact(label, of: Value.self) }
}

/// What says how a test's soups are made. A setup is also their placement.
protocol Defining {
  var options: Soup.Options { get }
}

extension Matcher {
  func on(_ placement: Placement) -> Setup { Setup(matcher: self, placement: placement) }
}

extension Soup.Options: Defining {
  var options: Soup.Options { self }
}

extension Matcher: Defining {
  var options: Soup.Options { .init(matcher: self) }
}

extension Setup: Defining {
  var options: Soup.Options { .init(matcher: matcher, placement: placement) }
}

extension Defining {
  func with(
    clock: (any Clock<Duration>)? = nil, seed: UInt64? = nil, onError: Soup.ErrorHandler? = nil,
    observer: (@Sendable (Soup.Event) -> Void)? = nil, allowing: Set<Soup.Warning.Kind> = []
  ) -> Soup.Options {
    var options = options
    (options.clock, options.seed, options.onError) = (clock, seed, onError)
    (options.observer, options.allowing) = (observer, allowing)
    return options
  }

  /// Defines a soup of these names, whose reactions the closure declares. Returns the names, and the control.
  func define<each Name: Leaving>(
    _ names: repeat Declared<each Name>, named label: String = "soup", file: StaticString = #fileID, line: UInt = #line,
    _ declareReactions: (Soup, repeat each Name) -> Void
  ) -> (repeat each Name, Soup.Control) {
    Soup.define(label, with: options, file: file, line: line) { soup in
      let declared = (repeat (each names).declare(soup))
      declareReactions(soup, repeat each declared)
      return (repeat each declared, soup.control)
    }
  }

  /// Defines a soup with one reaction, which consumes one molecule.
  func react<A: Soup.Input<U> & Leaving, U, Failure: Error>(
    _ a: Declared<A>, on placement: Placement? = nil, recovery: Recovery = .report,
    named label: String = "soup", file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U) throws(Failure) -> Void
  ) -> (A, Soup.Control) {
    define(a, named: label, file: file, line: line) { soup, a in
      soup.react(a, on: placement, recovery: recovery, file: file, line: line, body)
    }
  }

  /// Defines a soup with one reaction, which consumes one molecule, and whose body is `async`.
  func react<A: Soup.Input<U> & Leaving, U>(
    _ a: Declared<A>, on placement: Placement? = nil, named label: String = "soup", file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (U) async throws -> Void
  ) -> (A, Soup.Control) {
    define(a, named: label, file: file, line: line) { soup, a in
      soup.react(a, on: placement, file: file, line: line, body)
    }
  }

  /// Defines a soup with one reaction, which consumes two molecules.
  func react<A: Soup.Input<U> & Leaving, B: Soup.Input<V> & Leaving, U, V, Failure: Error>(
    _ a: Declared<A>, _ b: Declared<B>, on placement: Placement? = nil, recovery: Recovery = .report,
    named label: String = "soup", file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V) throws(Failure) -> Void
  ) -> (A, B, Soup.Control) {
    define(a, b, named: label, file: file, line: line) { soup, a, b in
      soup.react(a, b, on: placement, recovery: recovery, file: file, line: line, body)
    }
  }

  /// Defines a soup with one reaction, which consumes three molecules.
  func react<A: Soup.Input<U> & Leaving, B: Soup.Input<V> & Leaving, C: Soup.Input<W> & Leaving, U, V, W, F: Error>(
    _ a: Declared<A>, _ b: Declared<B>, _ c: Declared<C>, on placement: Placement? = nil,
    recovery: Recovery = .report, named label: String = "soup", file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (U, V, W) throws(F) -> Void
  ) -> (A, B, C, Soup.Control) {
    define(a, b, c, named: label, file: file, line: line) { soup, a, b, c in
      soup.react(a, b, c, on: placement, recovery: recovery, file: file, line: line, body)
    }
  }
}

/// Returns names that do not own their soup, and its only owner, which a test may release.
func unowned<A: Leaving, B: Leaving>(
  _ made: (A, B, Soup.Control)
) -> (A, B, Soup.Control, owner: Shared<Soup.Control>) {
  (made.0.weak, made.1.weak, made.2.weak, Shared(made.2))
}
