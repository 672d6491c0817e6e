// The molecules that a stop has dropped, and that no report has told yet, by name.

#ifndef CRUCIBLE_UNTOLD_H
#define CRUCIBLE_UNTOLD_H

#include "types.h"

/// Counts molecules of the name that were dropped for a stop, in the total of the soup too. `name`: as it is stored.
void crucible__add_stopped(const struct crucible_name *name, uint64_t count);
/// Notes molecules that were dropped for a stop and are counted in the total elsewhere.
void crucible__note_stopped(const struct crucible_name *name, uint64_t count);
/// Tells the molecules that no report has told. Adds them to `counts`, which has an element for each name of the soup,
/// or may be null. Returns their sum.
uint64_t crucible__tell_stopped(struct crucible_soup *soup, uint64_t *counts);
/// Frees the notes. Requires: no other thread uses the soup.
void crucible__free_untold(struct crucible_soup *soup);

#endif
