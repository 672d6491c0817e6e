// Calls from lower layers to higher ones. No layer uses a symbol of a layer above it (Tests/Layers). These few
// functions, and one reaction, are handed down instead, once, before main, where all layers meet (soup/process.c).

#ifndef CRUCIBLE_ABOVE_H
#define CRUCIBLE_ABOVE_H

#include <stdint.h>

struct crucible_soup;
struct reaction;
struct thread;

struct above {
  /// The reaction of a thread that runs no body (firing/idle.h).
  const struct reaction *idle;
  /// Makes a child that this process forks able to use soups. Called before the pool's first thread and the first soup.
  void (*prepare_process)(void);
  /// Runs an item of the pool's queue or of a slot, a firing or a job, and releases or keeps its hold.
  void (*run_pending)(struct thread *self, struct reaction *reaction);
  /// Releases the hold that the thread has to spare, if any.
  void (*let_spare_go)(struct thread *self);
  /// Destroys the contents of a soup whose last hold was released.
  void (*destroy_contents)(struct crucible_soup *soup);
  /// Takes holds back that leave a soup that is watched without owners, and with firings.
  void (*leave_unowned)(struct crucible_soup *soup, uint64_t holds);
  /// Looks at a soup without owners, of which a body has come to wait. The caller is that body.
  void (*look_unowned)(struct crucible_soup *soup);
  /// Frees what is kept of soups that have gone, for later ones.
  void (*free_spares)(void);
};

extern struct above crucible__above;

#endif
