// Reclamation of memory, by userspace RCU. Only these files, base/grace.c and soup/process.c know of liburcu.
//
// The flavour is `bp` (bulletproof). Threads register themselves on their first read section and unregister when they
// end, so that any thread may inject. A child can be told that only the forking thread is left (soup/process.c). The
// flavour `memb` has faster read sections, but requires every thread to register explicitly. A read section that is
// called and not inlined costs several times as much.
//
// With _LGPL_SOURCE liburcu's small read-side functions are inlined. Each is below the ten lines up to which the LGPL
// allows it from any code. Under ThreadSanitizer they are called instead, so that it sees them. The same holds under
// UndefinedBehaviorSanitizer, which finds that liburcu allocates its readers with less alignment than their type
// requires.

#ifndef CRUCIBLE_RECLAMATION_H
#define CRUCIBLE_RECLAMATION_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CRUCIBLE_TSAN 1
#endif
#if __has_feature(undefined_behavior_sanitizer)
#define CRUCIBLE_UBSAN 1
#endif
#endif
#if !defined(CRUCIBLE_TSAN) && !defined(CRUCIBLE_UBSAN) && !defined(_LGPL_SOURCE)
#define _LGPL_SOURCE
#endif
#include <urcu/urcu-bp.h>

/// Whether liburcu knows this thread, or can be expected to have the memory for it. Without memory it aborts without a
/// reason.
extern _Thread_local bool crucible__is_reader __attribute__((tls_model("initial-exec")));
/// Prepares the thread for read sections. Aborts with a message when there is no memory.
void crucible__become_reader(void);

/// Begins a read section. Memory that is retired during it is not freed before it ends. Nests. Must not enclose a body.
static inline void crucible__read_lock(void) {
  if (__builtin_expect(!crucible__is_reader, 0)) crucible__become_reader();
  urcu_bp_read_lock();
}
static inline void crucible__read_unlock(void) { urcu_bp_read_unlock(); }

/// The head of all retired memory.
struct retired {
  struct retired *next;  ///< used by grace.c
  size_t size;
  void (*then)(struct retired *memory);
};
/// Calls `then` with `memory` after all current read sections have ended. If `then` is null, frees the memory.
/// Requires: `retired` is the first member of `memory`. Never blocks.
void crucible__retire(struct retired *memory, size_t size, void (*then)(struct retired *memory));
/// Reclaims the memory at once. Requires: its grace period is over.
void crucible__reclaim(struct retired *memory);

#endif
