// Injecting several molecules in one step with the matcher `word`.

#ifndef CRUCIBLE_WORD_TOGETHER_H
#define CRUCIBLE_WORD_TOGETHER_H

#include "matcher/matcher.h"

// The calls of struct matcher.
struct added crucible__word_add_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                         size_t count);
struct reaction *crucible__word_settle_whole(struct thread *self, struct component *component);

#endif
