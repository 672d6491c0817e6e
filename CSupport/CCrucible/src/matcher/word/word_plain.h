// Plain injections of the matcher `word`.

#ifndef CRUCIBLE_WORD_PLAIN_H
#define CRUCIBLE_WORD_PLAIN_H

#include "firing/firing.h"

/// Returns the function that injects this name plainly. Null: it cannot be injected so.
inject_function crucible__word_plain_for(const struct crucible_name *name);

/// Ends a plain injection. Returns true, because it has succeeded.
static inline bool crucible__end_plain(struct thread *self) {
  crucible__set_depth(self, 0);
  crucible__drain(self);
  return true;
}

#endif
