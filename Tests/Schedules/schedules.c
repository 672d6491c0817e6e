// Runs every chemistry under many schedules: see README.md.
//
//   schedules [--seeds N] [--first S] [--depth D] [--case CASES] [--trace]
//   schedules --exhaustive P [--limit N] [--case CASES]
//   schedules --replay DECISIONS --case NAME/MATCHER [--trace]
//   schedules --list
//
// The first form draws schedules from seeds (pct.c). The second runs every schedule with at most P preemptions, or the
// first N of them (bounded.c). Each failure says how to replay it. CASES is a NAME, a NAME/MATCHER, or a pattern as the
// shell's: tiny-*, */locked. Status: 1 if something failed, else 3 if some search was not complete.
//
// Each case has a process of its own, so a crash ends one case only.

#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bounded.h"
#include "CCrucible.h"
#include "futex.h"
#include "objects.h"
#include "policy.h"
#include "scheduler.h"
#include "trial.h"
#include "workers.h"

// The cases that CASE of trial.h has put into the section, between the two symbols that the linker makes for it.
extern const struct trial_chemistry *const __start_chemistries[], *const __stop_chemistries[];

static struct options {
  uint64_t seeds, first;
  unsigned depth;
  const char *only;
  bool trace;
  bool exhaustive;
  unsigned preemptions;
  uint64_t limit;
  const char *replay;
} options = {.seeds = 2000, .first = 1, .depth = 4, .limit = UINT64_MAX};

enum { STEP_LIMIT = 100000, REPLAYS = 50 };
enum result { PASSED = 0, FAILED = 1, INCOMPLETE = 3 };

static struct trial trial;

static void client(void *context, unsigned index) {
  struct trial *of = context;
  of->chemistry->client(of, index);
}

static uint64_t *molecules;  ///< molecules that were checked, in all processes together

static struct outcome run_once(const struct trial_chemistry *chemistry, crucible_matcher matcher,
                               const struct policy *policy, uint64_t seed, uint64_t expected_steps) {
  unsigned workers = chemistry->workers ? chemistry->workers : 1;
  objects_begin();
  futex_reset();
  workers_reset(workers);
  trial_begin(&trial, chemistry, matcher, seed);
  struct plan plan = {.policy = policy,
                      .seed = seed,
                      .changes = options.depth - 1,
                      .expected_steps = expected_steps,
                      .step_limit = STEP_LIMIT,
                      .clients = chemistry->clients,
                      .client = client,
                      .quiet = trial_quiet,
                      .context = &trial,
                      .may_stop = !chemistry->waits && crucible_matcher_is_lock_free(matcher),
                      .learns = options.exhaustive || options.replay,
                      .trace = options.trace && (policy != &pct || seed >= options.first)};
  struct outcome outcome = scheduler_run(&plan);
  trial_end(&trial);
  crucible_reclaim();
  for (unsigned i = 0; i < trial.name_count; i++) *molecules += trial.names[i].injected;
  if (chemistry->bare) *molecules += trial.molecule_count;
  workers_reset(workers);
  uint64_t bytes = crucible_live_bytes();
  if (bytes != trial.bytes) scheduler_fail("%lld bytes stay", (long long)(bytes - trial.bytes));
  return outcome;
}

static void run_case(const struct trial_chemistry *chemistry, crucible_matcher matcher) {
  scheduler_start();
  uint64_t steps = 0, hash = 0;
  uint64_t expected = run_once(chemistry, matcher, &pct, 0, 1).steps;
  expected += expected / 4;
  for (uint64_t i = 0; i < options.seeds; i++) {
    uint64_t seed = options.first + i;
    struct outcome outcome = run_once(chemistry, matcher, &pct, seed, expected);
    if (i < REPLAYS && !options.trace) {
      struct outcome again = run_once(chemistry, matcher, &pct, seed, expected);
      if (again.hash != outcome.hash || again.steps != outcome.steps) scheduler_fail("the seed does not replay");
    }
    steps += outcome.steps;
    hash = hash * UINT64_C(0x100000001B3) ^ outcome.hash;
  }
  printf("passed %-24s %7llu schedules %9llu steps  hash %016llx\n", scheduler_case,
         (unsigned long long)options.seeds, (unsigned long long)steps, (unsigned long long)hash);
  fflush(stdout);
  _exit(0);
}

/// Runs every schedule with at most this many preemptions: first all with none, then all with at most one, and so on.
static void search_case(const struct trial_chemistry *chemistry, crucible_matcher matcher) {
  scheduler_start();
  uint64_t schedules = 0, steps = 0, longest = 0, hash = 0;
  bool complete = true;
  for (unsigned most = 0; most <= options.preemptions && complete; most++) {
    bounded_search(most);
    complete = false;
    while (!complete && schedules < options.limit) {
      struct outcome outcome = run_once(chemistry, matcher, &bounded, 0, 1);
      schedules++;
      steps += outcome.steps;
      if (outcome.steps > longest) longest = outcome.steps;
      hash = hash * UINT64_C(0x100000001B3) ^ outcome.hash;
      complete = !bounded_advance();
    }
  }
  printf("%s %-24s %u preemptions: %s %9llu schedules %10llu steps, at most %4llu in one  hash %016llx\n",
         complete ? "passed" : "INCOMPLETE", scheduler_case, options.preemptions, complete ? "all" : "the first",
         (unsigned long long)schedules, (unsigned long long)steps, (unsigned long long)longest,
         (unsigned long long)hash);
  fflush(stdout);
  _exit(complete ? PASSED : INCOMPLETE);
}

static void replay_case(const struct trial_chemistry *chemistry, crucible_matcher matcher) {
  scheduler_start();
  if (!bounded_replay(options.replay)) {
    fprintf(stderr, "--replay takes what a report says after it: decisions as 12.1-40.0\n");
    _exit(2);
  }
  struct outcome outcome = run_once(chemistry, matcher, &bounded, 0, 1);
  printf("passed %-24s %llu steps  hash %016llx\n", scheduler_case, (unsigned long long)outcome.steps,
         (unsigned long long)outcome.hash);
  fflush(stdout);
  _exit(0);
}

static void crashed(int signal) {
  scheduler_fail("crashed with signal %d", signal);  // unsafe in a handler, but the process is lost anyway
}

static enum result run_apart(const struct trial_chemistry *chemistry, crucible_matcher matcher) {
  fflush(stdout);
  pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    signal(SIGABRT, crashed);
    if (options.replay) {
      replay_case(chemistry, matcher);
    } else if (options.exhaustive) {
      search_case(chemistry, matcher);
    } else {
      run_case(chemistry, matcher);
    }
  }
  int status;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("FAILED %s: ended by signal %d\n", scheduler_case, WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

static void usage(void) {
  fprintf(stderr, "usage: schedules [--seeds N] [--first S] [--depth D] [--case CASES] [--trace]\n"
                  "       schedules --exhaustive P [--limit N] [--case CASES]\n"
                  "       schedules --replay DECISIONS --case NAME/MATCHER [--trace]\n"
                  "       schedules --list\n"
                  "CASES: NAME, NAME/MATCHER, or a pattern as the shell's: tiny-*, */locked\n");
  exit(2);
}

/// Runs the cases. Those without a soup of their own run once, the others on each matcher.
static void list(void) {
  for (const struct trial_chemistry *const *at = __start_chemistries; at < __stop_chemistries; at++)
    printf("%-28s %s%s\n", (*at)->name, (*at)->sentence, (*at)->bare ? " (once)" : "");
  exit(0);
}

static void parse(int count, char **arguments) {
  for (int i = 1; i < count; i++) {
    const char *option = arguments[i];
    if (strcmp(option, "--trace") == 0) {
      options.trace = true;
      continue;
    }
    if (strcmp(option, "--list") == 0) list();
    if (i + 1 == count) usage();
    const char *value = arguments[++i];
    if (strcmp(option, "--seeds") == 0) options.seeds = strtoull(value, NULL, 0);
    else if (strcmp(option, "--first") == 0) options.first = strtoull(value, NULL, 0);
    else if (strcmp(option, "--depth") == 0) options.depth = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(option, "--case") == 0) options.only = value;
    else if (strcmp(option, "--limit") == 0) options.limit = strtoull(value, NULL, 0);
    else if (strcmp(option, "--replay") == 0) options.replay = value;
    else if (strcmp(option, "--exhaustive") == 0) {
      options.exhaustive = true;
      options.preemptions = (unsigned)strtoul(value, NULL, 0);
    }
    else usage();
  }
  if (options.depth < 1 || options.depth > 16 || options.seeds < 1 || options.limit < 1) usage();
}

static bool is_asked_for(const struct trial_chemistry *chemistry, const char *name) {
  return !options.only || strcmp(options.only, chemistry->name) == 0 || fnmatch(options.only, name, 0) == 0;
}

int main(int count, char **arguments) {
  parse(count, arguments);
  molecules = mmap(NULL, sizeof *molecules, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (molecules == MAP_FAILED) abort();
  unsigned results[INCOMPLETE + 1] = {0};
  for (const struct trial_chemistry *const *at = __start_chemistries; at < __stop_chemistries; at++) {
    const struct trial_chemistry *chemistry = *at;
    uint32_t last = chemistry->bare || chemistry->for_word ? CRUCIBLE_WORD : (uint32_t)crucible_matcher_count();
    for (uint32_t m = CRUCIBLE_WORD; m <= last; m++) {
      char name[64];
      const char *matcher = crucible_matcher_name((crucible_matcher)m);
      // The wide form alone would be the same as `word`, which takes it.
      bool serves = strcmp(matcher, "wide") != 0 && crucible_matcher_most_names((crucible_matcher)m) >= MOST_NAMES;
      if (chemistry->crowded && !serves) continue;
      if (!serves_names(chemistry, m)) continue;
      snprintf(name, sizeof name, chemistry->bare ? "%s" : "%s/%s", chemistry->name, matcher);
      if (!is_asked_for(chemistry, name)) continue;
      scheduler_case = name;
      enum result result = run_apart(chemistry, (crucible_matcher)m);
      results[result == PASSED || result == INCOMPLETE ? result : FAILED]++;
    }
  }
  if (results[PASSED] + results[FAILED] + results[INCOMPLETE] == 0) usage();
  printf("%u passed, %u failed", results[PASSED], results[FAILED]);
  if (options.exhaustive) printf(", %u not complete", results[INCOMPLETE]);
  printf(", checked %llu molecules\n", (unsigned long long)*molecules);
  return results[FAILED] ? FAILED : results[INCOMPLETE] ? INCOMPLETE : PASSED;
}
