// Injections of the matcher `word` that fire at once or not at all: `complete_here` of struct matcher. They store no
// molecule. word_short.c explains what short injections leave out.

#include "base/above.h"
#include "base/patience.h"
#include "firing/visits.h"
#include "matcher/word/word_short.h"
#include "pool/pool.h"

/// Returns the candidate that the value completes in `word`, if this thread may fire it by one CAS and run it, and no
/// choice is needed. Otherwise returns null. `has_origins`: the name has them, so this thread may also make the body's
/// task. `visits`: the body may visit this thread.
static inline const struct candidate *completed_here(struct thread *self, struct crucible_name *name, uint64_t word,
                                                     bool has_origins, bool visits) {
  const struct candidate *candidate = crucible__word_first_enabled(name, word);
  if (candidate == name->word.candidates_end || !crucible__front_is_empty(name, word)) return NULL;
  bool is_choice = candidate + 1 != name->word.candidates_end && crucible__word_another_enabled(name, candidate, word);
  if (is_choice) return NULL;
  const struct reaction *reaction = crucible__reaction(name->component, candidate);
  const struct rule *rule = reaction->rule;
  bool is_external = rule->placement == CRUCIBLE_EXTERNAL;
  // Only the giver's molecule may go without an origin, if it leaves this injection or may be put back.
  if (has_origins && (is_external || rule->retries) && reaction->at[rule->giver] != name) return NULL;
  bool is_here = crucible__runs_here(self, reaction) || (has_origins && rule->may_lack_origin) ||
                 (visits && !is_external && crucible__may_visit(self, reaction));
  return is_here ? candidate : NULL;
}

/// Fires the reaction that the value completes, if it completes one here and now. False: it does not. Then `*lacks`
/// says whether the value would complete a reaction after other threads' bodies have returned their states, or in a
/// word that another thread has changed. `near` is the thread's stripe, if it does not lie in the soup. `has_origins`:
/// the name has them. `visits`: the body may visit this thread.
static INLINE bool complete_now(struct thread *self, struct crucible_name *name, void *value, struct stripe *near,
                                bool *lacks, bool has_origins, bool visits) {
  struct component *component = name->component;
  *lacks = false;
  inject_function inject = load_acquire(&name->inject);
  if (has_origins) {
    if (inject != crucible__above.inject_with_origin || load_relaxed(&component->soup->observed)) return false;
    inject = crucible__word_inject_for(name);
  }
  if (UNLIKELY(inject != crucible__word_call_sized) && UNLIKELY(inject != crucible__word_inject_sized) &&
      !crucible__word_is_short(inject)) {
    return false;
  }
  uint64_t word = load_acquire(&component->word.state);  // partner: the additions of the molecules that are taken
  const struct candidate *candidate = completed_here(self, name, word + name->word.unit, has_origins, visits);
  if (!candidate) {
    *lacks = crucible__word_lacks_state(self, name, word) &&
             completed_here(self, name, (word | component->layout->word.states) + name->word.unit, has_origins, visits);
    return false;
  }
  struct stripe *stripe = near ? near : &component->soup->stripes[self->index];
  struct reaction *reaction = crucible__reaction(component, candidate);
  uint64_t left = (word + name->word.unit - candidate->need) & reaction->without_fronts;
  if (UNLIKELY(!crucible__word_enter_and_reserve(component, stripe, word, left))) {
    crucible__leave(stripe, component->soup);
    *lacks = self->depth == 0;
    return false;
  }
  if (has_origins && UNLIKELY(reaction->rule->may_lack_origin)) {
    struct unstored unstored = {name, value};
    return crucible__word_submit_unstored_and_leave(self, reaction, unstored, stripe, word, visits);
  }
  if (!visits || reaction->rule->away == 0) {
    return crucible__word_run_and_leave(self, reaction, (struct unstored){name, value}, stripe, word);
  }
  struct visit visit = crucible__visit_begin(self, reaction);
  crucible__word_run_and_leave(self, reaction, (struct unstored){name, value}, stripe, word);
  crucible__visit_end(self, visit);
  return true;
}

/// Pauses for the threads that are in the way, if this thread is patient. While this thread waits, they continue with
/// all lines in their caches. A call that is stored instead costs more, and its reply comes from another thread. The
/// call is not a molecule yet, so it has no place in any order, and no thread waits for this thread.
static NOINLINE bool pause_to_complete(struct thread *self, struct crucible_name *name, void *value,
                                       struct stripe *near, bool has_origins, bool visits) {
  if (!crucible__is_patient(self)) return false;
  let_others_run();
  bool lacks;
  for (int look = 0; look < CRUCIBLE_LOOKS; look++) {
    if (complete_now(self, name, value, near, &lacks, has_origins, visits)) {
      crucible__has_paused(self, true);
      return true;
    }
    if (!lacks) return false;
    for (int i = 0; i < CRUCIBLE_LOOK_PAUSES; i++) spin_pause();
  }
  crucible__has_paused(self, false);
  return false;
}

/// Completes a reaction at once. The counters of a thread with an index of OWN_STRIPES or more are in a separate block
/// (firing/stripes.h). False also for a thread of the crowd.
static INLINE bool complete(struct crucible_name *name, void *value, bool has_origins) {
  struct thread *self = crucible__self;
  struct stripe *near = NULL;
  if (!self || (self->heat != 0 && self->depth == 0)) return false;
  if (UNLIKELY(self->index >= OWN_STRIPES)) {
    near = crucible__make_stripe(name->component->soup, self->index);
    if (!near) return false;
  }
  bool lacks;
  if (complete_now(self, name, value, near, &lacks, has_origins, false)) return true;
  return UNLIKELY(lacks) && (!has_origins || crucible__has_callers(name)) &&
         pause_to_complete(self, name, value, near, has_origins, false);
}

bool crucible__word_complete_here(struct crucible_name *name, void *value) { return complete(name, value, false); }
bool crucible__word_complete_own(struct crucible_name *name, void *value) { return complete(name, value, true); }

bool crucible__word_visit(struct crucible_name *name, void *value) {
  struct thread *self = crucible__thread();
  struct stripe *stripe = self ? crucible__make_stripe(name->component->soup, self->index) : NULL;
  bool lacks;
  bool has_origins = crucible__has_origins(name);
  if (!stripe) return false;
  bool is_complete = has_origins ? complete_now(self, name, value, stripe, &lacks, true, true)
                                 : complete_now(self, name, value, stripe, &lacks, false, true);
  if (is_complete) return true;
  // If the call is stored, its body runs on the pool, which costs far more than a failed attempt. So `heat` does not
  // count.
  return lacks && pause_to_complete(self, name, value, stripe, has_origins, true);
}
