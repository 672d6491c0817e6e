// Injecting with the matcher `word`, whatever the name, the thread and the state of the component.

#ifndef CRUCIBLE_WORD_INJECT_H
#define CRUCIBLE_WORD_INJECT_H

#include "matcher/word/word.h"

/// Injects any name.
bool crucible__word_inject(struct crucible_name *name, void *value);
/// Continues after a plain injection (word_plain.c) gave its state back. That injection is no longer visible in the
/// word. So it counts itself as entered before it takes anything out of the word.
void crucible__word_run_on_counted(struct thread *self, struct component *component, struct reaction *reaction);

// Continuations of a short injection that is not complete. Each returns its answer.
/// Continues after its CAS has fired `reaction`, which runs here. The CAS has cleared the front bits of its names in
/// `word`.
bool crucible__word_run_and_leave(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                  struct stripe *stripe, uint64_t word);
/// Continues after its CAS has fired `reaction`, which runs elsewhere and gets nothing unstored.
bool crucible__word_submit_and_leave(struct thread *self, struct reaction *reaction, struct stripe *stripe);
/// Continues after its CAS has fired `reaction`, which is placed externally and takes its own. `visits`: its body may
/// visit this thread.
bool crucible__word_submit_unstored_and_leave(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                         struct stripe *stripe, uint64_t word, bool visits);
/// Continues after its molecule was stored and counted by a blind addition. `word`: the result of the addition.
bool crucible__word_settle_and_leave(struct thread *self, struct crucible_name *name, void *value, uint64_t word,
                                     struct stripe *stripe);
/// Continues after its molecule was stored, and before it is counted.
bool crucible__word_add_and_leave(struct thread *self, struct crucible_name *name, void *value, uint64_t unit,
                                  struct stripe *stripe);
/// Restarts an injection of which nothing is visible yet except that it has entered. It may take any path. It has not
/// left meanwhile, because then the soup might appear quiet.
bool crucible__word_inject_entered(struct crucible_name *name, void *value, struct stripe *stripe);

// The calls of struct matcher that concern injections.
struct added crucible__word_add_one(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                                    struct place *place, struct firing *firing);
struct reaction *crucible__word_step(struct thread *self, struct component *component, struct reaction *only);

#endif
