// Words of text files: the corpus that `wordcount` counts, and the table that both layers count in.
//
// A word is a run of ASCII letters, digits and bytes above 127; letters count without case. A text file is one
// without a zero byte.

#ifndef HARNESS_WORDS_H
#define HARNESS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct harness_piece {
  const char *text;
  size_t length;
} harness_piece;

/// Every text file of a directory and below, hidden ones excepted, cut between words into pieces of about 4 KiB.
typedef struct harness_corpus {
  size_t files;
  size_t bytes;
  size_t piece_count;
  harness_piece *pieces;
  void *_Nullable memory;
} harness_corpus;

/// Null: the directory cannot be read, or holds no word.
harness_corpus *_Nullable harness_corpus_read(const char *directory);
void harness_corpus_free(harness_corpus *corpus);

/// How often each word occurs. Words are not copied: a table must not outlive its corpus.
typedef struct harness_words harness_words;

harness_words *harness_words_create(void);
void harness_words_free(harness_words *words);
void harness_words_count(harness_words *words, harness_piece piece);
/// Adds the counts of `from`, and frees it.
void harness_words_merge(harness_words *into, harness_words *from);
/// True if `words` holds exactly `times` as many of every word as `reference`.
bool harness_words_equal(const harness_words *words, const harness_words *reference, uint64_t times);
uint64_t harness_words_total(const harness_words *words);
size_t harness_words_distinct(const harness_words *words);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
