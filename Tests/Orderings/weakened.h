// Included in front of a copy of the core whose sites say their numbers (sites.py number): asks, at each site, which
// ordering it has today. One program so has all mutants; which of them it is, ORDERINGS_MUTANT says: one name, or
// several with + between them. If each of two orderings does what the other does, only the loss of both is missed.
//
// A site also stands still at random: the windows in which an ordering matters are a few instructions wide.

#ifndef WEAKENED_H
#define WEAKENED_H

#include <stdatomic.h>

/// By site; -1: as it asks.
enum { WEAKENED_SITES = 512 };
extern signed char weakened_orders[WEAKENED_SITES], weakened_failures[WEAKENED_SITES];
extern _Thread_local unsigned weakened_countdown;
void weakened_pause(void);

static inline __attribute__((always_inline)) memory_order ordering_at(int site, memory_order asked) {
  if (weakened_countdown-- == 0) weakened_pause();
  return __builtin_expect(weakened_orders[site] >= 0, 0) ? (memory_order)weakened_orders[site] : asked;
}
static inline __attribute__((always_inline)) memory_order failing_at(int site, memory_order asked) {
  return __builtin_expect(weakened_failures[site] >= 0, 0) ? (memory_order)weakened_failures[site] : asked;
}

#define CRUCIBLE_ORDER_AT(n, order) ordering_at(n, order)

#define load_acquire_at(n, p) CRUCIBLE_LOAD(p, ordering_at(n, memory_order_acquire))
#define load_seq_cst_at(n, p) CRUCIBLE_LOAD(p, ordering_at(n, memory_order_seq_cst))
#define store_release_at(n, p, v) CRUCIBLE_STORE(p, v, ordering_at(n, memory_order_release))
#define store_seq_cst_at(n, p, v) CRUCIBLE_STORE(p, v, ordering_at(n, memory_order_seq_cst))

#define RMW_AT(n, function, p, v, order) CRUCIBLE_RMW(atomic_##function##_explicit, p, v, ordering_at(n, order))
#define exchange_acquire_at(n, p, v) RMW_AT(n, exchange, p, v, memory_order_acquire)
#define exchange_release_at(n, p, v) RMW_AT(n, exchange, p, v, memory_order_release)
#define exchange_acq_rel_at(n, p, v) RMW_AT(n, exchange, p, v, memory_order_acq_rel)
#define exchange_seq_cst_at(n, p, v) RMW_AT(n, exchange, p, v, memory_order_seq_cst)
#define fetch_add_acq_rel_at(n, p, v) RMW_AT(n, fetch_add, p, v, memory_order_acq_rel)
#define fetch_add_seq_cst_at(n, p, v) RMW_AT(n, fetch_add, p, v, memory_order_seq_cst)
#define fetch_sub_acq_rel_at(n, p, v) RMW_AT(n, fetch_sub, p, v, memory_order_acq_rel)
#define fetch_sub_seq_cst_at(n, p, v) RMW_AT(n, fetch_sub, p, v, memory_order_seq_cst)
#define fetch_or_seq_cst_at(n, p, v) RMW_AT(n, fetch_or, p, v, memory_order_seq_cst)
#define fetch_and_seq_cst_at(n, p, v) RMW_AT(n, fetch_and, p, v, memory_order_seq_cst)

#define CAS_AT(n, p, e, d, order, failing) CRUCIBLE_CAS(p, e, d, ordering_at(n, order), failing_at(n, failing))
#define cas_acquire_at(n, p, e, d) CAS_AT(n, p, e, d, memory_order_acquire, memory_order_acquire)
#define cas_release_at(n, p, e, d) CAS_AT(n, p, e, d, memory_order_release, memory_order_relaxed)
#define cas_acq_rel_at(n, p, e, d) CAS_AT(n, p, e, d, memory_order_acq_rel, memory_order_acquire)
#define cas_seq_cst_at(n, p, e, d) CAS_AT(n, p, e, d, memory_order_seq_cst, memory_order_seq_cst)

#endif
