// Requests over one connection, whose replies come in another order, twice, or never.

import Compounds

func requests() async throws {
  let unclaimed = CountDownLatch(10)
  let replies = Correlator<Int, String>(keepingReplies: .milliseconds(10)) { _, _ in unclaimed.countDown() }

  /// The other side: each tenth reply is lost, and each tenth comes twice.
  @Sendable func send(_ id: Int) {
    Task {
      if id % 10 == 0 { return }
      replies.deliver("reply \(id)", for: id)
      if id % 10 == 1 { replies.deliver("reply \(id), again", for: id) }
    }
  }

  let answered = await withTaskGroup { group in
    for id in 0..<100 {
      group.addTask {
        send(id)
        // Those whose replies are lost are not patient, so that the program ends soon.
        let text = try? await replies.reply(id, within: id % 10 == 0 ? .milliseconds(50) : .seconds(60))
        return text?.hasPrefix("reply \(id)") ?? false
      }
    }
    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
  }
  try await unclaimed.wait()
  let left = replies.control.snapshot().counts.reduce(0) { $0 + $1.molecules }
  print("\(answered) requests got their own replies, 10 were unclaimed, \(left) left")
}
