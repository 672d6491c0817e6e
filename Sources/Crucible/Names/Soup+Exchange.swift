extension Soup {
  /// Declares a reaction that exchanges the values of two states.
  ///
  /// ```swift
  /// soup.exchange(front, back, when: flip)
  /// ```
  ///
  /// The values need not be `Sendable`. Each state gets the whole value of the other, so no object belongs to both. A
  /// body cannot do this itself: the compiler refuses every assignment from one state to another, and `swap` too.
  ///
  /// - Complexity: O(1) a firing, without allocation.
  @discardableResult
  public func exchange<Value: ~Copyable>(
    _ a: State<Value>, _ b: State<Value>, when name: Injector<Void>, file: StaticString = #fileID, line: UInt = #line
  ) -> Reaction {
    add(Pattern(a.name, b.name, name.name)!, .inline, .report, StaticSource(file, line)) { _, inputs in
      swap(&State<Value>.value(inputs[0]).pointee, &State<Value>.value(inputs[1]).pointee)
    }
  }

  /// Declares a reaction that exchanges the values of two states, and replies to the call that asked for it.
  @discardableResult
  public func exchange<Value: ~Copyable>(
    _ a: State<Value>, _ b: State<Value>, when name: FastInjector<Void, Void>, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Reaction {
    add(Pattern(a.name, b.name, name.name)!, .inline, .report, StaticSource(file, line)) { _, inputs in
      let call = Call<Void, Void>.take(inputs[2])
      swap(&State<Value>.value(inputs[0]).pointee, &State<Value>.value(inputs[1]).pointee)
      call.reply()
      (consume call).finish()
    }
  }
}
