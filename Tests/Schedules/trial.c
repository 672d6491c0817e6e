// How a trial declares its names and reactions, begins and ends: see trial.h.

#include "trial_parts.h"

#include <string.h>

static void rule_released(void *context) {
  struct trial *trial = ((struct trial_rule *)context)->trial;
  hand_over(trial);
  ADD(trial->rules_released, 1);
}

static void name_released(void *context) {
  hand_over(context);
  ADD(((struct trial *)context)->names_released, 1);
}

unsigned declare(struct trial *trial, const char *label, enum form form) {
  unsigned index = trial->name_count++;
  struct name *name = &trial->names[index];
  name->form = form;
  int64_t zero = 0;
  crucible_name_options options = {.label = label, .release = name_released, .context = trial};
  if (form == CARRIES || form == CALL_NAME || form == SMALL_NAME || form == FACT_NAME) {
    if (form == CALL_NAME) options.kind = CRUCIBLE_FAST;
    if (form == FACT_NAME) options.kind = CRUCIBLE_FACT;
    options.size = size_of(form);
    options.alignment = _Alignof(struct payload);
    options.destroy = destroyed;
  } else if (form == STATE_NAME) {
    options.kind = CRUCIBLE_STATE;
    options.size = sizeof zero;
    options.alignment = _Alignof(int64_t);
  }
  void *initial = form == STATE_NAME ? &zero : NULL;
  crucible_key_options key = keys_of(trial, *label == 'q');
  if (trial->chemistry->keys && form != FACT_NAME) options.key = &key;
  if (trial->chemistry->keys && form == STATE_NAME) options.destroy = end_state;
  crucible_expiry_options expiry = expiry_of(trial, form);
  bool may_expire = form == CARRIES ? trial->chemistry->keys || trial->chemistry->expires
                                    : form == STATE_NAME && trial->chemistry->keys && trial->chemistry->expires;
  if (may_expire) options.expiry = &expiry;
  crucible_bound_options bound = trial->chemistry->bound;
  if (*label == 'q' && (bound.capacity > 0 || bound.rooms > 0)) {
    options.bound = &bound;
    if (bound.capacity == 0) bound.room = trial->names[named(trial, 'r')].core;
  }
  crucible_soup *soup = trial->other ? trial->other : trial->soup;
  if (crucible_soup_add_name(soup, &options, initial, &name->core) != CRUCIBLE_OK) {
    scheduler_fail("name %s is refused", label);
  }
  return index;
}

static bool allow_visits(void) { return true; }

void react(struct trial *trial, const unsigned *inputs, unsigned count, act *act) {
  unsigned reaction = trial->rule_count++;
  struct trial_rule *rule = &trial->rules[reaction];
  crucible_name *names[MOST_NAMES];
  *rule = (struct trial_rule){
      .trial = trial, .reaction = reaction - trial->first_rule_of_other, .count = count, .act = act};
  for (unsigned i = 0; i < count; i++) {
    rule->inputs[i] = inputs[i];
    names[i] = trial->names[inputs[i]].core;
  }
  crucible_reaction_options options = {.inputs = names,
                                       .input_count = count,
                                       .placement = trial->chemistry->placement,
                                       .body = run_body,
                                       .context = rule,
                                       .release = rule_released,
                                       .in_order = trial->chemistry->in_order,
                                       .visits = trial->chemistry->visits,
                                       .may_lack_origin = trial->chemistry->own,
                                       .submit = submitted};
  unsigned first = trial->chemistry->first ? trial->chemistry->first : 1;
  if (trial->chemistry->mixed && trial->rule_count > first) options.placement = CRUCIBLE_INLINE;
  if (options.placement == CRUCIBLE_POOL_OR_CALLER || options.visits) crucible_visits_begin(allow_visits, NULL);
  if (trial->chemistry->enters || options.visits) options.enter = entered;
  options.inherits = options.placement == CRUCIBLE_EXTERNAL;
  crucible_name *culprit = NULL;
  crucible_soup *soup = trial->other ? trial->other : trial->soup;
  if (crucible_soup_add_reaction(soup, &options, &culprit) != CRUCIBLE_OK) scheduler_fail("a reaction is refused");
}

void fill_up(struct trial *trial, unsigned total) {
  unsigned inputs[MOST_NAMES] = {0};
  unsigned count = 1;
  while (trial->name_count < total) inputs[count++] = declare(trial, "-", VOID_NAME);
  react(trial, inputs, count, NULL);
}

// ---------------------------------------------------------------------------------------------------------------------
// Begin and end
// ---------------------------------------------------------------------------------------------------------------------

/// Every other soup has a site. On `word` it repeats the earlier ones, if none of its molecules has an origin.
static bool has_site(uint64_t seed) { return seed % 2 == 1; }

static const void *site_of(const struct trial_chemistry *chemistry, crucible_matcher matcher) {
  return (const char *)chemistry + matcher;
}

static crucible_soup *make_soup(const struct trial *trial, uint64_t seed) {
  crucible_soup_options options = {.label = trial->chemistry->name, .matcher = trial->matcher, .seed = seed + 1,
                                   .unowned = trial->chemistry->unowned};
  if (has_site(seed)) options.site = site_of(trial->chemistry, trial->matcher);
  crucible_soup *soup = crucible_soup_create(&options);
  if (!soup) scheduler_fail("no memory");
  crucible_soup_retain_shell(soup);
  return soup;
}

void declare_in_other(struct trial *trial) {
  trial->first_of_other = trial->name_count;
  trial->first_rule_of_other = trial->rule_count;
  trial->other = make_soup(trial, 1);
}

void freeze_soup(crucible_soup *soup) {
  crucible_name *culprit = NULL;
  if (crucible_soup_freeze(soup, &culprit) != CRUCIBLE_OK) scheduler_fail("the definition is refused");
}

/// Makes the first trial with a site like the later ones, whatever seed a process begins with.
static void warm_up_once(struct trial *trial, const struct trial_chemistry *chemistry, crucible_matcher matcher) {
  memset(trial, 0, sizeof *trial);
  trial->chemistry = chemistry;
  trial->matcher = matcher;
  trial->soup = make_soup(trial, 1);
  chemistry->define(trial);
  crucible_soup_allow_repeats(trial->soup);
  freeze_soup(trial->soup);
  crucible_soup_release_shell(trial->soup);
  crucible_soup_release(trial->soup);
  if (!trial->other) return;
  crucible_soup_release_shell(trial->other);
  crucible_soup_release(trial->other);
}

/// Returns the number of bytes before the trial. Every second time it makes one more soup, whose block the soup of the
/// trial takes over, unless the clients end the definition.
static uint64_t warm_up(struct trial *trial, const struct trial_chemistry *chemistry, crucible_matcher matcher,
                        uint64_t seed) {
  static const void *warm;  // the site of the soup that was made last
  if (warm != site_of(chemistry, matcher)) warm_up_once(trial, chemistry, matcher);
  warm = site_of(chemistry, matcher);
  uint64_t bytes = crucible_live_bytes();
  if (seed & 8 && !chemistry->quiet) warm_up_once(trial, chemistry, matcher);
  return bytes;
}

void trial_begin(struct trial *trial, const struct trial_chemistry *chemistry, crucible_matcher matcher,
                 uint64_t seed) {
  bool is_warm = has_site(seed) && !chemistry->bare;
  uint64_t bytes = is_warm ? warm_up(trial, chemistry, matcher, seed) : crucible_live_bytes();
  memset(trial, 0, sizeof *trial);
  trial->chemistry = chemistry;
  trial->matcher = matcher;
  trial->bytes = bytes;
  trial->soups = crucible_live_soups();
  crucible_set_origins(&(crucible_origins){.make = make_origin, .end = end_origin, .run = run_body});
  trial_origins = 0;
  if (chemistry->bare) {
    chemistry->define(trial);
    return;
  }
  trial->soup = make_soup(trial, seed);
  chemistry->define(trial);
  bool repeats = has_site(seed) && matcher == CRUCIBLE_WORD && chemistry->placement != CRUCIBLE_EXTERNAL &&
                 !chemistry->crowded && !chemistry->bound.capacity && !chemistry->bound.rooms;
  if (repeats && !crucible_soup_has_repeated(trial->soup)) scheduler_fail("the soup does not repeat the ones before");
  if (!chemistry->unfrozen) freeze_soup(trial->soup);
}

bool trial_quiet(void *context) {
  const struct trial *trial = context;
  if (trial->chemistry->quiet) return trial->chemistry->quiet(trial);
  if (trial->other && !crucible_soup_is_quiet(trial->other)) return false;
  return !trial->soup || crucible_soup_is_quiet(trial->soup);
}

void trial_end(struct trial *trial) {
  const struct trial_chemistry *chemistry = trial->chemistry;
  if (!chemistry->bare) {
    if (!trial_quiet(trial)) scheduler_fail("the clients have ended, and the soup is not quiet");
    if (chemistry->before) chemistry->before(trial);
    if (!chemistry->gone) check_rest(trial);
  }
  if (chemistry->check) chemistry->check(trial);
  if (!chemistry->bare) {
    if (!chemistry->gone) crucible_soup_release(trial->soup);
    if (trial->other) crucible_soup_release(trial->other);
    check_gone(trial);
    crucible_soup_release_shell(trial->soup);
    if (trial->other) crucible_soup_release_shell(trial->other);
  }
}
