// Running the firings of the matcher `word`: taking the molecules, calling the body, and giving states back. See
// word_fire.h. word.c explains how the matcher works.

#include "matcher/word/word_fire.h"

void crucible__word_take_from_input(const struct reaction *reaction, struct firing firing, uint32_t i,
                                    struct unstored unstored, uint64_t word) {
  uint64_t *attempts = crucible__attempts_of(firing.inputs);
  *attempts = 0;
  for (; i < reaction->rule->width; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    if (!input->is_stored) {
      firing.inputs[i] = reaction->at[i];
    } else if (reaction->at[i] == unstored.name) {
      firing.inputs[i] = unstored.value;
      unstored.name = NULL;  // a second input of its name, counted since the bag was seen empty, comes out of the bag
    } else {
      firing.inputs[i] = firing.storage + input->offset;
      struct bag *bag = &((struct crucible_name *)reaction->at[i])->bag;
      if (word & input->front) {
        crucible__front_take(bag, crucible__self->keeper, bag->size, firing.inputs[i]);
        word ^= input->front;
      } else {
        crucible__bag_pop_mpmc(bag, firing.inputs[i], attempts);
      }
    }
  }
}

/// Returns the reserved firing if it runs on this thread. Otherwise submits it.
static inline struct reaction *stay_or_submit(struct thread *self, struct reaction *reaction) {
  if (!reaction || crucible__stays_here(self, reaction)) return reaction;
  crucible__submit(self, reaction);
  return NULL;
}

/// Helps after states were given back and enabled nothing (WORD-4).
static inline struct reaction *help_and_stay(struct thread *self, struct component *component) {
  if (LIKELY(load_seq_cst(&component->attention) == 0)) return NULL;
  return stay_or_submit(self, crucible__word_attend(self, component));
}

/// How many firings of an enabled reaction can be reserved at once, at most `reaction->rule->word.most`.
static uint32_t batch_of(const struct reaction *reaction, uint64_t need, uint64_t guards, uint64_t word) {
  uint32_t count = 1;
  word -= need;
  for (; count < reaction->rule->word.most && (((word ^ guards) - need) & guards) == guards; count++) word -= need;
  return count;
}

/// Gives the states of a finished firing back. Returns the next firing to run here, or null. `*more`: the number of
/// further firings of the same reaction that were reserved with it. The states stay here for them.
static INLINE struct reaction *give_back(struct thread *self, struct component *component,
                                         const struct reaction *reaction, uint32_t *more) {
  uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
  const struct word_reaction *ended = &reaction->rule->word;
  struct reaction *next;
  for (;;) {
    uint64_t whole = word + ended->states;
    const struct candidate *candidate = crucible__word_choose(self, component, ended->after, ended->after_end, whole);
    if (LIKELY(!candidate)) {
      // Released: the thread that takes the state next sees what the body wrote into its cell.
      if (LIKELY(cas_seq_cst(&component->word.state, &word, whole))) return help_and_stay(self, component);
      continue;
    }
    uint64_t left = whole - candidate->need;
    next = crucible__reaction(component, candidate);
    if (next->rule->word.most > 1 && crucible__stays_here(self, next)) {
      // The states are not in the word now, so only the other names' part of the need is left.
      uint64_t need = candidate->need - next->rule->word.states;
      uint32_t count = batch_of(next, need, candidate->guards, whole);
      left = whole - next->rule->word.states - count * need;
      *more = count - 1;
    }
    if (LIKELY(cas_seq_cst(&component->word.state, &word, left))) break;
    *more = 0;
    crucible__word_back_off(self, component, &word);
  }
  if (crucible__word_fired(self, component, next) || reaction->rule->state_count > 1) {
    crucible__word_settle_others(self, component);
  }
  return stay_or_submit(self, next);
}

/// Returns the firing that the states of a body enable. If `given`, the only state of the body is back already.
/// Otherwise the function gives all states back first.
static inline struct reserved next_after(struct thread *self, struct component *component,
                                         const struct reaction *reaction, bool given) {
  struct reserved next = {NULL, 0};
  if (given) {
    uint64_t word = load_seq_cst(&component->word.state);
    const struct word_reaction *ended = &reaction->rule->word;
    next.reaction = crucible__word_settle(self, component, ended->after, ended->after_end, word, false);
    next.reaction = next.reaction ? stay_or_submit(self, next.reaction) : help_and_stay(self, component);
  } else {
    next.reaction = give_back(self, component, reaction, &next.more);
  }
  return next;
}

struct reserved crucible__word_give_back(struct thread *self, struct reaction *reaction, struct firing *firing) {
  struct component *component = reaction->component;
  // Mostly nothing waits for the state. Otherwise one CAS that gives back and reserves a batch is better.
  bool given = reaction->rule->state_count == 1 && LIKELY(self->heat == 0) &&
               !(load_relaxed(&component->word.state) & reaction->rule->word.after_fields);
  if (given && !crucible__word_gives_back_more(component, reaction)) return (struct reserved){NULL, 0};
  struct reserved next = next_after(self, component, reaction, given);
  if (next.reaction && next.reaction->rule->has_stored) crucible__word_take(next.reaction, firing);
  return next;
}

void crucible__word_run_large(struct thread *self, struct reaction *reaction, struct unstored unstored, uint64_t word) {
  struct component *component = reaction->component;
  CRUCIBLE_FIRING(firing, component);
  crucible__begin(self, reaction);
  crucible__word_take_from_input(reaction, firing, 0, unstored, word);
  crucible__call(reaction, firing.inputs);
  if (reaction->rule->state_count > 0) crucible__give_states_back(self, reaction, &firing);
  crucible__end(self);
  CRUCIBLE_FIRING_END(firing, component);
}

void crucible__word_run_on(struct thread *self, struct component *component, struct reaction *reaction, bool given) {
  struct reserved next = next_after(self, component, reaction, given);
  if (next.reaction) crucible__run_on(self, next);
}

void crucible__word_run_with_states(struct thread *self, struct reaction *reaction, struct unstored unstored,
                                    uint64_t word) {
  crucible__word_run_quickly(self, reaction, unstored, word, crucible__word_give_back_and_run_on);
}

void crucible__word_take(struct reaction *reaction, struct firing *firing) {
  uint64_t word = crucible__word_clear_fronts(reaction, ALL_STORED);
  crucible__word_take_quickly(crucible__self, reaction, firing, ALL_STORED, word);
}

void crucible__word_run(struct thread *self, struct reaction *reaction, struct unstored carried) {
  crucible__word_fire(self, reaction->component, reaction, carried, crucible__word_clear_fronts(reaction, carried));
}
