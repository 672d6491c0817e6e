// See holds.h.

#include "firing/holds.h"

#include "base/above.h"
#include "base/errors.h"

bool crucible_soup_hold(crucible_soup *soup) {
  uint64_t holds = load_relaxed(&soup->holds);
  while (holds != 0) {
    if (UNLIKELY((uint32_t)holds == UINT32_MAX)) crucible__die("a soup is held more than 2^32 times");
    // unseen: the count is not 0; the last release orders
    if (cas_acq_rel(&soup->holds, &holds, holds + 1)) return true;
  }
  return false;
}

void crucible__soup_add_pending(struct crucible_soup *soup) {
  // unseen: the count is not 0; the last release orders
  if (UNLIKELY(fetch_add_acq_rel(&soup->holds, CRUCIBLE_PENDING) >= UINT64_MAX - 2 * CRUCIBLE_PENDING)) {
    crucible__die("2^32 firings of a soup are reserved");
  }
}

void crucible_soup_begin_pending(crucible_soup *soup) { crucible__soup_add_pending(soup); }

void crucible_soup_end_pending(crucible_soup *soup) { crucible__soup_let_go(soup, CRUCIBLE_PENDING); }

void crucible_soup_release(crucible_soup *soup) { crucible__soup_let_go(soup, 1); }

void crucible__soup_let_go(struct crucible_soup *soup, uint64_t holds) {
  // Release: what this holder did comes before the destruction; acquire: the destruction comes after all of them.
  if (fetch_sub_acq_rel(&soup->holds, holds) == holds) crucible__above.destroy_contents(soup);
}
