// The origin of a molecule: an object of the binding that represents the task that injected it. The binding runs the
// body of a firing by the origin of one of its molecules. soup/origins.c explains which molecules have one.

#ifndef CRUCIBLE_ORIGIN_H
#define CRUCIBLE_ORIGIN_H

#include "types.h"

/// Makes one origin for `count` molecules that the calling thread injects. It will be taken or ended as often. Runs
/// code of the binding.
void *crucible__make_origin(uint64_t count);
/// Runs a body in the context of its giver.
void crucible__run_in_context(void *context, void *const *inputs);
/// Ends the origin, if it is not null, for `count` molecules that no firing will use. Runs user code.
void crucible__end_origins(void *origin, uint64_t count);
static inline void crucible__end_origin(void *origin) { crucible__end_origins(origin, 1); }
/// The molecule with an origin that this thread is injecting, the innermost if there are several. While a body runs
/// inside that injection, the origin may be gone, and another one may lie at its address.
struct injected {
  void *origin;    ///< the origin that the thread made for this injection, or null
  uint32_t depth;  ///< the depth of the thread, before any body runs
};
extern _Thread_local struct injected crucible__injected __attribute__((tls_model("initial-exec")));
/// Whether the binding gives the thread's molecules origins that it has kept.
extern _Thread_local bool crucible__gives_origins __attribute__((tls_model("initial-exec")));
/// Whether this thread runs a body that has no context of its own: one without a task, of a soup that carries none. The
/// task that the thread runs may then be that of a stranger.
static inline bool crucible__lacks_context(void) {
  const struct thread *self = crucible__self;
  const struct reaction *running = self ? crucible__running(self) : NULL;
  return running && running->soup && !running->soup->carries_context && running->rule->placement != CRUCIBLE_EXTERNAL;
}

/// The address of the origin of a stored value.
static inline void **crucible__origin_of(const struct crucible_name *stored, void *value) {
  return (void **)(void *)((char *)value + stored->species->origin_at);
}

/// Whether the destruction of a stored value must do anything.
static inline bool crucible__destroys(const struct crucible_name *stored) {
  return stored->species->destroy || crucible__has_origins(stored);
}

/// Destroys a stored value that no reaction consumes, with its origin.
static inline void crucible__destroy_value(const struct crucible_name *stored, void *value, crucible_reason reason) {
  void *origin = crucible__has_origins(stored) ? *crucible__origin_of(stored, value) : NULL;
  crucible_destroy destroy = stored->species->destroy;
  if (destroy && crucible__value_size(stored) > 0) destroy(value, stored->context, reason);
  crucible__end_origin(origin);
}

#endif
