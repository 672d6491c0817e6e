// Front bits: see word_front.h.

#include "matcher/word/word_front.h"

CRUCIBLE_SELDOM bool crucible__front_keep(struct bag *bag, uint32_t keeper) {
  uint32_t cell = CELL_EMPTY;
  // partner: the release in crucible__front_take: the payload has been read
  if (crucible__bag_first_is_empty(bag) && cas_acquire(&bag->cell, &cell, keeper)) return true;
  crucible__cell_off(bag, CELL_EMPTY);
  return false;
}
