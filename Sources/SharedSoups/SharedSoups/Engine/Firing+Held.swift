// The values that a worker gets from its engine, and those that it reports.

/// A firing in the hands of a worker.
struct HeldFiring: Hashable, Sendable {
  let id: ClientID
  let reaction: Int64
  /// The number of times that it was given to a worker. Only a report with the last one counts.
  let fence: Int64
  /// The number of bodies that have thrown.
  let failures: Int
  /// The number of workers that were lost with it.
  let losses: Int
  /// The molecules in the order of the pattern, without the state.
  let inputs: [Molecule]

  /// The number of this attempt. The first is 1.
  var attempt: Int { failures + losses + 1 }
}

/// Firings that one worker runs in order, and settles together: one firing, or several over one state. A firing with
/// which a worker was lost runs alone.
struct Run: Hashable, Sendable {
  /// The state that they share.
  var state: Molecule?
  var firings: [HeldFiring]
}

/// The most firings of a run. A worker that dies gives all of them back.
let longestRun = 32

/// The result of a take.
struct Taken: Sendable {
  var runs: [Run] = []
  /// Whether the worker must take nothing more until one of its bodies has ended: a firing is, or will be, alone in it.
  var isFull = false
  /// The time at which the next molecule or firing is due, by the soup's clock.
  var nextDue: Int64?
  /// Changes when a worker comes or goes, or when reactions are added.
  var version: Int64 = 0
}

/// How the body of a firing ended.
enum End: Hashable, Sendable {
  /// The outputs, and the replies to calls among the inputs.
  case done([Injection], [Reply])
  /// The error of the body, and when to try again. Without a time, the firing becomes a dead letter.
  case failed(String, retryAfter: Int64?)
}

/// An answer to a call, with the outputs for both cases: the caller gets the answer, or has given up.
struct Reply: Hashable, Sendable {
  var call: ClientID
  var outcome: CallOutcome
  var otherwise: [Injection] = []
}

/// The report about one run. The engine accepts all of it, or refuses it because the worker has lost the run.
struct Settlement: Sendable {
  var firings: [(HeldFiring, End)]
  /// The state, with the value that the bodies have left.
  var state: Molecule?
}

/// A firing that failed too often.
struct DeadFiring: Hashable, Sendable {
  var id: ClientID
  var reaction: Int64
  var failures: Int
  var losses: Int
  var error: String
  var inputs: [Molecule]
}
