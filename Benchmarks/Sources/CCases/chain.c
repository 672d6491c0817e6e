// chain: a(n) → b(n-1), b(n) → a(n-1), down to 0, on the pool. One molecule is under way at any time: the case shows
// what it costs to hand a firing to the pool and to take it from there.
//
// Verified: n + 1 reactions, and the sum of the numbers they saw.

#include <stdlib.h>

#include "experiment.h"

typedef struct chain {
  crucible_soup *soup;
  crucible_name *a, *b;
  harness_gate *gate;
} chain;

static void step(chain *chain, crucible_name *next, const void *input) {
  uint64_t n = *(const uint64_t *)input;
  harness_tally_add_stamped(n);
  if (n == 0) return harness_gate_open(chain->gate);
  n -= 1;
  crucible_inject(next, &n);
}

static void from_a(void *context, void *const *inputs) { step(context, ((chain *)context)->b, inputs[0]); }
static void from_b(void *context, void *const *inputs) { step(context, ((chain *)context)->a, inputs[0]); }

static void chain_close(void *state) {
  chain *chain = state;
  if (chain->soup) crucible_soup_release(chain->soup);
  harness_gate_destroy(chain->gate);
  free(chain);
}

static void *chain_open(const cases_setting *setting, size_t parameter, harness_sample *failure) {
  (void)parameter;
  chain *chain = calloc(1, sizeof *chain);
  if (!chain) abort();
  chain->gate = harness_gate_create();
  chain->soup = cases_soup(setting, failure);
  if (chain->soup) {
    chain->a = cases_name(chain->soup, "a", CRUCIBLE_SLOW, sizeof(uint64_t), failure);
    chain->b = cases_name(chain->soup, "b", CRUCIBLE_SLOW, sizeof(uint64_t), failure);
    cases_react(chain->soup, CRUCIBLE_POOL, from_a, chain, &chain->a, 1, failure);
    cases_react(chain->soup, CRUCIBLE_POOL, from_b, chain, &chain->b, 1, failure);
    if (cases_freeze(chain->soup, setting, failure)) return chain;
  }
  chain_close(chain);
  return NULL;
}

static void chain_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  (void)recorders;
  chain *chain = state;
  uint64_t n = rounds - 1;
  harness_gate_begin(chain->gate, sample);
  crucible_inject(chain->a, &n);
  harness_gate_wait(chain->gate, sample);
  cases_rest(chain->soup, sample);
  harness_tally_overlap(sample);
  harness_tally total = harness_tally_total();
  sample->reactions = rounds;
  harness_sample_expect(sample, "reactions", rounds, total.count);
  harness_sample_expect(sample, "sum of the numbers", rounds * (rounds - 1) / 2, total.sum);
  harness_sample_expect(sample, "molecules left over", 0, cases_waiting(chain->soup));
}

const cases_kind cases_chains[] = {
    {"chain", 0, CASES_MATCHERS, chain_open, chain_measure, chain_close},
    {0},
};
