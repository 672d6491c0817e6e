// Injecting and withdrawing by callers that may not own the soup.

#ifndef CRUCIBLE_INJECT_H
#define CRUCIBLE_INJECT_H

#include "base/errors.h"
#include "matcher/matcher.h"

/// Injects a name while its soup is stopped, and in the child of a fork.
bool crucible__refusing_inject(struct crucible_name *name, void *value);
/// Injects a name while its soup is drained.
bool crucible__draining_inject(struct crucible_name *name, void *value);
/// Injects a molecule that a drain does not refuse: by a name that does not own, or one that was accepted before.
bool crucible__inject_accepted(struct crucible_name *name, void *value);
/// Injects a molecule on behalf of the core. Only the matcher may refuse it.
bool crucible__feed(struct crucible_name *name, void *value);
/// Opens a name: from now on it is injected as its component's matcher does. If the soup is observed, injections are
/// reported. If it is drained, injections from outside are refused. Called with the soup's lock.
void crucible__open_name(struct crucible_name *name);
/// Reports to the observer of the soup. `value`: as in crucible_soup_options.
void crucible__notify(struct crucible_name *name, const void *value, uint64_t count, crucible_stage stage);
/// Reports the end of an injection of one molecule. Returns whether it succeeded. A refusal stays the last one of this
/// thread, because observers may inject.
static inline bool crucible__reported(struct crucible_name *name, const void *value, bool injected) {
  if (injected) {
    crucible__notify(name, NULL, 1, CRUCIBLE_ENDED);
    return true;
  }
  crucible_status why = crucible__refusal;
  crucible__notify(name, value, 1, CRUCIBLE_REFUSED);
  return crucible__refuse(why);
}
/// Returns the function that injects the name now.
static inline inject_function crucible__inject_of(struct crucible_name *name) {
  return load_acquire(&name->inject);  // partner: the releases in definition.c and control.c
}
/// Injects one molecule, and reports it. `place` and `attempts` are those of crucible__inject_placed. `origin`: the
/// molecule's, taken over even if it is refused. Null: this thread makes one, if the name has origins.
NOINLINE bool crucible__inject_reported(struct crucible_name *name, void *value, uint64_t attempts, struct place *place,
                                        void *origin);
/// Injects molecules of one soup, in one step per component, and reports them. `origins`: those of the molecules that
/// have one, taken over, or null if this thread makes them. False: as for struct matcher.
bool crucible__inject_together(struct crucible_soup *soup, crucible_molecule *molecules, size_t count,
                               void *const *origins);
/// Injects molecules as the matchers take them, in one step per component, without a report.
bool crucible__inject_parts(struct crucible_soup *soup, crucible_molecule *molecules, size_t count);
/// Withdraws a molecule of a soup that is held.
enum withdrawal crucible__withdraw(struct crucible_name *name, const struct place *place, void *result);

#endif
