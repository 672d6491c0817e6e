// backlog-N: join2 while N molecules of its first name wait, inline. In every round a thread injects the second name,
// which meets the molecule that has waited longest, and then the first name again. One thread fills the backlog
// before, and drains it after; both are timed on their own.
//
// Verified: as many reactions as rounds, N molecules before and after them, none after draining.

#include <stdlib.h>

#include "experiment.h"

typedef struct backlog {
  crucible_soup *soup;
  harness_crew *crew;
  uint64_t size;
  crucible_name *waiting, *other;
} backlog;

static void body(void *context, void *const *inputs) {
  (void)context;
  harness_tally_add(*(const uint64_t *)inputs[0] + *(const uint64_t *)inputs[1]);
}

static void backlog_close(void *state) {
  backlog *backlog = state;
  if (backlog->soup) crucible_soup_release(backlog->soup);
  free(backlog);
}

static void *backlog_open(const cases_setting *setting, size_t size, harness_sample *failure) {
  backlog *backlog = calloc(1, sizeof *backlog);
  if (!backlog) abort();
  backlog->crew = setting->crew;
  backlog->size = size;
  backlog->soup = cases_soup(setting, failure);
  if (backlog->soup) {
    backlog->waiting = cases_name(backlog->soup, "waiting", CRUCIBLE_SLOW, sizeof(uint64_t), failure);
    backlog->other = cases_name(backlog->soup, "other", CRUCIBLE_SLOW, sizeof(uint64_t), failure);
    crucible_name *pattern[] = {backlog->waiting, backlog->other};
    cases_react(backlog->soup, CRUCIBLE_INLINE, body, backlog, pattern, 2, failure);
    if (cases_freeze(backlog->soup, setting, failure)) return backlog;
  }
  backlog_close(backlog);
  return NULL;
}

static inline __attribute__((always_inline)) void rounds_of(const backlog *backlog, const harness_share *share,
                                                            bool timed) {
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) {
      uint64_t value = 1;
      cases_inject(backlog->other, &value, timed, share->recorder);
      cases_inject(backlog->waiting, &value, timed, share->recorder);
    }
  }
}

static void backlog_work(void *context, const harness_share *share) {
  if (share->recorder) return rounds_of(context, share, true);
  rounds_of(context, share, false);
}

static uint64_t inject_many(crucible_name *name, uint64_t count, harness_sample *sample) {
  uint64_t start = harness_now();
  for (uint64_t i = 0; i < count; i++) {
    uint64_t value = 1;
    if (!crucible_inject(name, &value)) harness_sample_fail(sample, "an injection was refused");
  }
  return harness_now() - start;
}

static void backlog_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  backlog *backlog = state;
  harness_tally_reset();
  sample->backlog = backlog->size;
  sample->fill_nanoseconds = inject_many(backlog->waiting, backlog->size, sample);
  harness_sample_expect(sample, "molecules waiting at first", backlog->size, cases_waiting(backlog->soup));

  harness_crew_run(backlog->crew, rounds, recorders, backlog_work, backlog, sample);
  cases_settle(backlog->soup, sample);
  harness_sample_expect(sample, "molecules waiting at last", backlog->size, cases_waiting(backlog->soup));

  sample->drain_nanoseconds = inject_many(backlog->other, backlog->size, sample);
  cases_rest(backlog->soup, sample);
  harness_tally total = harness_tally_total();
  sample->reactions = rounds;
  harness_sample_expect(sample, "reactions", rounds + backlog->size, total.count);
  harness_sample_expect(sample, "sum of the values", 2 * (rounds + backlog->size), total.sum);
  harness_sample_expect(sample, "molecules left over", 0, cases_waiting(backlog->soup));
}

const cases_kind cases_backlogs[] = {
    {"backlog-1", 1, CASES_MATCHERS, backlog_open, backlog_measure, backlog_close},
    {"backlog-1000", 1000, CASES_MATCHERS, backlog_open, backlog_measure, backlog_close},
    {"backlog-100000", 100000, CASES_MATCHERS, backlog_open, backlog_measure, backlog_close},
    {"backlog-10000000", 10000000, CASES_MATCHERS, backlog_open, backlog_measure, backlog_close},
    {0},
};
