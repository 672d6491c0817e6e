// The layout of a wide component's names in its words, and the lists that depend on it. The matcher `claim` has another
// layout, with the same lists.
//
// Names that react together share a word as far as it has room. Reactions are visited in the order of their
// declaration. The group of each input joins that of the inputs before it, unless the two together need more than one
// word. Each name counts with a comfortable field. Fewer bits would put more names into a word, but a backlog of a few
// molecules would spill. Then the groups are put into the words one after the other, each into the first that has room.
// With fewer words a reaction over several groups takes from fewer. The names of a word share the rest of its bits.
//
// Some words have names without a common reaction, so threads meet there unnecessarily. That costs a failed exchange at
// times. Claims of fewer words make up for it.

#include "base/arena.h"
#include "base/tuning.h"
#include "matcher/wide/wide.h"

/// The bits of a word for counts.
static uint32_t room_of_word(const struct component *component) {
  uint32_t room = CRUCIBLE_WIDE_BITS(component->soup->seed);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    uint32_t least = crucible__field_bits(component->names[bit], 0);
    if (room < least) room = least;
  }
  return room;
}

// ---------------------------------------------------------------------------------------------------------------------
// Groups
// ---------------------------------------------------------------------------------------------------------------------

/// A name in a group, by bit. The root of a group has the bits of the whole group.
struct grouped {
  uint32_t parent, bits;
};

static uint32_t root_of(const struct grouped *names, uint32_t bit) {
  while (names[bit].parent != bit) bit = names[bit].parent;
  return bit;
}

/// Makes each name a group.
static void begin_groups(const struct component *component, struct grouped *names) {
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    names[bit] = (struct grouped){bit, crucible__field_bits(component->names[bit], CRUCIBLE_WIDE_FIELD)};
  }
}

static void join_groups(const struct component *component, struct grouped *names, uint32_t room) {
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    const struct reaction *reaction = component->reactions[r];
    for (uint32_t i = 1; i < reaction->rule->input_count; i++) {
      for (uint32_t k = 0; k < i; k++) {
        uint32_t root = root_of(names, reaction->rule->inputs[k].bit);
        uint32_t other = root_of(names, reaction->rule->inputs[i].bit);
        if (root == other || names[root].bits + names[other].bits > room) continue;
        names[root].bits += names[other].bits;
        names[other].parent = root;
      }
    }
  }
}

/// Puts each group into the first word that has room. Returns the number of words in use. More than WIDE_WORDS: there
/// are too few words.
static uint32_t put_into_words(const struct component *component, const struct grouped *names, uint32_t room) {
  uint32_t used[WIDE_WORDS] = {0}, count = 0;
  uint8_t homes[CRUCIBLE_MAX_NAMES];
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (names[bit].parent != bit) continue;
    uint32_t home = 0;
    while (home < count && used[home] + names[bit].bits > room) home++;
    if (home == WIDE_WORDS) return WIDE_WORDS + 1;
    if (home == count) count++;
    used[home] += names[bit].bits;
    homes[bit] = (uint8_t)home;
  }
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    component->names[bit]->word.home = homes[root_of(names, bit)];
  }
  return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Fields
// ---------------------------------------------------------------------------------------------------------------------

void crucible__wide_make_fields(struct component *component, uint32_t words, uint32_t room) {
  component->layout->word.words = words;
  for (uint32_t home = 0; home < words; home++) {
    uint32_t share = room, shift = WIDE_LOW_BITS;
    while (share > CRUCIBLE_WIDE_FIELD && crucible__total_bits(component, home, share) > room) share--;
    for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
      struct crucible_name *name = component->names[bit];
      if (name->word.home != home) continue;
      uint32_t bits = crucible__field_bits(name, share);
      uint64_t most = (UINT64_C(1) << (bits - 1)) - 1;
      name->word.home_at = (uint16_t)(home * sizeof(struct wide_word));
      name->word.unit = UINT64_C(1) << shift;
      name->word.mask = name->word.limit = most << shift;
      shift += bits;
    }
  }
}

/// Puts all names into words with this much room for counts. Returns the result of put_into_words.
static uint32_t fill_words(const struct component *component, uint32_t room) {
  struct grouped names[CRUCIBLE_MAX_NAMES];
  begin_groups(component, names);
  join_groups(component, names, room);
  uint32_t count = put_into_words(component, names, room);
  if (count <= WIDE_WORDS) return count;
  // Single names leave less of a word unused than groups do: 256 of 8 bits each take less than 40 words.
  begin_groups(component, names);
  return put_into_words(component, names, room);
}

bool crucible__wide_fits(struct component *component) {
  uint32_t room = room_of_word(component), count;
  // The words of tests have little room, and may be too few for many names.
  while ((count = fill_words(component, room)) > WIDE_WORDS && room < WIDE_MOST_BITS) {
    room = room * 2 < WIDE_MOST_BITS ? room * 2 : WIDE_MOST_BITS;
  }
  if (count > WIDE_WORDS) return false;
  crucible__wide_make_fields(component, count, room);
  return true;
}

// The matcher `claim` has a word for each name. All its other code is that of the wide form of `word`. It is here to be
// compared: the decentralised matcher of Turon and Russo, "Scalable join patterns" (OOPSLA 2011), has this layout.
//
// What the layout buys
//   Reactions that share no name never write to the same line. No word or lock of the whole component exists. A word
//   counts 2^59 molecules, so it never overflows in practice.
// What it costs
//   A reaction over k names takes from k words. The molecule that completes it is not counted, so k - 1 words change.
//   One word changes by one compare-and-swap. Several words change by a claim (base/claims.h), with two
//   compare-and-swaps a word and one that decides. A body that gives several states back needs a claim, too. In `word`,
//   where names share a word, one compare-and-swap does all this. A component has at most as many names as one claim
//   has words.
//
// The invariants are those of wide.c. A pause of one name claims the words of the names that react with it (WIDE-5),
// and not those of the whole component. A name is WITHIN (wide_short.c) only if its reactions take nothing else.
// Threads that meet a pause or a stop of the component find it in each word.

bool crucible__claim_fits(struct component *component) {
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) component->names[bit]->word.home = (uint8_t)bit;
  crucible__wide_make_fields(component, component->layout->name_count, WIDE_MOST_BITS);
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end
// ---------------------------------------------------------------------------------------------------------------------

/// Whether a firing of the reaction fits into a struct small_firing. Other firings of the component may be larger.
static bool has_small_firing(const struct reaction *reaction) {
  bool is_small = reaction->rule->width <= CRUCIBLE_SMALL_INPUTS && reaction->component->layout->alignment <= 16;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    if (!input->is_stored) continue;
    if (input->offset + crucible__input(reaction, i)->species->size > CRUCIBLE_SMALL_STORAGE) is_small = false;
  }
  return is_small;
}

static bool make_reaction(struct arena *arena, struct reaction *reaction) {
  uint64_t words = 0;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    words |= UINT64_C(1) << crucible__input(reaction, i)->word.home;
  }
  struct wide_reaction *wide = crucible__arena_take(
      arena, sizeof *wide + (size_t)__builtin_popcountll(words) * sizeof *wide->parts, _Alignof(struct wide_reaction));
  if (!wide) return false;
  wide->words = words;
  wide->state = -1;
  for (uint64_t rest = wide->words; rest; rest &= rest - 1) {
    struct wide_part *part = &wide->parts[wide->part_count++];
    *part = (struct wide_part){.home = (uint32_t)__builtin_ctzll(rest)};
    for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
      const struct crucible_name *name = crucible__input(reaction, i);
      if (name->word.home != part->home) continue;
      part->need += name->word.unit;
      part->guards |= crucible__word_guard(name);
      if (name->kind != CRUCIBLE_STATE) continue;
      wide->states |= UINT64_C(1) << part->home;
      if (reaction->rule->state_count == 1) wide->state = name->bit;
    }
  }
  reaction->rule->own = wide;
  struct rule *rule = reaction->rule;
  rule->word.is_quick = rule->has_stored && rule->state_count == 0 && has_small_firing(reaction);
  return true;
}

static struct candidate candidate_of(const struct component *component, uint32_t r, const struct crucible_name *name) {
  const struct wide_part *part = crucible__wide_reaction(component->reactions[r])->parts;
  while (part->home != name->word.home) part++;
  return (struct candidate){part->need, part->guards, part->guards | WIDE_DISABLED, r};
}

/// The fields in a word that the reaction takes besides the name. States are mostly there, so they are left out if
/// something else is taken there.
static uint64_t fields_beside(const struct reaction *reaction, uint32_t home, const struct crucible_name *name) {
  uint64_t states = 0, others = 0;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *other = crucible__input(reaction, i);
    if (other == name || other->word.home != home) continue;
    *(other->kind == CRUCIBLE_STATE ? &states : &others) |= other->word.mask;
  }
  return others ? others : states;
}

/// The fields in the name's own word without which the reaction is not enabled. 0: all its other inputs are in other
/// words.
static uint64_t fields_there(const struct reaction *reaction, const struct crucible_name *name) {
  uint64_t others = fields_beside(reaction, name->word.home, name);
  return others || crucible__wide_reaction(reaction)->part_count > 1 ? others : name->word.mask;
}

/// What the reaction takes from another word than the name's, if possible from one without states.
static const struct wide_part *part_beside(const struct wide_reaction *wide, const struct crucible_name *name) {
  const struct wide_part *found = NULL;
  for (const struct wide_part *part = wide->parts; part < wide->parts + wide->part_count; part++) {
    if (part->home != name->word.home && (!found || wide->states >> found->home & 1)) found = part;
  }
  return found;
}

/// Lists the fields of other words, behind the candidates. The zeroed element behind them ends the list.
static void make_besides(const struct crucible_name *name) {
  struct wide_beside *list = (struct wide_beside *)(void *)name->word.candidates_end, *end = list;
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    const struct reaction *reaction = crucible__reaction(name->component, c);
    if (fields_there(reaction, name)) continue;
    const struct wide_part *part = part_beside(crucible__wide_reaction(reaction), name);
    struct wide_beside *beside = list;
    while (beside < end && beside->home != part->home) beside++;
    if (beside == end) *end++ = (struct wide_beside){.home = part->home};
    beside->fields |= fields_beside(reaction, part->home, name);
  }
}

/// Lists the reactions that consume the name, and behind them the fields of other words.
static bool make_candidates(struct arena *arena, struct crucible_name *name) {
  const struct component *component = name->component;
  size_t count = 0;
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    count += crucible__consumes(component->reactions[r], name);
  }
  struct candidate *list = crucible__arena_take(
      arena, count * sizeof *list + (count + 1) * sizeof(struct wide_beside), _Alignof(struct candidate));
  if (!list) return false;
  name->word.candidates = list;
  name->word.under_state = true;
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    struct reaction *reaction = component->reactions[r];
    if (!crucible__consumes(reaction, name)) continue;
    *list++ = candidate_of(component, r, name);
    if (reaction->rule->state_count == 0) name->word.under_state = false;
    name->word.others |= fields_there(reaction, name);
  }
  name->word.candidates_end = list;
  make_besides(name);
  return true;
}

static bool make_lists(struct arena *arena, struct component *component) {
  struct candidate *list = crucible__arena_take(arena, component->layout->reaction_count * sizeof *list,
                                                _Alignof(struct candidate));
  if (!list) return false;
  component->layout->word.candidates = list;
  component->layout->word.candidates_end = list + component->layout->reaction_count;
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    list[r].reaction = r;
    if (!make_reaction(arena, component->reactions[r])) return false;
  }
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (!make_candidates(arena, component->names[bit])) return false;
  }
  return true;
}

static bool has_cell(const struct crucible_name *name) { return !crucible__has_callers(name); }

bool crucible__wide_list(struct component *component) {
  component->layout->own_size = component->layout->word.words * (uint32_t)sizeof(struct wide_word);
  return make_lists(&component->soup->chemistry->arena, component);
}

bool crucible__wide_create(struct component *component) {
  // The words last as long as the names, because a check for quiet may follow when the contents of the soup are gone.
  if (!component->own) {
    component->own = crucible__arena_take(&component->soup->arena, component->layout->own_size, CRUCIBLE_LINE);
  }
  if (!component->own || !crucible__bags_prepare(component, has_cell)) return false;
  struct wide_word *own = crucible__wide_of(component);
  for (uint32_t home = 0; home < component->layout->word.words; home++) atomic_init(&own[home].word, 0);
  crucible__word_begin(component);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (name->kind != CRUCIBLE_STATE) continue;
    _Atomic uint64_t *word = crucible__wide_home(own, name);
    atomic_init(word, load_relaxed(word) + name->word.unit);
  }
  return true;
}
