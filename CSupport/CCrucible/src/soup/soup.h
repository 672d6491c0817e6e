// The life of a soup: the actions after the last hold is released.

#ifndef CRUCIBLE_SOUP_H
#define CRUCIBLE_SOUP_H

#include "firing/holds.h"

/// Destroys the contents of a soup without holds, now, or after the soup that is being destroyed on this thread.
void crucible__soup_destroy(struct crucible_soup *soup);
/// Frees the block of a soup, with everything that belongs to it. Requires: nothing refers to it.
void crucible__free_soup(struct crucible_soup *soup);
/// Removes a soup from the list of live soups, if it is there.
void crucible__delist(struct crucible_soup *soup);
/// Releases holds of a watched soup that leave it with firings and without owners (unowned.c).
void crucible__leave_unowned(struct crucible_soup *soup, uint64_t units);
/// Checks a soup without owners when one of its bodies begins to wait. The caller is that body, and so holds the soup.
void crucible__look_unowned(struct crucible_soup *soup);
/// Keep the list of live soups unchanged during a fork. The list of the child begins empty.
void crucible__registry_before_fork(void);
void crucible__registry_after_fork(bool in_child);
// backlog.c
/// Notes that memory grows for molecules of a name, of which perhaps CRUCIBLE_BACKLOG wait. Takes the address of the
/// name's bag, also where the name has none.
void crucible__note_backlog(struct bag *bag);

// control.c
/// Refuses every injection from now on, and destroys waiting molecules. Requires: the soup is marked as closed, and a
/// firing holds it.
void crucible__close(struct crucible_soup *soup);

// definition.c
/// Makes the next name of the soup. Its first value is not there yet. Null: no memory.
struct crucible_name *crucible__make_name(struct crucible_soup *soup, struct species *species, bool special);

// spares.c
/// Takes a block that a repeat has left. Null: the chemistry keeps none.
struct crucible_soup *crucible__take_spare(struct chemistry *chemistry);
/// Takes a spare of the chemistry with which a definition at this place begins. Null: there is none.
struct crucible_soup *crucible__take_spare_like(const void *file, uintptr_t variant, uint32_t line,
                                               crucible_matcher matcher, crucible_label label);
/// Whether the block of a frozen soup may be kept for another one.
static inline bool crucible__may_be_spare(const struct crucible_soup *soup) {
  return soup->is_made && !soup->chemistry->from && !soup->inherited;
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

// origins.c
/// Makes the soup carry contexts, unless it must not: each of its reactions needs an origin. Requires: the definition
/// has not ended.
void crucible__carry_context(struct crucible_soup *soup);
/// Finds the input that gives the body of a reaction its context, and notes that this name needs origins.
void crucible__want_origin(struct reaction *reaction);
/// Gives the names the origins that some reaction needs. Called with the lock, at the end of the definition. False: no
/// memory.
bool crucible__give_origins(struct crucible_soup *soup);
/// Injects a name whose molecules have origins, in its soup's current state.
bool crucible__inject_with_origin(struct crucible_name *name, void *value);
/// Injects one molecule with this origin, which is taken over even if it is refused, without a report. `place` and
/// `attempts` are those of crucible__inject_placed.
bool crucible__inject_from(struct crucible_name *name, void *value, uint64_t attempts, struct place *place,
                           void *origin);
/// Injects by `complete`, which is `complete_own` or `visit` of the name's matcher, without an origin: this thread's
/// own task is the context. False: the value was not injected.
bool crucible__complete_in_own_task(struct crucible_name *name, void *value, inject_function complete);
/// Injects like crucible__inject_from, with an origin that this thread makes. A body that begins on this thread at once
/// may run without it.
bool crucible__inject_by_own(struct crucible_name *name, void *value, uint64_t attempts, struct place *place);
/// Does what crucible__inject_parts does, for molecules of which some have origins. These are in `origins`, which are
/// taken over. If it is null, this thread makes them.
bool crucible__inject_parts_with_origins(struct crucible_soup *soup, crucible_molecule *molecules, size_t count,
                                         void *const *origins);

#endif
