// Plain injections of the matcher `word`: the shortest path of all, for names without payload that only meet states and
// other such names. word_short.c explains what short injections leave out.

#include "matcher/word/word.h"

#include "matcher/word/word_fire.h"
#include "matcher/word/word_short.h"

/// Continues after the state was given back. The injection is no longer visible in the word. So it counts itself as
/// entered before it takes anything out of the word.
static NOINLINE bool run_on_and_end_plain(struct thread *self, struct component *component, struct reaction *reaction) {
  struct stripe *stripe = crucible__enter(self, component->soup);
  crucible__word_run_on(self, component, reaction, true);
  crucible__leave(stripe, component->soup);
  return crucible__end_plain(self);
}

static RARELY const struct candidate *choose_plain(struct thread *self, const struct crucible_name *name,
                                                   uint64_t word) {
  return crucible__word_choose(self, name->component, name->word.candidates, name->word.candidates_end, word);
}

/// Injects by the shortest path of all. It serves names without payload that only meet states and other such names,
/// inline. It uses few registers and stores, because each store must reach the cache before the next locked instruction
/// can. Rare work lies in functions that it ends with, or that save the registers themselves. The injection is not
/// counted as entered and left, because the word shows it as long as it lasts: a state is away, or a reaction is
/// enabled. Nested in a body it would not be the only work in progress (quiet.c). crucible__word_inject_nothing handles
/// that case and all other uncommon ones. `chooses`: more than one reaction consumes the name.
static INLINE bool inject_plain(struct crucible_name *name, void *value, bool chooses) {
  struct thread *self = crucible__self;
  if (UNLIKELY(!self) || UNLIKELY(!crucible__is_fresh(self))) return crucible__word_inject_nothing(name, value);
  struct component *component = name->component;
  uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate = name->word.candidates;
  if (chooses) {
    candidate = choose_plain(self, name, word + name->word.unit);
    if (UNLIKELY(!candidate)) return crucible__word_inject_nothing(name, value);
  } else if (UNLIKELY(!crucible__word_enabled(candidate, word + name->word.unit))) {
    return crucible__word_inject_nothing(name, value);
  }
  if (UNLIKELY(!cas_seq_cst(&component->word.state, &word, word + name->word.unit - candidate->need))) {
    self->heat = CRUCIBLE_HEAT;
    return crucible__word_inject_nothing(name, value);
  }
  struct reaction *reaction = chooses ? crucible__reaction(component, candidate) : name->only;
  crucible__begin_first(self, reaction);
  if (UNLIKELY(load_seq_cst(&component->attention) != 0)) crucible__word_make_room_rarely(self, component, reaction);
  crucible__call(reaction, reaction->at);
  component = reaction->component;  // loaded again, to save one register less
  if (UNLIKELY(crucible__word_gives_back_more(component, reaction))) {
    return run_on_and_end_plain(self, component, reaction);
  }
  return crucible__end_plain(self);
}

static bool plain_of_one(struct crucible_name *name, void *value) { return inject_plain(name, value, false); }
static bool plain_of_several(struct crucible_name *name, void *value) { return inject_plain(name, value, true); }

/// Whether every reaction that consumes the name takes one state, otherwise only names without payload, and is inline.
static bool is_plain(const struct crucible_name *name) {
  if (name->has_payload || !name->word.under_state || !name->word.blind) return false;
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    const struct rule *rule = crucible__reaction(name->component, c)->rule;
    if (rule->has_stored || rule->state_count != 1 || rule->placement != CRUCIBLE_INLINE) return false;
  }
  return true;
}

inject_function crucible__word_plain_for(const struct crucible_name *name) {
  if (!is_plain(name)) return NULL;
  return name->word.candidates_end == name->word.candidates + 1 ? plain_of_one : plain_of_several;
}
