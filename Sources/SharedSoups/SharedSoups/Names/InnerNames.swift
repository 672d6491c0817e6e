/// A slow molecule inside the definition of a shared soup: an input of reactions, and an output of bodies.
///
/// ```swift
/// soup.react(order, payment) { order, payment in
///   shipped(Shipment(order, payment))            // recorded; there when the engine has acknowledged the firing
///   reminder(order.id, after: .seconds(86_400))
/// }
/// ```
///
/// Called in the scope of the definition, it injects a molecule when the first process defines the soup.
public struct InnerInjector<Value: Codable & Sendable>: Sendable {
  let core: DefinitionCore
  let index: Int
  let rules: NameRules<Value>

  /// Records an output of the body that runs. It is injected `delay` after the acknowledgement.
  ///
  /// Requires: a body of the soup runs and has not ended, in this task or in a child of it; or the scope is open. Any
  /// other call ends the program with a message. If the value cannot be encoded, the firing fails.
  ///
  /// - Complexity: O(size of the value). Does not block.
  public func callAsFunction(
    _ value: Value, after delay: Duration = .zero, file: StaticString = #fileID, line: UInt = #line
  ) {
    if core.isOpen {
      do {
        core.keep(try rules.injection(of: value, as: Int64(index), delay))
      } catch {
        core.fail("a first molecule (\(file):\(line)) cannot be encoded: \(error)", file: file, line: line)
      }
      return
    }
    guard let recorder = Recorder.current, let link = core.link, recorder.link === link else {
      core.fail(
        """
        molecule '\(core.label(of: index))' (\(file):\(line)): a name of the definition records the output of a body, \
        and no body of this soup runs here; outside of bodies, use the names of what 'share' returns
        """, file: file, line: line)
    }
    let injection = Result { try rules.injection(of: value, as: link.names[index], delay) }
    if !recorder.record(injection) {
      core.fail(
        "molecule '\(core.label(of: index))' (\(file):\(line)): its body has ended, so this output would be lost",
        file: file, line: line)
    }
  }
}

extension InnerInjector where Value == Nothing {
  /// Records an output without a value.
  public func callAsFunction(after delay: Duration = .zero, file: StaticString = #fileID, line: UInt = #line) {
    self(Nothing(), after: delay, file: file, line: line)
  }
}

/// A fast molecule inside the definition of a shared soup: an input of reactions. Other code calls it.
///
/// ```swift
/// soup.react(state: stock, price) { stock, call in call.reply(stock.price(of: call.input)) }
/// ```
public struct InnerFastInjector<Input: Codable & Sendable, Output: Codable & Sendable>: Sendable {
  let core: DefinitionCore
  let index: Int
  let rules: NameRules<Input>
}

/// A state inside the definition of a shared soup.
///
/// ```swift
/// let stock = soup.state("stock", Stock())
/// ```
public struct InnerState<Value: Codable & Sendable>: Sendable {
  let core: DefinitionCore
  let index: Int
}

/// The rules of a declaration for the values of a name.
struct NameRules<Value: Codable & Sendable>: Sendable {
  typealias Key = @Sendable (Value) throws -> String
  let key: Key?
  let lifetime: Int64?

  func injection(of value: Value, as name: Int64, _ delay: Duration) throws -> Injection {
    Injection(
      name: name, key: try key?(value) ?? "", value: try Coding.encode(value), lifetime: lifetime,
      delay: max(0, delay.nanoseconds))
  }
}

/// A name that a reaction of a shared soup consumes.
///
/// ```swift
/// soup.react(order, payment) { order, payment in … }   // both are inputs
/// ```
public protocol SharedInput: Sendable {
  /// The type that the body gets for a molecule.
  associatedtype Argument: Sendable
  var _input: _SharedInput { get }
  func _argument(_ molecule: _SharedMolecule) throws -> Argument
}

public struct _SharedInput {
  let place: (index: Int, core: DefinitionCore)
}

public struct _SharedMolecule {
  let molecule: Molecule
  let recorder: Recorder

  init(_ molecule: Molecule, _ recorder: Recorder) {
    self.molecule = molecule
    self.recorder = recorder
  }
}

extension InnerInjector: SharedInput {
  public typealias Argument = Value
  public var _input: _SharedInput { _SharedInput(place: (index, core)) }
  public func _argument(_ molecule: _SharedMolecule) throws -> Value {
    try Coding.decode(Value.self, molecule.molecule.value)
  }
}

extension InnerFastInjector: SharedInput {
  public typealias Argument = SharedCall<Input, Output>
  public var _input: _SharedInput { _SharedInput(place: (index, core)) }
  public func _argument(_ molecule: _SharedMolecule) throws -> SharedCall<Input, Output> {
    SharedCall(
      input: try Coding.decode(Input.self, molecule.molecule.value), call: molecule.molecule.call,
      recorder: molecule.recorder)
  }
}
