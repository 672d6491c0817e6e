import Crucible

// A state may hold a value that cannot be copied, a molecule may not. A pattern derives the body's arguments from an
// associated type and from packs of names. Swift 6.3 has neither for such values. Once the second part compiles,
// molecules can follow.

struct File: ~Copyable, Sendable { let number: Int }

func names(_ soup: Soup) {
  // refused: requires that 'File' conform to 'Copyable'
  _ = soup.slow("file", of: File.self)
  // refused: requires that 'File' conform to 'Copyable'
  _ = soup.fast("open", of: Int.self, returning: File.self)
  let (file, close) = (soup.state("file", File(number: 0)), soup.slow("close"))
  soup.react(state: file, close) { file, _ in file = File(number: file.number + 1) }
}

protocol Name {
  // refused: cannot suppress 'Copyable' requirement of an associated type
  associatedtype Argument: ~Copyable
}

// refused: 'each Value'
func react<each Value: ~Copyable>(_ body: (repeat consuming each Value) -> Void) {}
