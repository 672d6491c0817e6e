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

/// The functions and the reaction of these names, and crucible__soup_destroy (soup/process.c).
struct above {
  const struct reaction *idle;
  bool (*inject_with_origin)(struct crucible_name *name, void *value);
  bool (*feed)(struct crucible_name *name, void *value);
  void (*run_pending)(struct thread *self, struct reaction *reaction);
  void (*end_visits)(struct reaction *reaction);
  void (*note_backlog)(struct bag *bag);
  void (*release_advance)(struct thread *self);
  void (*destroy_contents)(struct crucible_soup *soup);
  void (*leave_unowned)(struct crucible_soup *soup, uint64_t holds);
  void (*look_unowned)(struct crucible_soup *soup);
};

extern struct above crucible__above;

#endif
