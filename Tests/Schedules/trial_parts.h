// What the files of a trial have of each other: its bodies, its keys, and the checks at rest.

#ifndef SCHEDULES_TRIAL_PARTS_H
#define SCHEDULES_TRIAL_PARTS_H

#include "trial.h"
#include "weak/weak.h"

// trial_bodies.c

/// Origins that were made, and neither taken nor ended. There is only one soup.
extern uint64_t trial_origins;
/// The hooks of origins: makes one, the number of the thread that makes it, and ends one.
void *make_origin(uint64_t count);
void end_origin(void *origin, uint64_t count);

/// The size of a payload, or of a state's value.
size_t size_of(enum form form);
/// The functions of a reaction. `context` is its rule.
void run_body(void *context, void *const *inputs);
void submitted(void *context, crucible_firing *firing);
bool entered(void *context, crucible_firing *firing);
/// The function of a name that destroys its values. `context` is the trial.
void destroyed(void *value, void *context, crucible_reason reason);

// trial_keys.c

/// The key of a body: that of its first molecule with a value. 0 in a case without keys.
unsigned key_of_body(const struct trial_rule *rule, void *const *inputs);
/// Whether an injection may drop a molecule because its name is full.
static inline bool drops_when_full(const struct trial_chemistry *chemistry) {
  return chemistry->bound.when_full != CRUCIBLE_REFUSE || chemistry->limits.when_full != CRUCIBLE_REFUSE;
}
/// The keys of a name, with the limits of the case or without, and the type that identifies them.
crucible_key_options keys_of(struct trial *trial, bool limited);
/// An expiry of a name: only an action of the case makes its molecules due.
crucible_expiry_options expiry_of(struct trial *trial, enum form form);
const void *type_of_keys(void);
/// The function that destroys a state that a key has.
void end_state(void *value, void *context, crucible_reason reason);
/// Checks TRIAL-10 at rest.
void check_keys(const struct trial *trial);

// trial_checks.c

/// Checks the invariants of a soup at rest.
void check_rest(const struct trial *trial);
/// Checks that nothing stays of a soup that was released.
void check_gone(struct trial *trial);

#endif
