import CCrucible

/// The body of one reaction as the core calls it: inputs in the order of the pattern.
@usableFromInline
final class ReactionBody: @unchecked Sendable {
  /// Itself first: so the core's two arguments are this closure's, where they are.
  @usableFromInline typealias Run = @Sendable (ReactionBody, UnsafePointer<UnsafeMutableRawPointer>) -> Void

  let run: Run
  private let core: OpaquePointer
  private let index: Int
  private let onError: Soup.ErrorHandler?

  /// Of the reaction that `soup` declares next.
  init(_ run: @escaping Run, in soup: Soup) {
    self.run = run
    core = soup.core
    index = crucible_soup_reaction_count(soup.core)
    onError = soup.onError
  }

  /// The body threw: tells the soup, unless one of its callers received the error.
  @usableFromInline
  func report(_ error: any Error, unlessReceived received: Bool...) {
    if received.contains(true) { return }
    let error = ReactionError(error, inReaction: index, of: core)
    if let onError { onError(error) } else { error.write() }
  }

  static let call: crucible_body = { context, inputs in
    Unmanaged<ReactionBody>.fromOpaque(context!)._withUnsafeGuaranteedRef { $0.run($0, inputs) }
  }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    Unmanaged<ReactionBody>.fromOpaque(context!).release()
  }
}

extension Soup {
  /// Declares a reaction over `names`; `run` takes its molecules.
  @usableFromInline
  func add(_ names: [OpaquePointer], _ placement: Placement, _ source: Source, _ run: @escaping ReactionBody.Run) {
    requireOpen("declaring a reaction", at: source)
    let body = Unmanaged.passRetained(ReactionBody(run, in: self))
    var culprit: OpaquePointer?
    var inputs = names.map { Optional($0) }
    let status = source.file.description.withCString { file in
      inputs.withUnsafeMutableBufferPointer { inputs in
        var options = crucible_reaction_options(
          inputs: inputs.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: OpaquePointer.self) },
          input_count: names.count, placement: placement.core, body: ReactionBody.call, context: body.toOpaque(),
          release: ReactionBody.release, retries: false, label: nil, file: file, line: UInt32(source.line))
        return crucible_soup_add_reaction(core, &options, &culprit)
      }
    }
    if status != CRUCIBLE_OK { fail(status, culprit: culprit, what: ": reaction (\(source))", at: source) }
  }
}
