// join1 … join6: k names, one reaction over all of them, inline. In every round a thread injects all k names in turn,
// each with the number of the round; so the injection of the last name completes a reaction, here or on another
// thread. payload-N: join2 with values of N bytes.
//
// Verified: as many reactions as rounds, the sum of all values consumed, and nothing left over.

#include <stdlib.h>

#include "experiment.h"

enum { MOST_INPUTS = 6, LARGEST = 256 };

typedef struct join {
  crucible_soup *soup;
  harness_crew *crew;
  size_t inputs, size;
  crucible_name *names[MOST_INPUTS];
} join;

// The number of the round fills the payload, so that a torn or stale value changes the sum.
typedef struct payload {
  uint64_t words[LARGEST / 8];
} payload;

static void body_of_integers(void *context, void *const *inputs) {
  size_t count = ((const join *)context)->inputs;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += *(const uint64_t *)inputs[i];
  harness_tally_add(sum);
}

static void body_of_payloads(void *context, void *const *inputs) {
  size_t last = ((const join *)context)->size / 8 - 1;
  const payload *a = inputs[0], *b = inputs[1];
  harness_tally_add(a->words[0] + b->words[last]);
}

static void join_close(void *state) {
  join *join = state;
  if (join->soup) crucible_soup_release(join->soup);
  free(join);
}

static void *open_soup(const cases_setting *setting, size_t inputs, size_t size, crucible_body body,
                       harness_sample *failure) {
  static const char *const labels[MOST_INPUTS] = {"a", "b", "c", "d", "e", "f"};
  join *join = calloc(1, sizeof *join);
  if (!join) abort();
  join->crew = setting->crew;
  join->inputs = inputs;
  join->size = size;
  join->soup = cases_soup(setting, failure);
  for (size_t i = 0; i < inputs && join->soup; i++) {
    join->names[i] = cases_name(join->soup, labels[i], CRUCIBLE_SLOW, size, failure);
  }
  if (join->soup) {
    cases_react(join->soup, CRUCIBLE_INLINE, body, join, join->names, inputs, failure);
    if (cases_freeze(join->soup, setting, failure)) return join;
  }
  join_close(join);
  return NULL;
}

static void *join_open(const cases_setting *setting, size_t inputs, harness_sample *failure) {
  return open_soup(setting, inputs, sizeof(uint64_t), body_of_integers, failure);
}

static void *payload_open(const cases_setting *setting, size_t size, harness_sample *failure) {
  return open_soup(setting, 2, size, body_of_payloads, failure);
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

// A loop for each number of inputs, as a user would write it.
static void join_work(void *context, const harness_share *share) {
  const join *join = context;
  if (share->recorder) return rounds_of(join, share, join->inputs, true);
  switch (join->inputs) {
    case 1: return rounds_of(join, share, 1, false);
    case 2: return rounds_of(join, share, 2, false);
    case 3: return rounds_of(join, share, 3, false);
    case 4: return rounds_of(join, share, 4, false);
    case 5: return rounds_of(join, share, 5, false);
    default: return rounds_of(join, share, 6, false);
  }
}

static inline __attribute__((always_inline)) void payload_rounds(const join *join, const harness_share *share,
                                                                 size_t size, bool timed) {
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) {
      for (size_t i = 0; i < 2; i++) {
        payload value;
        for (size_t word = 0; word < size / 8; word++) value.words[word] = round;
        cases_inject(join->names[i], &value, timed, share->recorder);
      }
    }
  }
}

static void payload_work(void *context, const harness_share *share) {
  const join *join = context;
  if (share->recorder) return payload_rounds(join, share, join->size, true);
  switch (join->size) {
    case 8: return payload_rounds(join, share, 8, false);
    case 64: return payload_rounds(join, share, 64, false);
    default: return payload_rounds(join, share, 256, false);
  }
}

static void measure(join *join, uint64_t rounds, harness_recorder *recorders, harness_work work,
                    harness_sample *sample) {
  harness_tally_reset();
  harness_crew_run(join->crew, rounds, recorders, work, join, sample);
  cases_settle(join->soup, sample);
  harness_tally total = harness_tally_total();
  sample->reactions = rounds;
  harness_sample_expect(sample, "reactions", rounds, total.count);
  harness_sample_expect(sample, "sum of the values", join->inputs * (rounds * (rounds - 1) / 2), total.sum);
  harness_sample_expect(sample, "molecules left over", 0, cases_waiting(join->soup));
}

static void join_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  measure(state, rounds, recorders, join_work, sample);
}

static void payload_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  measure(state, rounds, recorders, payload_work, sample);
}

const cases_kind cases_joins[] = {
    {"join1", 1, CASES_MATCHERS, join_open, join_measure, join_close},
    {"join2", 2, CASES_MATCHERS, join_open, join_measure, join_close},
    {"join3", 3, CASES_MATCHERS, join_open, join_measure, join_close},
    {"join4", 4, CASES_MATCHERS, join_open, join_measure, join_close},
    {"join5", 5, CASES_MATCHERS, join_open, join_measure, join_close},
    {"join6", 6, CASES_MATCHERS, join_open, join_measure, join_close},
    {0},
};

const cases_kind cases_payloads[] = {
    {"payload-8", 8, CASES_MATCHERS, payload_open, payload_measure, join_close},
    {"payload-64", 64, CASES_MATCHERS, payload_open, payload_measure, join_close},
    {"payload-256", 256, CASES_MATCHERS, payload_open, payload_measure, join_close},
    {0},
};
