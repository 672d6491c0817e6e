// Calls from lower layers to higher ones. No layer uses a symbol of a layer above it (Tests/Layers). Instead, these few
// functions and one reaction are handed down once, before main, where all layers meet (soup/process.c).

#ifndef CRUCIBLE_ABOVE_H
#define CRUCIBLE_ABOVE_H

#include <stdbool.h>
#include <stdint.h>

struct bag;
struct crucible_name;
struct crucible_soup;
struct reaction;
struct thread;

struct above {
  /// The reaction of a thread that runs no body (firing/firing.h).
  const struct reaction *idle;
  /// The function of the names that have origins, while their soups are open.
  bool (*inject_with_origin)(struct crucible_name *name, void *value);
  /// Injects a molecule for the core itself, even while the soup drains.
  bool (*feed)(struct crucible_name *name, void *value);
  /// Runs an item of the pool's queue or of a slot, which is a firing or a job. Then releases or keeps its hold.
  void (*run_pending)(struct thread *self, struct reaction *reaction);
  /// Makes all later bodies of a reaction run on the pool (firing/visits.h).
  void (*end_visits)(struct reaction *reaction);
  /// Notes that memory grows for molecules of a name, of which perhaps CRUCIBLE_BACKLOG wait. Takes the address of the
  /// name's bag, also where the name has none.
  void (*note_backlog)(struct bag *bag);
  /// Releases the advance hold of the thread, if it has one.
  void (*release_advance)(struct thread *self);
  /// Destroys the contents of a soup whose last hold was released.
  void (*destroy_contents)(struct crucible_soup *soup);
  /// Releases holds of a watched soup that leave it with firings and without owners.
  void (*leave_unowned)(struct crucible_soup *soup, uint64_t holds);
  /// Checks a soup without owners when one of its bodies begins to wait. The caller is that body.
  void (*look_unowned)(struct crucible_soup *soup);
};

extern struct above crucible__above;

#endif
