import Crucible
import CrucibleTestSupport
import Testing

/// Contract 6: a mistake ends the program, in every build, with a message that names soup, molecule and source line.
@Suite(.watched)
struct `Misuse` {
  @Test(arguments: Mistake.all.indices.map { $0 })
  func `A mistake ends the process with a message that says what is wrong and where`(index: Int) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [index = index as Int] in
      Mistake.all[index].make()
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for part in Mistake.all[index].parts {
      #expect(message.contains(part), "the message has no such part: \(Mistake.all[index].title)")
    }
    // The place before the message is the program's line, unless a property, a control or a conformance reports it.
    let placeless = ["Soup.Pool.", "the definition has not ended yet", "conforms to Leaving"]
    if placeless.contains(where: message.contains) { return }
    let place = /(\w+)\/[\w+-]+\.swift:\d+: Fatal error/
    #expect(try place.firstMatch(in: message)?.1 == "CrucibleTests", "of \(Mistake.all[index].title): \(message)")
  }

  @Test func `A pool may have one worker, 256 workers, or as many as the highest limit`() async {
    await #expect(processExitsWith: .success) {
      for workers in [1, 256] {
        Soup.Pool.workers = workers
        #expect(Soup.Pool.workers == workers)
      }
      for limit in [256, 1024] {
        Soup.Pool.limit = limit
        #expect(Soup.Pool.limit == limit)
      }
      Soup.Pool.workers = 1024
      #expect(Soup.Pool.workers == 1024)
    }
  }
}
