// Random chemistries: names of all kinds and sizes, reactions of all placements. The round's seed alone decides them.
//
// Every name is consumed by some reaction, and no reaction takes states alone or one state twice: the library refuses
// those. Some chemistries are narrow: they have so many connected names that a field of the word counts three molecules
// or less, and spills. Some are crowded: the first name reacts with more bystanders than a mask has bits left, and the
// other names come after these.

#include <stdlib.h>
#include <string.h>

#include "storms.h"

static const uint32_t sizes[] = {8, 16, 24, 40, 100, 296, MOST_SIZE};
static const uint32_t alignments[] = {8, 8, 8, 16, 64};

static void draw_kind(struct kind *kind) {
  uint32_t which = draw(20);
  kind->kind = which < 4 ? CRUCIBLE_FAST : which < 8 ? CRUCIBLE_STATE : CRUCIBLE_SLOW;
  bool empty = kind->kind != CRUCIBLE_FAST && one_in(3);
  uint32_t drawn = sizes[draw(sizeof sizes / sizeof *sizes)];
  kind->size = empty ? 0 : kind->kind == CRUCIBLE_SLOW || drawn > 16 ? drawn : 16;
  kind->alignment = alignments[draw(sizeof alignments / sizeof *alignments)];
  kind->boxed = kind->kind == CRUCIBLE_SLOW && kind->size >= 16 && one_in(3);
}

static bool has(const struct rule *rule, const struct kind *kind) {
  for (uint32_t i = 0; i < rule->count; i++) {
    if (rule->inputs[i] == kind) return true;
  }
  return false;
}

/// Adds an input, unless it is a state that the reaction has already.
static void add_input(struct rule *rule, struct kind *kind) {
  if (rule->count == MOST_INPUTS || (kind->kind == CRUCIBLE_STATE && has(rule, kind))) return;
  rule->inputs[rule->count++] = kind;
}

static void draw_rule(struct vessel *vessel, struct rule *rule) {
  uint32_t wanted = 1 + draw(one_in(4) ? MOST_INPUTS - 1 : 3);
  for (uint32_t i = 0; i < wanted; i++) {
    struct kind *kind = &vessel->kinds[draw(vessel->name_count)];
    add_input(rule, kind);
    if (one_in(6)) add_input(rule, kind);
  }
  uint32_t where = draw(8);
  rule->placement = where < vessel->inline_share ? CRUCIBLE_INLINE
                    : where < vessel->own_share  ? CRUCIBLE_POOL
                                                 : CRUCIBLE_EXTERNAL;
  rule->retries = one_in(4);
  rule->enters = one_in(2);
}

/// Adds a name that no reaction consumes to a reaction that has room, or to a new one.
static void use(struct vessel *vessel, struct kind *kind) {
  for (uint32_t r = 0; r < vessel->rule_count; r++) {
    if (has(&vessel->rules[r], kind)) return;
  }
  for (uint32_t r = 0; r < vessel->rule_count; r++) {
    struct rule *rule = &vessel->rules[(kind->index + r) % vessel->rule_count];
    add_input(rule, kind);
    if (has(rule, kind)) return;
  }
  if (vessel->rule_count == MOST_RULES) fail("the chemistry has no room for a name");
  struct rule *rule = &vessel->rules[vessel->rule_count];
  *rule = (struct rule){.vessel = vessel, .index = vessel->rule_count++};
  add_input(rule, kind);
}

/// Adds an input to reactions of states alone, which would react for ever.
static void mend_rules(struct vessel *vessel) {
  for (uint32_t r = 0; r < vessel->rule_count; r++) {
    struct rule *rule = &vessel->rules[r];
    bool only_states = true;
    for (uint32_t i = 0; i < rule->count; i++) only_states = only_states && rule->inputs[i]->kind == CRUCIBLE_STATE;
    if (!only_states) continue;
    if (rule->count == MOST_INPUTS) rule->count--;
    rule->inputs[rule->count++] = &vessel->kinds[0];
  }
}

void draw_chemistry(struct vessel *vessel) {
  bool narrow = one_in(4);
  vessel->name_count = narrow ? 14 + draw(MOST_NAMES - 14 + 1) : 1 + draw(7);
  vessel->rule_count = narrow ? 7 + draw(MOST_RULES - 7 + 1) : 1 + draw(5);
  vessel->inline_share = draw(7);
  vessel->own_share = one_in(3) ? 3 : 7;
  vessel->restarts = one_in(4);
  vessel->calm = !vessel->restarts && one_in(3);
  vessel->matcher = one_in(2) ? CRUCIBLE_AUTOMATIC : draw_matcher();
  vessel->crowded = crucible_matcher_most_names(vessel->matcher) == CRUCIBLE_MAX_NAMES && one_in(6);
  for (uint32_t i = 0; i < vessel->name_count; i++) {
    struct kind *kind = &vessel->kinds[i];
    draw_kind(kind);
    if (i == 0 && kind->kind == CRUCIBLE_STATE) kind->kind = CRUCIBLE_SLOW;
    kind->vessel = vessel;
    kind->index = i;
  }
  for (uint32_t r = 0; r < vessel->rule_count; r++) {
    vessel->rules[r].vessel = vessel;
    vessel->rules[r].index = r;
    draw_rule(vessel, &vessel->rules[r]);
  }
  mend_rules(vessel);  // before, because it may remove the last input of a full reaction
  for (uint32_t i = 0; i < vessel->name_count; i++) use(vessel, &vessel->kinds[i]);
  mend_rules(vessel);
}

// ---------------------------------------------------------------------------------------------------------------------
// Making it
// ---------------------------------------------------------------------------------------------------------------------

static void name_released(void *context) {
  struct kind *kind = context;
  atomic_fetch_add_explicit(&kind->releases, 1, memory_order_relaxed);
}

static void rule_released(void *context) {
  struct context *first = context;
  atomic_fetch_add_explicit(&first->rule->releases, 1, memory_order_relaxed);
}

static void soup_released(void *context) {
  struct vessel *vessel = context;
  sem_post(&vessel->gone);
}

/// The observer: foreign code, which reads what the names were given.
static void notice(void *context, crucible_name *name, uint64_t count, crucible_stage stage) {
  const struct kind *kind = crucible_name_context(name);
  if (kind->vessel != context) fail("an observer is told of another soup's name");
}

struct context *new_context(struct vessel *vessel, struct rule *rule) {
  uint32_t next = atomic_fetch_add_explicit(&vessel->next_context, 1, memory_order_relaxed);
  if (next >= CONTEXTS) return NULL;
  uint64_t number = 1 + draw(1000);
  vessel->contexts[next] = (struct context){.rule = rule, .number = number, .twice = 2 * number};
  return &vessel->contexts[next];
}

static void make_bystanders(struct vessel *vessel) {
  for (uint32_t i = 0; i < BYSTANDERS; i++) {
    crucible_name_options name = {.label = "bystander", .kind = CRUCIBLE_SLOW};
    crucible_status status = crucible_soup_add_name(vessel->soup, &name, NULL, &vessel->bystanders[i]);
    if (status != CRUCIBLE_OK) fail("a bystander is refused: %s", crucible_status_text(status));
  }
}

static void never_react(void *context, void *const *inputs) {
  fail("bystanders react");
}

/// Adds the bystanders after the rules, so that the rules have the same numbers as in other chemistries.
static void connect_bystanders(struct vessel *vessel) {
  crucible_name *inputs[BYSTANDERS + 1] = {vessel->kinds[0].name}, *culprit;
  memcpy(inputs + 1, vessel->bystanders, sizeof vessel->bystanders);
  crucible_reaction_options options = {.label = "crowd", .inputs = inputs, .input_count = BYSTANDERS + 1,
                                       .body = never_react, .placement = CRUCIBLE_INLINE};
  crucible_status status = crucible_soup_add_reaction(vessel->soup, &options, &culprit);
  if (status != CRUCIBLE_OK) fail("the crowd is refused: %s", crucible_status_text(status));
}

void make_names(struct vessel *vessel) {
  crucible_soup_options options = {.label = "storm", .matcher = vessel->matcher, .seed = draw(UINT32_MAX) + 1ull,
                                   .context = vessel, .release = soup_released, .notify = notice};
  vessel->soup = crucible_soup_create(&options);
  if (!vessel->soup) fail("no memory for a soup");
  for (uint32_t i = 0; i < vessel->name_count; i++) {
    struct kind *kind = &vessel->kinds[i];
    crucible_name_options name = {.label = "name", .kind = kind->kind, .size = kind->size, .alignment = kind->alignment,
                                  .destroy = destroy_molecule, .context = kind, .release = name_released};
    crucible_status status = crucible_soup_add_name(vessel->soup, &name, NULL, &kind->name);
    if (status != CRUCIBLE_OK) fail("a name is refused: %s", crucible_status_text(status));
    if (kind->kind == CRUCIBLE_STATE) reset_cell(kind->name, NULL);
    if (i == 0 && vessel->crowded) make_bystanders(vessel);
  }
}

void make_rules(struct vessel *vessel) {
  crucible_name *culprit;
  for (uint32_t r = 0; r < vessel->rule_count; r++) {
    struct rule *rule = &vessel->rules[r];
    crucible_name *inputs[MOST_INPUTS];
    for (uint32_t i = 0; i < rule->count; i++) inputs[i] = rule->inputs[i]->name;
    crucible_reaction_options options = {.label = "rule", .inputs = inputs, .input_count = rule->count, .body = react,
                                         .placement = rule->placement, .context = new_context(vessel, rule),
                                         .release = rule_released, .retries = rule->retries, .submit = submit_firing,
                                         .enter = rule->enters && rule->placement == CRUCIBLE_EXTERNAL
                                                      ? enter_firing
                                                      : NULL};
    crucible_status status = crucible_soup_add_reaction(vessel->soup, &options, &culprit);
    if (status != CRUCIBLE_OK) fail("a reaction is refused: %s", crucible_status_text(status));
  }
  if (vessel->crowded) connect_bystanders(vessel);
  crucible_status status = crucible_soup_freeze(vessel->soup, &culprit);
  if (status != CRUCIBLE_OK) fail("the soup is refused: %s", crucible_status_text(status));
}
