// The record that the matcher `claim` keeps of a component, and functions for its files. claim.c explains how it works.

#ifndef CRUCIBLE_CLAIM_H
#define CRUCIBLE_CLAIM_H

#include "firing/firing.h"
#include "matcher/claim/claims.h"
#include "matcher/matcher.h"

/// The word of a name, alone in its line, and the name's reactions.
struct claimed_name {
  _Alignas(64) _Atomic uint64_t word;            ///< claims.h
  _Alignas(64) struct reaction **reactions;      ///< the reactions that consume the name
  struct reaction **reactions_end;
};

struct claim {
  _Atomic uint32_t droppers;    ///< threads that may have taken counts from a stopped component and not popped yet
  struct claimed_name names[];  ///< by bit; behind them lie the lists of reactions
};

/// Changes the words of all `bits` of the component at once, or none.
static inline __attribute__((always_inline)) bool crucible__claim_in(struct thread *self, struct claim *own,
                                                                     uint64_t bits, change_function change,
                                                                     void *context) {
  return crucible__claim_words(self, (char *)&own->names[0].word, sizeof own->names[0], bits, change, context);
}

static inline uint64_t crucible__claim_all_names(const struct component *component) {
  return UINT64_MAX >> (64 - component->name_count);
}

/// Does what a thread that adds must do (HALT-1, LEAVE-3). `flags`: those of the words to which it added.
void crucible__claim_tend(struct thread *self, struct component *component, uint64_t names, uint64_t flags);
/// Adds one molecule of the name. Returns the flags of its word.
uint64_t crucible__claim_add_one(struct claim *own, uint32_t bit);
/// Adds a count that was taken and found no molecule (LEAVE-1). Runs no firing.
void crucible__claim_give_count_back(struct thread *self, struct crucible_name *name);
/// Reserves all enabled reactions of the component. Returns one of them, to run here. The others are submitted.
struct reaction *crucible__claim_settle_all(struct thread *self, struct component *component);
/// Publishes and counts those of the molecules that belong to this component, in one step.
crucible_status crucible__claim_publish_together(struct thread *self, struct component *component,
                                                 crucible_molecule *molecules, size_t count);
/// HALT-1: drops all molecules of a stopped component.
void crucible__claim_drop_stopped(struct thread *self, struct component *component);
/// HALT-4: ends an addition to a word that shows STOPPED among its `flags`. False: the molecule is refused, and `value`
/// is a value of its name again.
bool crucible__claim_end_late(struct thread *self, struct crucible_name *name, uint64_t flags, void *value);
/// Claims one count of the name, for a thread that is `late` only from a stopped word, otherwise only from one that is
/// not sealed. False: there is none.
bool crucible__claim_one(const struct crucible_name *name, bool late);
/// Retries the abandoned calls of the name.
void crucible__claim_retry_abandoned(struct thread *self, struct crucible_name *name);

// Functions of the plug that other files implement.
enum withdrawal crucible__claim_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                         void *result);
void crucible__claim_counts(struct component *component, uint64_t *counts);
void crucible__claim_control(struct component *component, bool paused, bool stopped);
void crucible__claim_pause_name(struct crucible_name *name);
uint64_t crucible__claim_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);
bool crucible__claim_restart(struct component *component);
void crucible__claim_inherit(struct component *component);
bool crucible__claim_create(struct component *component);
void crucible__claim_destroy(struct component *component);

#endif
