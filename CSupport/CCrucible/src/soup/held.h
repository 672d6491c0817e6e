// Holding what is injected into a soup that is being defined.

#ifndef CRUCIBLE_HELD_H
#define CRUCIBLE_HELD_H

#include "matcher/matcher.h"

/// Injects a name before the definition of its soup ends.
bool crucible__holding_inject(struct crucible_name *name, void *value);
/// Sets the members of a declared name that differ from what freezing has left.
static inline void crucible__begin_name(struct crucible_name *name, bool special) {
  atomic_init(&name->inject, crucible__holding_inject);
  atomic_init(&name->special, special);
  atomic_init(&name->weak, false);
  atomic_init(&name->selects, false);
  atomic_init(&name->paused, false);
}
/// Holds `count` molecules of one step until the definition ends. With a place one that can be withdrawn. False, and
/// `*frozen`: it has ended, and `origins`, which has room for as many, has those of the molecules, to be injected with
/// them; null: to be made then, if its name has any. False: no memory.
bool crucible__hold_molecules(struct crucible_soup *soup, const crucible_molecule *molecules, size_t count,
                              struct place *place, void **origins, bool *frozen);
/// With the lock, before it is frozen: makes room for what is held. False: no memory.
bool crucible__hold_room(struct crucible_soup *soup);
/// Injects what was held, after the soup is frozen.
void crucible__let_go_held(struct crucible_soup *soup);
/// Whether a molecule is held, or on its way to its bag. If it has arrived, `*place` is where it was put.
bool crucible__is_held(struct crucible_name *name, struct place *place);
/// Takes a held molecule back. CONSUMED: it was released, and `*place` is where it is now.
enum withdrawal crucible__withdraw_held(struct crucible_name *name, struct place *place, void *result);

#endif
