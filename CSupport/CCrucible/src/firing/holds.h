// Holding a soup: its contents live while `holds` is not 0.
//
// Each owner is CRUCIBLE_OWNER. Each firing that is reserved for the pool, deferred or run there is CRUCIBLE_PENDING.
// An injection by an owner needs no hold of its own, because the owner outlives the call. A name that does not own
// first looks whether the innermost body on this thread is its soup's, which keeps the soup, and else takes a hold for
// the time of the call. It cannot once holds is 0, or CRUCIBLE_CLOSED is set: then the soup is gone for good.
//
// A soup is CRUCIBLE_WATCHED from its creation to its freeze, and for ever if its bodies may wait for its own reactions
// or if the binding wants to know when its last owner goes. The holds of such a soup are taken back by
// compare-and-swap.

#ifndef CRUCIBLE_HOLDS_H
#define CRUCIBLE_HOLDS_H

#include "types.h"

/// One more firing is reserved, or goes on.
void crucible__soup_add_pending(struct crucible_soup *soup);
/// Takes `holds` (CRUCIBLE_OWNER or CRUCIBLE_PENDING) back; the last destroys the contents.
void crucible__soup_let_go(struct crucible_soup *soup, uint64_t holds);
/// Whether nobody owns a soup with these holds.
static inline bool crucible__is_unowned(uint64_t holds) { return (uint32_t)holds < CRUCIBLE_OWNER; }
/// The holds that remain: none if only marks do.
static inline uint64_t crucible__remaining(uint64_t holds) {
  return holds < CRUCIBLE_OWNER ? 0 : holds;
}
/// Whether the soup was made by the process that forked this one, and is not to be used here; tells the binding, if so.
static inline bool crucible__is_inherited(struct crucible_soup *soup) {
  if (LIKELY(!soup->inherited)) return false;
  if (soup->tell_inherited) soup->tell_inherited(soup);
  return true;
}

#endif
