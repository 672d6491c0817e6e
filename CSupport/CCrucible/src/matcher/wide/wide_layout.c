// The layout of a wide component's names in its words, and the lists that depend on it.
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
#include "matcher/abandoned.h"
#include "matcher/bags.h"
#include "matcher/inject.h"
#include "matcher/wide/wide.h"
#include "matcher/word/word_fields.h"

/// The bits of a word for counts.
static uint32_t room_of_word(const struct component *component) {
  uint32_t room = CRUCIBLE_WIDE_BITS(component->soup->seed);
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    uint32_t least = crucible__least_bits(component->names[bit]);
    if (room < least) room = least;
  }
  return room;
}

static uint32_t comfortable(const struct crucible_name *name) {
  uint32_t least = crucible__least_bits(name);
  return name->kind == CRUCIBLE_STATE || least > CRUCIBLE_WIDE_FIELD ? least : CRUCIBLE_WIDE_FIELD;
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
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    names[bit] = (struct grouped){bit, comfortable(component->names[bit])};
  }
}

static void join_groups(const struct component *component, struct grouped *names, uint32_t room) {
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    const struct reaction *reaction = component->reactions[r];
    for (uint32_t i = 1; i < reaction->input_count; i++) {
      for (uint32_t k = 0; k < i; k++) {
        uint32_t root = root_of(names, reaction->inputs[k].name->bit);
        uint32_t other = root_of(names, reaction->inputs[i].name->bit);
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
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (names[bit].parent != bit) continue;
    uint32_t home = 0;
    while (home < count && used[home] + names[bit].bits > room) home++;
    if (home == WIDE_WORDS) return WIDE_WORDS + 1;
    if (home == count) count++;
    used[home] += names[bit].bits;
    homes[bit] = (uint8_t)home;
  }
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    component->names[bit]->word.home = homes[root_of(names, bit)];
  }
  return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Fields
// ---------------------------------------------------------------------------------------------------------------------

static uint32_t bits_of(const struct crucible_name *name, uint32_t share) {
  uint32_t bits = comfortable(name);
  return name->kind == CRUCIBLE_STATE || bits > share ? bits : share;
}

static uint32_t total_bits(const struct component *component, uint32_t home, uint32_t share) {
  uint32_t total = 0;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (name->word.home == home) total += bits_of(name, share);
  }
  return total;
}

static void make_fields(struct component *component, uint32_t home, uint32_t room) {
  uint32_t share = room, shift = WIDE_LOW_BITS;
  while (share > 0 && total_bits(component, home, share) > room) share--;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    if (name->word.home != home) continue;
    uint32_t bits = bits_of(name, share);
    uint64_t most = (UINT64_C(1) << (bits - 1)) - 1;
    name->word.home_at = (uint16_t)(offsetof(struct wide, words) + home * sizeof(struct wide_word));
    name->word.unit = UINT64_C(1) << shift;
    name->word.mask = name->word.limit = most << shift;
    shift += bits;
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
  crucible__find_largest_needs(component);
  uint32_t room = room_of_word(component), count;
  // The words of tests have little room, and may be too few for many names.
  while ((count = fill_words(component, room)) > WIDE_WORDS && room < WIDE_MOST_BITS) {
    room = room * 2 < WIDE_MOST_BITS ? room * 2 : WIDE_MOST_BITS;
  }
  if (count > WIDE_WORDS) return false;
  for (uint32_t home = 0; home < count; home++) make_fields(component, home, room);
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end
// ---------------------------------------------------------------------------------------------------------------------

static uint32_t words_of(const struct component *component) {
  uint32_t count = 0;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (count <= component->names[bit]->word.home) count = component->names[bit]->word.home + 1u;
  }
  return count;
}

static size_t size_of_reaction(uint32_t parts) {
  return sizeof(struct wide_reaction) + parts * sizeof(struct wide_part);
}

static uint64_t words_of_reaction(const struct reaction *reaction) {
  uint64_t words = 0;
  for (uint32_t i = 0; i < reaction->input_count; i++) words |= UINT64_C(1) << reaction->inputs[i].name->word.home;
  return words;
}

/// The size of the lists of all names.
static size_t lists_of_names(const struct component *component) {
  size_t size = component->name_count * sizeof(struct wide_beside);
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    size += component->reactions[r]->input_count * (sizeof(struct candidate) + sizeof(struct wide_beside));
  }
  return size;
}

static size_t size_of(const struct component *component) {
  size_t size = sizeof(struct wide) + words_of(component) * sizeof(struct wide_word) +
                component->reaction_count * sizeof(struct candidate) + lists_of_names(component);
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    const struct reaction *reaction = component->reactions[r];
    size += size_of_reaction((uint32_t)__builtin_popcountll(words_of_reaction(reaction)));
  }
  return size;
}

/// Whether a firing of the reaction fits into a struct small_firing. Other firings of the component may be larger.
static bool has_small_firing(const struct reaction *reaction) {
  bool is_small = reaction->width <= CRUCIBLE_SMALL_INPUTS && reaction->component->alignment <= 16;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct input *input = &reaction->inputs[i];
    if (input->is_stored && input->offset + input->name->size > CRUCIBLE_SMALL_STORAGE) is_small = false;
  }
  return is_small;
}

static void make_reaction(struct reaction *reaction, struct wide_reaction *wide) {
  *wide = (struct wide_reaction){.words = words_of_reaction(reaction)};
  for (uint64_t rest = wide->words; rest; rest &= rest - 1) {
    struct wide_part *part = &wide->parts[wide->part_count++];
    *part = (struct wide_part){.home = (uint32_t)__builtin_ctzll(rest)};
    for (uint32_t i = 0; i < reaction->input_count; i++) {
      const struct crucible_name *name = reaction->inputs[i].name;
      if (name->word.home != part->home) continue;
      part->need += name->word.unit;
      part->guards |= crucible__word_guard(name);
      if (name->kind == CRUCIBLE_STATE) wide->states |= UINT64_C(1) << part->home;
    }
  }
  reaction->own = wide;
  reaction->word.is_quick = reaction->has_stored && reaction->state_count == 0 && has_small_firing(reaction);
}

static struct candidate candidate_of(struct reaction *reaction, const struct crucible_name *name) {
  const struct wide_part *part = crucible__wide_reaction(reaction)->parts;
  while (part->home != name->word.home) part++;
  return (struct candidate){part->need, part->guards, part->guards | WIDE_DISABLED, reaction};
}

/// The fields in the name's own word without which the reaction is not enabled. 0: all its other inputs are in other
/// words.
static uint64_t fields_there(const struct reaction *reaction, const struct crucible_name *name) {
  uint64_t others = crucible__word_fields_beside(reaction, name->word.home, name);
  return others || crucible__wide_reaction(reaction)->part_count > 1 ? others : name->word.mask;
}

/// Lists the fields of other words, behind the candidates. Returns the end of the list.
static struct wide_beside *make_besides(const struct crucible_name *name) {
  struct wide_beside *list = (struct wide_beside *)(void *)name->word.candidates_end, *end = list;
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    if (fields_there(c->reaction, name)) continue;
    const struct wide_part *part = crucible__wide_reaction(c->reaction)->parts;
    if (part->home == name->word.home) part++;
    struct wide_beside *beside = list;
    while (beside < end && beside->home != part->home) beside++;
    if (beside == end) *end++ = (struct wide_beside){.home = part->home};
    beside->fields |= crucible__word_fields_beside(c->reaction, part->home, name);
  }
  *end++ = (struct wide_beside){0};
  return end;
}

/// Lists the reactions that consume the name. Returns the end of the list.
static struct candidate *make_candidates(struct crucible_name *name, struct candidate *list) {
  struct component *component = name->component;
  name->word.candidates = list;
  name->word.under_state = true;
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    struct reaction *reaction = component->reactions[r];
    if (!crucible__consumes(reaction, name)) continue;
    *list++ = candidate_of(reaction, name);
    if (reaction->state_count == 0) name->word.under_state = false;
    name->word.others |= fields_there(reaction, name);
  }
  name->word.candidates_end = list;
  return (struct candidate *)(void *)make_besides(name);
}

/// Whether everything that meets the name lies in its word.
static bool is_within(const struct crucible_name *name) {
  for (const struct candidate *c = name->word.candidates; c < name->word.candidates_end; c++) {
    if (crucible__wide_reaction(c->reaction)->part_count > 1) return false;
  }
  return true;
}

/// Records for a reaction with one state what it gives back, and the further fields that the reactions over that state
/// need. It records nothing unless each of these reactions needs something besides states, and all of it lies in the
/// state's word.
static void make_quick_return(struct reaction *reaction) {
  const struct crucible_name *state = NULL;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    if (reaction->inputs[i].name->kind == CRUCIBLE_STATE) state = reaction->inputs[i].name;
  }
  if (reaction->state_count != 1 || !is_within(state)) return;
  uint64_t all = 0;
  for (const struct candidate *c = state->word.candidates; c < state->word.candidates_end; c++) {
    uint64_t fields = 0;
    for (uint32_t i = 0; i < c->reaction->input_count; i++) {
      const struct crucible_name *name = c->reaction->inputs[i].name;
      if (name->kind != CRUCIBLE_STATE) fields |= name->word.mask;
    }
    if (!fields) return;
    all |= fields;
  }
  reaction->word.states = state->word.unit;
  reaction->word.after_fields = all;
}

/// Makes the lists that lie behind the words.
static void make_lists(struct component *component, struct wide *own) {
  struct candidate *list = (struct candidate *)(void *)&own->words[own->word_count];
  char *end = (char *)list + component->reaction_count * sizeof *list + lists_of_names(component);
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    make_reaction(component->reactions[r], (struct wide_reaction *)(void *)end);
    end += size_of_reaction(crucible__wide_reaction(component->reactions[r])->part_count);
  }
  component->word.candidates = list;
  for (uint32_t r = 0; r < component->reaction_count; r++) {
    *list++ = (struct candidate){.reaction = component->reactions[r]};
  }
  component->word.candidates_end = list;
  for (uint32_t bit = 0; bit < component->name_count; bit++) list = make_candidates(component->names[bit], list);
  for (uint32_t r = 0; r < component->reaction_count; r++) make_quick_return(component->reactions[r]);
}

static bool has_cell(const struct crucible_name *name) { return !crucible__has_callers(name); }

bool crucible__wide_create(struct component *component) {
  if (!crucible__claims_prepare()) return false;
  // The record lasts as long as the names, because a check for quiet may follow when the contents of the soup are gone.
  struct wide *own = crucible__arena_take(&component->soup->arena, (size_of(component) + 63) / 64 * 64, 64);
  if (!own) return false;
  own->word_count = words_of(component);
  atomic_init(&component->word.attention, 0);
  atomic_init(&component->word.droppers, 0);
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    atomic_init(&name->aside.overflow, 0);
    atomic_init(&name->aside.abandoned, NULL);
    if (name->kind == CRUCIBLE_STATE) {
      _Atomic uint64_t *word = crucible__wide_home(own, name);
      atomic_init(word, load_relaxed(word) + name->word.unit);
    }
  }
  if (!crucible__bags_prepare(component, has_cell)) return false;
  component->own = own;
  make_lists(component, own);
  return true;
}

void crucible__wide_destroy(struct component *component) {
  crucible__forget_abandoned(component);
  crucible__bags_destroy(component);
}
