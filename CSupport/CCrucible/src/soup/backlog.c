// Telling the binding of a name without a capacity of which many molecules wait.
//
// A bag or a shelf finds this while it grows: in the middle of an injection, perhaps inside a read section or under a
// lock. The binding may run any code. So a thread of its own counts the molecules and tells, as pool/shortage.c does.
// Injections that find memory pay nothing.
//
// `is_long` of a species says that one of its names was told, or is about to be, so it is told once. If it turns out
// that fewer molecules wait, or if no thread can be created, the next growth tries again.

#include "base/above.h"
#include "firing/bounds.h"
#include "soup/soup.h"

static void end(struct crucible_name *name, bool is_told) {
  if (!is_told) store_relaxed(&name->species->is_long, false);
  crucible_soup_release_shell(name->soup);
}

static void *tell(void *argument) {
  struct crucible_name *name = argument;
  bool is_told = false;
  if (crucible_soup_hold(name->soup)) {
    uint64_t counts[CRUCIBLE_MAX_NAMES];
    crucible_soup_counts(name->soup, counts);
    is_told = counts[name->species->index] >= CRUCIBLE_BACKLOG;
    if (is_told && name->soup->place->options.warn) name->soup->place->options.warn(name, CRUCIBLE_BACKLOG);
    crucible_soup_release(name->soup);
  }
  end(name, is_told);
  return NULL;
}

void crucible__note_backlog(struct bag *bag) {
  struct crucible_name *stored = (struct crucible_name *)(void *)((char *)bag - offsetof(struct crucible_name, bag));
  struct crucible_name *name = crucible__shown(stored);
  const crucible_key_options *key = name->species->key;
  if (crucible__bound_of(name) || (key && (key->capacity || key->keys))) return;
  if (load_relaxed(&name->species->is_long) || exchange_relaxed(&name->species->is_long, true)) return;
  crucible_soup_retain_shell(name->soup);
  if (crucible__start_thread(tell, name) != 0) end(name, false);
}
