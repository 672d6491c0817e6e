// The control bits of the matcher `word`, and how it drops waiting molecules.

#ifndef CRUCIBLE_WORD_CONTROL_H
#define CRUCIBLE_WORD_CONTROL_H

#include "matcher/word/word_form.h"

extern const struct word_form crucible__word_form;

/// STOP-1: drops all molecules, if the component is still stopped, and not sealed, or this thread has `brought` a
/// count. Returns their number.
uint64_t crucible__word_drop_stopped(struct component *component, bool brought);
/// STOP-3: ends an addition that has found the component stopped. False: the molecule is refused, and `value` is a
/// value of its name again.
bool crucible__word_end_late(struct thread *self, struct component *component, struct crucible_name *name,
                             void *value);
/// Takes one count of the name, out of its word or out of the overflow: for a thread that is `late` only if the word is
/// stopped, otherwise only if it is not sealed. False: there is none.
bool crucible__word_take_one(struct thread *self, struct crucible_name *name, bool late);
/// Implements pop_function.
void crucible__word_pop(struct crucible_name *name, void *result, uint64_t *attempts);
void crucible__word_counts(struct component *component, uint64_t *counts);
void crucible__word_control(struct component *component, bool paused, bool stopped);
void crucible__word_pause_name(struct crucible_name *name);
bool crucible__word_restart(struct component *component);
void crucible__word_inherit(struct component *component);
uint64_t crucible__word_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);

#endif
