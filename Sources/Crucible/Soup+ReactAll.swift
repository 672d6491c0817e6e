extension Soup {
  /// Declares a reaction over an array of names of one type; the body gets an array of values in the same order.
  ///
  /// ```swift
  /// let parts = soup.slows("part", of: Int.self, count: n)
  /// soup.react(all: parts) { values in print(values.reduce(0, +)) }
  /// ```
  ///
  /// A name may stand in the array more than once. At most 64 inputs; an empty array is an error. Each firing allocates
  /// the array that it hands to the body.
  @inlinable
  @discardableResult
  public func react<Name: Consumable, Failure: Error>(
    all names: [Name], on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable ([Name.Argument]) throws(Failure) -> Void
  ) -> Reaction {
    let count = names.count
    return add(names.map(\._name), placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var values = (0..<count).map { Name._take(inputs[$0]) }
      do {
        try body(values)
        while let value = values.popLast() { Name._finish(value) }
      } catch {
        reaction.fail(error, inputs, values.map(Name._failed))
      }
    }
  }

  /// Declares a reaction over any number of names of any types; for more than six, where ``react(_:on:file:line:_:)-(A,_,_,_,_)``
  /// ends. Slower by some 20 ns for each input.
  ///
  /// ```swift
  /// soup.react(all: a, b, c, d, e, f, g) { a, b, c, d, e, f, g in … }
  /// ```
  @inlinable
  @discardableResult
  public func react<each Name: Consumable, Failure: Error>(
    all names: repeat each Name, on placement: Placement? = nil, onError recovery: Recovery = .report,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (repeat (each Name).Argument) throws(Failure) -> Void
  ) -> Reaction {
    var list: [OpaquePointer] = []
    for name in repeat each names { list.append(name._name) }
    return add(list, placement, recovery, Source(file: file, line: line)) { reaction, inputs in
      var index = -1
      func next() -> UnsafeMutableRawPointer {
        index += 1
        return inputs[index]
      }
      let arguments = (repeat (each Name)._take(next()))
      do {
        try body(repeat each arguments)
        func finish<N: Consumable>(_: N.Type, _ argument: consuming N.Argument) { N._finish(argument) }
        repeat finish((each Name).self, each arguments)
      } catch {
        var failed: [FailedInput] = []
        for (name, argument) in repeat ((each Name).self, each arguments) { failed.append(name._failed(argument)) }
        reaction.fail(error, inputs, failed)
      }
    }
  }
}
