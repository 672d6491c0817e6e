// Failures: what the core does when the system refuses it something.
//
// Usage: failures [--first] COMMAND. With --first it ends after its first finding.
//
//   failures allocations [SCENARIO]   in each scenario, on every matcher, attempt 1 fails, then attempt 2, and so on
//                                     until none fails any more; and the same with two, with three, and with all
//                                     attempts from then on
//   failures threads [SCENARIO]       the same with the creation of threads
//   failures mappings                 in each scenario all mappings fail, which liburcu needs for threads that read
//   failures storm ROUNDS             several threads do everything at once, and the kernel refuses requests (deny.c)
//   failures limits                   counters at their limits
//
// Each run is a process of its own. It may end well: then memory is back, and its books balance (ledger.c). Or it may
// end by an abort with a message, where it can neither report the failure nor undo its work. Anything else fails the
// test, and so does a kind of failure that never came.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failing.h"
#include "ledger.h"
#include "trial.h"

struct plan {
  scenario run;
  crucible_matcher matcher;
  unsigned what;
  uint64_t first, count;
};

static void carry_out(const void *argument) {
  const struct plan *plan = argument;
  failing_begin(plan->what, plan->first, plan->count);
  plan->run(plan->matcher);
}

static bool ends_with_first;

static void print_finding(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void print_finding(const char *format, ...) {
  va_list list;
  va_start(list, format);
  printf("\nFAILED ");
  vprintf(format, list);
  printf("\n");
  va_end(list);
  if (!ends_with_first) return;
  fflush(stdout);
  _exit(1);
}

static const char *title_of(crucible_matcher matcher) { return crucible_matcher_name(matcher); }

struct tally {
  uint64_t runs, well, aborted, wrong, refusals;
};

static void count_outcome(struct tally *tally, const struct outcome *outcome) {
  tally->runs++;
  tally->refusals += outcome->refusals;
  if (outcome->verdict == WELL) tally->well++;
  if (outcome->verdict == WRONG) tally->wrong++;
  if (outcome->verdict == ABORTED) tally->aborted++;
}

/// Runs all attempts of a scenario. Returns how many attempts there were.
static uint64_t try_scenario(const struct named_scenario *named, crucible_matcher matcher, unsigned what,
                             struct tally *tally) {
  static const uint64_t counts[] = {1, 2, 3, UINT64_MAX};
  uint64_t most = 0;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    for (uint64_t first = 1;; first++) {
      struct plan plan = {named->run, matcher, what, first, counts[c]};
      struct outcome outcome = trial_run(carry_out, &plan);
      count_outcome(tally, &outcome);
      if (outcome.verdict == WRONG) {
        print_finding("%s on %s, %llu from attempt %llu on: %s", named->name, title_of(matcher),
                      (unsigned long long)counts[c], (unsigned long long)first, outcome.message);
      }
      if (outcome.failures == 0) break;
      if (most < first) most = first;
    }
  }
  return most;
}

static int try_all(unsigned what, const char *only) {
  struct tally tally = {0};
  uint64_t attempts = 0;
  for (unsigned s = 0; s < scenario_count; s++) {
    if (only && strcmp(only, scenarios[s].name)) continue;
    printf("%-22s", scenarios[s].name);
    for (uint32_t m = 1; m <= crucible_matcher_count(); m++) {
      uint64_t most = try_scenario(&scenarios[s], (crucible_matcher)m, what, &tally);
      printf("  %s: %llu attempts", title_of((crucible_matcher)m), (unsigned long long)most);
      attempts += most;
    }
    printf("\n");
  }
  printf("%llu runs: %llu ended well, with %llu refusals; %llu aborted with a message\n",
         (unsigned long long)tally.runs, (unsigned long long)tally.well, (unsigned long long)tally.refusals,
         (unsigned long long)tally.aborted);
  if (attempts == 0) printf("FAILED nothing was attempted that can fail: the test shows nothing\n");
  return tally.wrong > 0 || attempts == 0;
}

static int try_mappings(void) {
  struct tally tally = {0};
  for (unsigned s = 0; s < scenario_count; s++) {
    struct plan plan = {scenarios[s].run, CRUCIBLE_WORD, MAPPING, 1, UINT64_MAX};
    struct outcome outcome = trial_run(carry_out, &plan);
    count_outcome(&tally, &outcome);
    if (outcome.verdict == WRONG) print_finding("%s: %s", scenarios[s].name, outcome.message);
  }
  if (tally.aborted == 0) printf("FAILED nobody read: the test shows nothing\n");
  return tally.wrong > 0 || tally.aborted == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Several threads
// ---------------------------------------------------------------------------------------------------------------------

static int try_storm(unsigned rounds) {
  int status = 0;
  for (uint32_t m = 1; m <= crucible_matcher_count(); m++) {
    struct storm storm = {.matcher = (crucible_matcher)m, .threads = 6, .rounds = rounds, .seed = m};
    struct outcome outcome = trial_run(storm_run, &storm);
    static const char *const results[] = {"passed", "aborted", "FAILED"};
    printf("%s storm on %s%s%s\n", results[outcome.verdict], title_of(storm.matcher),
           outcome.verdict == WELL ? "" : ": ", outcome.message);
    if (outcome.verdict != WELL) status = 1;
  }
  return status;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--first") == 0) {
    ends_with_first = true;
    argc--, argv++;
  }
  const char *command = argc > 1 ? argv[1] : "";
  const char *argument = argc > 2 ? argv[2] : NULL;
  unsigned long number = argument ? strtoul(argument, NULL, 10) : 0;
  int status;
  if (strcmp(command, "allocations") == 0) {
    status = try_all(ALLOCATING, argument);
  } else if (strcmp(command, "threads") == 0) {
    status = try_all(THREAD, argument);
  } else if (strcmp(command, "mappings") == 0) {
    status = try_mappings();
  } else if (strcmp(command, "storm") == 0 && number) {
    status = try_storm((unsigned)number);
  } else if (strcmp(command, "limits") == 0) {
    status = limits_run() > 0;
  } else {
    fprintf(stderr, "usage: see failures.c\n");
    return 2;
  }
  printf("%s %s\n", status ? "FAILED" : "passed", command);
  return status;
}
