import Crucible

/// The README's counter, as another package writes it.
@main
enum Dependent {
  static func main() async throws {
    let (increment, value) = Soup.define("counter") { soup in
      let counter = soup.state("counter", 0)
      let increment = soup.slow("increment")
      let value = soup.fast("value", returning: Int.self)
      soup.react(state: counter, increment, on: .inline) { n, _ in n += 1 }
      soup.react(state: counter, value) { n, call in call.reply(n) }
      return (increment, value)
    }
    for _ in 0..<3 { increment() }
    print("the counter says \(try await value())")
  }
}
