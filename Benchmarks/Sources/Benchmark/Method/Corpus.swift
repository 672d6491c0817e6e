import CHarness

/// The text that `wordcount` counts, and what a sequential count of it finds.
final class Corpus {
  let handle: UnsafeMutablePointer<harness_corpus>
  let expected: OpaquePointer

  init(directory: String) throws(Wrong) {
    guard let handle = harness_corpus_read(directory) else { throw Wrong("no text files under \(directory)") }
    self.handle = handle
    expected = harness_words_create()
    for index in 0..<handle.pointee.piece_count {
      harness_words_count(expected, handle.pointee.pieces[index])
    }
  }

  deinit {
    harness_words_free(expected)
    harness_corpus_free(handle)
  }

  var pieces: UnsafeBufferPointer<harness_piece> {
    UnsafeBufferPointer(start: handle.pointee.pieces, count: handle.pointee.piece_count)
  }

  var summary: String {
    "\(handle.pointee.files) text files, \(handle.pointee.bytes) bytes, \(harness_words_total(expected)) words, "
      + "\(harness_words_distinct(expected)) of them different"
  }
}
