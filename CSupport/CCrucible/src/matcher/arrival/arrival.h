// The record that the matcher `arrival` keeps of a component, and its matching. Only the component's combiner uses them
// (combiner.h).

#ifndef CRUCIBLE_ARRIVAL_H
#define CRUCIBLE_ARRIVAL_H

#include "firing/firing.h"
#include "matcher/arrival/combiner.h"
#include "matcher/arrival/shelf.h"

/// The reserved firings of a reaction that have stored inputs and were not taken yet. Each is represented by its first
/// node.
struct matches {
  struct node *first, *last;
};

struct arrival {
  struct combiner combiner;
  bool paused, stopped;
  bool unsettled;          ///< some reaction may be enabled, and a thread is going to request a settle (ARRIVAL-3)
  uint64_t arrivals;       ///< the number of the next arrival
  uint64_t presence;       ///< the names with a count above 0, except paused ones
  struct shelf shelves[];  ///< behind them lie the matches of each reaction, and the lists of reactions
};

/// Whether a reserved firing will run on the requesting thread at once.
typedef bool (*here_function)(const struct thread *self, const struct reaction *reaction);

/// Puts an arrival on its shelf. Null: no memory.
struct node *crucible__arrive(struct arrival *own, const struct crucible_name *name, const void *value, uint64_t times,
                              uint64_t attempts);
/// Takes a waiting molecule off its shelf.
void crucible__depart(struct arrival *own, uint32_t bit, struct node *node);
/// Reserves the reaction that must fire, of those that consume the name of a shelf, or of all if the shelf is null. If
/// `here` returns true, the molecules are delivered to `firing`. A null `here` never does. Null: no reaction is
/// enabled.
struct reaction *crucible__reserve_first(struct component *component, const struct shelf *of, const struct thread *self,
                                         here_function here, struct firing *firing);
/// Moves the molecules of a match to the room of a firing.
void crucible__deliver(struct arrival *own, const struct reaction *reaction, struct node *node, struct firing *firing);

/// A request, with its arguments and its results.
struct call {
  struct request request;  ///< must be first, because `serve` gets it
  struct thread *self;
  const struct crucible_name *name;
  void *value;      ///< the value to inject, or the place for the result
  uint64_t number;  ///< the number of put-backs, of molecules injected together, or of dropped molecules
  struct place *place;
  struct firing *firing;
  struct reaction *reaction;  ///< the reaction whose firing begins or has ended
  struct reaction *next;      ///< a reserved reaction, to run on the thread of the call
  struct reaction **found;    ///< further reserved reactions, to be submitted
  uint32_t count;             ///< the number of these
  crucible_status status;
};

static inline __attribute__((always_inline)) void crucible__perform(struct component *component, struct call *call) {
  crucible__combine(component->own, component, &call->request);
}

// Functions of the plug that arrival_control.c implements.
void crucible__arrival_counts(struct component *component, uint64_t *counts);
void crucible__arrival_control(struct component *component, bool paused, bool stopped);
void crucible__arrival_pause_name(struct crucible_name *name);
void crucible__arrival_set_fact(struct reaction *reaction, uint32_t input, bool known);
uint64_t crucible__arrival_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);
void crucible__arrival_inherit(struct component *component);
bool crucible__arrival_create(struct component *component);
void crucible__arrival_destroy(struct component *component);

#endif
