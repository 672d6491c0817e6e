// Fields of the word.
//
// The lowest two bits of the word are for control (word_types.h). Above them lie the bits of the facts that are missing
// (matcher/fact.h), and then the front bits (word_front.h). A name with small molecules for which no caller waits has a
// front bit. All these bits lie below the fields, because the test for a reaction subtracts, and a borrow goes up. A
// state takes two bits: its one copy, and the guard. Every other name needs room for the most that one pattern takes of
// it. The names share the remaining bits equally. If the limit of a field stays useful with room for blind additions,
// threads use fetch-and-add on it, and otherwise only CAS. The number of front bits is the largest that leaves all
// fields wide enough for blind additions. A name without a front bit has no cell, so all its stored molecules lie in
// rings.
//
//   names without states    with front bits: bits each, counts, blind threads     without
//   2                       30   2^29 - 65   64                                   31   2^30 - 65   64
//   6                        9         239   16                                   10         447   64
//   7                        7          47   16                                    8         111   16
//   8, six of them           7          47   16                                    7          47   16
//   10                       –                                                     6          31, by CAS
//   31                       –                                                     2           1, by CAS

#include "matcher/word/word.h"

#include "base/tuning.h"

/// Bits of the word for counts and front bits; the others are for control.
enum { LOWEST_BIT = 2, FIELD_BITS = 64 - LOWEST_BIT };
_Static_assert(WORD_CONTROL >> LOWEST_BIT == 0, "the control bits lie below the fields");
_Static_assert(WORD_NAMES == FIELD_BITS / 2, "each name has a count and a guard");

uint32_t crucible__field_bits(const struct crucible_name *name, uint32_t share) {
  uint32_t least = 1;  // the guard
  while (name->word.largest_need >> (least - 1)) least++;
  return name->kind == CRUCIBLE_STATE || least > share ? least : share;
}

uint32_t crucible__total_bits(const struct component *component, uint32_t home, uint32_t share) {
  uint32_t total = 0;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    if (name->word.home == home) total += crucible__field_bits(name, share);
  }
  return total;
}

/// The number of threads that may add blindly to a field that counts up to `most`. There are some only if the rest is
/// at least what one pattern takes, and a batch besides. All threads with a stripe may, if that lowers the limit by a
/// quarter at most.
static uint8_t blind_threads(uint64_t most, uint64_t needed) {
  if (most >= 4 * MOST_STRIPES) return MOST_STRIPES;
  return most >= CRUCIBLE_BLIND_THREADS + needed + CRUCIBLE_BLIND_THREADS ? CRUCIBLE_BLIND_THREADS : 0;
}

/// Whether a reaction that is placed externally consumes the name. Then another thread than the injector's takes its
/// molecules.
static bool is_taken_elsewhere(const struct crucible_name *name) {
  const struct component *component = name->component;
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    const struct reaction *reaction = component->reactions[r];
    if (reaction->rule->placement == CRUCIBLE_EXTERNAL && crucible__consumes(reaction, name)) return true;
  }
  return false;
}

static bool may_have_front(const struct crucible_name *name) {
  return crucible__is_bagged(name) && !crucible__has_callers(name) && name->species->size <= CRUCIBLE_CELL_BYTES &&
         name->species->alignment <= 16 && !is_taken_elsewhere(name);
}

/// Gives a bit to each fact that reactions of the component read. Returns the number of such facts.
static uint32_t number_facts(struct component *component) {
  uint32_t count = 0;
  for (uint32_t fact = 0; fact < component->soup->name_count; fact++) {
    bool is_read = false;
    for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
      struct rule *rule = component->reactions[r]->rule;
      for (uint32_t i = rule->input_count; i < rule->width; i++) {
        if (rule->inputs[i].name != fact) continue;
        rule->inputs[i].fact_bit = LOWEST_BIT + count;
        is_read = true;
      }
    }
    count += is_read;
  }
  return count;
}

/// Lays out the word with these numbers of facts and front bits. False: the fields would be too narrow.
static bool layout(struct component *component, uint32_t facts, uint32_t fronts) {
  uint32_t flags = facts + fronts;
  uint32_t shared = 0;
  for (uint32_t i = 0; i < component->layout->name_count; i++) shared += component->names[i]->kind != CRUCIBLE_STATE;
  if (flags > FIELD_BITS || crucible__total_bits(component, 0, 0) > FIELD_BITS - flags) return false;
  uint32_t share = (FIELD_BITS - flags) / (shared ? shared : 1);
  while (crucible__total_bits(component, 0, share) > FIELD_BITS - flags) share--;
  uint32_t front = LOWEST_BIT + facts, shift = LOWEST_BIT + flags;
  for (uint32_t i = 0; i < component->layout->name_count; i++) {
    struct crucible_name *name = component->names[i];
    uint32_t bits = crucible__field_bits(name, share);
    uint64_t most = (UINT64_C(1) << (bits - 1)) - 1;
    name->word.unit = UINT64_C(1) << shift;
    name->word.mask = most << shift;
    name->word.blind = name->kind == CRUCIBLE_STATE ? 0 : blind_threads(most, name->word.largest_need);
    name->word.limit = (most - name->word.blind) << shift;
    shift += bits;
    if (fronts && name->kind != CRUCIBLE_STATE && name->word.blind < CRUCIBLE_BLIND_THREADS) return false;
    if (!crucible__is_bagged(name)) continue;
    bool has_front = may_have_front(name) && front < LOWEST_BIT + flags;
    name->front = has_front ? UINT64_C(1) << front++ : 0;
  }
  return true;
}

bool crucible__layout_word(struct component *component) {
  uint32_t facts = component->layout->has_facts ? number_facts(component) : 0, fronts = 0;
  component->layout->word.begin = ((UINT64_C(1) << facts) - 1) << LOWEST_BIT;
  for (uint32_t i = 0; i < component->layout->name_count; i++) fronts += may_have_front(component->names[i]);
  if (fronts > FIELD_BITS) fronts = FIELD_BITS;
  while (fronts > 0 && !layout(component, facts, fronts)) fronts--;
  return fronts > 0 || layout(component, facts, 0);
}
