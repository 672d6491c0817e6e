// Holding a soup: its contents live while `holds` is not 0.
//
// Each owner counts CRUCIBLE_OWNER. Each firing that is reserved for the pool, deferred or running there counts
// CRUCIBLE_PENDING. An injection by an owner needs no hold of its own, because the owner outlives the call. A name that
// does not own first checks whether the innermost body on this thread belongs to its soup, which then lives. Otherwise
// it acquires a hold for the duration of the call. It cannot once `holds` is 0, or CRUCIBLE_CLOSED is set: then the
// soup is gone for good.
//
// A soup is CRUCIBLE_WATCHED from its creation to its freeze. It remains so if its bodies may wait for its own
// reactions, or if the binding must know when its last owner releases it. The holds of such a soup are released by
// compare-and-swap.

#ifndef CRUCIBLE_HOLDS_H
#define CRUCIBLE_HOLDS_H

#include "base/errors.h"
#include "types.h"

/// Adds a hold for a firing that is reserved or continues.
static inline void crucible__soup_add_pending(struct crucible_soup *soup) {
  if (UNLIKELY(fetch_add_acq_rel(&soup->holds, CRUCIBLE_PENDING) >= UINT64_MAX - 2 * CRUCIBLE_PENDING)) {
    crucible__die("2^32 firings of a soup are reserved");
  }
}
/// Releases `holds` (CRUCIBLE_OWNER or CRUCIBLE_PENDING). The last release destroys the contents.
void crucible__soup_release_holds(struct crucible_soup *soup, uint64_t holds);
/// Whether a soup with these holds has no owner.
static inline bool crucible__is_unowned(uint64_t holds) { return (uint32_t)holds < CRUCIBLE_OWNER; }
/// The holds that remain, or 0 if only marks remain.
static inline uint64_t crucible__remaining(uint64_t holds) {
  return holds < CRUCIBLE_OWNER ? 0 : holds;
}
/// Whether the process that forked this one made the soup, so that it must not be used here. If so, informs the
/// binding.
static inline bool crucible__is_inherited(struct crucible_soup *soup) {
  if (LIKELY(!soup->inherited)) return false;
  if (soup->place->options.inherited) soup->place->options.inherited(soup);
  return true;
}

#endif
