// Runs one case of layer `c`, or one kernel, and says how long a reaction or a round took.
//
// Built twice from the same sources: for this machine, and (SCALING_SIMULATED) for the simulated one, where the crew's
// threads run on simulated processors, time is theirs, and what happened is counted.
//
//   scaling CASE BY THREADS ROUNDS SAMPLES [COST=NANOSECONDS …]
//
// BY: a matcher (`scaling matchers` lists them), pthread-mutex, or - for a kernel. Prints a line for each sample: ns per round, how far the threads
// overlapped, and of kernel futex ns in calls that wake and ns until awake. On the simulated machine, whose costs the
// last arguments set, one sample is enough, and lines with a name and a count per round follow.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CCases.h"
#include "CCrucible.h"
#include "kernels.h"
#if defined(SCALING_SIMULATED)
#include "machine.h"
#endif

static int misuse(const char *what, const char *word) {
  fprintf(stderr, "scaling: %s '%s'\nusage: scaling CASE BY THREADS ROUNDS SAMPLES [COST=NANOSECONDS ...]\n", what, word);
  return 2;
}

static bool number_of(const char *text, uint64_t least, uint64_t most, uint64_t *value) {
  char *end;
  *value = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == 0 && *value >= least && *value <= most;
}

static bool cost_is_set(const char *argument) {
#if defined(SCALING_SIMULATED)
  return machine_set_cost(argument);
#else
  (void)argument;
  return false;
#endif
}

/// One sample. False: it was wrong, which it said.
static bool measure(const cases_setting *setting, cases_experiment *experiment, uint64_t rounds, harness_sample *sample) {
  if (experiment) {
    cases_measure(experiment, rounds, NULL, sample);
  } else if (!kernel_run(setting->name, setting->crew, rounds, sample)) {
    harness_sample_fail(sample, "no such kernel for %zu threads", harness_crew_threads(setting->crew));
  }
  if (!harness_sample_failed(sample)) return true;
  fprintf(stderr, "scaling: %s: %s\n", setting->name, sample->failure);
  return false;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "matchers") == 0) {
    for (uint32_t m = 1; m <= crucible_matcher_count(); m++) puts(crucible_matcher_name((crucible_matcher)m));
    return 0;
  }
  if (argc < 6) return misuse("too few arguments after", argv[argc - 1]);
  uint64_t threads, rounds, samples;
  if (!number_of(argv[3], 1, HARNESS_MAX_THREADS, &threads)) return misuse("not a number of threads:", argv[3]);
  if (!number_of(argv[4], 1, UINT32_MAX, &rounds)) return misuse("not a number of rounds:", argv[4]);
  if (!number_of(argv[5], 1, 1000, &samples)) return misuse("not a number of samples:", argv[5]);
  for (int i = 6; i < argc; i++) {
    if (!cost_is_set(argv[i])) return misuse("no such cost:", argv[i]);
  }
  cases_setting setting = {.name = argv[1], .by = argv[2]};
  bool is_kernel = strcmp(argv[2], "-") == 0;
  if (!is_kernel && !cases_exists(setting.name, setting.by)) return misuse("no such case, or nobody who does it, called", argv[2]);
  setting.crew = harness_crew_create(threads);
  if (!setting.crew || !crucible_pool_set_workers(1)) {
    fprintf(stderr, "scaling: no memory or no threads\n");
    return 1;
  }
  harness_watch(argv[1]);
  harness_sample sample = {0};
  cases_experiment *experiment = NULL;
  if (!is_kernel && !(experiment = cases_open(&setting, &sample))) {
    fprintf(stderr, "scaling: %s\n", sample.failure);
    return 1;
  }
  bool is_right = measure(&setting, experiment, rounds / 10 + 1, &sample);  // warms up
  for (uint64_t i = 0; i < samples && is_right; i++) {
    sample = (harness_sample){0};
    if (!(is_right = measure(&setting, experiment, rounds, &sample))) break;
    printf("%.4f %.3f %.1f %.1f\n", (double)sample.nanoseconds / (double)rounds, sample.overlap,
           (double)kernel_in_calls() / (double)rounds, (double)kernel_until_awake() / (double)rounds);
  }
#if defined(SCALING_SIMULATED)
  machine_print_counts((double)rounds);
#endif
  if (experiment) cases_close(experiment);
  harness_crew_destroy(setting.crew);
  return is_right ? 0 : 1;
}
