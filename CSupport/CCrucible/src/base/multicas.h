// A compare-and-swap of several words at once, lock-free: multicas.c says how.

#ifndef CRUCIBLE_MULTICAS_H
#define CRUCIBLE_MULTICAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomics.h"

/// The two lowest bits of such a word belong to these operations: they are 0 in each of its values. Where both are set,
/// the word has another protocol's mark (matcher/claim/claims.h). No operation expects a mark or touches one.
#define CRUCIBLE_MULTICAS_BITS UINT64_C(3)

/// One word of an operation.
struct change {
  _Atomic uint64_t *word;
  uint64_t rank;  ///< of the word: another one than those of all others that it is ever changed with
  uint64_t expected, desired;
  void *owner;  ///< what keeps the word: the operation takes over one reference
};

/// Changes all words if each has its expected value, or none. Requires: no word comes twice.
/// `let_go` is called once for each owner when no thread will touch its word for this operation any more: outside of
/// read sections, by this thread or by one that helped. Aborts with a message when there is no memory.
bool crucible__change_all(const struct change *changes, uint32_t count, void (*let_go)(void *owner));
/// Changes one word, which another thread may be changing together with others.
bool crucible__change_one(_Atomic uint64_t *word, uint64_t expected, uint64_t desired);
/// The value of the word, or its mark. Helps an operation that is in the middle of changing it.
uint64_t crucible__read_changed(_Atomic uint64_t *word);

#endif
