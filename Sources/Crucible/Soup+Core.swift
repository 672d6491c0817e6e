import CCrucible

/// The body of one reaction as the core calls it: inputs in the order of the pattern.
@usableFromInline
final class ReactionBody: Sendable {
  @usableFromInline typealias Run = @Sendable (UnsafePointer<UnsafeMutableRawPointer>) -> Void

  let run: Run

  @usableFromInline init(_ run: @escaping Run) { self.run = run }

  static let call: crucible_body = { context, inputs in
    Unmanaged<ReactionBody>.fromOpaque(context!)._withUnsafeGuaranteedRef { $0.run(inputs) }
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
    let body = Unmanaged.passRetained(ReactionBody(run))
    var culprit: OpaquePointer?
    var inputs = names.map { Optional($0) }
    let status = source.file.description.withCString { file in
      inputs.withUnsafeMutableBufferPointer { inputs in
        var options = crucible_reaction_options(
          inputs: inputs.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: OpaquePointer.self) },
          input_count: names.count, placement: placement.core, body: ReactionBody.call, context: body.toOpaque(),
          release: ReactionBody.release, label: nil, file: file, line: UInt32(source.line))
        return crucible_soup_add_reaction(core, &options, &culprit)
      }
    }
    if status != CRUCIBLE_OK { fail(status, culprit: culprit, what: ": reaction (\(source))", at: source) }
  }
}
