// The matcher `word`, what is done beside injecting and running: withdrawing a call, injecting several molecules at once, looking
// at all counts, dropping what waits, and the two control bits.
//
// Withdrawal. A waiting call is one count of its name and one published molecule. Its withdrawer first takes a count, of its
// name, as a reaction does; then its own molecule out of the bag, at its place.
//   X1  He who has a count in hand either takes his own molecule for it, or, if a reaction or a drop was first, gives the count
//       back under the rule of adding: so counted + spilled + reserved = published all the time, and nothing that he
//       disabled in between is left behind enabled.
//   X2  A count of 0 does not mean that a reaction has the molecule: it may have taken the count and popped another's, published
//       before mine and not counted yet. So while the own molecule is there and no count is, nothing is decided. Mostly a
//       firing is about to pop; if that takes longer (it waits for the pool), the call is abandoned: its caller does not
//       wait, and the withdrawal is tried again by whoever comes by (word_rare.c). Whichever firing takes an abandoned
//       call finds that nobody waits for its reply.
// A withdrawer never runs a body: what it finds enabled goes to the pool.
//
// Several at once: all are published first, then counted in one CAS, so that no reaction sees some of them without the others. What
// exceeds a field's limit is spilled; that hides nothing, for the field is then at its limit, and the limit is at least what
// one reaction takes.
//
// Progress: lock-free, but for memory; a withdrawer that stops hides the count that it has in hand, and one that stops while it
// tries abandoned calls again hides those of one name.

#include "pool.h"
#include "reclamation.h"
#include "word.h"

/// How often a withdrawer looks again before it abandons its call: a firing pops within far less, unless it waits for the pool
/// or its thread does not run.
#ifndef CRUCIBLE_PATIENCE
#define CRUCIBLE_PATIENCE 100
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Withdrawal
// ---------------------------------------------------------------------------------------------------------------------

/// X1: under the rule of adding, but without running what it fires.
static void give_back(struct thread *self, struct component *component, struct crucible_name *name) {
  uint64_t word;
  struct reaction *reaction =
      crucible__word_add(self, component, name, &word)
          ? crucible__word_settle_all(self, component, NULL)
          : crucible__word_settle(self, component, name->candidates, name->candidates_end, word, false, NULL);
  if (!reaction && load_seq_cst(&component->attention) != 0) reaction = crucible__word_attend(self, component);
  if (reaction) crucible__submit_elsewhere(reaction);
}

enum withdrawal crucible__word_try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                               void *result, bool *given_back) {
  struct component *component = name->component;
  while (crucible__bag_holds(&name->bag, place)) {
    uint64_t word = load_seq_cst(&component->word);
    if (word & name->mask) {
      if (!cas_seq_cst(&component->word, &word, word - name->unit)) continue;
    } else {
      uint64_t over = load_seq_cst(&name->overflow);
      if (over == 0) return UNDECIDED;
      if (!cas_seq_cst(&name->overflow, &over, over - 1)) continue;
    }
    if (crucible__bag_withdraw_mpmc(&name->bag, place, result)) return WITHDRAWN;
    give_back(self, component, name);
    *given_back = true;
    break;
  }
  return CONSUMED;
}

enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result) {
  struct component *component = name->component;
  bool given_back = false;
  enum withdrawal answer = crucible__word_try_to_withdraw(self, name, place, result, &given_back);
  for (int i = 0; answer == UNDECIDED && i < CRUCIBLE_PATIENCE; i++) {
    spin_pause();
    answer = crucible__word_try_to_withdraw(self, name, place, result, &given_back);
  }
  if (answer == UNDECIDED) crucible__word_abandon(self, name, place);
  if (answer == WITHDRAWN && load_seq_cst(&component->attention) != 0) {
    struct reaction *reaction = crucible__word_attend(self, component);  // W3: room was made
    if (reaction) crucible__submit_elsewhere(reaction);
  }
  crucible__slot_flush(self);  // where settling leaves further firings that are inline
  return answer;
}

// ---------------------------------------------------------------------------------------------------------------------
// Several at once
// ---------------------------------------------------------------------------------------------------------------------

/// After there was no memory for the `count`-th: takes back what was published. What reactions have taken meanwhile is counted
/// now, and marked as injected.
static void unpublish(struct thread *self, struct component *component, crucible_molecule *molecules,
                      const struct place *places, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__word_is_bagged(name)) continue;
    if (crucible__bag_withdraw_mpmc(&name->bag, &places[i], molecules[i].value)) continue;
    molecules[i].value = NULL;
    give_back(self, component, name);
  }
}

/// Adds all counts in one step. `added` is by bit, and what did not fit is left in it.
static void add_all(struct component *component, uint64_t *added) {
  uint64_t fit[CRUCIBLE_MAX_NAMES];
  uint64_t word = load_acquire(&component->word);
  uint64_t next;
  do {
    next = word;
    for (uint32_t bit = 0; bit < component->name_count; bit++) {
      const struct crucible_name *name = component->names[bit];
      uint64_t there = word & name->mask;
      uint64_t room = there < name->limit ? (name->limit - there) / name->unit : 0;
      fit[bit] = added[bit] < room ? added[bit] : room;
      next += fit[bit] * name->unit;
    }
  } while (!cas_seq_cst(&component->word, &word, next));
  for (uint32_t bit = 0; bit < component->name_count; bit++) added[bit] -= fit[bit];
}

static void spill_rest(struct component *component, const uint64_t *rest) {
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (rest[bit] == 0) continue;
    struct crucible_name *name = component->names[bit];
    fetch_or_seq_cst(&component->attention, SPILLED);
    fetch_add_seq_cst(&name->overflow, rest[bit]);  // partner: the load in bring by whoever makes room
    crucible__word_bring(component, name);
  }
}

/// Sums up those that carry nothing. False: there would be too many. That others do the same meanwhile does no harm: 2^56, and
/// 2^40 by each of 2^22 threads, are far from 2^64.
static bool sum_up(struct component *component, const crucible_molecule *molecules, size_t count, uint64_t *added) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || crucible__word_is_bagged(name)) continue;
    added[name->bit] += molecules[i].times;
    if (load_relaxed(&name->overflow) > CRUCIBLE_MAX_WAITING) return false;
  }
  return true;
}

bool crucible__word_publish_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                     size_t count) {
  uint64_t added[CRUCIBLE_MAX_NAMES] = {0};
  if (!sum_up(component, molecules, count, added)) return crucible__refuse(CRUCIBLE_TOO_MANY_MOLECULES);
  struct place *places = crucible__allocate(count * sizeof *places, 64);
  if (!places) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  bool published = true;
  for (size_t i = 0; published && i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component) continue;
    if (!crucible__word_is_bagged(name)) continue;
    added[name->bit]++;
    if (crucible__bag_push_placed_mpmc(&name->bag, molecules[i].value, molecules[i].times, &places[i])) continue;
    unpublish(self, component, molecules, places, i);
    published = false;
  }
  crucible__free(places, count * sizeof *places);
  if (!published) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  add_all(component, added);
  spill_rest(component, added);
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Control
// ---------------------------------------------------------------------------------------------------------------------

void crucible__word_control(struct component *component, uint64_t set, uint64_t clear) {
  // S3: whoever finds the word stopped finds REFUSING set, or that there has been a restart since.
  if (set & CRUCIBLE_STOPPED) fetch_or_seq_cst(&component->attention, REFUSING);
  uint64_t word = load_acquire(&component->word);
  while (!cas_seq_cst(&component->word, &word, (word | set) & ~clear)) {
  }
}

bool crucible__word_is_dropping(struct component *component) {
  return load_seq_cst(&component->droppers) != 0;  // S4; partner: the addition before a dropper reads the word
}

void crucible__word_reopen(struct component *component) {
  fetch_and_seq_cst(&component->attention, ~(uint32_t)REFUSING);
}

void crucible__word_inherit(struct component *component) {
  fetch_or_seq_cst(&component->word, CRUCIBLE_PAUSED);
  store_relaxed(&component->droppers, 0);  // those that were are not here
}

static void take_overflow(struct component *component, uint64_t *counts) {
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (component->names[bit]->kind == CRUCIBLE_STATE) continue;
    counts[bit] += exchange_seq_cst(&component->names[bit]->overflow, 0);
  }
}

/// Takes all counts but those of states, if the word shows `condition`.
static void take_counts(struct component *component, uint64_t condition, uint64_t *counts) {
  uint64_t word = load_seq_cst(&component->word);
  do {
    if ((word & condition) != condition) return;
  } while (!cas_seq_cst(&component->word, &word, word & (component->states | CRUCIBLE_CONTROL)));
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (name->kind != CRUCIBLE_STATE) counts[bit] += (word & name->mask) / name->unit;
  }
}

/// Takes as many molecules out of the bags as have been taken off the counts, and destroys them.
static uint64_t pop_and_destroy(struct component *component, const uint64_t *counts, crucible_reason reason) {
  uint64_t dropped = 0;
  CRUCIBLE_FIRING(room, component);
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    dropped += counts[bit];
    if (!crucible__word_is_bagged(name)) continue;
    for (uint64_t i = 0; i < counts[bit]; i++) {
      uint64_t attempts = 0;
      crucible__bag_pop_mpmc(&name->bag, room.storage, &attempts);
      if (name->destroy) name->destroy(room.storage, name->context, reason);
    }
  }
  CRUCIBLE_FIRING_END(room, component);
  return dropped;
}

uint64_t crucible__word_drop(struct component *component, crucible_reason reason) {
  uint64_t counts[CRUCIBLE_MAX_NAMES] = {0};
  // The overflow first, lest what is brought over meanwhile is missed; and last, because room was made (W3).
  if (load_seq_cst(&component->attention) & SPILLED) take_overflow(component, counts);
  take_counts(component, 0, counts);
  if (load_seq_cst(&component->attention) & SPILLED) take_overflow(component, counts);
  return pop_and_destroy(component, counts, reason);
}

uint64_t crucible__word_drop_stopped(struct component *component) {
  uint64_t counts[CRUCIBLE_MAX_NAMES] = {0};
  fetch_add_seq_cst(&component->droppers, 1);  // S4; partner: the load in a restart, after its CAS on the word
  if (load_seq_cst(&component->word) & CRUCIBLE_STOPPED) {
    take_counts(component, CRUCIBLE_STOPPED, counts);
    if (load_seq_cst(&component->attention) & SPILLED) take_overflow(component, counts);
  }
  uint64_t dropped = pop_and_destroy(component, counts, CRUCIBLE_STOPPED_SOUP);
  fetch_sub_seq_cst(&component->droppers, 1);
  if (dropped > 0) crucible__soup_add_dropped(component->soup, dropped);
  return dropped;
}

void crucible__word_counts(struct component *component, uint64_t *counts) {
  struct thread *self = crucible__thread();
  if (self && load_seq_cst(&component->attention) & ABANDONED) {
    struct stripe *stripe = crucible__enter(self, component->soup);  // it takes counts out, and may reserve a firing
    struct reaction *reaction = crucible__word_attend(self, component);
    if (reaction) crucible__submit_elsewhere(reaction);
    crucible__slot_flush(self);
    crucible__leave(stripe, component->soup);
  }
  // One load, unless counts are on their way between word and overflow: then until two looks agree, within reason.
  for (int tries = 0; tries < 100; tries++) {
    uint64_t before[CRUCIBLE_MAX_NAMES];
    for (uint32_t bit = 0; bit < component->name_count; bit++) before[bit] = load_seq_cst(&component->names[bit]->overflow);
    uint64_t word = load_seq_cst(&component->word);
    bool agree = true;
    for (uint32_t bit = 0; bit < component->name_count; bit++) {
      const struct crucible_name *name = component->names[bit];
      if (load_seq_cst(&name->overflow) != before[bit]) agree = false;
      counts[bit] = (word & name->mask) / name->unit + before[bit];
    }
    if (agree) return;
  }
}
