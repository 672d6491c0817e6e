// Full fields of the matcher `word`: counts for which the word has no room.

#ifndef CRUCIBLE_WORD_OVERFLOW_H
#define CRUCIBLE_WORD_OVERFLOW_H

#include "types.h"

/// Moves spilled counts into the word while it has room. True: at least one was moved.
bool crucible__word_bring(struct component *component, struct crucible_name *name);
/// Counts molecules as spilled. True: counts were moved into the word, perhaps more than those.
bool crucible__word_spill(struct component *component, struct crucible_name *name, uint64_t count);
/// Moves spilled counts of each of the reaction's names after the reaction has made room. True: at least one was moved.
bool crucible__word_make_room(struct thread *self, struct component *component, const struct reaction *reaction);
/// Does the work that other threads have left (WORD-4), and the work that each thread must do before it leaves (CALL-4,
/// STOP-1). True: at least one count was added.
bool crucible__word_tend(struct thread *self, struct component *component);
/// Tends and settles before the thread leaves without having fired. Returns the result of settle.
struct reaction *crucible__word_attend(struct thread *self, struct component *component);
/// Settles after a firing that was completed without storing made room. All further firings are submitted, because only
/// this thread has the value of the one.
void crucible__word_settle_others(struct thread *self, struct component *component);

/// Begins a component: nothing is spilled, abandoned or refused.
void crucible__word_begin(struct component *component);

#endif
