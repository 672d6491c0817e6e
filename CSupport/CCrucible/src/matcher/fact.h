// Facts: molecules that stay.
//
// A fact is injected once. Its value lies in a cell of the soup, like a state's. Every reaction that names the fact
// reads the value there, and none consumes it. So readers of one fact do not take turns, and write nothing that they
// share.
//
//   FACT-1  A reaction that reads facts is disabled until all of them are known. On `word` each fact has a bit in the
//       state word, among those that the test for a reaction requires to be 0. On other matchers `missing` counts the
//       facts that are not known. The value is written before that changes, and a thread reads that before it fires. So
//       every body finds the value.
//   FACT-2  No enabled reaction is left behind. The thread that makes a fact known first informs all components. Then
//       it settles them, like a thread that resumes a soup (WORD-1). That finds every molecule that was added before.
//       The thread of a later molecule finds the fact known: it adds by a sequentially consistent read-modify-write, or
//       under a lock, and reads `missing` after it.
//   FACT-3  A value is destroyed only while the soup is stopped and quiet, or gone. Then no body reads it, and no
//       injection writes it. An injection enters, and then reads `closed` by a read-modify-write. A stop changes
//       `closed` by another. So either the injection finds the soup closed, or a check for quiet finds the injection.
//       On `word`, the thread that fires a reader exchanges the state word. The exchange fails if the fact's bit has
//       changed. The other matchers have no such bit, and their word may have the same value before a stop and after
//       the restart. There the thread shows its entry, reads the word, reads `missing`, and then exchanges the word.
//       The soup is not quiet while the entry stands, so no restart happens in between.
//   FACT-4  The first injection of a fact is the one whose compare-and-swap finds it UNKNOWN.
//   FACT-5  Until the definition has ended, an injection stores the value, under the soup's lock. The end of the
//       definition informs the reactions, under the same lock, before any other function injects the name.
//
// Reactions of several components may read one fact. It belongs to none of them, and connects none.
//
// Progress: reading a fact is wait-free, injecting one lock-free. A thread that stops in the middle of its injection
// leaves the fact unknown, and no later injection of it succeeds.
//
// I-structures are such cells: Arvind, Nikhil and Pingali, "I-structures: data structures for parallel computing", ACM
// TOPLAS 11 (1989), doi:10.1145/69558.69562.

#ifndef CRUCIBLE_FACT_H
#define CRUCIBLE_FACT_H

#include "types.h"

/// Implements inject_function. False: refused, because the fact is known or the soup is stopped.
bool crucible__inject_fact(struct crucible_name *fact, void *value);
/// Stores the value before the definition has ended. Requires: the soup's lock. False: the fact is known.
bool crucible__store_fact(struct crucible_name *fact, const void *value);
/// Informs all reactions of the component which facts are known, when the definition ends. Requires: the soup's lock.
void crucible__begin_facts(struct component *component);
/// Destroys the fact's value, if it has one. The fact may be injected again. Requires: the soup is stopped and quiet.
void crucible__forget_fact(struct crucible_name *fact);

/// The state of the cell of a fact.
enum fact { UNKNOWN, BEING_STORED, KNOWN };

static inline bool crucible__is_known(const struct crucible_name *fact) {
  return load_acquire(&fact->fact) == KNOWN;  // partner: the release in crucible__store_fact
}

/// Counts a fact that has become known, or is forgotten. For a matcher on which one thread at a time reads `missing`.
static inline void crucible__count_fact(struct reaction *reaction, bool known) {
  uint8_t missing = load_relaxed(&reaction->missing);
  store_relaxed(&reaction->missing, (uint8_t)(known ? missing - 1 : missing + 1));
}

/// Whether all facts that the reaction reads are known. For a matcher without `set_fact`.
static inline bool crucible__knows_facts(const struct reaction *reaction) {
  return LIKELY(load_seq_cst(&reaction->missing) == 0);  // partner: the addition in `tell`
}

#endif
