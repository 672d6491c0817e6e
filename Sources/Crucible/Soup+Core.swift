import CCrucible
import Synchronization

/// The body of one reaction as the core calls it: inputs in the order of the pattern.
@usableFromInline
final class ReactionBody: @unchecked Sendable {
  /// Itself first: so the core's two arguments are this closure's, where they are.
  @usableFromInline typealias Run = @Sendable (ReactionBody, UnsafePointer<UnsafeMutableRawPointer>) -> Void

  let run: Run
  let core: OpaquePointer
  let index: Int
  let onError: Soup.ErrorHandler?
  let recovery: Recovery
  /// The names of the pattern, without states.
  let consumed: [OpaquePointer]
  /// Whether any of them carries a value, which is known to have been put back.
  let carriesValues: Bool
  /// In a row; only counted where no value is known to have been put back.
  private let failed = Atomic<Int>(0)

  /// Of the reaction that `soup` declares next.
  init(_ run: @escaping Run, over names: [OpaquePointer], _ recovery: Recovery, in soup: Soup) {
    self.run = run
    self.recovery = recovery
    core = soup.core
    index = crucible_soup_reaction_count(soup.core)
    onError = soup.onError
    consumed = names.filter { crucible_name_kind($0) != CRUCIBLE_STATE }
    carriesValues = consumed.contains { crucible_name_has_payload($0) }
  }

  static let call: crucible_body = { context, inputs in
    Unmanaged<ReactionBody>.fromOpaque(context!)._withUnsafeGuaranteedRef { $0.run($0, inputs) }
  }

  /// Of a reaction that counts its failures in a row.
  static let callAndCount: crucible_body = { context, inputs in
    Unmanaged<ReactionBody>.fromOpaque(context!)._withUnsafeGuaranteedRef { reaction in
      let before = reaction.failures
      reaction.run(reaction, inputs)
      if before != 0 && reaction.failures == before { reaction.endFailures() }
    }
  }

  var failures: Int { failed.load(ordering: .relaxed) }
  func countFailure() { failed.add(1, ordering: .relaxed) }
  func endFailures() { failed.store(0, ordering: .relaxed) }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    Unmanaged<ReactionBody>.fromOpaque(context!).release()
  }
}

extension Soup {
  /// Declares a reaction over `names`; `run` takes its molecules.
  @usableFromInline
  func add(
    _ names: [OpaquePointer], _ placement: Placement, _ recovery: Recovery, _ source: Source,
    _ run: @escaping ReactionBody.Run
  ) {
    requireOpen("declaring a reaction", at: source)
    let reaction = ReactionBody(run, over: names, recovery, in: self)
    let retries = recovery.limit > 0
    let body = Unmanaged.passRetained(reaction)
    var culprit: OpaquePointer?
    var inputs = names.map { Optional($0) }
    let status = source.file.description.withCString { file in
      inputs.withUnsafeMutableBufferPointer { inputs in
        var options = crucible_reaction_options(
          inputs: inputs.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: OpaquePointer.self) },
          input_count: names.count, placement: placement.core,
          body: retries && !reaction.carriesValues ? ReactionBody.callAndCount : ReactionBody.call,
          context: body.toOpaque(), release: ReactionBody.release, retries: retries, label: nil, file: file,
          line: UInt32(source.line))
        return crucible_soup_add_reaction(core, &options, &culprit)
      }
    }
    if status != CRUCIBLE_OK { fail(status, culprit: culprit, what: ": reaction (\(source))", at: source) }
  }
}
