// The record of a select, and functions for its files. select.c explains how selects work.

#ifndef CRUCIBLE_SELECT_H
#define CRUCIBLE_SELECT_H

#include "CCrucible.h"
#include "base/claims.h"
#include "base/reclamation.h"
#include "types.h"

/// The values of a cell. Branch i is 4 * (i + DECIDED_FOR). The two lowest bits belong to claims.h.
enum { OPEN = 0, GIVEN_UP = 4, ENDED = 8, DECIDED_FOR = 3 };

/// The mark in a molecule that is a branch.
enum { BRANCH = 3 };

struct instance {
  struct crucible_select *select;
  uint32_t index;  ///< the index of its branch
  _Atomic uint32_t stage;
  crucible_ticket ticket;
  struct instance *next;  ///< the list of instances that were put back
};

struct crucible_select {
  struct retired retired;  // must be first
  _Atomic uint64_t cell;
  uint64_t rank;           ///< the place of the cell in the order of words that are claimed
  _Atomic bool is_shared;  ///< its cell was claimed together with others, so late threads may access it (SELECT-8)
  _Atomic uint64_t references;
  _Atomic uint32_t left;  ///< branches that may still react
  uint32_t count;
  const crucible_select_binding *binding;
  void *context;
  _Atomic(struct instance *) again;  ///< instances that were put back, the newest first
  crucible_branch *branches;         ///< behind the instances
  struct instance instances[];
};

/// Whether the select is undecided.
static inline bool crucible__select_is_open(struct crucible_select *select) {
  return crucible__look(&select->cell) == OPEN;
}

/// Decides the select, unless it is decided.
bool crucible__decide_select(struct crucible_select *select, uint64_t cell);
/// Adds a reference (SELECT-8).
static inline void crucible__retain_select(struct crucible_select *select) {
  fetch_add_relaxed(&select->references, 1);
}

/// Reports an instance that is no longer in a bag, and was not consumed.
void crucible__branch_left(struct instance *instance, crucible_reason reason);
/// Withdraws all instances except `own`, which is in no bag. Requires: this thread has decided the select.
void crucible__end_others(struct crucible_select *select, const struct instance *own);
/// Stores a branch again, with its origin if its name has origins. Requires: a read has found its select undecided. The
/// old instance is no longer used.
void crucible__put_branch_back(struct instance *old, uint64_t attempts, void *origin);

#endif
