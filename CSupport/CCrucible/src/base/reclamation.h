// Reclamation of memory, by userspace RCU. With soup/process.c the only files that know of liburcu.
//
// The flavour is `bp` (bulletproof). Threads register themselves on their first read section and unregister when they
// end, so that any thread may inject, and a child can be told that only the forking thread is left (soup/process.c).
// The flavour `memb` has faster read sections, and asks every thread to register by hand. A read section that is called
// and not inlined costs several times as much.
//
// With _LGPL_SOURCE liburcu's small read-side functions are inlined (each is below the ten lines up to which the LGPL
// allows it from any code); under ThreadSanitizer they are called instead, so that it sees them, and
// under UndefinedBehaviorSanitizer, which finds that liburcu allocates its readers with less alignment than their type
// says.

#ifndef CRUCIBLE_RECLAMATION_H
#define CRUCIBLE_RECLAMATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/// Whether liburcu knows this thread, or can be expected to have the memory for it: without, it aborts and does not say
/// why.
extern _Thread_local bool crucible__is_reader __attribute__((tls_model("initial-exec")));
/// Aborts with a message when there is no memory.
void crucible__become_reader(void);

/// A read section: nothing that is retired while it lasts is freed before it ends. Nests. Never around a body.
static inline void crucible__read_lock(void) {
  if (__builtin_expect(!crucible__is_reader, 0)) crucible__become_reader();
  urcu_bp_read_lock();
}
static inline void crucible__read_unlock(void) { urcu_bp_read_unlock(); }

/// The head of whatever is retired.
struct retired {
  union {
    struct rcu_head head;
    struct retired *next;  ///< of what is retired while the process forks
  };
  size_t size;
  void (*then)(struct retired *memory);
};
/// Once no read section of now is left: calls `then` with `memory`, whose first member `retired` is; null: frees it.
/// Never blocks.
void crucible__retire(struct retired *memory, size_t size, void (*then)(struct retired *memory));
/// fork: no thread must be in the middle of retiring.
void crucible__retiring_before_fork(void);
void crucible__retiring_after_fork(bool in_child);

#endif
