// The matcher `claim`: decentralised. Every name has a word that counts its available molecules. A reaction claims one
// molecule after another by a compare-and-swap on the word of each name, in the order of the names. No word or lock of
// the whole component exists: reactions that share no name never write to the same line.
//
// A reaction that needs one word takes its molecules by one compare-and-swap, because the molecule that completes it is
// not stored. This includes a reaction of two molecules if an inline injection adds the second. A reaction that needs
// several words claims them, which takes effect at one moment (claims.h). The molecules themselves lie in bags
// (bag/bag.c), and a thread that has claimed counts pops as many.
//
// Reading the words
//   A thread finds out which names are present before it claims. It gathers a bitmask over names, and reads each word
//   once, as far as the reactions need it. The mask belongs to the thread. A mask that all threads share would be a
//   word of the whole component. A thread that stops between clearing a bit and reading again would hide a molecule.
//
// The rule of adding, as on `word`
//   A thread publishes a molecule in its bag first, and then adds its count. It may leave after it read the words,
//   later than the addition, and found no reaction over the added names enabled. If it added one molecule only, it may
//   also leave after it fired one reaction.
//   ADD-1  So at rest nothing is enabled. Take the last step that made reaction r enabled: an addition, the end of a
//       pause, or a change of several words, each at one moment (CLAIM-1). From then on every name of r has what it
//       needs. The author of the step reads each word later than that, so it sees r enabled, and cannot have left. A
//       word that is claimed, and not yet decided, counts what it had before. A read that takes it for empty breaks
//       this.
//   ADD-2  A read that finds r disabled has seen one of its names without what it needs, later than the addition. The
//       step that enables r after that has an author of its own. So a read of several words need not be a snapshot. A
//       read that finds r enabled is confirmed by the claim.
//   ADD-3  A molecule with a value is left unstored only while its bag is empty, because otherwise it would overtake
//       waiting molecules.
//
// Control
//   Every word has the flags PAUSED and STOPPED. They change in all words at once, by a claim, so each word shows the
//   state of the whole component. A claim of a word with either fails.
//   HALT-1  A stopped component holds nothing at rest. A thread that adds to a word with STOPPED drops all molecules,
//       as the stopping thread did, by a claim that requires STOPPED. If the component was restarted meanwhile, its
//       molecule counts as injected afterwards, and the thread settles as after any addition.
//   HALT-2  A molecule that was injected after a restart is never dropped for the stop. Droppers are counted from
//       before they claim until they have popped, and a restart waits for them after it has cleared STOPPED.
//   HALT-3  A name that is paused alone has the flag HUSHED, and then all words have GUARDED. Both change in one claim.
//       A firing that adds its own molecule leaves out the word of that name, if it needs no more of it. If a word has
//       GUARDED, the firing claims that word too, and so finds the pause. If none has, its change comes before the
//       pause. So the pausing thread has read what the firing wrote, and finds it in progress (soup/quiet.c).
//   HALT-4  The report of a stop tells every molecule that was accepted before and not consumed. As on `word` (STOP-3,
//       STOP-4), the stopping thread seals the words, which then show STOPPED and PAUSED, between two checks that find
//       the soup quiet. A thread that adds to a word that is sealed takes the count back, and is refused. If no count
//       is left, another thread has dropped it, and told. A withdrawal claims nothing of a sealed word (STOP-6). A
//       restart first takes the seal off (STOP-5).
//
// Progress: a thread that stops anywhere delays no other thread, except for memory, and holds what it has taken.
// Running threads may abort one another's claims (claims.h). claim_withdraw.c has two exceptions.

#include "matcher/claim/claim.h"

#include "matcher/bags.h"
#include "matcher/fact.h"
#include "matcher/inject.h"
#include "matcher/registry.h"

static struct claimed_name *of(struct claim *own, const struct crucible_name *name) { return &own->names[name->bit]; }

// ---------------------------------------------------------------------------------------------------------------------
// Reading the words
// ---------------------------------------------------------------------------------------------------------------------

/// The names that a thread has read, and those of them that are present.
struct seen {
  uint64_t known, present;
};

/// Whether the reaction is enabled. `given`: the bit of a name of which the thread has one more molecule in hand, or 0.
static inline bool is_enabled(struct claim *own, const struct reaction *reaction, uint64_t given, struct seen *seen) {
  uint64_t bits = reaction->bits & ~given;
  if (bits & seen->known & ~seen->present) return false;
  for (uint64_t rest = bits & ~seen->known; rest; rest &= rest - 1) {
    uint32_t bit = (uint32_t)__builtin_ctzll(rest);
    seen->known |= rest & -rest;
    uint64_t word = crucible__look(&own->names[bit].word, bit);
    if (word < CLAIM_ONE || (word & CLAIM_HUSHED)) return false;
    seen->present |= rest & -rest;
  }
  for (uint32_t i = 0; UNLIKELY(reaction->repeats) && i < reaction->input_count; i++) {
    uint32_t bit = reaction->inputs[i].name->bit;
    uint64_t count = crucible__look(&own->names[bit].word, bit) / CLAIM_ONE + (given >> bit & 1);
    if (count < reaction->inputs[i].need) return false;
  }
  return LIKELY(!reaction->repeats) || crucible__knows_facts(reaction);
}

/// Chooses one of the enabled reactions, each with the same probability. Null: none is enabled. `bit`: that of one of
/// their names.
static inline struct reaction *choose(struct thread *self, struct component *component, struct reaction **begin,
                                      struct reaction **end, uint32_t bit, uint64_t given) {
  struct claim *own = component->own;
  uint64_t word = crucible__look(&own->names[bit].word, bit);
  if (UNLIKELY(word & CLAIM_DISABLED) && ((word & CLAIM_CONTROL) || given)) return NULL;
  bool is_present = word >= CLAIM_ONE && !(word & CLAIM_HUSHED);
  struct seen seen = {UINT64_C(1) << bit, (uint64_t)is_present << bit};
  struct reaction *found = NULL;
  uint32_t count = 0;
  for (struct reaction **reaction = begin; reaction < end; reaction++) {
    if (!is_enabled(own, *reaction, given, &seen)) continue;
    if (++count == 1 || crucible__choose(self, component->soup, count) == 0) found = *reaction;
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Claiming
// ---------------------------------------------------------------------------------------------------------------------

/// Returns the number of molecules of the name that a firing takes, without the one of `given`.
static inline uint64_t need_of(const struct reaction *reaction, uint32_t bit, uint64_t given) {
  uint64_t need = 1;
  for (uint32_t i = 0; UNLIKELY(reaction->repeats) && i < reaction->input_count; i++) {
    if (reaction->inputs[i].name->bit == bit) need = reaction->inputs[i].need;
  }
  return need - (given >> bit & 1);
}

struct taking {
  const struct reaction *reaction;
  uint64_t given;
  uint64_t left_out;  ///< `given`, if nothing is taken from the word of that name
  bool is_guarded;    ///< a word has GUARDED, and a name is left out (HALT-3)
};

static inline bool take_need(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  struct taking *taking = context;
  uint64_t need = need_of(taking->reaction, bit, taking->given) * CLAIM_ONE;
  *after = before - need;
  if (before < need || (before & CLAIM_DISABLED)) return false;
  if (UNLIKELY(taking->reaction->repeats) && !crucible__knows_facts(taking->reaction)) return false;  // FACT-3
  taking->is_guarded = taking->left_out && (before & CLAIM_GUARDED);
  return !taking->is_guarded;
}

/// Claims the words of `bits`, if needed together with the word of the name that was left out.
static __attribute__((noinline)) bool claim_several(struct thread *self, struct claim *own, uint64_t bits,
                                                    const struct reaction *reaction, uint64_t given) {
  struct taking taking = {.reaction = reaction, .given = given, .left_out = given & ~bits};
  if (crucible__claim_in(self, own, bits, take_need, &taking)) return true;
  if (!taking.is_guarded) return false;
  taking.left_out = 0;
  return crucible__claim_in(self, own, bits | given, take_need, &taking);
}

/// Claims what the reaction takes, except the molecule that is given. False: the reaction is not enabled any more.
static inline bool fire(struct thread *self, struct claim *own, const struct reaction *reaction, uint64_t given) {
  uint64_t bits = reaction->bits;
  if (UNLIKELY(reaction->repeats)) crucible__show_entry(self, reaction->soup);  // FACT-3
  if (given && need_of(reaction, (uint32_t)__builtin_ctzll(given), given) == 0) bits &= ~given;
  if (bits & (bits - 1)) return claim_several(self, own, bits, reaction, given);
  // Nothing is taken, and the word changes to its own value. The exchange fails after a pause or a stop, and it makes
  // the thread's entry visible to every thread that checks for quiet (firing/stripes.h).
  if (!bits) bits = given;
  uint32_t bit = (uint32_t)__builtin_ctzll(bits);
  _Atomic uint64_t *word = &own->names[bit].word;
  uint64_t before = crucible__look_to_change(word, bit);
  uint64_t need = need_of(reaction, bit, given) * CLAIM_ONE;
  do {
    if (before < need || (before & (CLAIM_DISABLED | CLAIM_GUARDED))) {
      return UNLIKELY(before & CLAIM_GUARDED) && claim_several(self, own, bits, reaction, given);
    }
    if (UNLIKELY(reaction->repeats) && !crucible__knows_facts(reaction)) return false;
  } while (!crucible__change(word, bit, &before, before - need));
  return true;
}

/// Reserves enabled reactions among these. Without `several` one is enough (ADD-1). Returns one of them. The others
/// have been submitted.
static inline struct reaction *settle(struct thread *self, struct component *component, struct reaction **begin,
                                      struct reaction **end, uint32_t bit, bool several) {
  for (struct reaction *last = NULL;;) {
    struct reaction *found = choose(self, component, begin, end, bit, 0);
    if (!found) return last;
    if (!fire(self, component->own, found, 0)) continue;
    if (last) crucible__submit(self, last);
    last = found;
    if (!several) return last;
  }
}

struct reaction *crucible__claim_settle_all(struct thread *self, struct component *component) {
  return settle(self, component, component->reactions, component->reactions + component->reaction_count, 0, true);
}

/// Reserves the reactions that are enabled over these names, after each got a molecule. Returns one. The others are
/// submitted.
static struct reaction *settle_names(struct thread *self, struct component *component, uint64_t names) {
  struct reaction *last = NULL;
  for (; names; names &= names - 1) {
    uint32_t bit = (uint32_t)__builtin_ctzll(names);
    const struct claimed_name *name = &((struct claim *)component->own)->names[bit];
    struct reaction *found = settle(self, component, name->reactions, name->reactions_end, bit, true);
    if (found && last) crucible__submit(self, last);
    if (found) last = found;
  }
  return last;
}

static inline bool take_need_paused(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  if ((before & CLAIM_DISABLED) != CLAIM_PAUSED) return false;
  bool takes = take_need(context, bit, before & ~CLAIM_PAUSED, after);
  *after |= CLAIM_PAUSED;
  return takes;
}

/// Reserves one reaction of a paused component. Reads do not show the flags of a name that is not read, so the claim
/// checks the pause.
static struct reaction *claim_step(struct thread *self, struct component *component, struct reaction *only) {
  struct claim *own = component->own;
  struct reaction **begin = only ? &only : component->reactions;
  struct reaction **end = begin + (only ? 1 : component->reaction_count);
  for (;;) {
    if ((crucible__look(&own->names[0].word, 0) & CLAIM_CONTROL) != CLAIM_PAUSED) return NULL;
    struct seen seen = {0, 0};
    struct reaction *found = NULL;
    uint32_t count = 0;
    for (struct reaction **reaction = begin; reaction < end; reaction++) {
      if (!is_enabled(own, *reaction, 0, &seen)) continue;
      if (++count == 1 || crucible__choose(self, component->soup, count) == 0) found = *reaction;
    }
    if (!found) return NULL;
    struct taking taking = {.reaction = found};
    crucible__show_entry(self, component->soup);  // FACT-3
    if (crucible__claim_in(self, own, found->bits, take_need_paused, &taking)) return found;
  }
}

static inline struct reaction *settle_one(struct thread *self, const struct crucible_name *name) {
  const struct claimed_name *claimed = of(name->component->own, name);
  return settle(self, name->component, claimed->reactions, claimed->reactions_end, name->bit, false);
}

// ---------------------------------------------------------------------------------------------------------------------
// Adding
// ---------------------------------------------------------------------------------------------------------------------

uint64_t crucible__claim_add_one(struct claim *own, uint32_t bit) {
  _Atomic uint64_t *word = &own->names[bit].word;
  uint64_t before = crucible__look_to_change(word, bit);
  while (!crucible__change(word, bit, &before, before + CLAIM_ONE)) {
  }
  return before & CLAIM_FLAGS;
}

void crucible__claim_tend(struct thread *self, struct component *component, uint64_t names, uint64_t flags) {
  if (flags & CLAIM_STOPPED) crucible__claim_drop_stopped(self, component);
  for (; (flags & CLAIM_ABANDONED) && names; names &= names - 1) {
    crucible__claim_retry_abandoned(self, component->names[__builtin_ctzll(names)]);
  }
}

/// Adds one published molecule of `value`, and does everything that a thread that adds must do, except settling. False:
/// it is refused (HALT-4).
static inline bool add_and_tend(struct thread *self, struct crucible_name *name, void *value) {
  uint64_t flags = crucible__claim_add_one(name->component->own, name->bit);
  if (LIKELY(!(flags & (CLAIM_STOPPED | CLAIM_ABANDONED)))) return true;
  bool refused = (flags & CLAIM_STOPPED) && !crucible__claim_end_late(self, name, flags, value);
  crucible__claim_tend(self, name->component, UINT64_C(1) << name->bit, flags & ~CLAIM_STOPPED);
  return !refused;
}

void crucible__claim_give_count_back(struct thread *self, struct crucible_name *name) {
  uint64_t flags = crucible__claim_add_one(name->component->own, name->bit);
  crucible__claim_tend(self, name->component, UINT64_C(1) << name->bit, flags);
  struct reaction *reaction = settle_one(self, name);
  if (reaction) crucible__submit_elsewhere(reaction);
}

/// Fires a reaction that the molecule completes, without storing it. Null: the molecule must be stored.
static inline struct reaction *complete(struct thread *self, struct crucible_name *name) {
  struct component *component = name->component;
  const struct claimed_name *claimed = of(component->own, name);
  uint64_t given = UINT64_C(1) << name->bit;
  for (int failures = 0; failures <= CRUCIBLE_FAILURES; failures++) {
    struct reaction *found =
        choose(self, component, claimed->reactions, claimed->reactions_end, name->bit, given);
    if (!found) return NULL;
    if (name->has_payload && !(crucible__rings_are_empty(&name->bag) && crucible__runs_here(self, found))) return NULL;
    if (LIKELY(fire(self, component->own, found, given))) return found;
  }
  return NULL;
}

static inline __attribute__((always_inline)) void pop(struct crucible_name *name, void *result,
                                                      uint64_t *attempts) {
  crucible__rings_pop_mpmc(&name->bag, result, attempts);
}

static inline bool publish_stored(struct crucible_name *name, void *value, uint64_t attempts, struct place *place) {
  if (place) return crucible__bag_push_placed_mpmc(&name->bag, value, attempts, place);
  return crucible__rings_push_mpmc(&name->bag, value);
}

static inline __attribute__((always_inline)) struct added claim_add(struct thread *self, struct crucible_name *name,
                                                                    void *value, uint64_t attempts,
                                                                    struct place *place, struct firing *firing) {
  // A molecule that was put back is stored in any case, because its place says how often it was put back.
  struct reaction *reaction = LIKELY(attempts == 0) ? complete(self, name) : NULL;
  struct unstored unstored = {reaction ? name : NULL, value};
  if (!reaction) {
    if (name->has_payload && UNLIKELY(!publish_stored(name, value, attempts, place))) {
      return (struct added){NULL, CRUCIBLE_NO_MEMORY};
    }
    if (UNLIKELY(!add_and_tend(self, name, value))) return (struct added){NULL, CRUCIBLE_NOT_RUNNING};
    reaction = settle_one(self, name);
  }
  if (reaction && reaction->has_stored && crucible__runs_here(self, reaction)) {
    crucible__take_by(pop, reaction, firing, unstored);
  }
  return (struct added){reaction, CRUCIBLE_OK};
}

static bool claim_inject(struct crucible_name *name, void *value) {
  return crucible__inject_by(claim_add, name, value, 0, NULL);
}

static struct added claim_add_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                       size_t count) {
  struct added added = {NULL, crucible__claim_publish_together(self, component, molecules, count)};
  uint64_t names = 0;
  for (size_t i = 0; i < count; i++) {
    if (molecules[i].name->component == component) names |= UINT64_C(1) << molecules[i].name->bit;
  }
  if (added.status == CRUCIBLE_OK) added.reaction = settle_names(self, component, names);
  return added;
}

// ---------------------------------------------------------------------------------------------------------------------
// Firings
// ---------------------------------------------------------------------------------------------------------------------

static void claim_take(struct reaction *reaction, struct firing *firing) {
  crucible__take_by(pop, reaction, firing, ALL_STORED);
}

static inline bool add_state(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  (void)context;
  (void)bit;
  *after = before + CLAIM_ONE;
  return true;
}

/// Adds the states of a reaction again, and returns their bits. The thread that takes a state next sees what the body
/// wrote into its cell.
static inline uint64_t add_states(struct thread *self, struct claim *own, const struct reaction *reaction) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct crucible_name *name = reaction->inputs[i].name;
    if (name->kind == CRUCIBLE_STATE) bits |= UINT64_C(1) << name->bit;
  }
  if (LIKELY(reaction->state_count == 1)) {
    crucible__claim_add_one(own, (uint32_t)__builtin_ctzll(bits));
  } else {
    crucible__claim_in(self, own, bits, add_state, NULL);
  }
  return bits;
}

static struct reserved claim_give_back(struct thread *self, struct reaction *reaction, struct firing *firing) {
  struct component *component = reaction->component;
  struct claim *own = component->own;
  uint64_t bits = add_states(self, own, reaction);
  struct reaction *found;
  if (LIKELY(reaction->state_count == 1)) {
    uint32_t bit = (uint32_t)__builtin_ctzll(bits);
    found = settle(self, component, own->names[bit].reactions, own->names[bit].reactions_end, bit, false);
  } else {
    found = settle_names(self, component, bits);
  }
  if (found && !crucible__stays_here(self, found)) {
    crucible__submit(self, found);
    found = NULL;
  }
  if (found) claim_take(found, firing);
  return (struct reserved){.reaction = found};
}

const struct matcher crucible__claim = {
    .name = "claim",
    .is_lock_free = true,
    .most_names = MOST_CLAIMED,
    .create = crucible__claim_create,
    .destroy = crucible__claim_destroy,
    .make_room = crucible__bags_make_room,
    .add = claim_add,
    .add_together = claim_add_together,
    .give_back = claim_give_back,
    .settle = crucible__claim_settle_all,
    .step = claim_step,
    .take = claim_take,
    .run = crucible__run,
    .withdraw = crucible__claim_withdraw,
    .holds = crucible__bags_hold,
    .counts = crucible__claim_counts,
    .control = crucible__claim_control,
    .pause_name = crucible__claim_pause_name,
    .drop = crucible__claim_drop,
    .restart = crucible__claim_restart,
    .inherit = crucible__claim_inherit,
    .inject = claim_inject,
};
