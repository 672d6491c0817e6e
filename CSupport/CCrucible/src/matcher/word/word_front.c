// Front bits: see word_front.h.

#include "matcher/word/word_front.h"

CRUCIBLE_SELDOM bool crucible__front_keep(struct bag *bag, uint32_t keeper) {
  uint32_t cell = CELL_EMPTY;
  // partner: the release in crucible__front_take: the payload has been read
  if (crucible__bag_first_is_empty(bag) && cas_acquire(&bag->cell, &cell, keeper)) return true;
  crucible__cell_off(bag, CELL_EMPTY);
  return false;
}

void crucible__front_pop(struct component *component, struct bag *bag, uint64_t front, void *result,
                         uint64_t *attempts) {
  // A thread without a record may take the molecules of an external firing. Such a thread keeps no cell.
  uint32_t keeper = crucible__self ? crucible__keeper(crucible__self) : CELL_EMPTY;
  if (front == 0) {
    crucible__bag_pop_mpmc(bag, result, attempts);
  } else if (crucible__front_claim(component, front)) {
    crucible__front_take(bag, keeper, bag->size, result);
  } else {
    uint32_t cell = load_relaxed(&bag->cell);
    if (cell == CELL_EMPTY || cell == keeper) crucible__cell_off(bag, cell);
    crucible__rings_pop_mpmc(bag, result, attempts);
  }
}
