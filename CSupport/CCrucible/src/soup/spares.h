// Blocks that repeats have left for the next soups of their chemistry: see spares.c.

#ifndef CRUCIBLE_SPARES_H
#define CRUCIBLE_SPARES_H

#include "soup/chemistry.h"

/// Takes a block that a repeat has left. Null: the chemistry keeps none.
struct crucible_soup *crucible__take_spare(struct chemistry *chemistry);
/// Takes a spare of the chemistry with which a definition at this place begins. Null: there is none.
struct crucible_soup *crucible__take_spare_like(const void *file, uintptr_t variant, uint32_t line,
                                               crucible_matcher matcher, crucible_label label);
/// Whether the block of a frozen soup may be kept for another one.
static inline bool crucible__may_be_spare(const struct crucible_soup *soup) {
  return soup->is_spare && !soup->chemistry->from && !soup->inherited;
}
/// Keeps the block of a repeat that is gone, for the next one. False: the caller frees it.
bool crucible__keep_spare(struct crucible_soup *soup);
/// Frees all kept blocks.
void crucible__free_spares(void);

/// Releases the contexts that are kept for reactions from this one on, in the block of a repeat.
void crucible__end_kept(struct crucible_soup *soup, uint32_t first);
/// Releases all contexts that are kept, and all objects that the binding has left. Requires: nothing refers to the
/// block.
void crucible__end_all_kept(struct crucible_soup *soup);

#endif
