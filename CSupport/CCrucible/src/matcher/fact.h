// Facts: molecules that stay.
//
// A fact is injected once. Its value lies in a cell of the soup, as a state's does. Every reaction that names the fact
// reads the value there, and none consumes it. So readers of one fact do not take turns, and write nothing that they
// share.
//
//   FACT-1  A reaction that reads facts is disabled until all of them are known. On `word` each fact has a bit in the
//       state word, among those that the test for a reaction wants to be 0; elsewhere `missing` counts the facts that
//       are not known. The value is written before that changes, and a thread reads that before it fires. So every body
//       finds the value.
//   FACT-2  No enabled reaction is left behind: the thread that makes a fact known first tells all components. Then it
//       settles them, as a thread that resumes a soup does (WORD-1). That finds every molecule that was added before.
//       The thread of a later molecule finds the fact known: it adds by a sequentially consistent read-modify-write,
//       or under a lock, and looks at `missing` after it.
//   FACT-3  A value is destroyed only while the soup is stopped and quiet, or gone. No body reads it then, and no
//       injection writes it. An injection enters, and then reads `closed` by a read-modify-write. A stop changes
//       `closed` by another. So either the injection finds the soup closed, or a look for quiet finds the injection.
//       On `word`, the thread that fires a reader exchanges the state word. The exchange fails if the fact's bit has
//       changed. The other matchers have no such bit, and their word may have the same value before a stop and after
//       the restart. There the thread shows its entry, reads the word, reads `missing`, and then exchanges the word.
//       The soup is not quiet while the entry stands, so no restart comes in between.
//   FACT-4  The first injection of a fact is the one whose compare-and-swap claims the cell.
//   FACT-5  Until the definition has ended, an injection stores the value, under the soup's lock. The end of the
//       definition tells the reactions, under the same lock, before any other function injects the name.
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

/// An inject_function. False: refused, as the fact is known or the soup is stopped.
bool crucible__inject_fact(struct crucible_name *fact, void *value);
/// Stores the value before the definition has ended. Returns false if the fact is known. With the soup's lock.
bool crucible__store_fact(struct crucible_name *fact, const void *value);
/// The definition ends: all reactions of the component learn which facts are known. With the soup's lock.
void crucible__begin_facts(struct component *component);
/// Destroys the fact's value, if it has one; it may be injected again. Requires: the soup is stopped and quiet.
void crucible__forget_fact(struct crucible_name *fact);

/// What the cell of a fact has.
enum fact { UNKNOWN, CLAIMED, KNOWN };

static inline bool crucible__is_known(const struct crucible_name *fact) {
  // unseen: what fires goes by the bit, or by `missing`
  return load_acquire(&fact->fact) == KNOWN;  // partner: the release in crucible__store_fact
}

/// Counts a fact that has become known, or is forgotten, on a matcher that looks at `missing` one thread at a time.
static inline void crucible__count_fact(struct reaction *reaction, bool known) {
  uint8_t missing = load_relaxed(&reaction->missing);
  store_relaxed(&reaction->missing, (uint8_t)(known ? missing - 1 : missing + 1));
}

/// Whether all facts are known that the reaction reads, on a matcher without `set_fact`.
static inline bool crucible__knows_facts(const struct reaction *reaction) {
  return LIKELY(load_seq_cst(&reaction->missing) == 0);  // partner: the addition in `tell`
}

#endif
