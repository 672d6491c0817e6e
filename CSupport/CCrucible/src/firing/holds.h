// Holding a soup: its contents live while `holds` is not 0.
//
// Each owner is one hold. Each firing that is reserved for the pool, deferred or run there is CRUCIBLE_PENDING. An
// injection by an owner needs no hold of its own, because the owner outlives the call. A name that does not own first
// looks whether the innermost body on this thread is its soup's, which keeps the soup, and else takes a hold for the
// time of the call. It cannot once holds is 0: then the soup is gone for good.

#ifndef CRUCIBLE_HOLDS_H
#define CRUCIBLE_HOLDS_H

#include "types.h"

/// One more firing is reserved, or goes on.
void crucible__soup_add_pending(struct crucible_soup *soup);
/// Takes `holds` (owners, or CRUCIBLE_PENDING for a firing) back; the last destroys the contents.
void crucible__soup_let_go(struct crucible_soup *soup, uint64_t holds);
/// Whether the soup was made by the process that forked this one, and is not to be used here; tells the binding, if so.
static inline bool crucible__is_inherited(struct crucible_soup *soup) {
  if (LIKELY(!soup->inherited)) return false;
  if (soup->tell_inherited) soup->tell_inherited(soup);
  return true;
}

#endif
