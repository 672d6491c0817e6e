import Crucible

/// Declares the names and reactions of a shared soup, inside the scope of `Soup.share`.
///
/// ```swift
/// let shop = try await Soup.share("shop", on: engine) { soup in
///   let order   = soup.slow("order", of: Order.self, key: \.id)
///   let payment = soup.slow("payment", of: Payment.self, key: \.order, expires: .seconds(604_800))
///   let shipped = soup.slow("shipped", of: Shipment.self)
///   soup.react(order, payment) { order, payment in shipped(Shipment(order, payment)) }
///   return (order: order, payment: payment, control: soup.control)
/// }
/// ```
///
/// A mistake in the definition ends the program, with a message that names soup, molecule and line. Requires: only the
/// scope uses the object.
public final class SharedDefinition {
  let core: DefinitionCore
  private(set) var chemistry: Chemistry
  private(set) var bodies: [ReactionBody] = []
  private var labels: [String: Soup.Source] = [:]
  private var keys: [String?] = []

  init(_ core: DefinitionCore) {
    self.core = core
    chemistry = Chemistry(label: core.label)
  }

  /// Looks at the soup and controls it, for all processes. Bodies use a constant: `let control = soup.control`.
  ///
  /// Requires outside of bodies: something that `Soup.share` returned is kept.
  public var control: SharedControl { SharedControl(core: core) }

  /// Declares a slow molecule that carries nothing.
  ///
  /// ```swift
  /// let tick = soup.slow("tick")
  /// ```
  ///
  /// - Complexity: O(1).
  public func slow(_ label: String, file: StaticString = #fileID, line: UInt = #line) -> InnerInjector<Nothing> {
    slow(label, of: Nothing.self, file: file, line: line)
  }

  /// Declares a slow molecule: its injection returns when the engine has it.
  ///
  /// ```swift
  /// let late = soup.slow("late", of: Job.self)
  /// let jobs = soup.slow("jobs", of: Job.self, expires: .seconds(86_400), into: late)
  /// ```
  ///
  /// With `expires`, a molecule that has not reacted in this time leaves the soup, and the name `into` gets its value.
  /// Without `into`, it is dropped. A worker does that, so without workers it happens late, but the molecule never
  /// reacts afterwards. The inputs of a firing do not expire, not even those of a dead letter.
  ///
  /// - Complexity: O(1).
  public func slow<Value: Codable & Sendable>(
    _ label: String, of type: Value.Type, expires lifetime: Duration? = nil, into late: InnerInjector<Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> InnerInjector<Value> {
    declareSlow(label, nil, nil, lifetime, late, file, line)
  }

  /// Declares a slow molecule that reacts only with molecules of its own key.
  ///
  /// Keys are compared in the form in which they are stored, so two that are equal must be encoded equally.
  ///
  /// - Complexity: O(1).
  public func slow<Value: Codable & Sendable, Key: Codable & Sendable>(
    _ label: String, of type: Value.Type, key: @escaping @Sendable (Value) -> Key, expires lifetime: Duration? = nil,
    into late: InnerInjector<Value>? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> InnerInjector<Value> {
    declareSlow(label, { try Coding.key(key($0)) }, "\(Key.self)", lifetime, late, file, line)
  }

  /// Declares a fast molecule: calling it waits for the reply of the reaction that consumed it.
  ///
  /// ```swift
  /// let price = soup.fast("price", of: Item.self, returning: Money.self)
  /// ```
  ///
  /// - Complexity: O(1).
  public func fast<Input: Codable & Sendable, Output: Codable & Sendable>(
    _ label: String, of input: Input.Type, returning output: Output.Type, file: StaticString = #fileID,
    line: UInt = #line
  ) -> InnerFastInjector<Input, Output> {
    declareFast(label, nil, nil, file, line)
  }

  /// Declares a fast molecule that carries nothing.
  ///
  /// - Complexity: O(1).
  public func fast<Output: Codable & Sendable>(
    _ label: String, returning output: Output.Type, file: StaticString = #fileID, line: UInt = #line
  ) -> InnerFastInjector<Nothing, Output> {
    declareFast(label, nil, nil, file, line)
  }

  /// Declares a fast molecule that reacts only with molecules of its own key.
  ///
  /// - Complexity: O(1).
  public func fast<Input: Codable & Sendable, Output: Codable & Sendable, Key: Codable & Sendable>(
    _ label: String, of input: Input.Type, key: @escaping @Sendable (Input) -> Key, returning output: Output.Type,
    file: StaticString = #fileID, line: UInt = #line
  ) -> InnerFastInjector<Input, Output> {
    declareFast(label, { try Coding.key(key($0)) }, "\(Key.self)", file, line)
  }

  /// Declares a state: exactly one copy of it exists, in the engine. The first definition of the soup stores the value.
  ///
  /// ```swift
  /// let stock = soup.state("stock", Stock())
  /// soup.react(state: stock, sale) { stock, sale in stock.remove(sale.item) }
  /// ```
  ///
  /// - Complexity: O(size of the value), also for each run of firings over the state.
  public func state<Value: Codable & Sendable>(
    _ label: String, _ initial: Value, file: StaticString = #fileID, line: UInt = #line
  ) -> InnerState<Value> {
    let index = declare(label, .state, "\(Value.self)", nil, file, line)
    do {
      core.keep(Injection(name: Int64(index), key: "", value: try Coding.encode(initial)))
    } catch {
      core.fail("state '\(label)' (\(file):\(line)): its value cannot be encoded: \(error)", file: file, line: line)
    }
    return InnerState(core: core, index: index)
  }

  private func declareSlow<Value>(
    _ label: String, _ key: NameRules<Value>.Key?, _ keyType: String?, _ lifetime: Duration?,
    _ late: InnerInjector<Value>?, _ file: StaticString, _ line: UInt
  ) -> InnerInjector<Value> {
    let what = "molecule '\(label)' (\(file):\(line))"
    if let lifetime, lifetime <= .zero { core.fail("\(what): a molecule expires after a time", file: file, line: line) }
    if let late {
      if late.core !== core { core.fail("\(what): 'into' is of another soup", file: file, line: line) }
      if lifetime == nil { core.fail("\(what): 'into' needs 'expires'", file: file, line: line) }
      if late.rules.key != nil {
        core.fail("\(what): 'into' must not have keys", file: file, line: line)
      }
    }
    // Two programs that send expired molecules to different places differ.
    let type = "\(Value.self)" + (late.map { ", into \(chemistry.names[$0.index].label)" } ?? "")
    let index = declare(label, .slow, type, keyType, late: late?.index, lifetime: lifetime?.nanoseconds, file, line)
    return InnerInjector(core: core, index: index, rules: NameRules(key: key, lifetime: lifetime?.nanoseconds))
  }

  private func declareFast<Input, Output>(
    _ label: String, _ key: NameRules<Input>.Key?, _ keyType: String?, _ file: StaticString, _ line: UInt
  ) -> InnerFastInjector<Input, Output> {
    let index = declare(label, .fast, "\(Input.self) to \(Output.self)", keyType, file, line)
    return InnerFastInjector(core: core, index: index, rules: NameRules(key: key, lifetime: nil))
  }

  private func declare(
    _ label: String, _ kind: Chemistry.Name.Kind, _ type: String, _ key: String?, late: Int? = nil,
    lifetime: Int64? = nil, _ file: StaticString, _ line: UInt
  ) -> Int {
    let what = "molecule '\(label)' (\(file):\(line))"
    requireOpen(what, file, line)
    // The labels of reactions are made of those of names.
    if label.isEmpty || label.utf8.contains(where: { [0, UInt8(ascii: "&"), UInt8(ascii: "#")].contains($0) }) {
      core.fail("\(what): a label must not be empty, nor contain '&', '#' or a NUL", file: file, line: line)
    }
    if let other = labels[label] {
      core.fail("\(what): another name has this label (\(other))", file: file, line: line)
    }
    labels[label] = Soup.Source(file: "\(file)", line: Int(line))
    keys.append(key)
    let described = key.map { "\(type) by \($0)" } ?? type
    chemistry.names.append(Chemistry.Name(label: label, kind: kind, type: described, late: late, lifetime: lifetime))
    return chemistry.names.count - 1
  }

  private func requireOpen(_ what: String, _ file: StaticString, _ line: UInt) {
    if !core.isOpen { core.fail("\(what): the definition has ended", file: file, line: line) }
  }

  /// Adds a reaction over the inputs with these indices, after checking them.
  func add(
    state: (index: Int, core: DefinitionCore)?, _ inputs: [(index: Int, core: DefinitionCore)], _ retry: Retry,
    _ limit: Duration?, _ file: StaticString, _ line: UInt, _ body: (String) -> ReactionBody
  ) {
    let what = "reaction (\(file):\(line))"
    requireOpen(what, file, line)
    for core in inputs.map(\.core) + (state.map { [$0.core] } ?? []) where core !== self.core {
      self.core.fail("\(what): an input is of another soup, '\(core.label)'", file: file, line: line)
    }
    if inputs.isEmpty { core.fail("\(what): it has no input but states", file: file, line: line) }
    if inputs.count > 64 { core.fail("\(what): it has more than 64 inputs", file: file, line: line) }
    let first = inputs[0].index
    for input in inputs where keys[input.index] != keys[first] {
      core.fail(
        """
        \(what): molecule '\(chemistry.names[input.index].label)' (\(labels[chemistry.names[input.index].label]!)): \
        either all inputs have keys of one type, or none has one
        """, file: file, line: line)
    }
    if state != nil && keys[first] != nil {
      core.fail("\(what): a state has no key, so the other inputs must not have one", file: file, line: line)
    }
    if let limit, limit <= .zero { core.fail("\(what): 'within' must be a time", file: file, line: line) }
    let names = (state.map { [$0.index] } ?? []) + inputs.map(\.index)
    let plain = names.map { chemistry.names[$0].label }.joined(separator: " & ")
    let others = chemistry.reactions.count { $0.label == plain || $0.label.hasPrefix(plain + " #") }
    let label = others == 0 ? plain : "\(plain) #\(others + 1)"
    chemistry.reactions.append(
      Chemistry.Reaction(label: label, state: state?.index, inputs: inputs.map(\.index), losses: retry.losses))
    bodies.append(body(label))
  }
}
