// Paxos for a single decree (Lamport, "Paxos Made Simple", 2001): proposers that compete agree on one value.
//
// An acceptor is a soup with one state. A proposer is plain code that asks a majority, and retries with a higher
// ballot. Acceptors never wait for each other, so there is nothing to lock.

import Crucible

struct Accepted: Sendable, Equatable {
  var ballot: Int
  var value: String
}

/// `prepare` replies nil if the acceptor promised a higher ballot. Otherwise it replies the last accepted value, if
/// any.
typealias Acceptor = (
  prepare: FastInjector<Int, Promised?>, accept: FastInjector<Accepted, Bool>, control: Soup.Control
)

struct Promised: Sendable {
  var accepted: Accepted?
}

func makeAcceptor(_ options: Soup.Options = .init()) -> Acceptor {
  Soup.define("acceptor", with: options) { soup in
    let memory = soup.state("memory", (promised: -1, accepted: Accepted?.none))
    let prepare = soup.fast("prepare", of: Int.self, returning: Promised?.self)
    let accept = soup.fast("accept", of: Accepted.self, returning: Bool.self)
    soup.react(state: memory, prepare) { memory, call in
      if call.input <= memory.promised {
        _ = call.reply(nil)
        return
      }
      memory.promised = call.input
      call.reply(Promised(accepted: memory.accepted))
    }
    soup.react(state: memory, accept) { memory, call in
      if call.input.ballot < memory.promised {
        _ = call.reply(false)
        return
      }
      memory.promised = call.input.ballot
      memory.accepted = call.input
      call.reply(true)
    }
    return (prepare, accept, soup.control)
  }
}

/// No acceptor exists, so no value can be chosen.
struct NoAcceptors: Error {}

/// Proposes a value until one is chosen. Returns the chosen value, which may be another proposer's.
///
/// Throws ``NoAcceptors`` if there is none, because no majority would ever reply.
func propose(_ value: String, by proposer: Int, of proposers: Int, to acceptors: [Acceptor]) async throws -> String {
  if acceptors.isEmpty { throw NoAcceptors() }
  let majority = acceptors.count / 2 + 1
  var ballot = proposer
  while true {
    var promises: [Promised] = []
    for acceptor in acceptors {
      if let promise = try await acceptor.prepare(ballot) { promises.append(promise) }
    }
    if promises.count >= majority {
      let last = promises.compactMap(\.accepted).max { $0.ballot < $1.ballot }
      let proposal = Accepted(ballot: ballot, value: last?.value ?? value)
      var votes = 0
      for acceptor in acceptors where try await acceptor.accept(proposal) { votes += 1 }
      if votes >= majority { return proposal.value }
    }
    ballot += proposers  // ballots of two proposers are never equal
    for _ in 0..<Int.random(in: 0...proposers) { await Task.yield() }
  }
}
