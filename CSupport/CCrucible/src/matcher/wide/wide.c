// Components in several words. In the wide form of the matcher `word`, for a component that does not fit one word,
// names that react together share a word as far as it has room (wide_layout.c). With the matcher `claim` each name has
// its own. A word has fields like the one word of a narrow component (word.c): per name a count and a guard above it,
// and the control bits. Its lowest bits say that it is claimed (base/claims.h).
//
// A reaction that takes from one word is selected by one compare-and-swap, as in a narrow component. One that takes
// from several words changes all of them at one moment, by a claim. The molecule that completes a reaction is not
// counted, and nothing is taken for it. So a reaction over two words mostly needs one compare-and-swap, too. The
// molecule is stored only if older ones of its name wait in the bag, or the reaction runs elsewhere.
//
// The rule of adding (WORD-1, WORD-2) with several words
//   A thread publishes, then adds the count by a compare-and-swap. A word may be claimed, so no addition is blind. The
//   thread may leave after it read the words, later than the addition, and found no reaction over the added name
//   enabled. If it added one molecule only, it may also leave after it fired one reaction over its name.
//   WIDE-1  This read is not atomic, and suffices. Take the last step that made reaction r enabled: an addition, the
//       move of a spilled count, the end of a pause, or a change of several words, each at one moment (CLAIM-1). r
//       stays enabled from then on, so each word of r has what it needs. The author of the step reads each of these
//       words later than the step. So it finds r enabled, and cannot have left.
//   WIDE-2  A read that finds r disabled has seen one word of r without what it needs, later than the addition. The
//       step that enables r after that has an author of its own. A read that finds r enabled is confirmed by the
//       compare-and-swap or by the claim, which include the condition.
//   WIDE-3  Reads see through a claim: a word that is claimed and not decided counts as before, and one that is decided
//       as after. A read that took a claimed word for empty would break WIDE-1, if the claim is aborted later.
//   WIDE-4  Words change only by a compare-and-swap from a value without a tag, or by the removal of a tag. A
//       fetch-and-add would change the tag of another thread.
//
// Short injections (wide_short.c) take the same steps where nothing is in the way, and hardly cost more than those of a
// narrow component.
//
// Control
//   Every word has the two control bits. They change in all words at once, by a claim, so each word shows the state of
//   the whole component. One compare-and-swap on one word of a reaction finds the reaction disabled. The guard of a
//   paused name is in its own word alone: WIDE-5 in wide_short.c.
//
// Overflow, attention, states, withdrawal and stop are as in word.c, with these differences. Fields have no room for
// blind additions. States are given back one by one without batches. A drop takes all its counts by one claim. WORD-3
// and WORD-4 hold for each field in its own word. In WORD-3 the moment of a claim is the change of its status. A
// spiller that reads the field before sees the claim undecided, so the claimer reads the overflow after the spiller has
// written it.
//
// Progress: lock-free, except for memory. A thread that stops holds what it has taken.

#include "matcher/wide/wide.h"

#include "base/tuning.h"
#include "matcher/fact.h"
#include "matcher/inject.h"
#include "matcher/registry.h"
#include "matcher/word/word_front.h"
#include "pool/pool.h"

/// What the thread has in hand of the word: a molecule of `given`, if that is not null.
static inline uint64_t given_to(const struct crucible_name *given, uint32_t home) {
  return given && given->word.home == home ? given->word.unit : 0;
}

static inline bool has(const struct wide_part *part, uint64_t word) {
  return crucible__wide_has(word, part->need, part->guards, part->guards | WIDE_DISABLED);
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading the words
// ---------------------------------------------------------------------------------------------------------------------

/// The words that a thread has read, without the control bits that it ignores.
struct seen {
  uint64_t known, ignored;
  uint64_t words[WIDE_WORDS];
};

static inline bool is_enabled(struct wide_word *own, const struct reaction *reaction, struct crucible_name *given,
                              struct seen *seen) {
  const struct wide_reaction *wide = crucible__wide_reaction(reaction);
  for (uint32_t i = 0; i < wide->part_count; i++) {
    const struct wide_part *part = &wide->parts[i];
    if (!(seen->known >> part->home & 1)) {
      seen->known |= UINT64_C(1) << part->home;
      uint64_t word = crucible__look(&own[part->home].word) & ~seen->ignored;
      seen->words[part->home] = word + given_to(given, part->home);
    }
    if (!has(part, seen->words[part->home])) return false;
  }
  return LIKELY(!reaction->rule->repeats) || crucible__knows_facts(reaction);
}

/// Chooses one of the enabled reactions, each with the same probability. Null: none is enabled. `ignored`: control
/// bits.
static struct reaction *choose(struct thread *self, struct component *component, const struct candidate *begin,
                               const struct candidate *end, struct crucible_name *given, uint64_t ignored) {
  struct seen seen;
  seen.known = 0;
  seen.ignored = ignored;
  struct reaction *found = NULL;
  uint32_t count = 0;
  for (const struct candidate *c = begin; c < end; c++) {
    if (!is_enabled(crucible__wide_of(component), crucible__reaction(component, c), given, &seen)) continue;
    if (LIKELY(++count == 1) || crucible__replaces(self, component->soup, count))
      found = crucible__reaction(component, c);
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Firing
// ---------------------------------------------------------------------------------------------------------------------

struct taking {
  const struct reaction *reaction;
  const struct wide_reaction *wide;
  struct crucible_name *given;
};

static inline bool take_part(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  const struct taking *taking = context;
  const struct wide_part *part = taking->wide->parts;
  while (part->home != home) part++;
  uint64_t word = before + given_to(taking->given, home);
  *after = word - part->need;
  bool repeats = taking->reaction->rule->repeats;
  return has(part, word) && (LIKELY(!repeats) || crucible__knows_facts(taking->reaction));  // FACT-3
}

static NOINLINE bool fire_several(struct thread *self, struct wide_word *own, uint64_t words, struct taking taking) {
  return crucible__wide_change(self, own, words, take_part, &taking);
}

void crucible__wide_undo(struct thread *self, struct reaction *reaction, struct crucible_name *given) {
  struct component *component = reaction->component;
  bool is_given = true;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    struct crucible_name *name = crucible__input(reaction, i);
    if (name != given || !is_given) crucible__wide_add(component, name);
    if (name == given) is_given = false;
  }
  struct reaction *other = crucible__wide_settle_all(self, component);
  if (!other) other = crucible__word_attend(self, component);  // a call among them may be abandoned
  if (other) crucible__submit_elsewhere(other);
  if (crucible__is_outermost(self)) crucible__hand_over(self);  // the injection may end without a firing of its own
}

/// Takes what the reaction needs, except the molecule that is given. False: the reaction is not enabled any more.
static inline bool fire(struct thread *self, struct wide_word *own, struct reaction *reaction,
                        struct crucible_name *given) {
  struct taking taking = {reaction, crucible__wide_reaction(reaction), given};
  if (UNLIKELY(reaction->rule->repeats)) crucible__show_entry(self, reaction->soup);  // FACT-3
  uint64_t words = taking.wide->words;
  if (words & (words - 1)) {
    // Nothing is taken from a word for which the given molecule is everything. The other words have the control bits as
    // well.
    for (uint32_t i = 0; given && i < taking.wide->part_count; i++) {
      const struct wide_part *part = &taking.wide->parts[i];
      if (part->need == given_to(given, part->home)) words &= ~(UINT64_C(1) << part->home);
    }
  }
  bool leaves_out = given && !(words >> given->word.home & 1);
  if (words & (words - 1)) {
    return fire_several(self, own, words, taking) &&
           !(leaves_out && crucible__wide_undo_if_paused(self, reaction, given));
  }
  // If nothing is taken, the word changes to its own value. The exchange fails after a pause or a stop, and it makes
  // the thread's entry visible to every thread that checks for quiet (firing/stripes.h).
  uint32_t home = (uint32_t)__builtin_ctzll(words);
  _Atomic uint64_t *word = &own[home].word;
  uint64_t before = crucible__look_to_change(word), after;
  do {
    if (!take_part(&taking, home, before, &after)) return false;
  } while (!crucible__change(word, &before, after));
  return !(leaves_out && crucible__wide_undo_if_paused(self, reaction, given));
}

bool crucible__wide_fire(struct thread *self, struct reaction *reaction, struct crucible_name *given) {
  return fire(self, crucible__wide_of(reaction->component), reaction, given);
}

/// Reserves enabled reactions among these candidates. Without `several` one is enough (WORD-2). Returns one of them.
/// The others have been submitted.
static struct reaction *settle(struct thread *self, struct component *component, const struct candidate *begin,
                               const struct candidate *end, bool several) {
  for (struct reaction *last = NULL;;) {
    struct reaction *found = choose(self, component, begin, end, NULL, 0);
    if (!found) return last;
    if (!fire(self, crucible__wide_of(component), found, NULL)) continue;
    if (last) crucible__submit(self, last);
    last = found;
    if (crucible__word_fired(self, component, found)) several = true;
    if (LIKELY(!several)) return last;
    begin = component->layout->word.candidates;
    end = component->layout->word.candidates_end;
  }
}

struct reaction *crucible__wide_settle_all(struct thread *self, struct component *component) {
  return settle(self, component, component->layout->word.candidates, component->layout->word.candidates_end, true);
}

static inline struct reaction *settle_one(struct thread *self, const struct crucible_name *name) {
  return settle(self, name->component, name->word.candidates, name->word.candidates_end, false);
}

static inline bool take_part_paused(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  if ((before & WIDE_CONTROL) != WIDE_PAUSED) return false;
  bool takes = take_part(context, home, before & ~WIDE_PAUSED, after);
  *after |= WIDE_PAUSED;
  return takes;
}

static struct reaction *wide_step(struct thread *self, struct component *component, struct reaction *only) {
  struct wide_word *own = crucible__wide_of(component);
  const struct candidate *begin = component->layout->word.candidates;
  while (only && crucible__reaction(component, begin) != only) begin++;
  const struct candidate *end = only ? begin + 1 : component->layout->word.candidates_end;
  struct reaction *found;
  struct taking taking;
  do {
    if ((crucible__look(&own[0].word) & WIDE_CONTROL) != WIDE_PAUSED) return NULL;
    found = choose(self, component, begin, end, NULL, WIDE_PAUSED);
    if (!found) return NULL;
    taking = (struct taking){found, crucible__wide_reaction(found), NULL};
    crucible__show_entry(self, component->soup);  // FACT-3
  } while (!crucible__wide_change(self, own, taking.wide->words, take_part_paused, &taking));
  // The counts that were moved enable nothing while the pause lasts. But the pause may have ended since (WORD-2).
  if (crucible__word_fired(self, component, found)) crucible__word_settle_others(self, component);
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Adding
// ---------------------------------------------------------------------------------------------------------------------

bool crucible__wide_add(struct component *component, struct crucible_name *name) {
  _Atomic uint64_t *word = crucible__wide_home(crucible__wide_of(component), name);
  uint64_t before = crucible__look_to_change(word);
  while ((before & name->word.mask) < name->word.limit) {
    if (crucible__change(word, &before, before + name->word.unit)) return false;
  }
  return crucible__word_spill(component, name, 1);
}

struct reaction *crucible__wide_add_and_settle(struct thread *self, struct crucible_name *name, bool added) {
  struct component *component = name->component;
  bool several = !added && crucible__wide_add(component, name);
  struct reaction *reaction =
      UNLIKELY(several) ? crucible__wide_settle_all(self, component) : settle_one(self, name);
  return crucible__word_or_attend(self, component, reaction);
}

/// Takes the molecules of a reserved firing.
static INLINE void take(const struct reaction *reaction, struct firing *firing, struct unstored unstored) {
  if (!reaction->rule->has_stored) return;
  uint64_t *attempts = crucible__attempts_of(firing->inputs);
  *attempts = 0;
  for (uint32_t i = 0; i < reaction->rule->width; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    firing->inputs[i] = reaction->at[i];
    if (!input->is_stored) continue;
    struct crucible_name *name = reaction->at[i];
    __builtin_assume(name != NULL);  // so the test costs nothing where every molecule is stored
    if (name == unstored.name) {
      firing->inputs[i] = unstored.value;
      unstored.name = NULL;
    } else {
      firing->inputs[i] = firing->storage + input->offset;
      crucible__bag_pop_mpmc(&name->bag, firing->inputs[i], attempts);
    }
  }
}

/// Adds a molecule. One that completes a reaction is not counted. It is stored only if it would overtake others in its
/// bag, or the reaction runs elsewhere. Then the firing takes the oldest.
static INLINE struct added wide_add(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                                    struct place *place, struct firing *firing) {
  struct component *component = name->component;
  struct reaction *reaction = NULL;
  bool stored = false;
  // A molecule that was put back is counted in any case, because its place says how often it was put back.
  for (int failures = 0; LIKELY(attempts == 0) && !reaction && failures <= CRUCIBLE_FAILURES; failures++) {
    struct reaction *found = choose(self, component, name->word.candidates, name->word.candidates_end, name, 0);
    if (!found) break;
    if (name->has_payload && !stored && !(crucible__bag_is_empty(&name->bag) && crucible__runs_here(self, found))) {
      stored = crucible__word_publish(self, name, value, 0, place);
      if (UNLIKELY(!stored)) return (struct added){NULL, CRUCIBLE_NO_MEMORY};
    }
    if (LIKELY(fire(self, crucible__wide_of(component), found, name))) reaction = found;
  }
  struct unstored unstored = {reaction && !stored ? name : NULL, value};
  if (!reaction) {
    if (!stored && UNLIKELY(!crucible__word_publish(self, name, value, attempts, place))) {
      return (struct added){NULL, CRUCIBLE_NO_MEMORY};
    }
    reaction = crucible__wide_add_and_settle(self, name, false);
    if (!reaction && UNLIKELY(crucible__wide_refuses(self, name, value))) {
      return (struct added){NULL, CRUCIBLE_NOT_RUNNING};
    }
  } else if (crucible__word_fired(self, component, reaction)) {
    crucible__word_settle_others(self, component);
  }
  if (reaction && crucible__runs_here(self, reaction)) take(reaction, firing, unstored);
  return (struct added){reaction, CRUCIBLE_OK};
}

bool crucible__wide_inject_entered(struct crucible_name *name, void *value, struct stripe *stripe) {
  return crucible__inject_entered_by(wide_add, crucible__self, name, value, 0, NULL, stripe);
}

// ---------------------------------------------------------------------------------------------------------------------
// Firings
// ---------------------------------------------------------------------------------------------------------------------

static void wide_take(struct reaction *reaction, struct firing *firing) {
  take(reaction, firing, ALL_STORED);
}

static inline bool add_states(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  const struct reaction *reaction = context;
  *after = before;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *name = crucible__input(reaction, i);
    if (name->kind == CRUCIBLE_STATE && name->word.home == home) *after += name->word.unit;
  }
  return true;
}

/// Gives the states of a reaction back. The thread that takes one next sees what the body wrote into its cell.
static inline void add_all_states(struct thread *self, struct wide_word *own, struct reaction *reaction) {
  uint64_t words = crucible__wide_reaction(reaction)->states;
  if (words & (words - 1)) {
    crucible__wide_change(self, own, words, add_states, reaction);
    return;
  }
  uint32_t home = (uint32_t)__builtin_ctzll(words);
  _Atomic uint64_t *word = &own[home].word;
  uint64_t before = crucible__look_to_change(word), after;
  do {
    add_states(reaction, home, before, &after);
  } while (!crucible__change(word, &before, after));
}

struct reaction *crucible__wide_give_states_back(struct thread *self, struct reaction *reaction, bool given) {
  struct component *component = reaction->component;
  if (!given) add_all_states(self, crucible__wide_of(component), reaction);
  const struct crucible_name *state = crucible__wide_state(reaction);
  struct reaction *found = state ? settle_one(self, state) : crucible__wide_settle_all(self, component);
  found = crucible__word_or_attend(self, component, found);
  if (!found || crucible__stays_here(self, found)) return found;
  crucible__submit(self, found);
  return NULL;
}

static struct reserved wide_give_back(struct thread *self, struct reaction *reaction, struct firing *firing) {
  struct reaction *found = crucible__wide_give_states_back(self, reaction, false);
  if (found) wide_take(found, firing);
  return (struct reserved){.reaction = found};
}

// ---------------------------------------------------------------------------------------------------------------------
// The matcher
// ---------------------------------------------------------------------------------------------------------------------

/// Whether all states are there and nothing is enabled. It reads word by word, because a single word shows a plain
/// injection from its beginning to its end.
static bool wide_is_at_rest(struct component *component) {
  struct wide_word *own = crucible__wide_of(component);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (name->kind == CRUCIBLE_STATE && !(crucible__wide_look(own, name) & name->word.mask)) return false;
  }
  struct seen seen = {0};
  const struct word_layout *all = &component->layout->word;
  for (const struct candidate *c = all->candidates; c < all->candidates_end; c++) {
    if (is_enabled(crucible__wide_of(component), crucible__reaction(component, c), NULL, &seen)) return false;
  }
  return true;
}

/// What the plugs of both layouts have in common.
#define WIDE_PLUG                                                                                                      \
  .is_lock_free = true, .form = &crucible__wide_form, .list = crucible__wide_list, .create = crucible__wide_create,    \
  .destroy = crucible__word_destroy, .add = wide_add,                                                                  \
  .add_together = crucible__word_add_together, .give_back = wide_give_back, .settle = crucible__word_settle_whole,     \
  .step = wide_step, .take = wide_take, .run = crucible__run, .withdraw = crucible__word_withdraw,                     \
  .holds = crucible__bags_hold, .counts = crucible__word_counts, .control = crucible__word_control,                    \
  .pause_name = crucible__wide_pause_name, .drop = crucible__word_drop, .restart = crucible__word_restart,             \
  .inherit = crucible__wide_inherit, .inject_for = crucible__wide_inject_for, .is_at_rest = wide_is_at_rest,           \
  .words = crucible__word_words

const struct matcher crucible__wide = {.name = "wide", .fits = crucible__wide_fits, WIDE_PLUG};

const struct matcher crucible__claim = {
    .name = "claim", .most_names = WIDE_WORDS, .fits = crucible__claim_fits, WIDE_PLUG};
