// fan-in: eight sources and a `token`; each source has a reaction of its own with the token, so that eight reactions
// compete for one name. In every round a thread injects a token and then the next source in turn. Inline.
//
// Verified: as many reactions as rounds, the sum of the values, and nothing left over.

#include <stdlib.h>

#include "experiment.h"

enum { SOURCES = 8 };

typedef struct fan {
  crucible_soup *soup;
  harness_crew *crew;
  crucible_name *token;
  crucible_name *sources[SOURCES];
} fan;

static void body(void *context, void *const *inputs) {
  (void)context;
  harness_tally_add(*(const uint64_t *)inputs[0]);
}

static void fan_close(void *state) {
  fan *fan = state;
  if (fan->soup) crucible_soup_release(fan->soup);
  free(fan);
}

static void *fan_open(const cases_setting *setting, size_t parameter, harness_sample *failure) {
  (void)parameter;
  static const char *const labels[SOURCES] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
  fan *fan = calloc(1, sizeof *fan);
  if (!fan) abort();
  fan->crew = setting->crew;
  fan->soup = cases_soup(setting, failure);
  if (fan->soup) {
    fan->token = cases_name(fan->soup, "token", CRUCIBLE_SLOW, 0, failure);
    for (size_t i = 0; i < SOURCES; i++) {
      fan->sources[i] = cases_name(fan->soup, labels[i], CRUCIBLE_SLOW, sizeof(uint64_t), failure);
      crucible_name *pattern[] = {fan->sources[i], fan->token};
      cases_react(fan->soup, CRUCIBLE_INLINE, body, fan, pattern, 2, failure);
    }
    if (cases_freeze(fan->soup, setting, failure)) return fan;
  }
  fan_close(fan);
  return NULL;
}

static inline __attribute__((always_inline)) void rounds_of(const fan *fan, const harness_share *share, bool timed) {
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) {
      uint64_t value = round;
      cases_inject(fan->token, &value, timed, share->recorder);
      cases_inject(fan->sources[round % SOURCES], &value, timed, share->recorder);
    }
  }
}

static void fan_work(void *context, const harness_share *share) {
  if (share->recorder) return rounds_of(context, share, true);
  rounds_of(context, share, false);
}

static void fan_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  fan *fan = state;
  harness_tally_reset();
  harness_crew_run(fan->crew, rounds, recorders, fan_work, fan, sample);
  cases_settle(fan->soup, sample);
  harness_tally total = harness_tally_total();
  sample->reactions = rounds;
  harness_sample_expect(sample, "reactions", rounds, total.count);
  harness_sample_expect(sample, "sum of the values", rounds * (rounds - 1) / 2, total.sum);
  harness_sample_expect(sample, "molecules left over", 0, cases_waiting(fan->soup));
}

const cases_kind cases_fan_in[] = {
    {"fan-in", SOURCES, CASES_MATCHERS, fan_open, fan_measure, fan_close},
    {0},
};
