// A storm: threads inject, call, withdraw, inject several at once and control, all at the same time, on one soup.
//
// Chemistry: pairs of values inline, a state that takes molecules without a value, calls that the pool serves or their
// callers withdraw, and names for spilling. One thread in the middle pauses, resumes and clears. At the end the books
// must balance (ledger.c).

#include <stdlib.h>

#include "ledger.h"
#include "trial.h"

enum { SMALL = 32, MOST_THREADS = 16 };

static struct ledger_chemistry chemistry;
static struct storm storm;

static void build(struct ledger_chemistry *c) {
  struct ledger_species *a = ledger_species(c, CRUCIBLE_SLOW, SMALL), *b = ledger_species(c, CRUCIBLE_SLOW, SMALL);
  struct ledger_species *plain = ledger_species(c, CRUCIBLE_SLOW, 0), *state = ledger_species(c, CRUCIBLE_STATE, SMALL);
  struct ledger_species *call = ledger_species(c, CRUCIBLE_FAST, SMALL), *token = ledger_species(c, CRUCIBLE_SLOW, 0);
  struct ledger_species *spilled[8];
  for (int i = 0; i < 8; i++) spilled[i] = ledger_species(c, CRUCIBLE_SLOW, i % 2 ? SMALL : 0);
  ledger_rule(c, CRUCIBLE_INLINE, 2, a, b);
  ledger_rule(c, CRUCIBLE_INLINE, 2, state, plain);
  ledger_rule(c, CRUCIBLE_POOL, 2, call, token);
  for (int i = 0; i < 7; i++) ledger_rule(c, i % 2 ? CRUCIBLE_INLINE : CRUCIBLE_POOL, 2, spilled[i], spilled[i + 1]);
}

static void *be_one_of_many(void *argument) {
  uint64_t number = (uint64_t)(uintptr_t)argument;
  uint64_t random = (storm.seed * 64 + number) * UINT64_C(0x9E3779B97F4A7C15) | 1;
  struct pending_call calls[4] = {0};
  for (unsigned round = 0; round < storm.rounds; round++) {
    struct ledger_species *some = &chemistry.species[next_random(&random) % 14];
    switch (next_random(&random) % 8) {
      case 0:
      case 1: ledger_inject(&chemistry.species[next_random(&random) % 2]); break;
      case 2: ledger_inject(&chemistry.species[2]); break;
      case 3: ledger_inject(&chemistry.species[5]); break;
      case 4: {
        struct pending_call *call = &calls[next_random(&random) % 4];
        ledger_withdraw(call);
        *call = ledger_call(&chemistry.species[4]);
        break;
      }
      case 5:
        if (crucible_name_kind(some->name) == CRUCIBLE_SLOW) ledger_inject(some);
        break;
      case 6: {
        struct ledger_species *several[] = {&chemistry.species[0], &chemistry.species[6], &chemistry.species[7],
                                     &chemistry.species[1], &chemistry.species[10]};
        ledger_inject_together(5, 2, several);
        break;
      }
      default:
        if (number > 0 || next_random(&random) % 8) break;
        uint64_t dropped;
        crucible_soup_pause(chemistry.soup);
        crucible_soup_resume(chemistry.soup);
        if (next_random(&random) % 4 == 0) crucible_soup_clear(chemistry.soup, &dropped);
    }
  }
  for (int i = 0; i < 4; i++) ledger_withdraw(&calls[i]);
  return NULL;
}

void storm_run(const void *argument) {
  storm = *(const struct storm *)argument;
  ledger_define(&chemistry, storm.matcher, build);
  pthread_t threads[MOST_THREADS];
  for (uintptr_t i = 0; i < storm.threads; i++) threads[i] = ledger_thread(be_one_of_many, (void *)i);
  for (unsigned i = 0; i < storm.threads; i++) pthread_join(threads[i], NULL);
  ledger_settle(&chemistry);
  ledger_end(&chemistry);
}
