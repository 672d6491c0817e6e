// Full fields of the matcher `word`: counts that the word has no room for.

#ifndef CRUCIBLE_WORD_OVERFLOW_H
#define CRUCIBLE_WORD_OVERFLOW_H

#include "types.h"

/// Brings spilled counts into the word while there is room. True: at least one came.
bool crucible__word_bring(struct component *component, struct crucible_name *name);
/// Counts one molecule as spilled. True: counts were brought over, maybe more than one.
bool crucible__word_spill(struct component *component, struct crucible_name *name);
/// After a reaction has made room: brings over for each of its names. True: at least one count came.
bool crucible__word_make_room(struct thread *self, struct component *component, const struct reaction *reaction);
/// Brings over for all names of the component. True: at least one count came.
bool crucible__word_bring_all(struct component *component);

#endif
