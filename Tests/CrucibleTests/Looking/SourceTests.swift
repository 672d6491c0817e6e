import Crucible
import Testing

@Suite("A place in the source")
struct SourceTests {
  @Test func `A source is that of the call, unless another one is given`() {
    #expect(Soup.Source() == Soup.Source(file: #fileID, line: #line))
    #expect(Soup.Source(file: "Bank/Bank.swift", line: 14).description == "Bank/Bank.swift:14")
  }

  @Test func `A source comes before another one by its file, then by its line`() {
    let places = [("A/B.swift", 10), ("A/B.swift", 9), ("A/A.swift", 11)].map { Soup.Source(file: $0.0, line: $0.1) }
    #expect(places.sorted() == places.reversed())
  }
}
