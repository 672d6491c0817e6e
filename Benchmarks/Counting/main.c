// Counts the core's atomic operations per reaction: read-modify-writes and full fences.
//
// `Benchmarks/run` compiles this with the cases of layer `c` and with the core's own sources under
// CRUCIBLE_COUNT_ATOMICS, and the harness runs it once for each case and number of threads. It prints a line for each
// matcher: its name, a tab, and the operations per reaction.
//
//   counting CASE THREADS WORKERS DIRECTORY
//
// THREADS inject in inline cases, WORKERS run the bodies in the others; DIRECTORY holds the text for wordcount.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CCases.h"
#include "CCrucible.h"
#include "base/atomics.h"

enum { ROUNDS = 100000, WARM_UP = 2000, ATTEMPTS = 10 };

static bool count(const cases_setting *setting) {
  static const char *const matchers[] = {"word", "locked"};
  bool is_words = strcmp(setting->name, "wordcount") == 0;  // a round of which is the whole corpus
  harness_sample warm_up = {0}, sample = {0};
  cases_experiment *experiment = cases_open(setting, &sample);
  bool overlapped = false;
  if (experiment) {
    cases_measure(experiment, is_words ? 1 : WARM_UP, NULL, &warm_up);
    // Threads that do not run at the same time do not disturb each other either, and would need fewer operations.
    for (int attempt = 0; attempt < ATTEMPTS && !overlapped && !harness_sample_failed(&sample); attempt++) {
      cases_measure(experiment, is_words ? 1 : ROUNDS, NULL, &sample);
      overlapped = harness_crew_threads(setting->crew) == 1 || sample.overlap >= 0.5;
    }
    cases_close(experiment);
  }
  if (harness_sample_failed(&sample)) {
    fprintf(stderr, "counting: %s, %s: %s\n", setting->name, matchers[setting->strategy], sample.failure);
    return false;
  }
  if (!overlapped) return true;  // no figure
  printf("%s\t%.3f\n", matchers[setting->strategy], (double)sample.operations / (double)sample.reactions);
  return true;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: counting CASE THREADS WORKERS DIRECTORY\n");
    return 2;
  }
  const char *name = argv[1];
  harness_crew *crew = harness_crew_create(strtoul(argv[2], NULL, 10));
  if (!crew || !crucible_pool_set_workers(strtoul(argv[3], NULL, 10))) return 2;
  harness_corpus *corpus = strcmp(name, "wordcount") == 0 ? harness_corpus_read(argv[4]) : NULL;
  harness_words *expected = harness_words_create();
  for (size_t i = 0; corpus && i < corpus->piece_count; i++) harness_words_count(expected, corpus->pieces[i]);

  harness_operations = crucible__atomics_counted;
  harness_watch(name);
  bool is_right = true;
  for (cases_strategy strategy = CASES_WORD; strategy <= CASES_LOCKED; strategy++) {
    is_right = count(&(cases_setting){name, strategy, crew, corpus, expected}) && is_right;
  }
  harness_crew_destroy(crew);
  harness_words_free(expected);
  if (corpus) harness_corpus_free(corpus);
  return is_right ? 0 : 1;
}
