// The origin of a molecule: an object of the binding that stands for the task that injected it. The binding runs the
// body of a firing by the origin of one of its molecules. soup/origins.c says which molecules have one.

#ifndef CRUCIBLE_ORIGIN_H
#define CRUCIBLE_ORIGIN_H

#include "types.h"

/// Makes one origin for `count` molecules that the calling thread injects: it is taken or ended as often. Runs code of
/// the binding.
void *crucible__make_origin(uint64_t count);
/// Ends the origin, if any, of `count` molecules that no firing will use. Runs code of users.
void crucible__end_origins(void *origin, uint64_t count);
static inline void crucible__end_origin(void *origin) { crucible__end_origins(origin, 1); }
/// The molecule that this thread is in the middle of injecting, the innermost of those that have origins. While a body
/// runs inside of that injection, the origin may be gone, and another one may lie there.
struct injected {
  void *origin;    ///< if the thread made it for this injection; else null
  uint32_t depth;  ///< of the thread, before any body runs
};
extern _Thread_local struct injected crucible__injected __attribute__((tls_model("initial-exec")));
/// The input whose origin a reaction of this pattern inherits: the first that is fast, or else the first that is no
/// state.
size_t crucible__inherited_input(struct crucible_name *const *names, size_t count);

/// Where the origin of a stored value lies.
static inline void **crucible__origin_of(const struct crucible_name *stored, void *value) {
  return (void **)(void *)((char *)value + stored->origin_at);
}

/// Whether a value of a stored name needs more than to be forgotten.
static inline bool crucible__destroys(const struct crucible_name *stored) {
  return stored->destroy || crucible__has_origins(stored);
}

/// Destroys a stored value that no reaction consumes, with its origin.
static inline void crucible__destroy_value(const struct crucible_name *stored, void *value, crucible_reason reason) {
  void *origin = crucible__has_origins(stored) ? *crucible__origin_of(stored, value) : NULL;
  if (stored->destroy && crucible__value_size(stored) > 0) stored->destroy(value, stored->context, reason);
  crucible__end_origin(origin);
}

#endif
