// The state that the matcher `arrival` keeps of a component, and its matching. Only its combiner uses them
// (combiner.h).

#ifndef CRUCIBLE_ARRIVAL_H
#define CRUCIBLE_ARRIVAL_H

#include "firing/firing.h"
#include "matcher/arrival/combiner.h"
#include "matcher/arrival/shelf.h"

/// The reserved firings of a reaction that have stored inputs and were not taken yet, by their first nodes.
struct matches {
  struct node *first, *last;
};

struct arrival {
  struct combiner combiner;
  bool paused, stopped;
  bool unsettled;          ///< some reaction may be enabled, and a thread is going to ask (ARRIVAL-3)
  uint64_t arrivals;       ///< the next number
  uint64_t presence;       ///< the names with a count above 0, without the paused ones
  struct shelf shelves[];  ///< and behind them the matches of each reaction, and the lists of reactions
};

/// Whether a reserved firing is to run on the requesting thread at once.
typedef bool (*here_function)(const struct thread *self, const struct reaction *reaction);

/// Puts one arrival on its shelf. Null: no memory.
struct node *crucible__arrive(struct arrival *own, const struct crucible_name *name, const void *value, uint64_t times,
                              uint64_t attempts);
/// Takes a molecule off its shelf that waits there.
void crucible__depart(struct arrival *own, uint32_t bit, struct node *node);
/// Reserves the reaction that is to fire, of those that consume the name of a shelf (null: of all). If `here` says so,
/// its molecules come to `firing`; null: they do not. Answers null when none is enabled.
struct reaction *crucible__reserve_first(struct component *component, const struct shelf *of, const struct thread *self,
                                         here_function here, struct firing *firing);
/// Moves the molecules of a match to the room of a firing.
void crucible__deliver(struct arrival *own, const struct reaction *reaction, struct node *node, struct firing *firing);

/// One request, with what it takes and answers.
struct call {
  struct request request;  ///< first: `serve` gets it
  struct thread *self;
  const struct crucible_name *name;
  void *value;      ///< to be injected; or where the answer goes
  uint64_t number;  ///< how often the molecule was put back, how many are injected together, how many were dropped
  struct place *place;
  struct firing *firing;
  struct reaction *reaction;  ///< whose firing begins or ended
  struct reaction *next;      ///< reserved, to run on the thread of the call
  struct reaction **found;    ///< reserved as well, to be submitted
  uint32_t count;             ///< of these
  crucible_status status;
};

static inline __attribute__((always_inline)) void crucible__perform(struct component *component, struct call *call) {
  crucible__combine(component->own, component, &call->request);
}

// The calls of the plug in control.c.
void crucible__arrival_counts(struct component *component, uint64_t *counts);
void crucible__arrival_control(struct component *component, bool paused, bool stopped);
void crucible__arrival_pause_name(struct crucible_name *name);
void crucible__arrival_set_fact(struct reaction *reaction, uint32_t input, bool known);
uint64_t crucible__arrival_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);
void crucible__arrival_inherit(struct component *component);
bool crucible__arrival_create(struct component *component);
void crucible__arrival_destroy(struct component *component);

#endif
