// The chemistry of a maximum: when two numbers meet, the greater one survives. Ready-made: `mapReduce` of Compounds.
//
// The textbook's single reaction never reports the end. Here the numbers are counted, so the last one replies.

import Crucible

/// The greatest number; nil if there is none.
func maximum(of numbers: [Int], _ options: Soup.Options = .init()) async throws -> Int? {
  let (number, greatest) = Soup.define("maximum", with: options) { soup in
    let number = soup.slow("number", of: (value: Int, of: Int).self)
    let complete = soup.slow("complete", of: Int?.self)
    let greatest = soup.fast("greatest", returning: Int?.self)
    soup.react(number, number) { a, b in
      let (value, of) = (max(a.value, b.value), a.of + b.of)
      if of == numbers.count { complete(value) } else { number((value, of)) }
    }
    soup.react(greatest, complete) { call, value in call.reply(value) }
    if numbers.count < 2 { complete(numbers.first) }
    return (number, greatest)
  }
  if numbers.count > 1 { number.inject(contentsOf: numbers.map { ($0, 1) }) }
  return try await greatest()
}
