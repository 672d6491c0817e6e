// The chemistry of the server: a bounded queue, workers, a service that answers in callbacks, and a journal that is
// written in batches. It ends in the direction of the work, and then its books add up:
//
//   accepted = done + failed + left

import Compounds
import Crucible
import Foundation

struct Job: Sendable {
  let id: String
  let number: Int
  let client: Client
}

/// The numbers of accepted jobs, and of those that have ended.
struct Books: Sendable {
  var accepted = 0
  var done = 0
  var failed = 0
}

struct JobServer: Sendable {
  /// Accepts a job for now or for later, or refuses it: the queue is full.
  let accept: FastInjector<(job: Job, delay: Duration), Bool>
  private let jobs: Soup.Control
  private let books: FastInjector<Void, Books>
  private let service: Soup.Control
  private let journal: Batcher<(job: Job, result: Int)>
  private let files: ConnectionPool<FileHandle>

  /// Makes a server. `delay` is the time that the service takes for a job.
  init(queue: Int, workers: Int, delay: Duration, journalAt path: String) {
    let (note, books) = Soup.define("books", with: .init(placement: .inline)) { soup in
      let state = soup.state("books", Books())
      let note = soup.slow("note", of: (WritableKeyPath<Books, Int> & Sendable).self)
      let read = soup.fast("read", returning: Books.self)
      soup.react(state: state, note) { books, count in books[keyPath: count] += 1 }
      soup.react(state: state, read) { books, call in call.reply(books) }
      return (note, read)
    }

    @Sendable func fail(_ job: Job, _ reason: String) {
      note(\.failed)
      job.client.send("failed \(job.id) \(reason)")
    }

    // A service that answers in a callback. The call waits in the callback, and a drain waits for it.
    let (square, service) = Soup.define("service") { soup in
      let square = soup.fast("square", of: Int.self, returning: Int.self)
      soup.react(square, on: .inline) { call in
        let time = DispatchTime.now() + delay / .seconds(1)
        DispatchQueue.global().asyncAfter(deadline: time) { call.reply(call.input * call.input) }
      }
      return (square, soup.control)
    }

    let files = ConnectionPool(limit: 1, "journal files") {
      guard let file = FileHandle(forWritingAtPath: path) else { throw NetworkError() }
      try file.seekToEnd()
      return file
    } close: {
      try $0.close()
    }
    let journal = Batcher<(job: Job, result: Int)>(size: 64, within: .milliseconds(5), "journal") { rows in
      do {
        let text = rows.map { "\($0.job.id) \($0.result)\n" }.joined()
        try await files.withConnection { try $0.write(contentsOf: Data(text.utf8)) }
        for row in rows {
          note(\.done)
          row.job.client.send("done \(row.job.id) \(row.result)")
        }
      } catch {
        for row in rows { fail(row.job, "\(error)") }
      }
    }

    (accept, jobs) = Soup.define("jobs") { soup in
      let accept = soup.fast("accept", of: (job: Job, delay: Duration).self, returning: Bool.self)
      let job = soup.slow("job", of: Job.self, capacity: queue, whenFull: .refuse)
      let due = soup.slow("due", of: Job.self)
      let worker = soup.slow("worker")

      // The body counts what it accepts, so a drain that is over has seen it.
      soup.react(accept, on: .inline) { call in
        let (new, delay) = call.input
        let isAccepted = delay > .zero ? !due.after(delay, new).isRefused : job(new)
        if isAccepted { note(\.accepted) }
        call.reply(isAccepted)
      }
      soup.react(due, on: .inline) { later in
        if !job(later) { fail(later, "the queue is full") }
      }
      soup.react(job, worker) { job, _ in
        defer { worker() }
        do {
          let result = try await square(job.number)
          if !journal.add((job, result)) { fail(job, "the journal is closed") }
        } catch {
          fail(job, "\(error)")
        }
      }
      worker.inject(count: workers)
      soup.measure(job, bodyTimes: true)
      return (accept, soup.control)
    }
    (self.books, self.service, self.journal, self.files) = (books, service, journal, files)
  }

  /// Finishes the accepted jobs within the limit, and then closes what the server has. Returns its books, and the
  /// number of jobs that are left: there was no time for them, or they were not due.
  func end(within limit: Duration) async throws -> (books: Books, left: Int) {
    let report = await jobs.drain(within: limit)
    var left = jobs(leftBy: report)
    if !report.isQuiet {
      // Bodies that still run end by an error, and say so.
      jobs.cancelBodies()
      left += jobs(leftBy: await jobs.drain(within: .seconds(10)))
    }
    // The rest of the server finishes in any case what the jobs have begun.
    for next in [journal.control, service, files.control] { await next.drain(within: .seconds(10)) }
    return (try await books(), left)
  }

  /// The accepted jobs among what a drain has left.
  private func jobs(leftBy report: DrainReport) -> Int {
    report.unfinished.reduce(0) { $0 + (["job", "due"].contains($1.label) ? $1.molecules : 0) }
      + report.timers.reduce(0) { $0 + $1.count }
  }
}
