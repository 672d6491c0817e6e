// Fork and join: Fibonacci numbers. A separate reaction computes each half.
//
// The body is `async`, so a body that awaits its halves holds no thread.

import Crucible

func makeFibonacci(_ options: Soup.Options = .init()) -> FastInjector<Int, Int> {
  Soup.define("Fibonacci", with: options) { soup in
    let fibonacci = soup.fast("fibonacci", of: Int.self, returning: Int.self)
    soup.react(fibonacci) { call async throws in
      if call.input < 2 {
        call.reply(call.input)
      } else {
        async let left = fibonacci(call.input - 1)
        async let right = fibonacci(call.input - 2)
        call.reply(try await left + right)
      }
    }
    return fibonacci
  }
}
