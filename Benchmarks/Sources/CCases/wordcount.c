// wordcount: map and reduce as chemistry, on the pool. piece → partial counts the words of a piece of text;
// partial & partial → partial merges two counts. The one that covers all pieces answers whoever asked for the total.
//
// With more than one round every piece is injected that often. Verified: every word's count is that of a sequential
// count. Baseline `sequential`: the same table filled by one thread without chemistry.

#include <stdlib.h>

#include "experiment.h"

typedef struct partial {
  harness_words *words;
  uint64_t pieces;
} partial;

typedef struct wordcount {
  crucible_soup *soup;  // null: sequential
  crucible_name *piece, *partial;
  const harness_corpus *corpus;
  const harness_words *expected;
  harness_gate *gate;
  uint64_t pieces;       // that the total covers
  harness_words *total;  // written before the gate opens
} wordcount;

static void pass_on(wordcount *wordcount, partial partial) {
  if (partial.pieces < wordcount->pieces) {
    crucible_inject(wordcount->partial, &partial);
  } else {
    wordcount->total = partial.words;
    harness_gate_open(wordcount->gate);
  }
}

static void map(void *context, void *const *inputs) {
  harness_tally_add_seen(0);
  partial partial = {harness_words_create(), 1};
  harness_words_count(partial.words, *(const harness_piece *)inputs[0]);
  pass_on(context, partial);
}

static void reduce(void *context, void *const *inputs) {
  harness_tally_add_seen(0);
  partial a = *(const partial *)inputs[0], b = *(const partial *)inputs[1];
  bool a_is_larger = harness_words_distinct(a.words) >= harness_words_distinct(b.words);
  partial merged = {a_is_larger ? a.words : b.words, a.pieces + b.pieces};
  harness_words_merge(merged.words, a_is_larger ? b.words : a.words);
  pass_on(context, merged);
}

static void wordcount_close(void *state) {
  wordcount *wordcount = state;
  if (wordcount->soup) crucible_soup_release(wordcount->soup);
  harness_gate_destroy(wordcount->gate);
  free(wordcount);
}

static bool define(wordcount *wordcount, const cases_setting *setting, harness_sample *failure) {
  crucible_soup *soup = wordcount->soup = cases_soup(setting, failure);
  if (!soup) return false;
  wordcount->piece = cases_name(soup, "piece", CRUCIBLE_SLOW, sizeof(harness_piece), failure);
  wordcount->partial = cases_name(soup, "partial", CRUCIBLE_SLOW, sizeof(partial), failure);
  crucible_name *two_partials[] = {wordcount->partial, wordcount->partial};
  cases_react(soup, CRUCIBLE_POOL, map, wordcount, &wordcount->piece, 1, failure);
  cases_react(soup, CRUCIBLE_POOL, reduce, wordcount, two_partials, 2, failure);
  return cases_freeze(soup, setting, failure);
}

static void *wordcount_open(const cases_setting *setting, size_t parameter, harness_sample *failure) {
  (void)parameter;
  if (!setting->corpus || !setting->expected) {
    harness_sample_fail(failure, "no text to count");
    return NULL;
  }
  wordcount *wordcount = calloc(1, sizeof *wordcount);
  if (!wordcount) abort();
  wordcount->corpus = setting->corpus;
  wordcount->expected = setting->expected;
  wordcount->gate = harness_gate_create();
  if (setting->strategy == CASES_SEQUENTIAL || define(wordcount, setting, failure)) return wordcount;
  wordcount_close(wordcount);
  return NULL;
}

static void count_alone(wordcount *wordcount, uint64_t rounds) {
  harness_words *words = harness_words_create();
  for (uint64_t round = 0; round < rounds; round++) {
    for (size_t i = 0; i < wordcount->corpus->piece_count; i++) {
      harness_words_count(words, wordcount->corpus->pieces[i]);
    }
  }
  wordcount->total = words;
  harness_gate_open(wordcount->gate);
}

static void inject_pieces(wordcount *wordcount, uint64_t rounds) {
  for (uint64_t round = 0; round < rounds; round++) {
    for (size_t i = 0; i < wordcount->corpus->piece_count; i++) {
      harness_piece piece = wordcount->corpus->pieces[i];
      crucible_inject(wordcount->piece, &piece);
    }
  }
}

static void wordcount_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  (void)recorders;
  wordcount *wordcount = state;
  uint64_t pieces = wordcount->pieces = rounds * wordcount->corpus->piece_count;
  sample->reactions = 2 * pieces - 1;  // of the chemistry; the baseline is charged with as many
  harness_gate_begin(wordcount->gate, sample);
  if (wordcount->soup) {
    inject_pieces(wordcount, rounds);
  } else {
    count_alone(wordcount, rounds);
  }
  harness_gate_wait(wordcount->gate, sample);
  if (wordcount->soup) {
    cases_rest(wordcount->soup, sample);
    harness_tally_overlap(sample);
    harness_sample_expect(sample, "reactions", sample->reactions, harness_tally_total().count);
    harness_sample_expect(sample, "molecules left over", 0, cases_waiting(wordcount->soup));
  } else {
    sample->threads = 1;
    sample->overlap = 1;
  }
  if (!harness_words_equal(wordcount->total, wordcount->expected, rounds)) {
    harness_sample_fail(sample, "the counts differ from a sequential count");
  }
  harness_words_free(wordcount->total);
}

const cases_kind cases_wordcounts[] = {
    {"wordcount", 0, CASES_MATCHERS | 1u << CASES_SEQUENTIAL, wordcount_open, wordcount_measure, wordcount_close},
    {0},
};
