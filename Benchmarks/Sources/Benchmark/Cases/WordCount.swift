import CHarness
import Crucible
import Synchronization

/// Map and reduce as chemistry, on the pool: piece → partial counts the words of a piece of text, partial & partial →
/// partial merges two counts, and the one that covers all pieces is the total. With more than one round every piece is
/// injected that often. Verified: every word's count is that of a sequential count.
func wordCount(_ setting: Setting) throws(Wrong) -> any Contender {
  guard let corpus = setting.corpus else { throw Wrong("no text to count") }
  if setting.strategy == .sequential { return SequentialCount(corpus: corpus) }
  let run = WordCountRun()
  let (piece, control) = Soup.define("wordcount", with: .init(matcher: setting.matcher)) { soup in
    let piece = soup.slow("piece", of: Piece.self)
    let partial = soup.slow("partial", of: Partial.self)
    soup.react(piece) { piece in
      harness_tally_add_seen(0)
      let counted = Partial(counting: piece)
      if run.isTotal(counted) { run.finish(counted) } else { partial(counted) }
    }
    soup.react(partial, partial) { a, b in
      harness_tally_add_seen(0)
      let merged = a.merged(with: b)
      if run.isTotal(merged) { run.finish(merged) } else { partial(merged) }
    }
    return (piece, soup.control)
  }
  return WordCountCase(corpus: corpus, run: run, piece: piece, control: control)
}

private final class WordCountCase: Contender {
  private let corpus: Corpus
  private let run: WordCountRun
  private let piece: Injector<Piece>
  private let control: Soup.Control

  init(corpus: Corpus, run: WordCountRun, piece: Injector<Piece>, control: Soup.Control) {
    self.corpus = corpus
    self.run = run
    self.piece = piece
    self.control = control
  }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let pieces = rounds * corpus.pieces.count
    run.pieces.store(pieces, ordering: .relaxed)
    var sample = run.gate.run {
      for _ in 0..<rounds {
        for text in corpus.pieces { piece(Piece(text: text)) }
      }
    }
    try control.rest()
    harness_tally_overlap(&sample)
    sample.reactions = UInt64(2 * pieces - 1)
    try Wrong.unlessEqual("reactions", expected: sample.reactions, found: harness_tally_total().count)
    let total = run.takeTotal()
    let isRight = harness_words_equal(total.words, corpus.expected, UInt64(rounds))
    harness_words_free(total.words)
    if !isRight { throw Wrong("the counts differ from a sequential count") }
    return sample
  }
}

/// Baseline: one thread counts all pieces in one table. As many reactions as the chemistry needs are told.
private final class SequentialCount: Contender {
  private let corpus: Corpus

  init(corpus: Corpus) { self.corpus = corpus }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    var sample = harness_sample()
    let words = harness_words_create()
    defer { harness_words_free(words) }
    sample.began = harness_now()
    for _ in 0..<rounds {
      for piece in corpus.pieces { harness_words_count(words, piece) }
    }
    sample.nanoseconds = harness_now() - sample.began
    sample.reactions = UInt64(2 * rounds * corpus.pieces.count - 1)
    sample.threads = 1
    sample.overlap = 1
    if !harness_words_equal(words, corpus.expected, UInt64(rounds)) {
      throw Wrong("the counts differ from a sequential count")
    }
    return sample
  }
}

/// How many pieces the total covers, and the total once it is there.
private final class WordCountRun: Sendable {
  let gate = Gate()
  let pieces = Atomic(0)
  private let total = Mutex<Partial?>(nil)

  func isTotal(_ partial: Partial) -> Bool { partial.pieces == pieces.load(ordering: .relaxed) }

  func finish(_ partial: Partial) {
    total.withLock { $0 = partial }
    gate.open()
  }

  func takeTotal() -> Partial { total.withLock { $0! } }
}

/// A piece of the corpus, which outlives every run.
private struct Piece: @unchecked Sendable {
  let text: harness_piece
}

/// The words of some pieces. Whoever consumes the molecule has the table to itself.
private struct Partial: @unchecked Sendable {
  let words: OpaquePointer
  let pieces: Int

  init(counting piece: Piece) {
    words = harness_words_create()
    pieces = 1
    harness_words_count(words, piece.text)
  }

  private init(words: OpaquePointer, pieces: Int) {
    self.words = words
    self.pieces = pieces
  }

  /// Merges the smaller table into the larger one.
  func merged(with other: Partial) -> Partial {
    let isLarger = harness_words_distinct(words) >= harness_words_distinct(other.words)
    let (into, from) = isLarger ? (words, other.words) : (other.words, words)
    harness_words_merge(into, from)
    return Partial(words: into, pieces: pieces + other.pieces)
  }
}
