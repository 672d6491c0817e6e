// Injecting several molecules in one step with the matcher `word`.

#ifndef CRUCIBLE_WORD_TOGETHER_H
#define CRUCIBLE_WORD_TOGETHER_H

#include "matcher/matcher.h"

/// Publishes and counts all molecules of this component. When it fails, molecules whose `value` is null now were
/// injected all the same. The others remain the caller's.
crucible_status crucible__word_publish_together(struct thread *self, struct component *component,
                                                crucible_molecule *molecules, size_t count);

#endif
