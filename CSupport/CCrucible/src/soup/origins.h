// Injecting molecules that have origins.

#ifndef CRUCIBLE_ORIGINS_H
#define CRUCIBLE_ORIGINS_H

#include "matcher/matcher.h"

/// Makes the soup carry contexts, unless it must not: each of its reactions needs an origin. Requires: the definition
/// has not ended.
void crucible__carry_context(struct crucible_soup *soup);
/// Finds the input that gives the body of a reaction its context, and notes that this name needs origins.
void crucible__want_origin(struct reaction *reaction);
/// Gives the names the origins that some reaction needs. Called with the lock, at the end of the definition. False: no
/// memory.
bool crucible__give_origins(struct crucible_soup *soup);
/// Injects a name whose molecules have origins, in its soup's current state.
bool crucible__inject_with_origin(struct crucible_name *name, void *value);
/// Injects one molecule with this origin, which is taken over even if it is refused, without a report. `place` and
/// `attempts` are those of crucible__inject_placed.
bool crucible__inject_from(struct crucible_name *name, void *value, uint64_t attempts, struct place *place,
                           void *origin);
/// Injects by `complete`, which is `complete_own` or `visit` of the name's matcher, without an origin: this thread's
/// own task is the context. False: the value was not injected.
bool crucible__complete_in_own_task(struct crucible_name *name, void *value, inject_function complete);
/// Injects like crucible__inject_from, with an origin that this thread makes. A body that begins on this thread at once
/// may run without it.
bool crucible__inject_by_own(struct crucible_name *name, void *value, uint64_t attempts, struct place *place);
/// Does what crucible__inject_parts does, for molecules of which some have origins. These are in `origins`, which are
/// taken over. If it is null, this thread makes them.
bool crucible__inject_parts_with_origins(struct crucible_soup *soup, crucible_molecule *molecules, size_t count,
                                         void *const *origins);

#endif
