// Injecting several molecules in one step with the matcher `word`.

#ifndef CRUCIBLE_WORD_TOGETHER_H
#define CRUCIBLE_WORD_TOGETHER_H

#include "matcher/matcher.h"

/// Publishes and counts all molecules of this component. False: no memory; those whose `value` is null now were injected all
/// the same, the others are the caller's.
bool crucible__word_publish_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                     size_t count);

#endif
