import Crucible

/// The compiler refuses a blocking call wherever it would block a thread of Swift concurrency.
typealias Ask = FastInjector<Int, Int>

func inFunction(_ ask: Ask, _ read: FastInjector<Void, Int>, _ control: Soup.Control) async throws {
  // refused: instance method 'blocking' is unavailable from asynchronous contexts
  _ = try ask.blocking(1)
  // refused: instance method 'blocking' is unavailable from asynchronous contexts
  _ = try ask.blocking(1, within: .seconds(1))
  // refused: instance method 'blocking' is unavailable from asynchronous contexts
  _ = try read.blocking()
  // refused: instance method 'blocking' is unavailable from asynchronous contexts
  _ = try read.blocking(within: .seconds(1))
  // refused: instance method 'quiet' is unavailable from asynchronous contexts
  control.blocking.quiet(within: .seconds(1))
  // refused: instance method 'stop' is unavailable from asynchronous contexts
  control.blocking.stop()
  // refused: instance method 'restart' is unavailable from asynchronous contexts
  try control.blocking.restart()
}

func inTask(_ ask: Ask) {
  // refused: instance method 'blocking' is unavailable from asynchronous contexts
  Task { try ask.blocking(1) }
}

func inAsyncBody(_ ask: Ask) {
  Soup.define { soup in
    let a = soup.slow("a")
    soup.react(a) { _ in
      await Task.yield()
      // refused: instance method 'blocking' is unavailable from asynchronous contexts
      _ = try ask.blocking(1)
    }
    soup.react(a, on: .main) { _ in
      await Task.yield()
      // refused: instance method 'blocking' is unavailable from asynchronous contexts
      _ = try ask.blocking(1)
    }
  }
}

// A call always awaits, because there is no other function of that name.
func callInThread(_ ask: Ask) throws {
  // refused: 'async' call in a function that does not support concurrency
  _ = try ask(1)
}
