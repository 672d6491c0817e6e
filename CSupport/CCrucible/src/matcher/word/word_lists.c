// The lists of reactions that the matcher `word` tests for each name, and for each state that is given back.

#include "matcher/word/word.h"

#include "base/tuning.h"
#include "firing/bounds.h"

static struct candidate *make_candidates(struct arena *arena, size_t count) {
  return crucible__arena_take(arena, count * sizeof(struct candidate), sizeof(struct candidate));
}

/// Makes the lists of candidates. A list of one is the reaction's own. A name that every reaction consumes shares the
/// component's list.
static bool list_candidates(struct component *component) {
  struct arena *arena = &component->soup->chemistry->arena;
  uint32_t all = component->layout->reaction_count;
  struct word_layout *lists = &component->layout->word;
  lists->candidates = all == 1 ? &component->reactions[0]->rule->word.self : make_candidates(arena, all);
  if (!lists->candidates) return false;
  lists->candidates_end = lists->candidates + all;
  for (uint32_t r = 0; all > 1 && r < all; r++) lists->candidates[r] = component->reactions[r]->rule->word.self;
  for (uint32_t i = 0; i < component->layout->name_count; i++) {
    struct crucible_name *name = component->names[i];
    struct candidate *found[all];
    uint32_t count = 0;
    for (uint32_t r = 0; r < all; r++) {
      if (crucible__consumes(component->reactions[r], name)) found[count++] = &component->reactions[r]->rule->word.self;
    }
    bool has_own = count > 1 && count < all;
    name->word.candidates = count == 1 ? found[0] : has_own ? make_candidates(arena, count) : lists->candidates;
    if (!name->word.candidates) return false;
    name->word.candidates_end = name->word.candidates + count;
    for (uint32_t k = 0; has_own && k < count; k++) name->word.candidates[k] = *found[k];
  }
  return true;
}

/// The number of firings of the reaction that may be reserved at once. More than one is allowed only under two
/// conditions. No other thread could use their molecules while the states are held, and no caller waits for them.
/// `shared`: for each name the states that all its reactions take.
static uint32_t longest_batch(const struct reaction *reaction, const uint64_t *shared) {
  if (reaction->rule->state_count != 1) return 1;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *name = crucible__input(reaction, i);
    if (crucible__has_callers(name) || (reaction->rule->word.states & ~shared[name->bit]) != 0) return 1;
  }
  return CRUCIBLE_BATCH;
}

/// The fields of the names that the reaction takes besides `name`.
static uint64_t fields_beside(const struct reaction *reaction, const struct crucible_name *name) {
  uint64_t fields = 0;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *other = crucible__input(reaction, i);
    if (other != name) fields |= other->word.mask;
  }
  return fields;
}

/// The field of that input of the reaction, other than states, that is present least often. It is a call, because most
/// calls are answered at once, or else a name with a payload. 0: the reaction takes only states.
static uint64_t rarest_field(const struct reaction *reaction) {
  uint64_t field = 0;
  int most = -1;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *name = crucible__input(reaction, i);
    int rarity = crucible__has_callers(name) ? 2 : name->has_payload;
    if (name->kind == CRUCIBLE_STATE || rarity <= most) continue;
    field = name->word.mask;
    most = rarity;
  }
  return field;
}

/// Notes the names of a reaction whose callers may wait for another waiting caller. A caller waits only for threads
/// that add what it lacks, with two exceptions. A reaction that also takes another call fires only if one of the two is
/// stored. A reaction that is not inline runs elsewhere.
static void note_meetings(const struct reaction *reaction) {
  uint32_t calls = 0;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    if (crucible__has_callers(crucible__input(reaction, i))) calls += reaction->rule->inputs[i].need;
  }
  if (calls == 0 || (calls == 1 && reaction->rule->placement == CRUCIBLE_INLINE)) return;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) crucible__input(reaction, i)->word.gives_way = false;
}

bool crucible__word_lists(struct component *component) {
  for (uint32_t i = 0; i < component->layout->name_count; i++) {
    component->names[i]->word.gives_way = component->names[i]->kind == CRUCIBLE_FAST;
  }
  uint64_t shared[WORD_NAMES];  // by bit: the states that all reactions of a name take
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    struct reaction *reaction = component->reactions[r];
    struct rule *rule = reaction->rule;
    rule->word.self = (struct candidate){.reaction = r};
    rule->word.without_fronts = UINT64_MAX;
    rule->word.is_quick = rule->has_stored && rule->state_count == 0 && component->layout->is_small;
    for (uint32_t i = 0; i < rule->input_count; i++) {
      struct crucible_name *name = crucible__input(reaction, i);
      bool is_here = rule->placement == CRUCIBLE_INLINE || rule->may_lack_origin;
      if (is_here && !crucible__bound_of(name)) name->completes_here = true;
      rule->word.self.need += name->word.unit;
      rule->word.self.guards |= crucible__word_guard(name);
      if (name->kind == CRUCIBLE_STATE) rule->word.states |= name->word.unit;
      rule->word.without_fronts &= ~crucible__word_front(name);
      if (rule->inputs[i].is_stored) rule->inputs[i].front = crucible__word_front(name);
    }
    note_meetings(reaction);
    rule->word.self.mask = rule->word.self.guards | WORD_CONTROL;
    for (uint32_t i = rule->input_count; i < rule->width; i++) {
      rule->word.self.mask |= crucible__word_fact(reaction, i);
    }
  }
  if (!list_candidates(component)) return false;
  for (uint32_t i = 0; i < component->layout->name_count; i++) {
    struct crucible_name *name = component->names[i];
    name->word.under_state = true;
    shared[name->bit] = UINT64_MAX;
    for (struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
      const struct reaction *reaction = crucible__reaction(component, c);
      if (reaction->rule->state_count == 0) name->word.under_state = false;
      shared[name->bit] &= reaction->rule->word.states;
      bool is_state = name->kind == CRUCIBLE_STATE;
      uint64_t others = is_state ? rarest_field(reaction) : fields_beside(reaction, name);
      name->word.others |= others ? others : name->word.mask;
    }
  }
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    struct reaction *reaction = component->reactions[r];
    reaction->rule->word.most = longest_batch(reaction, shared);
    reaction->rule->word.after = component->layout->word.candidates;
    reaction->rule->word.after_end = component->layout->word.candidates_end;
    for (uint32_t i = 0; reaction->rule->state_count == 1 && i < reaction->rule->input_count; i++) {
      const struct crucible_name *name = crucible__input(reaction, i);
      if (name->kind != CRUCIBLE_STATE) continue;
      reaction->rule->word.after = name->word.candidates;
      reaction->rule->word.after_end = name->word.candidates_end;
      reaction->rule->word.after_fields = name->word.others;
    }
  }
  return true;
}
