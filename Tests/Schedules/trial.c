// Invariants of every soup at rest: see trial.h.
//
//   TRIAL-1  every molecule is consumed, withdrawn or destroyed at most once, whole, and as the name it was injected
//       under; a refused one stays the caller's
//   TRIAL-2  injected = consumed + withdrawn + dropped + counted, for each name; a state is in its cell; the soup's
//       counts of dropped and withdrawn molecules are true; each dropped molecule is told once, by the report of the
//       stop that dropped it, or by the call that cleared it
//   TRIAL-3  no reaction is enabled, unless the soup, or a name of its pattern, is stopped or paused; nothing waits in
//       a soup that is stopped
//   TRIAL-4  word: no field is above its limit, no guard set; counts are spilled only if the field is at its limit
//   TRIAL-5  among the molecules that one thread injected under one name, none was consumed while an older one still
//       waits
//   TRIAL-6  when the soup goes, the molecules that waited are destroyed, and no byte of the soup stays
//   TRIAL-7  no call waits after its caller has given up
//   TRIAL-8  each origin ends as often as it was made for: a body takes the origin of the molecule that it consumes,
//       made by the injector of that molecule; a firing that does not take place leaves none
//   TRIAL-9  a body finds the value of each fact that it reads, and all that the injector of the fact wrote before; a
//       fact is injected once, until it is forgotten
//   TRIAL-10  in a case with keys, the molecules of a body have one key; a state of a key is made before the first body
//       that has it, and no key or state outlives the soup

#include "trial.h"

#include <limits.h>
#include <string.h>

#include "../books.h"
#include "base/tuning.h"
#include "matcher/registry.h"
#include "matcher/untold.h"
#include "matcher/wide/wide.h"
#include "weak/weak.h"

// ---------------------------------------------------------------------------------------------------------------------
// Reactions
// ---------------------------------------------------------------------------------------------------------------------

/// Origins that were made, and neither taken nor ended. There is only one soup.
static uint64_t trial_origins;

/// `standing`: the origin by which this thread is about to run a body; molecules that the thread makes belong to the
/// same task. `given`: the origin that the next molecule is put back with.
static _Thread_local void *standing, *given;

/// Makes an origin: the number of the thread that makes it.
static void *make_origin(uint64_t count) {
  void *origin = given;
  given = NULL;
  if (origin) return origin;
  ADD(trial_origins, count);
  return standing ? standing : (void *)(uintptr_t)(scheduler_self() + 1);
}

static void end_origin(void *origin, uint64_t count) {
  ADD(trial_origins, -count);
}

static void check_origin(void *origin, const struct molecule *molecule) {
  // without an origin, the injection is that of this thread's own task
  if (!origin) {
    origin = (void *)(uintptr_t)(scheduler_self() + 1);
  } else {
    end_origin(origin, 1);
  }
  if (molecule && (uintptr_t)origin != molecule->pusher + 1) {
    scheduler_fail("a molecule of client %u has the origin of client %d", molecule->pusher, (int)(uintptr_t)origin - 1);
  }
}

void give_origin(unsigned of) {
  given = (void *)(uintptr_t)(of + 1);
  crucible_set_given(true);
  ADD(trial_origins, 1);
}

bool inject_from(void *origin, crucible_name *name, void *value, uint64_t attempts, crucible_ticket *ticket) {
  given = origin;
  bool gave = crucible_set_given(origin != NULL);
  bool injected = crucible_inject_tracked(name, value, attempts, false, ticket);
  crucible_set_given(gave);
  if (given) end_origin(given, 1);
  given = NULL;
  return injected;
}

static void **origin_of(const struct trial_rule *rule, unsigned input, void *const *inputs) {
  crucible_soup *soup = crucible_name_soup(rule->trial->names[rule->inputs[0]].core);
  return crucible_input_origin(soup, rule->reaction, input, inputs);
}

/// Ends the origins of a body's molecules, except the one that its firing was run by.
static void end_origins(const struct trial_rule *rule, struct molecule *const *molecules, void *const *inputs) {
  struct trial *trial = rule->trial;
  void **taken = &trial->taken[scheduler_self()];
  for (unsigned i = 0; i < rule->count; i++) {
    void **origin = origin_of(rule, i, inputs);
    if (!origin) continue;
    check_origin(*origin ? *origin : *taken, molecules[i]);
    if (!*origin) *taken = NULL;
  }
  if (*taken) scheduler_fail("a firing ran by the origin of no molecule");
}

static _Thread_local unsigned taking_out;

bool takes_branches_out(void) { return taking_out > 0; }

/// Whether the firing takes place.
static bool is_decided(const struct trial_rule *rule, void *const *inputs) {
  struct trial *trial = rule->trial;
  void **taken = &trial->taken[scheduler_self()];
  if (!trial->chemistry->selects) return true;
  taking_out++;
  standing = *taken;
  bool decided = crucible_firing_select(inputs);
  standing = NULL;
  taking_out--;
  if (decided) return true;
  for (unsigned i = 0; i < rule->count; i++) {
    void **origin = origin_of(rule, i, inputs);
    if (origin && *origin) scheduler_fail("a firing that does not take place leaves an origin");
  }
  if (*taken) end_origin(*taken, 1);
  *taken = NULL;
  return false;
}

static size_t size_of(enum form form) {
  return form == STATE_NAME ? sizeof(int64_t) : form == SMALL_NAME ? sizeof(struct molecule *) : sizeof(struct payload);
}

unsigned key_of(const struct trial *trial, const struct molecule *molecule) {
  return trial->chemistry->keys ? (unsigned)(molecule - trial->molecules) % trial->chemistry->keys : 0;
}

/// The key of a body: that of its first molecule with a value.
static unsigned key_of_body(const struct trial_rule *rule, void *const *inputs) {
  unsigned i = 0;
  if (!rule->trial->chemistry->keys) return 0;
  while (rule->trial->names[rule->inputs[i]].form == STATE_NAME) i++;
  return key_of(rule->trial, ((const struct payload *)inputs[i])->molecule);
}

/// Begins a body, and returns its key.
static unsigned begin_body(struct trial_rule *rule, void *const *inputs) {
  struct trial *trial = rule->trial;
  bool is_other = trial->other && rule->inputs[0] >= trial->first_of_other;
  if (PEEK(trial->silent) && !is_other && ADD(trial->steps, -1) == UINT_MAX) {
    scheduler_fail("a body runs although the soup was stopped or paused, and quiet");
  }
  struct molecule *molecules[MOST_NAMES] = {0};
  unsigned key = key_of_body(rule, inputs);
  for (unsigned i = 0; i < rule->count; i++) {
    unsigned index = rule->inputs[i];
    struct name *name = &trial->names[index];
    if (PEEK(trial->hushed[index])) scheduler_fail("a body consumes a paused name, and the soup was quiet");
    if (name->form == FACT_NAME) {
      reads(inputs[i], size_of(name->form));
      const struct molecule *fact = checked(trial, inputs[i]);
      if (fact->name != index) scheduler_fail("a fact comes as another name");
      reads(&fact->cargo, sizeof fact->cargo);
      continue;
    }
    ADD(name->consumed, 1);
    if (name->form != VOID_NAME) uses(inputs[i], size_of(name->form));
    if (name->form == STATE_NAME) {
      if (trial->inside[index][key]) scheduler_fail("two bodies have the same state");
      if (*(const int64_t *)inputs[i] < 0) scheduler_fail("a body has a state that was not made");
      trial->inside[index][key] = true;
    } else if (name->form != VOID_NAME) {
      molecules[i] = checked(trial, inputs[i]);
      if (molecules[i]->name != index) scheduler_fail("a molecule comes as another name");
      if (key_of(trial, molecules[i]) != key) scheduler_fail("molecules of two keys have reacted");
      uint64_t paused = PEEK(trial->paused);
      if (paused && comes_before(paused, molecules[i]->begun)) {
        scheduler_fail("a body consumes what was injected while the soup was paused");
      }
      POKE(molecules[i]->consumed, scheduler_tick());
      uses(&molecules[i]->cargo, sizeof molecules[i]->cargo);
    }
  }
  end_origins(rule, molecules, inputs);
  ADD(rule->fired, 1);
  scheduler_step("body");
  if (rule->act) rule->act(trial, molecules, inputs);
  scheduler_step("body");
  return key;
}

static void end_body(const struct trial_rule *rule, unsigned key) {
  for (unsigned i = 0; i < rule->count; i++) {
    if (rule->trial->names[rule->inputs[i]].form == STATE_NAME) rule->trial->inside[rule->inputs[i]][key] = false;
  }
}

static void body(void *context, void *const *inputs) {
  struct trial_rule *rule = context;
  if (!is_decided(rule, inputs)) return;
  end_body(rule, begin_body(rule, inputs));
}

struct loading {
  struct trial_rule *rule;
  bool decided;
  unsigned key;
};

static void load(void *context, void *const *inputs) {
  struct loading *loading = context;
  loading->decided = is_decided(loading->rule, inputs);
  if (loading->decided) loading->key = begin_body(loading->rule, inputs);
}

static void submitted(void *context, crucible_firing *firing) {
  struct trial_rule *rule = context;
  struct trial *trial = rule->trial;
  scheduler_note("submitted");
  unsigned index = ADD(trial->placed_count, 1) - 1;
  if (index >= MOST_MOLECULES) scheduler_fail("the case has too many firings");
  void *origin = trial->chemistry->own ? crucible_firing_take_origin(firing) : NULL;
  if (trial->chemistry->own && !origin) origin = make_origin(1);  // of this thread, which is inside the injection
  hand_over(firing);
  trial->placed[index].rule = rule;
  trial->placed[index].origin = origin;
  PUBLISH(trial->placed[index].firing, firing);
}

/// `origin`: the origin that was taken when the firing was submitted, or null.
static void run_placed(struct trial_rule *rule, crucible_firing *firing, void *origin) {
  taken_over(firing);
  rule->trial->own[scheduler_self()] = !origin && crucible_firing_has_own_origin(firing);
  rule->trial->taken[scheduler_self()] = origin ? origin : crucible_firing_take_origin(firing);
  if (rule->trial->chemistry->parameter == 0) {
    crucible_firing_run(firing);
  } else {
    struct loading loading = {.rule = rule};
    rule->trial->task[scheduler_self()] = firing;
    crucible_firing_begin(firing, load, &loading, firing);
    rule->trial->task[scheduler_self()] = NULL;
    scheduler_step("suspended");
    if (rule->trial->chemistry->between) rule->trial->chemistry->between(rule->trial, firing);
    if (loading.decided) end_body(rule, loading.key);
    crucible_firing_end(firing);
  }
  ADD(rule->trial->ended, 1);
}

static bool entered(void *context, crucible_firing *firing) {
  if (scheduler_self() != 0 && !((struct trial_rule *)context)->trial->chemistry->visits) return false;
  run_placed(context, firing, NULL);
  return true;
}

bool serve_next(struct trial *trial) {
  unsigned next = PEEK(trial->served_count);
  crucible_firing *firing = next < MOST_MOLECULES ? PUBLISHED(trial->placed[next].firing) : NULL;
  if (!firing || !CLAIM(trial->served_count, next)) return false;
  run_placed(trial->placed[next].rule, firing, trial->placed[next].origin);
  return true;
}

void serve(struct trial *trial, unsigned count) {
  while (PEEK(trial->ended) < count) {
    if (!serve_next(trial)) spin_pause();
  }
}

static void rule_released(void *context) {
  struct trial *trial = ((struct trial_rule *)context)->trial;
  hand_over(trial);
  ADD(trial->rules_released, 1);
}

/// Whether the value was a branch of a select.
static bool was_branch(const struct trial *trial, void *value, crucible_reason reason) {
  if (!trial->chemistry->selects) return false;
  taking_out++;
  bool was = crucible_branch_destroy(value, reason);
  taking_out--;
  return was;
}

static void destroyed(void *value, void *context, crucible_reason reason) {
  struct trial *trial = context;
  if (was_branch(trial, value, reason)) return;
  struct molecule *molecule = checked(trial, value);
  if (reason == CRUCIBLE_WITHDRAWN && !PEEK(molecule->given_up)) {
    scheduler_fail("a call is withdrawn whose caller waits for it");
  }
  uint64_t restarted = PEEK(trial->restart_returned);
  if (reason == CRUCIBLE_STOPPED_SOUP && restarted && comes_before(restarted, molecule->begun)) {
    scheduler_fail("a molecule is dropped for a stop, and was injected after the restart");
  }
  if (reason == CRUCIBLE_CLEARED && !PEEK(trial->cleared[molecule->name])) {
    scheduler_fail("a molecule is dropped by a clear of another name");
  }
  molecule->destroyed = true;
  crucible_waiter *waiter = molecule->is_small ? NULL : ((const struct payload *)value)->waiter;
  if (waiter) crucible_waiter_signal(waiter, 1 + (uint32_t)reason);
  ADD(trial->names[molecule->name].destroyed, 1);
  ADD(trial->by_reason[reason], 1);
  if (trial->names[molecule->name].form == FACT_NAME && reason == CRUCIBLE_STOPPED_SOUP) ADD(trial->forgotten, 1);
}

static void name_released(void *context) {
  hand_over(context);
  ADD(((struct trial *)context)->names_released, 1);
}

// Each copy of a key is counted. A state that was not made is -1.

static uint64_t read_key(void *context, const void *value, void *key) {
  struct trial *trial = context;
  *(unsigned *)key = key_of(trial, ((const struct payload *)value)->molecule);
  ADD(trial->keys_alive, 1);
  return *(unsigned *)key % 2;  // of three keys, two have one hash
}

static bool is_same_key(void *context, const void *key, const void *other) {
  (void)context;
  return *(const unsigned *)key == *(const unsigned *)other;
}

static void end_key(void *context, void *key) {
  *(unsigned *)key = UINT_MAX;
  ADD(((struct trial *)context)->keys_alive, -1);
}

static void make_state(void *context, const void *key, void *cell) {
  if (*(const unsigned *)key == UINT_MAX) scheduler_fail("a state is made for a key that has gone");
  scheduler_step("make");
  *(int64_t *)cell = 0;
  ADD(((struct trial *)context)->keyed_states, 1);
}

static bool may_go(void *context, const void *key, const void *cell) {
  (void)context, (void)cell;
  return *(const unsigned *)key == 0;
}

static void end_state(void *value, void *context, crucible_reason reason) {
  (void)reason;
  *(int64_t *)value = -1;
  ADD(((struct trial *)context)->keyed_states, -1);
}

static void key_released(void *context) { (void)context; }

static uint64_t no_time(void *context) {
  (void)context;
  return 0;
}

static void begins_to_wait(void *context) { ADD(((struct trial *)context)->begins, 1); }

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
  crucible_key_options key = {.type = &trial_origins, .size = sizeof(unsigned), .alignment = _Alignof(unsigned),
                              .context = trial, .release = key_released, .read = read_key, .equal = is_same_key,
                              .destroy = end_key, .make = make_state, .forgets = may_go,
                              .lifetime = form == CARRIES, .now = no_time, .waits = begins_to_wait};
  if (trial->chemistry->keys && form != FACT_NAME) options.key = &key;
  if (trial->chemistry->keys && form == STATE_NAME) options.destroy = end_state;
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
                                       .body = body,
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
  crucible_set_origins(&(crucible_origins){.make = make_origin, .end = end_origin, .run = body});
  trial_origins = 0;
  if (chemistry->bare) {
    chemistry->define(trial);
    return;
  }
  trial->soup = make_soup(trial, seed);
  chemistry->define(trial);
  bool repeats = has_site(seed) && matcher == CRUCIBLE_WORD && chemistry->placement != CRUCIBLE_EXTERNAL &&
                 !chemistry->crowded;
  if (repeats && !crucible_soup_has_repeated(trial->soup)) scheduler_fail("the soup does not repeat the ones before");
  if (!chemistry->unfrozen) freeze_soup(trial->soup);
}

bool trial_quiet(void *context) {
  const struct trial *trial = context;
  if (trial->chemistry->quiet) return trial->chemistry->quiet(trial);
  if (trial->other && !crucible_soup_is_quiet(trial->other)) return false;
  return !trial->soup || crucible_soup_is_quiet(trial->soup);
}

/// Checks that the soup counts the states that were made for a key and have not gone, and that no key is there without
/// a molecule or a state.
static void check_keys(const struct trial *trial) {
  uint64_t counts[MOST_NAMES], found = 0;
  if (!trial->chemistry->keys) return;
  crucible_soup_counts(trial->soup, counts);
  for (unsigned i = 0; i < trial->name_count; i++) found += trial->names[i].form == STATE_NAME ? counts[i] : 0;
  if (found != trial->keyed_states) {
    scheduler_fail("the soup counts %llu states of keys, and there are %llu", (unsigned long long)found,
                   (unsigned long long)trial->keyed_states);
  }
  uint64_t used = trial->keyed_states;
  for (unsigned key = 0; key < trial->chemistry->keys; key++) {
    crucible_soup_counts_of(trial->soup, &trial_origins, &key, key % 2, counts);
    bool waits = false;
    for (unsigned i = 0; i < trial->name_count; i++) {
      waits |= counts[i] > 0 && trial->names[i].form != STATE_NAME;
      if (trial->names[i].form != CARRIES || counts[i] == 0 || trial->begins > 0) continue;
      scheduler_fail("a molecule waits that may expire, and none has been the first to wait");
    }
    used += waits;
  }
  if (trial->keys_alive > used) {
    scheduler_fail("%llu keys are there, and %llu have something", (unsigned long long)trial->keys_alive,
                   (unsigned long long)used);
  }
}

static void check_books(const struct trial *trial) {
  static struct books books;
  books = (struct books){.soup_count = trial->other ? 2 : 1,
                         .soups = {trial->soup, trial->other},
                         .name_count = trial->name_count,
                         .reaction_count = trial->rule_count,
                         .keys = trial->chemistry->keys,
                         .key_type = &trial_origins,
                         .dropped = trial->by_reason[CRUCIBLE_CLEARED] + trial->by_reason[CRUCIBLE_STOPPED_SOUP],
                         .withdrawn = trial->by_reason[CRUCIBLE_WITHDRAWN]};
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    books.withdrawn += molecule->withdrawn;
    if (!molecule->given_up || molecule->consumed || molecule->destroyed) continue;
    scheduler_fail("call %u waits, and its caller has given up", i);
  }
  for (unsigned i = 0; i < trial->name_count; i++) {
    const struct name *name = &trial->names[i];
    books.names[i].name = name->core;
    books.names[i].injected = name->injected;
    books.names[i].gone = name->consumed + name->withdrawn + name->destroyed;
    books.names[i].drops_unseen = name->form == VOID_NAME;
  }
  for (unsigned r = 0; r < trial->rule_count; r++) {
    memcpy(books.reactions[r].inputs, trial->rules[r].inputs, sizeof trial->rules[r].inputs);
    books.reactions[r].count = trial->rules[r].count;
  }
  check_keys(trial);
  if (!books_balance(&books)) scheduler_fail("%s", books.wrong);
  uint64_t untold = crucible__tell_stopped(trial->soup, NULL);
  if (untold && PEEK(trial->is_told)) {
    scheduler_fail("the report of a stop was made without %llu", (unsigned long long)untold);
  }
  uint64_t told = trial->dropped + untold + trial->forgotten;
  uint64_t said = crucible_soup_dropped(trial->soup);
  if (trial->other) told += crucible__tell_stopped(trial->other, NULL);
  if (trial->other) said += crucible_soup_dropped(trial->other);
  bool calls = false;  // no report tells a call that came too late (STOP-4)
  for (unsigned i = 0; i < trial->name_count; i++) calls = calls || trial->names[i].form == CALL_NAME;
  if (said < told || (said > told && !calls)) {
    scheduler_fail("%llu molecules are dropped, and the reports tell %llu", (unsigned long long)said,
                   (unsigned long long)told);
  }
}

/// Fails if the first field holds another number of molecules than the case is made for.
static void check_capacity(const struct trial *trial) {
  const struct name *first = &trial->names[trial->names[0].form == STATE_NAME];
  unsigned expected = trial->chemistry->capacity;
  uint64_t capacity = crucible_name_capacity(first->core);
  bool is_small = CRUCIBLE_TUNED(false, true);
  if (!is_small || expected == 0 || trial->matcher != CRUCIBLE_WORD || capacity == expected) return;
  scheduler_fail("the field holds %llu, and the case is made for %u", (unsigned long long)capacity, expected);
}

/// Checks the fields of `word`, its wide form and `claim`, the matchers with a capacity.
static void check_fields(const struct trial *trial) {
  for (unsigned i = 0; i < trial->name_count; i++) {
    if (trial->names[i].form == FACT_NAME || crucible_name_capacity(trial->names[i].core) == 0) continue;
    const crucible_name *name = crucible__stored(trial->names[i].core);
    struct component *component = name->component;
    bool is_wide = component->matcher != &crucible__word;
    uint64_t word = is_wide ? crucible__wide_look(component->own, name) : load_acquire(&component->word.state);
    uint64_t over = load_acquire(&name->aside.overflow);
    bool guarded = word & (name->word.mask + name->word.unit) & ~name->word.mask;
    const char *label = name->species->label;
    if (guarded != crucible_name_is_paused(trial->names[i].core)) scheduler_fail("%s: its guard is wrong", label);
    if ((word & name->word.mask) > name->word.limit) scheduler_fail("%s: its field is above its limit", label);
    if (over > 0 && (word & name->word.mask) < name->word.limit) {
      scheduler_fail("%s: %llu spilled although its field has room", label, (unsigned long long)over);
    }
  }
}

static void check_order(const struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *older = &trial->molecules[i];
    if (older->consumed || older->refused || older->withdrawn || older->destroyed) continue;
    for (unsigned k = 0; k < trial->molecule_count; k++) {
      const struct molecule *younger = &trial->molecules[k];
      if (younger->name != older->name || younger->pusher != older->pusher || !younger->consumed) continue;
      if (!comes_before(older->returned, younger->begun)) continue;
      scheduler_fail("%s: molecule %u waits, and the younger %u has been consumed",
                     crucible_name_label(trial->names[older->name].core), i, k);
    }
  }
}

static void check_molecules(const struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    if (!carries(trial, molecule->name)) continue;
    unsigned ends = (molecule->consumed != 0) + molecule->destroyed + molecule->refused + molecule->withdrawn;
    if (ends == 0) scheduler_fail("molecule %u is lost", i);
    if (ends > 1) scheduler_fail("molecule %u met more than one end", i);
    if (molecule->told && molecule->consumed) scheduler_fail("molecule %u is refused, and a body had it", i);
  }
}

static bool is_gone(void *context) {
  struct trial *trial = context;
  bool released = PEEK(trial->rules_released) == trial->rule_count && PEEK(trial->names_released) == trial->name_count;
  taken_over(trial);
  return released && crucible_live_soups() == trial->soups;
}

static void check_gone(struct trial *trial) {
  if (!scheduler_comes_true(is_gone, trial)) {
    scheduler_fail("%llu soups live on; %u of %u bodies and %u of %u names are released",
                   (unsigned long long)(crucible_live_soups() - trial->soups), trial->rules_released,
                   trial->rule_count, trial->names_released, trial->name_count);
  }
  if (trial_origins != 0) scheduler_fail("%lld origins are left", (long long)trial_origins);
  if (trial->keyed_states + trial->keys_alive != 0) {
    scheduler_fail("%llu states and %llu keys are left", (unsigned long long)trial->keyed_states,
                   (unsigned long long)trial->keys_alive);
  }
  check_molecules(trial);
}

void trial_end(struct trial *trial) {
  const struct trial_chemistry *chemistry = trial->chemistry;
  if (!chemistry->bare) {
    if (!trial_quiet(trial)) scheduler_fail("the clients have ended, and the soup is not quiet");
    if (chemistry->before) chemistry->before(trial);
    if (!chemistry->gone) {
      check_books(trial);
      check_capacity(trial);
      check_fields(trial);
      if (!chemistry->unordered) check_order(trial);
    }
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
