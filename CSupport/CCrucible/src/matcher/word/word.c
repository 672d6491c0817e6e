// The matcher `word`: one 64-bit word counts a component's available molecules, and one CAS on it selects a reaction.
//
// The word has a field for each name: a count, and above it a guard bit that is 0. Let need[r] be the counts that
// reaction r takes, and G[r] the guards of its fields. Then ((w ^ G) - need) keeps a guard iff its field is at least
// what is needed. One subtraction is the mask test and the new state. So selection is atomic over all inputs,
// repetitions included. A name that is paused has a full field and its guard set, which no reaction over it survives.
//
// The rule of adding
//   A thread publishes a molecule in its bag first, and then adds its count. It may leave only after it read a word,
//   later than the addition, in which no reaction over the added names is enabled. If it added one molecule only, it
//   may also leave after it fired one reaction. Until then it tries to fire by CAS.
//   WORD-1  So at rest nothing is enabled. Take the last step of the word that enabled reaction r. The author of that
//       step cannot have left.
//   WORD-2  After one molecule was added and one reaction over its name fired, nothing is enabled that was not enabled
//       before. Several counts may be added at once: spilled counts that are moved into the word, or two states. Then
//       the thread reserves until nothing is enabled. It submits all firings except one, and only then runs that one,
//       because a body may never return.
//
// Two ways to add
//   add-first  publish, fetch-and-add (or CAS), then fire. A contended fetch-and-add costs much less than a contended
//              CAS.
//   CAS-first  if the word shows that the molecule completes a reaction that runs here, take the other molecules by CAS
//              and never store this one. This requires that no molecule of the name waits in the bag, because this one
//              would overtake it. Molecules without payload have no identity, so they always qualify. After a CAS
//              fails, the thread adds first for its next CRUCIBLE_HEAT additions, except those that bodies make.
//
// Full fields
//   Field n holds at most `limit` molecules. Fetch-and-add is blind: up to `blind` threads, those of the lowest
//   indices, may exceed the limit by one each before they take it back. The field is wide enough for them. Other
//   threads add by CAS, and so do all threads on narrow fields. `overflow` counts the molecules beyond the limit. Their
//   payloads are in the bag like any others.
//   WORD-3  overflow(n) > 0 at rest only if field(n) is at its limit. The spiller adds to overflow, then reads the
//       field. A thread that makes room changes the field by CAS, then reads overflow. All of these are seq_cst, so one
//       of the threads sees the other, and moves counts into the word one at a time. `attention` spares threads that
//       make room this read while nothing ever spilled. It is set, seq_cst, before the first addition to an overflow,
//       and replaces the overflow in the same argument.
//   WORD-4  A thread that stops between its firing and its read of overflow must not hide the spilled counts from other
//       threads. So a thread that leaves or gives states back without firing also reads overflow, once anything ever
//       spilled, and moves counts. A stopped thread can then hide only the one count that it has in hand.
//
//   WORD-5  A snapshot misses no molecule that stays. A thread that takes a count to put it elsewhere, or perhaps back,
//       counts itself in `hands` before it takes the count, and out afterwards. A snapshot during which no thread is
//       counted, and none begins, has seen every count. A snapshot that never finds such a moment adds the number of
//       those threads to every name with callers: too many, but a body that must not miss a caller decides by it. A
//       pause of one name has two exceptions: a pauser that stops in between has several counts in one hand, and a
//       firing of a wide component that meets the pause gives back without one what it took (WIDE-5).
//
// Control
//   Two bits below the fields disable every reaction, by the same mask test. A thread that clears them settles the
//   whole component, because it is the author of the step that enables (WORD-1). Withdrawal: word_withdraw.c. Stop:
//   word_control.c.
//
// Front bits
//   A small molecule that waits alone lies in its bag's cell, and a bit below the fields says so: word_front.h. The
//   addition sets it, and the CAS of a short injection that fires clears it.
//
// States
//   A state lies in a cell of the soup and has one bit here. An addition gives it back. When other threads are active,
//   one CAS gives it back and also reserves the next firings, up to CRUCIBLE_BATCH of one reaction. word_lists.c
//   explains when it reserves more than one.
//
// Progress
//   Adding, firing and giving back are lock-free: a failed CAS is the progress of another thread. A thread that stops
//   between taking a state and giving it back keeps that state, as in any join calculus. A thread that stops in
//   crucible__word_bring hides one count.
//
// Attention
//   `attention` is 0 as long as none of its events ever happened. The common path reads nothing else after firing, and
//   before leaving without having fired. A bit is set, seq_cst, before the event that it announces. A thread adds to
//   the word by a seq_cst read-modify-write and then reads attention. So either it sees the bit, or the thread that set
//   the bit sees the addition.

#include "matcher/inject.h"
#include "matcher/word/word.h"

#include "base/tuning.h"
#include "matcher/registry.h"
#include "matcher/word/word_fire.h"
#include "matcher/word/word_short.h"

void crucible__word_back_off(struct thread *self, struct component *component, uint64_t *word) {
  self->heat = CRUCIBLE_HEAT;
  let_others_run();
  *word = load_acquire(&component->word.state);
}

const struct candidate *crucible__word_choose_among(struct thread *self, struct component *component,
                                                    const struct candidate *found, const struct candidate *end,
                                                    uint64_t word) {
  uint32_t seen = 1;
  for (const struct candidate *c = found + 1; c < end; c++) {
    if (crucible__word_enabled(c, word) && crucible__replaces(self, component->soup, ++seen)) found = c;
  }
  return found;
}

struct reaction *crucible__word_settle_all(struct thread *self, struct component *component) {
  const struct word_layout *all = &component->layout->word;
  return crucible__word_settle(self, component, all->candidates, all->candidates_end,
                               load_seq_cst(&component->word.state), true);
}

/// Whether all states are there and nothing is enabled, so that no plain injection is between its CAS and its end.
static bool word_is_at_rest(struct component *component) {
  uint64_t word = load_seq_cst(&component->word.state);
  if ((word & component->layout->word.states) != component->layout->word.states) return false;
  const struct word_layout *all = &component->layout->word;
  for (const struct candidate *c = all->candidates; c < all->candidates_end; c++) {
    if (crucible__word_enabled(c, word)) return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// The matcher
// ---------------------------------------------------------------------------------------------------------------------

/// Names with narrow fields have no front bits. Their cells say themselves whether they are full.
static bool has_cell(const struct crucible_name *name) {
  return crucible__word_front(name) != 0 || (name->word.blind == 0 && !crucible__has_callers(name));
}

static bool word_list(struct component *component) {
  if (!crucible__word_lists(component)) return false;
  struct layout *layout = component->layout;
  for (uint32_t i = 0; i < layout->name_count; i++) {
    if (component->names[i]->kind == CRUCIBLE_STATE) layout->word.states += component->names[i]->word.unit;
  }
  layout->word.words = 1;
  layout->word.begin |= layout->word.states;
  return true;
}

static bool word_create(struct component *component) {
  if (!crucible__bags_prepare(component, has_cell)) return false;
  atomic_init(&component->word.state, component->layout->word.begin);
  crucible__word_begin(component);
  if (component->soup->is_made) return true;
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    component->reactions[r]->without_fronts = component->reactions[r]->rule->word.without_fronts;
  }
  for (uint32_t i = 0; i < component->layout->name_count; i++) {
    struct crucible_name *name = component->names[i];
    if (name->has_payload || crucible__has_cell(name)) continue;
    bool is_only = name->word.candidates_end == name->word.candidates + 1;
    name->only = is_only ? crucible__reaction(component, name->word.candidates) : NULL;
  }
  return true;
}

void crucible__word_destroy(struct component *component) {
  crucible__word_forget_abandoned(component);
  crucible__bags_destroy(component);
}

uint32_t crucible__word_words(const struct crucible_name *name, uint32_t *home) {
  *home = name->word.home;
  return name->component->layout->word.words;
}

static void word_set_fact(struct reaction *reaction, uint32_t input, bool known) {
  _Atomic uint64_t *state = &reaction->component->word.state;
  uint64_t bit = crucible__word_fact(reaction, input);
  if (known) {
    // partner: the load of the word before a firing, which reads the value
    fetch_and_seq_cst(state, ~bit);
  } else {
    fetch_or_seq_cst(state, bit);
  }
}


const struct matcher crucible__word = {
    .name = "word",
    .is_lock_free = true,
    .form = &crucible__word_form,
    .fits = crucible__layout_word,
    .wider = &crucible__wide,
    .list = word_list,
    .create = word_create,
    .destroy = crucible__word_destroy,
    .add = crucible__word_add_one,
    .add_together = crucible__word_add_together,
    .give_back = crucible__word_give_back,
    .settle = crucible__word_settle_whole,
    .step = crucible__word_step,
    .take = crucible__word_take,
    .run = crucible__word_run,
    .withdraw = crucible__word_withdraw,
    .holds = crucible__bags_hold,
    .counts = crucible__word_counts,
    .control = crucible__word_control,
    .pause_name = crucible__word_pause_name,
    .drop = crucible__word_drop,
    .restart = crucible__word_restart,
    .inherit = crucible__word_inherit,
    .inject_for = crucible__word_inject_for,
    .complete_here = crucible__word_complete_here,
    .visit = crucible__word_visit,
    .complete_own = crucible__word_complete_own,
    .is_at_rest = word_is_at_rest,
    .words = crucible__word_words,
    .set_fact = word_set_fact,
};
