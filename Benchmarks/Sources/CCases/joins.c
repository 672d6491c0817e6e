// join2, join3: two or three names, one reaction over all of them, inline. In every round a thread injects all names in
// turn, each with the number of the round. The injection of the last name completes a reaction, on this thread or on
// another.
//
// Verified by the number of reactions, which equals that of rounds, by the sum of all consumed values, and by the
// absence of remaining molecules.

#include <stdlib.h>

#include "experiment.h"

enum { MOST_INPUTS = 3 };

typedef struct join {
  crucible_soup *soup;
  harness_crew *crew;
  size_t inputs;
  crucible_name *names[MOST_INPUTS];
} join;

static void body(void *context, void *const *inputs) {
  size_t count = ((const join *)context)->inputs;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += *(const uint64_t *)inputs[i];
  harness_tally_add(sum);
}

static void join_close(void *state) {
  join *join = state;
  if (join->soup) crucible_soup_release(join->soup);
  free(join);
}

static void *join_open(const cases_setting *setting, size_t inputs, harness_sample *failure) {
  static const char *const labels[MOST_INPUTS] = {"a", "b", "c"};
  join *join = calloc(1, sizeof *join);
  if (!join) abort();
  join->crew = setting->crew;
  join->inputs = inputs;
  join->soup = cases_soup(setting, failure);
  for (size_t i = 0; i < inputs && join->soup; i++) {
    join->names[i] = cases_name(join->soup, labels[i], CRUCIBLE_SLOW, sizeof(uint64_t), failure);
  }
  if (join->soup) {
    cases_react(join->soup, CRUCIBLE_INLINE, body, join, join->names, inputs, failure);
    if (cases_freeze(join->soup, setting, failure)) return join;
  }
  join_close(join);
  return NULL;
}

static inline __attribute__((always_inline)) void rounds_of(const join *join, const harness_share *share, size_t inputs,
                                                            bool timed) {
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) {
      for (size_t i = 0; i < inputs; i++) {
        uint64_t value = round;
        cases_inject(join->names[i], &value, timed, share->recorder);
      }
    }
  }
}

// A separate loop for each number of inputs, as users would write it.
static void join_work(void *context, const harness_share *share) {
  const join *join = context;
  if (share->recorder) return rounds_of(join, share, join->inputs, true);
  if (join->inputs == 2) return rounds_of(join, share, 2, false);
  rounds_of(join, share, 3, false);
}

static void join_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  join *join = state;
  harness_tally_reset();
  harness_crew_run(join->crew, rounds, recorders, join_work, join, sample);
  cases_settle(join->soup, sample);
  harness_tally total = harness_tally_total();
  sample->reactions = rounds = sample->rounds;
  harness_sample_expect(sample, "reactions", rounds, total.count);
  harness_sample_expect(sample, "sum of the values", join->inputs * (rounds * (rounds - 1) / 2), total.sum);
  harness_sample_expect(sample, "molecules left over", 0, cases_waiting(join->soup));
}

const cases_kind cases_joins[] = {
    {"join2", 2, false, join_open, join_measure, join_close},
    {"join3", 3, false, join_open, join_measure, join_close},
    {0},
};
