// A server of jobs over TCP, on the loopback interface.
//
//   swift run server [PORT [QUEUE [MILLISECONDS [SECONDS]]]]
//
// The port is any free one, unless it is given. QUEUE: the most jobs that wait (1000). MILLISECONDS: the time of a job
// (1). SECONDS: the limit of the end (10). A client sends lines and gets lines:
//
//   job ID NUMBER                refused ID; or, in any order, accepted ID, and done ID SQUARE or failed ID REASON
//   later ID NUMBER MILLISECONDS the same, after a time
//   GET /metrics                 the numbers of the server, for Prometheus
//
// SIGTERM and SIGINT end it: it accepts no more jobs, finishes those that it has accepted, and says what is left. The
// exit code is 0 if nothing is left and nothing failed, 1 if something is, 2 if the books do not add up.

import Compounds
import Crucible
import Foundation

/// Calls `act` when the system sends the signal, from the return of this function on, while the source is kept.
func on(_ number: Int32, _ act: @escaping @Sendable () -> Void) async -> any DispatchSourceSignal {
  let source = DispatchSource.makeSignalSource(signal: number)
  source.setEventHandler(handler: act)
  await withCheckedContinuation { continuation in
    source.setRegistrationHandler { continuation.resume() }
    source.resume()
  }
  return source
}

func argument(_ index: Int, in range: ClosedRange<Int>, else usual: Int) -> Int {
  guard CommandLine.arguments.count > index else { return usual }
  guard let number = Int(CommandLine.arguments[index]), range.contains(number) else {
    fatalError("usage: server [PORT [QUEUE [MILLISECONDS [SECONDS]]]]")
  }
  return number
}

/// Answers a line of a client.
@Sendable func answer(_ line: String, of client: Client, by server: JobServer) {
  let words = line.split(separator: " ").map(String.init)
  switch words.first {
  case "job" where words.count == 3, "later" where words.count == 4:
    // Numbers of 32 bits, so that no square is too large.
    guard let number = Int32(words[2]), let delay = words.count == 4 ? UInt32(words[3]) : 0 else {
      return client.send("unknown \(line)")
    }
    let job = Job(id: words[1], number: Int(number), client: client)
    // The body runs here at once. A server that ends refuses the call.
    let isAccepted = try? server.accept.blocking((job, .milliseconds(delay)))
    client.send("\(isAccepted == true ? "accepted" : "refused") \(job.id)")
  case "GET" where words.count > 1 && words[1] == "/metrics":
    let head = "HTTP/1.1 200 OK\r\nContent-Type: \(Soup.Metrics.contentType)\r\nConnection: close\r\n\r\n"
    client.sendLast(head + Soup.metrics().openMetrics().dropLast())
  default: client.send("unknown \(line)")
  }
}

let journal = FileManager.default.temporaryDirectory.appending(path: "journal-\(getpid())").path
_ = FileManager.default.createFile(atPath: journal, contents: nil)
let server = JobServer(
  queue: argument(2, in: 1...1 << 40, else: 1_000), workers: 8,
  delay: .milliseconds(argument(3, in: 0...60_000, else: 1)), journalAt: journal)
let limit = Duration.seconds(argument(4, in: 0...3_600, else: 10))
let ended = Promise<Void>("ended")
let sources = [await on(SIGTERM) { _ = ended.fulfil(()) }, await on(SIGINT) { _ = ended.fulfil(()) }]
let listener = try Listener(port: UInt16(argument(1, in: 0...65_535, else: 0))) { client, line in
  answer(line, of: client, by: server)
}
print("listening on 127.0.0.1:\(listener.port), journal \(journal)")
fflush(nil)  // a reader of the pipe waits for the line

try await ended.value()
listener.end()
let (books, left) = try await server.end(within: limit)
await listener.finish(within: .seconds(1))
print("\(books.accepted) accepted, \(books.done) done, \(books.failed) failed, \(left) left")
withExtendedLifetime(sources) {}
exit(books.accepted != books.done + books.failed + left ? 2 : books.failed + left > 0 ? 1 : 0)
