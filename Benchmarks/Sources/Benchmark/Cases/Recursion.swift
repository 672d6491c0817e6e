import CHarness
import Crucible

// Recursive functions. With Crucible, each call defines a soup for its two parts. In the alternatives, each call awaits
// two child tasks. One reaction joins the parts of a call. The benchmark verifies each result.
//
//   fib-N        molecules carry the two parts to the soup, where a state sums them up
//   mergesort-N  molecules carry the two sorted halves of N numbers to the soup, where one reaction merges them

func fib(_ n: Int) -> Opening {
  { setting in
    let (value, calls) = fibonacci(n)
    if setting.strategy == .asyncLet { return awaited(result: value, calls: calls) { await fibInTasks(n) } }
    let matcher = setting.matcher
    return computed(result: value, calls: calls) { fibInSoups(n, matcher) }
  }
}

func mergeSort(_ n: Int) -> Opening {
  { setting in
    // Every number once, unordered: n is a power of two.
    let numbers = (0..<n).map { $0 * 167 % n }
    let sorted = Array(0..<n)
    if setting.strategy == .asyncLet {
      return awaited(result: 1, calls: n - 1) { await sortInTasks(numbers[...]) == sorted ? 1 : 0 }
    }
    let matcher = setting.matcher
    return computed(result: 1, calls: n - 1) { sortInSoups(numbers[...], matcher) == sorted ? 1 : 0 }
  }
}

@inline(never)
private func fibInSoups(_ n: Int, _ matcher: Soup.Matcher) -> Int {
  if n < 2 { return n }
  let (part, sum) = Soup.define("fib", with: .init(matcher: matcher, placement: .inline)) { soup in
    let total = soup.state("total", 0)
    let part = soup.slow("part", of: Int.self)
    let sum = soup.fast("sum", returning: Int.self)
    soup.react(state: total, part, on: .inline) { total, part in total += part }
    soup.react(state: total, sum, on: .inline) { total, call in call.reply(total) }
    return (part, sum)
  }
  part(fibInSoups(n - 1, matcher))
  part(fibInSoups(n - 2, matcher))
  return (try? sum.blocking()) ?? 0
}

private func fibInTasks(_ n: Int) async -> Int {
  if n < 2 { return n }
  async let a = fibInTasks(n - 1)
  async let b = fibInTasks(n - 2)
  return await a + b
}

/// Returns the number, and how many of the calls for it have parts.
private func fibonacci(_ n: Int) -> (value: Int, calls: Int) {
  var (last, next) = (0, 1)
  for _ in 0..<n { (last, next) = (next, last + next) }
  return (last, next - 1)
}

@inline(never)
private func sortInSoups(_ numbers: ArraySlice<Int>, _ matcher: Soup.Matcher) -> [Int] {
  if numbers.count < 2 { return Array(numbers) }
  let (half, sorted) = Soup.define("sort", with: .init(matcher: matcher, placement: .inline)) { soup in
    let half = soup.slow("half", of: [Int].self)
    let sorted = soup.fast("sorted", returning: [Int].self)
    soup.react(half, half, sorted, on: .inline) { a, b, call in call.reply(merged(a, b)) }
    return (half, sorted)
  }
  let (left, right) = halves(numbers)
  half(sortInSoups(left, matcher))
  half(sortInSoups(right, matcher))
  return (try? sorted.blocking()) ?? []
}

private func sortInTasks(_ numbers: ArraySlice<Int>) async -> [Int] {
  if numbers.count < 2 { return Array(numbers) }
  let (left, right) = halves(numbers)
  async let a = sortInTasks(left)
  async let b = sortInTasks(right)
  return await merged(a, b)
}

private func halves(_ numbers: ArraySlice<Int>) -> (ArraySlice<Int>, ArraySlice<Int>) {
  let middle = numbers.startIndex + numbers.count / 2
  return (numbers[..<middle], numbers[middle...])
}

private func merged(_ a: [Int], _ b: [Int]) -> [Int] {
  if a.isEmpty { return b }
  return [Int](unsafeUninitializedCapacity: a.count + b.count) { buffer, count in
    var (i, j) = (0, 0)
    while i < a.count || j < b.count {
      let isFirst = j == b.count || (i < a.count && a[i] <= b[j])
      buffer[i + j] = isFirst ? a[i] : b[j]
      if isFirst { i += 1 } else { j += 1 }
    }
    count = i + j
  }
}

/// Measures a function of that result, which makes so many calls that have parts.
private func computed(result: Int, calls: Int, _ compute: @escaping () -> Int) -> Contender {
  Contender { (rounds, _) throws(Wrong) in
    let times = max(1, rounds / calls / 64)
    var sum = 0
    var sample = try harness_sample.onThisThread(rounds: rounds) { _ in for _ in 0..<times { sum += compute() } }
    sample.reactions = UInt64(times * calls)
    try Wrong.unlessEqual("sum", expected: times * result, found: sum)
    return sample
  }
}

private func awaited(result: Int, calls: Int, _ compute: @escaping @Sendable () async -> Int) -> Contender {
  let crew = TaskCrew(tasks: 1)
  return Contender { (rounds, _) throws(Wrong) in
    let times = max(1, rounds / calls / 64)
    let total = Sum()
    var sample = crew.run(rounds: times) { share in
      var sum = 0
      while let portion = share.take() {
        for _ in portion { sum += await compute() }
      }
      total.add(sum)
    }
    sample.rounds = UInt64(rounds)
    sample.reactions = UInt64(times * calls)
    try Wrong.unlessEqual("sum", expected: times * result, found: total.value)
    return sample
  }
}
