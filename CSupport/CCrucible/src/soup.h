// The life of a soup: who holds it, and what happens when nobody does.

#ifndef CRUCIBLE_SOUP_H
#define CRUCIBLE_SOUP_H

#include "types.h"

/// One more firing is reserved, or goes on.
void crucible__soup_add_pending(struct crucible_soup *soup);
/// Takes `holds` (owners, or CRUCIBLE_PENDING for a firing) back; the last destroys the contents.
void crucible__soup_let_go(struct crucible_soup *soup, uint64_t holds);
/// Counts what was dropped; stays at INT64_MAX.
void crucible__soup_add_dropped(struct crucible_soup *soup, uint64_t count);
/// What injects a name before the definition ends, and while the soup is stopped or inherited.
bool crucible__holding_inject(struct crucible_name *name, void *value);
bool crucible__refusing_inject(struct crucible_name *name, void *value);
/// Why this thread's last injection was refused: told by whoever refuses it, for a soup that was stopped then may run again by the
/// time that somebody asks.
extern _Thread_local crucible_status crucible__refusal __attribute__((tls_model("initial-exec")));
static inline bool crucible__refuse(crucible_status why) {
  crucible__refusal = why;
  return false;
}
/// From now on the name is injected as its component's strategy does, and told if the soup is observed. With the soup's lock.
void crucible__open_name(struct crucible_name *name);
/// Tells whoever observes the soup.
void crucible__notify(struct crucible_name *name, uint64_t count, bool refused);
/// What injects a name, as it is now.
static inline inject_function crucible__inject_of(struct crucible_name *name) {
  return load_acquire(&name->inject);  // partner: the releases in definition.c and control.c
}
/// Holds `count` molecules of one step until the definition ends. With a place one that can be withdrawn. False, and
/// `*frozen`: it has ended. False: no memory.
bool crucible__hold_molecules(struct crucible_soup *soup, const crucible_molecule *molecules, size_t count,
                              struct place *place, bool *frozen);
/// With the lock, before it is frozen: makes the rings that what is held may need. False: no memory.
bool crucible__hold_room(struct crucible_soup *soup);
/// Injects what was held, after the soup is frozen.
void crucible__let_go_held(struct crucible_soup *soup);
/// Injects molecules of one soup, in one step per component. False: as in `struct strategy`.
bool crucible__inject_together(struct crucible_soup *soup, crucible_molecule *molecules, size_t count);
/// Withdraws a molecule of a soup that is held.
enum withdrawal crucible__withdraw(struct crucible_name *name, const struct place *place, void *result);
/// Takes a held molecule back. CONSUMED: it was let go, and `*place` is where it is now.
enum withdrawal crucible__withdraw_held(struct crucible_name *name, struct place *place, void *result);
/// fork: the list of living soups must not be in the middle of a change. The child begins with none.
void crucible__registry_before_fork(void);
void crucible__registry_after_fork(bool in_child);
/// Whether the soup was made by the process that forked this one, and is not to be used here; tells the binding, if so.
static inline bool crucible__is_inherited(struct crucible_soup *soup) {
  if (LIKELY(!soup->inherited)) return false;
  if (soup->tell_inherited) soup->tell_inherited(soup);
  return true;
}
/// A reaction with its inputs and, behind them, its fixed pointers.
static inline size_t crucible__reaction_size(size_t inputs) {
  return sizeof(struct reaction) + inputs * sizeof(struct input) + (1 + inputs) * sizeof(void *);
}
/// A state without a value has a cell all the same: what shows that it is there must not be null.
static inline bool crucible__cell_is_within(const struct crucible_name *name) {
  return name->size <= sizeof name->room && name->alignment <= _Alignof(max_align_t);
}
/// Ends the process with a message: for what can neither be refused nor reported, as memory for a firing already reserved.
_Noreturn void crucible__die(const char *what);
/// A copy of `text` ("" for null) that lasts as long as the soup's shell; null: no memory. Files mostly are the soup's own.
const char *crucible__copy_text(struct crucible_soup *soup, const char *text);

#endif
