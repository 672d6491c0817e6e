// Short injections (word_short.c), where the state word alone orders two bodies. A baton without payload lets one body
// run at a time, and each injects it again. The bodies touch plain memory that nothing else orders.

#include "trial.h"
#include "weak/weak.h"

enum { BATON, TURN };

static struct {
  char apart[64];
  int64_t turns;
} ledger;

/// Not atomic: two bodies at once would lose an increment.
static void take_turn(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  int64_t before = ledger.turns;
  uses(&ledger.turns, sizeof ledger.turns);
  scheduler_step("work");
  ledger.turns = before + 1;
  inject(trial, BATON, 0);
}

static void define_baton(struct trial *trial) {
  ledger.turns = 0;
  define_soup(trial);
}

static void inject_turns(struct trial *trial, unsigned index) {
  if (index == 0) inject(trial, BATON, 0);
  inject_some(trial, TURN, index == 0 ? 2 : 3);
}

static void check_turns(struct trial *trial) {
  unsigned taken = trial->names[TURN].consumed;
  if (ledger.turns != taken || taken != trial->names[TURN].injected) {
    scheduler_fail("%d turns of %u are in the ledger, and %u were injected", (int)ledger.turns, taken,
                   trial->names[TURN].injected);
  }
}

#define BATON_CASE(text, what, chemistry, ...)                                                            \
  CASE(text, what, 2, define_baton, inject_turns, .check = check_turns, .soup = chemistry, .acts = {take_turn}, \
       __VA_ARGS__)

BATON_CASE("baton", "a baton that every body injects again, and turns with values", "b- t: bt",
           .placement = CRUCIBLE_INLINE);
BATON_CASE("baton-pool", "the same on a pool of two", "b- t: bt", .workers = 2, .placement = CRUCIBLE_POOL);
