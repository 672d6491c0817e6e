// What a component whose names have keys offers beyond the plug.

#ifndef CRUCIBLE_KEYS_H
#define CRUCIBLE_KEYS_H

#include "types.h"

/// Whether the names of the component have keys.
static inline bool crucible__is_keyed(const struct component *component) {
  return component->names[0]->species->key != NULL;
}
/// Calls `visit`, under a lock, with each key of which molecules of the name wait, and their number.
void crucible__visit_keys(const struct crucible_name *name,
                          void (*visit)(void *context, const void *key, uint64_t count), void *context);
/// Sets `counts`, by name, to the waiting molecules of one key. `hash`: the binding's.
void crucible__count_key(struct component *component, const void *key, uint64_t hash, uint64_t *counts);
/// Ends all keys, with their states. Requires: the soup is stopped and quiet, or gone.
void crucible__forget_keys(struct component *component, crucible_reason reason);

#endif
