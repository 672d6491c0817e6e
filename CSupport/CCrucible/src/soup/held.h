// Holding molecules that are injected into a soup during its definition.

#ifndef CRUCIBLE_HELD_H
#define CRUCIBLE_HELD_H

#include "matcher/matcher.h"

/// Injects a name before the definition of its soup ends.
bool crucible__holding_inject(struct crucible_name *name, void *value);
/// Sets the members of a declared name that differ from what freezing has left.
static inline void crucible__begin_name(struct crucible_name *name, bool special) {
  atomic_init(&name->inject, crucible__holding_inject);
  atomic_init(&name->call, special ? CRUCIBLE_CALL_SPECIAL : CRUCIBLE_CALL_PLAIN);
  atomic_init(&name->weak, false);
  atomic_init(&name->selects, false);
  atomic_init(&name->paused, false);
}
/// Holds `count` molecules of one step until the definition ends. A molecule with a place can be withdrawn. False: see
/// crucible__why_not_held, or, if `*frozen`, the definition has ended. Then `origins`, which has room for as many, is
/// set to the origins of the molecules, to be injected with them. A null origin is made at the injection, if the name
/// has origins.
bool crucible__hold_molecules(struct crucible_soup *soup, const crucible_molecule *molecules, size_t count,
                              struct place *place, void **origins, bool *frozen);
/// The reason why crucible__hold_molecules failed before the end of the definition.
static inline crucible_status crucible__why_not_held(const struct crucible_soup *soup) {
  return load_relaxed(&soup->given_up) ? CRUCIBLE_GONE_SOUP : CRUCIBLE_NO_MEMORY;
}
/// Destroys held molecules that no definition will release, and forgets those that were released.
void crucible__destroy_held(struct crucible_soup *soup);
/// Injects the held molecules, after the soup is frozen.
void crucible__release_held(struct crucible_soup *soup);
/// Whether a molecule is held, or in transit to its bag. If it has arrived, `*place` is set to its place.
bool crucible__is_held(struct crucible_name *name, struct place *place);
/// Takes a held molecule back. CONSUMED: it was released, and `*place` is its place now.
enum withdrawal crucible__withdraw_held(struct crucible_name *name, struct place *place, void *result);

#endif
