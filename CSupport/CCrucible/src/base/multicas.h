// A lock-free compare-and-swap of several words at once: multicas.c explains the algorithm.

#ifndef CRUCIBLE_MULTICAS_H
#define CRUCIBLE_MULTICAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomics.h"

/// The two lowest bits of such a word belong to these operations: they are 0 in each of its values. If both are set,
/// the word has a mark of another protocol (matcher/wide/claims.h). No operation expects or changes a mark.
#define CRUCIBLE_MULTICAS_BITS UINT64_C(3)

/// One word of an operation.
struct change {
  _Atomic uint64_t *word;
  uint64_t rank;  ///< unique among all words with which the word is ever changed together
  uint64_t expected, desired;
  void *owner;  ///< keeps the word alive: the operation takes over one reference
};

/// Changes all words if each has its expected value, or none. Requires: no word occurs twice. Calls `release` once for
/// each owner when no thread will access its word for this operation any more. The call comes outside read sections,
/// from this thread or one that helped. Aborts with a message when there is no memory.
bool crucible__change_all(const struct change *changes, uint32_t count, void (*release)(void *owner));
/// Changes one word, which another thread may be changing together with others.
bool crucible__change_one(_Atomic uint64_t *word, uint64_t expected, uint64_t desired);
/// Returns the value of the word, or its mark. Helps an operation that is in the middle of changing it.
uint64_t crucible__read_changed(_Atomic uint64_t *word);

#endif
