// Runs every chemistry under many schedules: see README.md.
//
//   schedules [--seeds N] [--first S] [--depth D] [--case NAME[/MATCHER]] [--trace]
//   schedules --exhaustive P [--limit N] [--case NAME[/MATCHER]]
//   schedules --replay DECISIONS --case NAME/MATCHER [--trace]
//   schedules --list
//
// The first draws schedules from seeds (pct.c). The second runs every schedule with at most P preemptions (bounded.c),
// or the first N. Each failure says how to replay it. A NAME that ends with * stands for all that begin so. Status: 1
// something failed, else 3 some search was not complete.
//
// Each case has a process of its own, so that a crash ends one case only.

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

extern const struct chemistry bag_two_two, bag_everybody, bag_again, bag_looked_at, bag_late_among, bag_withdrawn, bag_left, join_two, join_crowd, join_void, join_pool, repeat,
    share, share_pool, chain, chain_narrow, chain_pool, neighbours, hidden, pairs, blocking, carried, counter, counter_state, counter_state_pool,
    two_states, two_states_pool, replies, replies_pool, replies_state, state_shared_pool, state_values,
    full_one, full_one_pool, full_three, full_three_pool,
    full_five, full_five_pool, full_repeat, full_repeat_pool, full_share, full_share_pool, full_state, full_state_pool,
    full_alone, freeze, freeze_pool, last_release, last_release_pool, hold_release, withdraw_join, withdraw_join_pool,
    withdraw_void, withdraw_void_pool, withdraw_beside, withdraw_beside_pool, withdraw_some, withdraw_some_pool,
    withdraw_full, withdraw_full_pool, withdraw_share, withdraw_share_pool, withdraw_share_full,
    withdraw_share_full_pool, withdraw_state, withdraw_state_pool, withdraw_late, withdraw_late_two, freeze_call,
    together_pair, together_pair_pool, together_void, together_void_pool, together_twins, together_twins_pool,
    together_full, together_full_pool, together_share, together_share_pool, together_share_full,
    together_share_full_pool, together_short, freeze_together, clear_small, clear_small_pool, pause_small, pause_small_pool, restart_small, restart_small_pool,
    clear_join, clear_join_pool, clear_void,
    clear_void_pool, clear_full, clear_full_pool, clear_state, clear_state_pool, clear_call, clear_call_pool,
    pause_join, pause_join_pool, pause_full, pause_full_pool, pause_void_full, pause_void_full_pool, pause_state, pause_state_pool, pause_call,
    pause_call_pool, pause_two, pause_two_pool, step_join, step_join_pool, step_full, step_full_pool, step_state,
    step_state_pool, step_call, step_call_pool, step_two, step_two_pool, step_stop, step_stop_pool, stop_join, stop_join_pool, stop_full, stop_full_pool, stop_state,
    pause_one, pause_one_pool, pause_one_full, pause_one_full_pool, pause_one_call, pause_one_call_pool, pause_one_clear, pause_one_clear_pool, tiny_pause_one,
    stop_state_pool, stop_call, stop_call_pool, stop_together, stop_together_pool, stop_two, stop_two_pool,
    drain_chain, drain_chain_pool, stop_paused, stop_paused_pool, restart_join, restart_join_pool, restart_full, restart_full_pool, restart_state,
    restart_state_pool, restart_state_full, restart_state_full_pool, restart_busy, restart_busy_pool, restart_call,
    restart_call_pool, stop_full_same, corner_plain, corner_dropped, corner_restart, corner_freeze, corner_together,
    external_join, external_join_steps, external_enter, external_nested, external_freeze, external_state, external_state_steps, external_state_mixed,
    external_state_enter, external_two, external_order, external_order_steps, external_order_enter, unowned, unowned_two, unowned_alone, records, look_quiet, look_quiet_crowd, look_quiet_many, look_quiet_pool, look_quiet_again, reply_asleep,
    reply_suspended, pool_grows, pool_limited, shortage_told, shortage_told_again, shortage_without_threads,
    fork_retire, shell_release, context_exchanged, observed, look_frozen, tiny_join, tiny_join_more, tiny_join_three,
    tiny_share, tiny_many, many_pause, many_clear, tiny_repeat, tiny_state, tiny_states, tiny_full, tiny_full_share, tiny_together, tiny_together_full,
    tiny_withdraw, tiny_withdraw_two, tiny_withdraw_beside, tiny_narrow_beside, tiny_withdraw_share, tiny_withdraw_full, tiny_clear,
    tiny_clear_full, tiny_clear_state, tiny_clear_one, tiny_clear_one_full, tiny_pause, tiny_pause_three, tiny_pause_call, tiny_step, tiny_step_full, tiny_step_stop, tiny_stop, tiny_stop_match, tiny_stop_alone,
    tiny_stop_full, tiny_stop_call, tiny_stop_state, tiny_restart, tiny_restart_state, tiny_restart_late,
    tiny_restart_full, tiny_full_state, tiny_withdraw_spill, tiny_clear_spill, tiny_stop_fired, settle,
    tiny_join_late, tiny_full_back, full_blind, full_crowd, tiny_repeat_again, tiny_pool, tiny_pool_more,
    tiny_pool_call, bag_one_one, bag_both, bag_three, bag_first, bag_first_both, bag_late,
    bag_cell, bag_cell_two, bag_cell_looked_at, bag_cell_left, bag_cell_both, bag_cell_three,
    tiny_batch, wait_thread, wait_deadline, wait_task, wait_mixed,
    wait_two, tiny_wait, tiny_wait_woken, tiny_wait_deadline, tiny_wait_task, tiny_wait_cancel, tiny_wait_look, jobs,
    jobs_slots, jobs_deferred, jobs_two, jobs_hide, jobs_fewer, jobs_more, jobs_change, tiny_jobs, tiny_jobs_block,
    tiny_jobs_slot, tiny_jobs_watch, tiny_jobs_nest, tiny_jobs_deferred, tiny_jobs_defer, tree, tree_pool, baton_void, baton_values, baton_pool, full_blind_back,
    full_blind_pool, full_plain, tiny_withdraw_short, pool_stop, pool_beside, external_two_enter, rest_look, rest_freeze, rest_fewer,
    alarms_some, alarms_after, alarms_two, alarms_cancel, order_three, order_three_pool, order_paused, order_paused_pool,
    select_two, select_soups, select_shared, select_state, select_meet, select_cross, select_ring, select_wait,
    select_stop, select_end, select_end_late, select_clear, select_pool, select_ring_pool, select_small,
    select_meet_small, select_back, select_stop_small, select_external, select_external_soups, select_external_shared, select_external_mixed, select_external_state, select_external_all,
    select_external_meet, select_external_enter, select_external_order, select_external_stop, select_external_small, tiny_select_late, tiny_changes_alone, tiny_changes,
    tiny_changes_same, changes_ring, changes_back, changes_fail, changes_gone, sites_first, sites_claim,
    putback_shop, putback_shop_pool, putback_full, putback_withdraw, putback_withdraw_pool, putback_join,
    putback_join_pool, putback_pair, putback_bell, putback_bell_pool, putback_clear, putback_stop, putback_stop_pool, putback_pause, putback_external,
    putback_external_steps;

static const struct chemistry *const chemistries[] = {
    &bag_two_two, &bag_everybody, &bag_again, &bag_looked_at, &bag_late_among, &bag_withdrawn, &bag_left, &join_two, &join_crowd, &join_void, &join_pool, &repeat, &share,
    &share_pool, &chain, &chain_narrow, &chain_pool, &neighbours, &hidden, &pairs, &blocking, &carried, &counter, &counter_state, &counter_state_pool,
    &two_states, &two_states_pool, &replies, &replies_pool, &replies_state, &state_shared_pool, &state_values, &full_one, &full_one_pool, &full_three, &full_three_pool,
    &full_five, &full_five_pool, &full_repeat, &full_repeat_pool, &full_share, &full_share_pool, &full_state,
    &full_state_pool, &full_alone, &freeze, &freeze_pool, &last_release, &last_release_pool, &hold_release,
    &withdraw_join, &withdraw_join_pool, &withdraw_void, &withdraw_void_pool, &withdraw_beside, &withdraw_beside_pool,
    &withdraw_some, &withdraw_some_pool, &withdraw_full, &withdraw_full_pool, &withdraw_share, &withdraw_share_pool,
    &withdraw_share_full, &withdraw_share_full_pool, &withdraw_state, &withdraw_state_pool, &withdraw_late,
    &withdraw_late_two, &freeze_call, &together_pair, &together_pair_pool, &together_void, &together_void_pool,
    &together_twins, &together_twins_pool, &together_full, &together_full_pool, &together_share, &together_share_pool,
    &together_share_full, &together_share_full_pool, &together_short, &freeze_together, &clear_join, &clear_join_pool,
    &clear_small, &clear_small_pool, &pause_small, &pause_small_pool, &restart_small, &restart_small_pool,
    &clear_void, &clear_void_pool, &clear_full, &clear_full_pool, &clear_state, &clear_state_pool, &clear_call,
    &clear_call_pool, &pause_join, &pause_join_pool, &pause_full, &pause_full_pool, &pause_void_full, &pause_void_full_pool, &pause_state,
    &pause_state_pool,
    &pause_call, &pause_call_pool, &pause_two, &pause_two_pool, &step_join, &step_join_pool, &step_full, &step_full_pool,
    &step_state, &step_state_pool, &step_call, &step_call_pool, &step_two, &step_two_pool, &step_stop, &step_stop_pool,
    &stop_join, &stop_join_pool, &stop_full,
    &pause_one, &pause_one_pool, &pause_one_full,
    &pause_one_full_pool, &pause_one_call, &pause_one_call_pool, &pause_one_clear, &pause_one_clear_pool, &tiny_pause_one,
    &stop_full_pool, &stop_state, &stop_state_pool, &stop_call, &stop_call_pool, &stop_together, &stop_together_pool,
    &drain_chain, &drain_chain_pool, &stop_two, &stop_two_pool, &stop_paused, &stop_paused_pool, &restart_join, &restart_join_pool, &restart_full,
    &restart_full_pool, &restart_state, &restart_state_pool, &restart_state_full, &restart_state_full_pool,
    &restart_busy, &restart_busy_pool, &restart_call, &restart_call_pool, &stop_full_same,
    &corner_plain, &corner_dropped, &corner_restart, &corner_freeze, &corner_together,
    &external_join, &external_join_steps, &external_enter, &external_nested, &external_freeze, &external_state, &external_state_steps,
    &external_state_mixed, &external_state_enter, &external_two, &external_order,
    &external_order_steps, &external_order_enter,
    &unowned, &unowned_two, &unowned_alone,
    &records, &look_quiet, &look_quiet_crowd, &look_quiet_many, &look_quiet_pool, &look_quiet_again, &reply_asleep, &reply_suspended, &pool_grows,
    &pool_limited, &shortage_told, &shortage_told_again, &shortage_without_threads, &fork_retire, &shell_release,
    &context_exchanged, &observed, &look_frozen, &tiny_join, &tiny_join_more, &tiny_join_three, &tiny_share,
    &tiny_many, &many_pause, &many_clear, &tiny_repeat, &tiny_state, &tiny_states, &tiny_full, &tiny_full_share, &tiny_together, &tiny_together_full,
    &tiny_withdraw, &tiny_withdraw_two, &tiny_withdraw_beside, &tiny_narrow_beside, &tiny_withdraw_share, &tiny_withdraw_full,
    &tiny_clear, &tiny_clear_full, &tiny_clear_state, &tiny_clear_one, &tiny_clear_one_full, &tiny_pause, &tiny_pause_three, &tiny_pause_call, &tiny_step, &tiny_step_full,
    &tiny_step_stop, &tiny_stop,
    &tiny_stop_match, &tiny_stop_alone, &tiny_stop_full, &tiny_stop_call, &tiny_stop_state, &tiny_restart, &tiny_restart_state,
    &tiny_restart_late, &tiny_restart_full, &tiny_full_state, &tiny_withdraw_spill, &tiny_clear_spill,
    &tiny_stop_fired, &settle, &tiny_join_late, &tiny_full_back, &full_blind, &full_crowd, &tiny_repeat_again,
    &tiny_pool, &tiny_pool_more, &tiny_pool_call, &bag_one_one, &bag_both, &bag_three, &bag_first, &bag_first_both,
    &bag_late, &bag_cell, &bag_cell_two, &bag_cell_looked_at, &bag_cell_left, &bag_cell_both, &bag_cell_three, &tiny_batch, &wait_thread,
    &wait_deadline, &wait_task, &wait_mixed, &wait_two, &tiny_wait, &tiny_wait_woken, &tiny_wait_deadline,
    &tiny_wait_task, &tiny_wait_cancel, &tiny_wait_look, &jobs, &jobs_slots, &jobs_deferred, &jobs_two,
    &jobs_hide, &jobs_fewer, &jobs_more, &jobs_change, &tiny_jobs, &tiny_jobs_block, &tiny_jobs_slot, &tiny_jobs_watch,
    &tiny_jobs_nest, &tiny_jobs_deferred, &tiny_jobs_defer, &tree, &tree_pool,
    &baton_void, &baton_values, &baton_pool, &full_blind_back, &full_blind_pool, &full_plain, &tiny_withdraw_short,
    &pool_stop, &pool_beside, &external_two_enter, &rest_look, &rest_freeze, &rest_fewer,
    &alarms_some, &alarms_after, &alarms_two, &alarms_cancel,
    &order_three, &order_three_pool, &order_paused, &order_paused_pool,
    &select_two, &select_soups, &select_shared, &select_state, &select_meet, &select_cross, &select_ring,
    &select_wait, &select_stop, &select_end, &select_end_late, &select_clear, &select_pool, &select_ring_pool,
    &select_small, &select_meet_small, &select_back, &select_stop_small,
    &select_external, &select_external_soups, &select_external_shared, &select_external_mixed, &select_external_state, &select_external_all,
    &select_external_meet, &select_external_enter, &select_external_order, &select_external_stop, &select_external_small, &tiny_select_late, &tiny_changes_alone,
    &tiny_changes, &tiny_changes_same, &changes_ring, &changes_back, &changes_fail, &changes_gone, &sites_first, &sites_claim,
    &putback_shop, &putback_shop_pool, &putback_full, &putback_withdraw, &putback_withdraw_pool, &putback_join,
    &putback_join_pool, &putback_pair, &putback_bell, &putback_bell_pool, &putback_clear, &putback_stop, &putback_stop_pool, &putback_pause,
    &putback_external, &putback_external_steps};
enum { CHEMISTRIES = sizeof chemistries / sizeof *chemistries };

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

static uint64_t *molecules;  ///< that were checked, by all processes together

static struct outcome run_once(const struct chemistry *chemistry, crucible_matcher matcher, const struct policy *policy,
                               uint64_t seed, uint64_t expected_steps) {
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
  for (unsigned i = 0; i < trial.name_count; i++) *molecules += trial.names[i].injected;
  if (chemistry->bare) *molecules += trial.molecule_count;
  workers_reset(workers);
  uint64_t bytes = crucible_live_bytes();
  if (bytes != trial.bytes) scheduler_fail("%lld bytes stay", (long long)(bytes - trial.bytes));
  return outcome;
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t count_distinct(uint64_t *hashes, uint64_t count) {
  qsort(hashes, count, sizeof *hashes, compare);
  uint64_t distinct = 0;
  for (uint64_t i = 0; i < count; i++) distinct += i == 0 || hashes[i] != hashes[i - 1];
  return distinct;
}

static void run_case(const struct chemistry *chemistry, crucible_matcher matcher) {
  scheduler_start();
  uint64_t *hashes = calloc(options.seeds, sizeof *hashes);
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
    hashes[i] = outcome.hash;
    steps += outcome.steps;
    hash = hash * UINT64_C(0x100000001B3) ^ outcome.hash;
  }
  printf("passed %-24s %7llu schedules %9llu steps %7llu distinct  hash %016llx\n", scheduler_case,
         (unsigned long long)options.seeds, (unsigned long long)steps,
         (unsigned long long)count_distinct(hashes, options.seeds), (unsigned long long)hash);
  fflush(stdout);
  _exit(0);
}

/// Every schedule with at most so many preemptions: first all with none, then all with at most one, and so on.
static void search_case(const struct chemistry *chemistry, crucible_matcher matcher) {
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
         (unsigned long long)schedules, (unsigned long long)steps, (unsigned long long)longest, (unsigned long long)hash);
  fflush(stdout);
  _exit(complete ? PASSED : INCOMPLETE);
}

static void replay_case(const struct chemistry *chemistry, crucible_matcher matcher) {
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
  scheduler_fail("crashed with signal %d", signal);  // not safe in a handler, but the process is lost anyway
}

static enum result run_apart(const struct chemistry *chemistry, crucible_matcher matcher) {
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
  fprintf(stderr, "usage: schedules [--seeds N] [--first S] [--depth D] [--case NAME[/MATCHER]] [--trace]\n"
                  "       schedules --exhaustive P [--limit N] [--case NAME[/MATCHER]]\n"
                  "       schedules --replay DECISIONS --case NAME/MATCHER [--trace]\n"
                  "       schedules --list\n");
  exit(2);
}

/// The cases: those that have no soup of their own run once, the others on each matcher.
static void list(void) {
  for (unsigned i = 0; i < CHEMISTRIES; i++)
    printf("%-28s %s%s\n", chemistries[i]->name, chemistries[i]->sentence, chemistries[i]->bare ? " (once)" : "");
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

static bool is_asked_for(const struct chemistry *chemistry, const char *name) {
  if (!options.only) return true;
  size_t length = strlen(options.only);
  if (length > 0 && options.only[length - 1] == '*') return strncmp(options.only, name, length - 1) == 0;
  return strcmp(options.only, name) == 0 || strcmp(options.only, chemistry->name) == 0;
}

int main(int count, char **arguments) {
  parse(count, arguments);
  molecules = mmap(NULL, sizeof *molecules, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (molecules == MAP_FAILED) abort();
  unsigned results[INCOMPLETE + 1] = {0};
  for (unsigned i = 0; i < CHEMISTRIES; i++) {
    const struct chemistry *chemistry = chemistries[i];
    uint32_t last = chemistry->bare || chemistry->for_word ? CRUCIBLE_WORD : (uint32_t)crucible_matcher_count();
    for (uint32_t m = CRUCIBLE_WORD; m <= last; m++) {
      char name[64];
      const char *matcher = crucible_matcher_name((crucible_matcher)m);
      // The wide form alone would be the same as `word`, which takes it.
      bool serves = strcmp(matcher, "wide") != 0 && crucible_matcher_most_names((crucible_matcher)m) >= MOST_NAMES;
      if (chemistry->crowded && !serves) continue;
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
