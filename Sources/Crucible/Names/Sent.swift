import Synchronization

extension Soup {
  /// A value from outside of a definition that becomes a state. The value need not be `Sendable`.
  ///
  /// ```swift
  /// final class Recorder { var lines = [String]() }
  ///
  /// let recorder = Recorder()
  /// recorder.lines.append("made outside")
  /// let sent = Soup.Sent(recorder)
  /// let line = Soup.define("recorder") { soup in
  ///   let recorder = soup.state("recorder", sent)
  ///   let line = soup.slow("line", of: String.self)
  ///   soup.react(state: recorder, line) { recorder, line in recorder.lines.append(line) }
  ///   return line
  /// }
  /// ```
  ///
  /// The compiler does not let the closure of `define` give a value of its surroundings away. It checks here instead
  /// that no other code uses the value from now on. A value becomes a state once.
  public final class Sent<Value>: @unchecked Sendable {
    private var value: Value?
    private let isTaken = Atomic<Bool>(false)

    /// Takes a value over from the calling code.
    ///
    /// - Complexity: O(1).
    public init(_ value: sending Value) { self.value = value }

    fileprivate func take() -> sending Value? {
      if isTaken.exchange(true, ordering: .acquiringAndReleasing) { return nil }
      nonisolated(unsafe) let taken = value
      value = nil
      return taken
    }
  }

  /// Declares a state with a value that was made outside of the definition. It ends the program if it is sent twice.
  ///
  /// A soup with such a state cannot be restarted, unless the value is plain; see ``state(_:_:file:line:)``.
  ///
  /// - Complexity: O(1), as for every name.
  public func state<Value: SendableMetatype>(
    _ label: String, _ sent: Soup.Sent<Value>, file: StaticString = #fileID, line: UInt = #line
  ) -> Soup.State<Value> {
    guard let value = sent.take() else {
      let source = StaticSource(file, line)
      fatalError(
        "Crucible: \(Soup.Definition(core)): state '\(label)' (\(source)): its value has been sent already", file: file,
        line: line)
    }
    return state(label, value, file: file, line: line)
  }
}
