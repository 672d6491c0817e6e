// See holds.h.

#include "firing/holds.h"

#include "base/above.h"
#include "base/errors.h"

bool crucible_soup_hold(crucible_soup *soup) {
  uint64_t holds = load_relaxed(&soup->holds);
  while (holds != 0 && !(holds & CRUCIBLE_CLOSED)) {
    if (UNLIKELY((uint32_t)holds > UINT32_MAX - CRUCIBLE_OWNER)) crucible__die("a soup is held more than 2^30 times");
    if (cas_acq_rel(&soup->holds, &holds, holds + CRUCIBLE_OWNER)) return true;
  }
  return false;
}

void crucible_soup_begin_pending(crucible_soup *soup) { crucible__soup_add_pending(soup); }

void crucible_soup_end_pending(crucible_soup *soup) { crucible__soup_release_holds(soup, CRUCIBLE_PENDING); }

void crucible_soup_release(crucible_soup *soup) { crucible__soup_release_holds(soup, CRUCIBLE_OWNER); }

bool crucible_soup_is_owned(const crucible_soup *soup) { return !crucible__is_unowned(load_relaxed(&soup->holds)); }

bool crucible_soup_is_closed(const crucible_soup *soup) { return load_relaxed(&soup->holds) & CRUCIBLE_CLOSED; }

static NOINLINE void release_watched(struct crucible_soup *soup, uint64_t units) {
  uint64_t holds = load_relaxed(&soup->holds), rest;
  do {
    rest = crucible__remaining(holds - units);
    if (rest != 0 && crucible__is_unowned(rest) && !(rest & CRUCIBLE_CLOSED)) {
      crucible__above.leave_unowned(soup, units);
      return;
    }
  } while (!cas_acq_rel(&soup->holds, &holds, rest));
  if (rest == 0) crucible__above.destroy_contents(soup);
}

void crucible__soup_release_holds(struct crucible_soup *soup, uint64_t holds) {
  // WATCHED is set at the beginning, and later only ever cleared. So a soup that does not show it is not watched.
  if (UNLIKELY(load_relaxed(&soup->holds) & CRUCIBLE_WATCHED)) return release_watched(soup, holds);
  // Release: the work of this holder comes before the destruction. Acquire: the destruction comes after the work of all
  // holders.
  if (fetch_sub_acq_rel(&soup->holds, holds) == holds) crucible__above.destroy_contents(soup);
}
