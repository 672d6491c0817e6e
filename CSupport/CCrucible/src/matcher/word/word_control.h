// The control bits of the matcher `word`, and how it drops waiting molecules.

#ifndef CRUCIBLE_WORD_CONTROL_H
#define CRUCIBLE_WORD_CONTROL_H

#include "matcher/matcher.h"

/// STOP-1: drops all molecules, if the component is still stopped, and not sealed, or this thread has `brought` a
/// count. Returns their number.
uint64_t crucible__word_drop_stopped(struct component *component, bool brought);
/// STOP-3: ends an addition that has found the component stopped. False: the molecule is refused, and `value` is a
/// value of its name again.
bool crucible__word_end_late(struct component *component, struct crucible_name *name, void *value);
/// Implements pop_function.
void crucible__word_pop(struct crucible_name *name, void *result, uint64_t *attempts);
/// Adds the spilled molecules of all names that the drop affects to `counts`, by bit, and takes them.
void crucible__word_take_overflow(struct component *component, const struct crucible_name *only, uint64_t *counts);
void crucible__word_control(struct component *component, bool paused, bool stopped);
void crucible__word_pause_name(struct crucible_name *name);
bool crucible__word_restart(struct component *component);
void crucible__word_inherit(struct component *component);
uint64_t crucible__word_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);

#endif
