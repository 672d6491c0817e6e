// The layer through which all code of the core accesses shared memory.
//
// The ordering is part of every name, so that a reader sees at the call what it guarantees. Where names alone do not
// show the access on the other side, a comment names it after `partner:`. Nothing else in the core uses <stdatomic.h>.
// Two builds insert their own code under this layer:
//
//   CRUCIBLE_SCHEDULER      every access first asks a scheduler which thread may continue (Tests/Schedules)
//   CRUCIBLE_NOISE          the same call may delay the thread; everything else, above all parking, is unchanged
//       (Tests/Histories)
//
// `cas_*` is strong: on failure `*expected` is the value that was found. On x86-64 loads, and stores up to release, are
// plain moves. Every read-modify-write is a locked instruction, and so also a full fence, but no code here relies on
// that. Where a full fence is needed the name says seq_cst.

#ifndef CRUCIBLE_ATOMICS_H
#define CRUCIBLE_ATOMICS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/tuning.h"

#if defined(CRUCIBLE_SCHEDULER) || defined(CRUCIBLE_NOISE)
void crucible__schedule(const char *operation, const volatile void *address);
#define CRUCIBLE_STEP(operation, address) crucible__schedule(operation, address)
#else
#define CRUCIBLE_STEP(operation, address) ((void)0)
#endif

#define CRUCIBLE_LOAD(p, order) (CRUCIBLE_STEP("load", p), atomic_load_explicit(p, order))
#define load_relaxed(p) CRUCIBLE_LOAD(p, memory_order_relaxed)
#define load_acquire(p) CRUCIBLE_LOAD(p, memory_order_acquire)
#define load_seq_cst(p) CRUCIBLE_LOAD(p, memory_order_seq_cst)

#define CRUCIBLE_STORE(p, v, order) (CRUCIBLE_STEP("store", p), atomic_store_explicit(p, v, order))
#define store_relaxed(p, v) CRUCIBLE_STORE(p, v, memory_order_relaxed)
#define store_release(p, v) CRUCIBLE_STORE(p, v, memory_order_release)
#define store_seq_cst(p, v) CRUCIBLE_STORE(p, v, memory_order_seq_cst)

#define CRUCIBLE_RMW(function, p, v, order) (CRUCIBLE_STEP(#function, p), function(p, v, order))
#define exchange_relaxed(p, v) CRUCIBLE_RMW(atomic_exchange_explicit, p, v, memory_order_relaxed)
#define exchange_acquire(p, v) CRUCIBLE_RMW(atomic_exchange_explicit, p, v, memory_order_acquire)
#define exchange_release(p, v) CRUCIBLE_RMW(atomic_exchange_explicit, p, v, memory_order_release)
#define exchange_acq_rel(p, v) CRUCIBLE_RMW(atomic_exchange_explicit, p, v, memory_order_acq_rel)
#define exchange_seq_cst(p, v) CRUCIBLE_RMW(atomic_exchange_explicit, p, v, memory_order_seq_cst)
#define fetch_add_relaxed(p, v) CRUCIBLE_RMW(atomic_fetch_add_explicit, p, v, memory_order_relaxed)
#define fetch_add_acq_rel(p, v) CRUCIBLE_RMW(atomic_fetch_add_explicit, p, v, memory_order_acq_rel)
#define fetch_add_seq_cst(p, v) CRUCIBLE_RMW(atomic_fetch_add_explicit, p, v, memory_order_seq_cst)
#define fetch_sub_acq_rel(p, v) CRUCIBLE_RMW(atomic_fetch_sub_explicit, p, v, memory_order_acq_rel)
#define fetch_sub_seq_cst(p, v) CRUCIBLE_RMW(atomic_fetch_sub_explicit, p, v, memory_order_seq_cst)
#define fetch_sub_relaxed(p, v) CRUCIBLE_RMW(atomic_fetch_sub_explicit, p, v, memory_order_relaxed)
#define fetch_or_seq_cst(p, v) CRUCIBLE_RMW(atomic_fetch_or_explicit, p, v, memory_order_seq_cst)
#define fetch_and_seq_cst(p, v) CRUCIBLE_RMW(atomic_fetch_and_explicit, p, v, memory_order_seq_cst)

#define CRUCIBLE_CAS(p, expected, desired, success, failure) \
  (CRUCIBLE_STEP("cas", p), atomic_compare_exchange_strong_explicit(p, expected, desired, success, failure))
#define cas_relaxed(p, e, d) CRUCIBLE_CAS(p, e, d, memory_order_relaxed, memory_order_relaxed)
#define cas_acquire(p, e, d) CRUCIBLE_CAS(p, e, d, memory_order_acquire, memory_order_acquire)
#define cas_release(p, e, d) CRUCIBLE_CAS(p, e, d, memory_order_release, memory_order_relaxed)
#define cas_acq_rel(p, e, d) CRUCIBLE_CAS(p, e, d, memory_order_acq_rel, memory_order_acquire)
#define cas_seq_cst(p, e, d) CRUCIBLE_CAS(p, e, d, memory_order_seq_cst, memory_order_seq_cst)

/// Tells the processor that this is a spin loop.
static inline void spin_pause(void) {
#if defined(CRUCIBLE_SCHEDULER)
  crucible__schedule("pause", 0);
#elif defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Pauses, so that other threads run first.
static inline void let_others_run(void) {
  for (int i = 0; i < CRUCIBLE_PAUSES; i++) spin_pause();
}

/// Gives this thread's processor to another thread that waits for one.
static inline void give_way(void) {
#if defined(CRUCIBLE_SCHEDULER)
  crucible__schedule("pause", 0);
#else
  sched_yield();
#endif
}

/// For functions that are compiled into their callers.
#define INLINE inline __attribute__((always_inline))
/// For functions that few callers need, and that would make the others longer. RARELY: they save all registers.
#define NOINLINE __attribute__((noinline))
#define RARELY __attribute__((noinline, preserve_most))

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
