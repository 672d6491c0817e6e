// Tallies of reactions that do not disturb them. Every thread adds to its own cache line, and the lines are summed when
// the soup is quiet. One addition costs a load of a thread-local pointer and two additions in memory that no other
// thread accesses.

#ifndef HARNESS_TALLY_H
#define HARNESS_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "harness_sample.h"

typedef struct harness_tally {
  uint64_t count;  ///< reactions
  uint64_t sum;    ///< of the values they consumed, modulo 2^64
  uint64_t first;  ///< when this thread ran its first body of the sample (stamped tallies alone)
  uint64_t last;   ///< when it was last seen
  struct harness_tally *next;
  uint64_t padding[3];
} harness_tally;

extern _Thread_local harness_tally *harness_tally_mine __attribute__((tls_model("initial-exec")));
/// Assigns its line to the calling thread.
harness_tally *harness_tally_join(void);
void harness_tally_stamp(harness_tally *tally);

/// Counts one reaction that consumed values of this sum.
static inline void harness_tally_add(uint64_t value) {
  harness_tally *tally = harness_tally_mine;
  if (__builtin_expect(tally == NULL, 0)) tally = harness_tally_join();
  tally->count += 1;
  tally->sum += value;
}

/// Counts one reaction, and reads the clock every 64th time. So the sample can show which threads of the pool ran
/// bodies, and when.
static inline void harness_tally_add_stamped(uint64_t value) {
  harness_tally *tally = harness_tally_mine;
  if (__builtin_expect(tally == NULL, 0)) tally = harness_tally_join();
  if (__builtin_expect((tally->count & 63) == 0, 0)) harness_tally_stamp(tally);
  tally->count += 1;
  tally->sum += value;
}

/// Sets every line to zero. Requires: no body runs.
void harness_tally_reset(void);
/// The sum of count and sum over all lines. Requires: no body runs.
harness_tally harness_tally_total(void);
/// Writes into the sample the number of threads that ran stamped bodies, and their overlap. Requires: no body runs.
void harness_tally_overlap(harness_sample *sample);

#endif
