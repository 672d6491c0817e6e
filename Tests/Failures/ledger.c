// The books. See ledger.h.
//
// Each molecule is alive from its injection on, and then ends once: its payload has its number. The sums are those of
// books.h.

#include "ledger.h"

#include "../books.h"
#include "failing.h"

enum { LARGEST = 8192, FATES = 1 << 16 };

/// An unborn molecule is the injector's: it is not injected yet, or was refused, or its caller took it back.
enum fate { UNBORN, ALIVE, CONSUMED, DESTROYED };

static _Atomic uint64_t molecule_count;  ///< numbers in use: those from 1 to this one
static _Atomic uint8_t fates[FATES];
static _Atomic uint64_t refusals;
static pthread_mutex_t refused_lock = PTHREAD_MUTEX_INITIALIZER;
static struct refused {
  struct ledger_species *species;
  uint64_t number;
} refused[FATES];
static size_t refused_count;

uint64_t ledger_refusals(void) { return atomic_load(&refusals); }

pthread_t ledger_thread(void *(*function)(void *), void *argument) {
  failing_spares = true;
  pthread_t thread = new_thread(function, argument);
  failing_spares = false;
  return thread;
}

static uint64_t number_of(const void *value, size_t size) {
  struct molecule molecule;
  memcpy(&molecule, value, sizeof molecule);
  if (molecule.inverse != ~molecule.number) fail("a molecule is torn");
  const unsigned char *bytes = value;
  for (size_t i = sizeof molecule; i < size; i++) {
    if (bytes[i] != (unsigned char)molecule.number) fail("a molecule is torn at byte %zu", i);
  }
  return molecule.number;
}

static void write_value(void *value, size_t size, uint64_t number) {
  memset(value, (unsigned char)number, size);
  memcpy(value, &(struct molecule){.number = number, .inverse = ~number}, sizeof(struct molecule));
}

static uint64_t make_molecule(void) {
  uint64_t number = atomic_fetch_add(&molecule_count, 1) + 1;
  if (number >= FATES) fail("more molecules than there is room for");
  return number;
}

/// Fails if the molecule was not `from`: then it is consumed or destroyed twice, or both.
static void change_fate(uint64_t number, enum fate from, enum fate to) {
  static const char *const texts[] = {"unborn", "alive", "consumed", "destroyed"};
  if (number == 0 || number > atomic_load(&molecule_count)) {
    fail("a molecule says that its number is %llu", (unsigned long long)number);
  }
  uint8_t before = atomic_exchange(&fates[number], (uint8_t)to);
  if (before == (uint8_t)from) return;
  fail("molecule %llu becomes %s, and was %s before", (unsigned long long)number, texts[to], texts[before]);
}

static void destroy(void *value, void *context, crucible_reason reason) {
  struct ledger_species *species = context;
  change_fate(number_of(value, species->size), ALIVE, DESTROYED);
  atomic_fetch_add(&species->gone, 1);
  if (reason == CRUCIBLE_CLEARED || reason == CRUCIBLE_STOPPED_SOUP) atomic_fetch_add(&species->chemistry->dropped, 1);
  if (reason == CRUCIBLE_WITHDRAWN) atomic_fetch_add(&species->chemistry->withdrawn, 1);
}

// ---------------------------------------------------------------------------------------------------------------------
// Definition
// ---------------------------------------------------------------------------------------------------------------------

static void notify(void *context, crucible_name *name, const void *value, uint64_t count, crucible_stage stage) {
  (void)value;
  struct ledger_chemistry *chemistry = context;
  if (stage == CRUCIBLE_BEGINS) atomic_fetch_add(&chemistry->observed, count);
  if (stage == CRUCIBLE_REFUSED) atomic_fetch_sub(&chemistry->observed, count);
}

/// Notes that the core refused something. The third time, memory is back.
static void again(crucible_status status, const char *what) {
  if (status != CRUCIBLE_NO_MEMORY) fail("%s: %s", what, crucible_status_text(status));
  atomic_fetch_add(&refusals, 1);
  if (failing_failures() > 2) failing_end();
}

struct ledger_species *ledger_species(struct ledger_chemistry *chemistry, crucible_kind kind, size_t size) {
  struct ledger_species *species = &chemistry->species[chemistry->species_count++];
  *species = (struct ledger_species){.size = size, .chemistry = chemistry};
  char initial[LARGEST];
  crucible_name_options options = {.label = "molecule",
                                   .kind = kind,
                                   .size = size,
                                   .alignment = size == ALIGNED ? ALIGNED : 8,
                                   .destroy = size ? destroy : NULL,
                                   .context = species,
                                   .file = "ledger.c",
                                   .line = 1};
  bool is_state = kind == CRUCIBLE_STATE && size > 0;
  uint64_t number = is_state ? make_molecule() : 0;
  if (is_state) write_value(initial, size, number);
  crucible_status status;
  while ((status = crucible_soup_add_name(chemistry->soup, &options, is_state ? initial : NULL, &species->name))) {
    if (species->name) fail("a name is refused and made all the same");
    again(status, "a name");
  }
  if (is_state) change_fate(number, UNBORN, ALIVE);
  return species;
}

static void consume(void *context, void *const *inputs) {
  struct ledger_rule *rule = context;
  for (size_t i = 0; i < rule->count; i++) {
    struct ledger_species *species = rule->inputs[i];
    bool is_state = crucible_name_kind(species->name) == CRUCIBLE_STATE;
    if (species->size) {
      uint64_t number = number_of(inputs[i], species->size);
      change_fate(number, ALIVE, is_state ? ALIVE : CONSUMED);
    }
    if (!is_state) atomic_fetch_add(&species->gone, 1);
  }
  atomic_fetch_add(&rule->fired, 1);
  if (rule->then) rule->then(rule->chemistry);
}

static void submit(void *context, crucible_firing *firing) {
  struct ledger_rule *rule = context;
  for (size_t i = 0; i < sizeof rule->chemistry->submitted / sizeof *rule->chemistry->submitted; i++) {
    crucible_firing *none = NULL;
    if (atomic_compare_exchange_strong(&rule->chemistry->submitted[i], &none, firing)) return;
  }
  fail("more firings than there is room for");
}

struct ledger_rule *ledger_rule(struct ledger_chemistry *chemistry, crucible_placement placement, size_t count, ...) {
  struct ledger_rule *rule = &chemistry->rules[chemistry->rule_count++];
  *rule = (struct ledger_rule){.chemistry = chemistry, .count = count};
  crucible_name *names[MOST_INPUTS];
  va_list list;
  va_start(list, count);
  for (size_t i = 0; i < count; i++) names[i] = (rule->inputs[i] = va_arg(list, struct ledger_species *))->name;
  va_end(list);
  crucible_reaction_options options = {.inputs = names,
                                       .input_count = count,
                                       .placement = placement,
                                       .body = consume,
                                       .context = rule,
                                       .submit = placement == CRUCIBLE_EXTERNAL ? submit : NULL,
                                       .file = "ledger.c",
                                       .line = 2};
  crucible_name *culprit;
  crucible_status status;
  while ((status = crucible_soup_add_reaction(chemistry->soup, &options, &culprit))) again(status, "a reaction");
  return rule;
}

void ledger_define(struct ledger_chemistry *chemistry, crucible_matcher matcher,
                   void (*build)(struct ledger_chemistry *chemistry)) {
  crucible_status status;
  do {
    memset(chemistry, 0, sizeof *chemistry);
    crucible_soup_options options = {
        .label = "trial", .matcher = matcher, .seed = 1, .file = "ledger.c", .site = (const void *)build,
        .variant = matcher, .context = chemistry, .notify = notify};
    while (!(chemistry->soup = crucible_soup_create(&options))) again(CRUCIBLE_NO_MEMORY, "a soup");
    build(chemistry);
    crucible_soup_allow_repeats(chemistry->soup);
    crucible_name *culprit;
    if ((status = crucible_soup_freeze(chemistry->soup, &culprit))) {
      again(status, "the definition");
      crucible_soup_release(chemistry->soup);
    }
  } while (status);
}

// ---------------------------------------------------------------------------------------------------------------------
// Injecting
// ---------------------------------------------------------------------------------------------------------------------

static bool inject_number(struct ledger_species *species, uint64_t number, crucible_ticket *ticket) {
  char value[LARGEST];
  if (species->size) {
    write_value(value, species->size, number);
    change_fate(number, UNBORN, ALIVE);
  }
  atomic_fetch_add(&species->given, 1);
  bool injected =
      ticket ? crucible_inject_tracked(species->name, value, 0, true, ticket) : crucible_inject(species->name, value);
  if (injected) return true;
  crucible_status why = crucible_last_refusal();
  if (why != CRUCIBLE_NO_MEMORY) fail("an injection: %s", crucible_status_text(why));
  atomic_fetch_sub(&species->given, 1);
  if (species->size) change_fate(number, ALIVE, UNBORN);
  atomic_fetch_add(&refusals, 1);
  return false;
}

static void keep_refused(struct ledger_species *species, uint64_t number) {
  pthread_mutex_lock(&refused_lock);
  refused[refused_count++] = (struct refused){species, number};
  pthread_mutex_unlock(&refused_lock);
}

bool ledger_inject(struct ledger_species *species) {
  uint64_t number = species->size ? make_molecule() : 0;
  if (inject_number(species, number, NULL)) return true;
  keep_refused(species, number);
  return false;
}

struct pending_call ledger_call(struct ledger_species *species) {
  struct pending_call call = {.species = species};
  uint64_t number = make_molecule();
  call.waits = inject_number(species, number, &call.ticket);
  if (!call.waits) keep_refused(species, number);
  return call;
}

void ledger_withdraw(struct pending_call *call) {
  if (!call->waits) return;
  char value[LARGEST];
  if (!crucible_withdraw(call->species->name, &call->ticket, value)) return;
  change_fate(number_of(value, call->species->size), ALIVE, DESTROYED);
  atomic_fetch_add(&call->species->gone, 1);
  atomic_fetch_add(&call->species->chemistry->withdrawn, 1);
}

bool ledger_inject_together(size_t count, uint64_t times, struct ledger_species *const *species) {
  enum { AT_ONCE = 40 };
  static _Thread_local char values[AT_ONCE][256];
  crucible_molecule molecules[AT_ONCE];
  uint64_t numbers[AT_ONCE];
  for (size_t i = 0; i < count; i++) {
    size_t size = species[i]->size;
    molecules[i] = (crucible_molecule){.name = species[i]->name, .value = values[i], .times = size ? 0 : times};
    atomic_fetch_add(&species[i]->given, size ? 1 : times);
    if (!size) continue;
    numbers[i] = make_molecule();
    write_value(values[i], size, numbers[i]);
    change_fate(numbers[i], UNBORN, ALIVE);
  }
  crucible_name *culprit;
  crucible_status status = crucible_inject_together(molecules, count, true, &culprit);
  if (status == CRUCIBLE_OK) return true;
  if (status != CRUCIBLE_NO_MEMORY) fail("several at once: %s", crucible_status_text(status));
  atomic_fetch_add(&refusals, 1);
  for (size_t i = 0; i < count; i++) {
    if (!molecules[i].value) continue;
    size_t size = species[i]->size;
    atomic_fetch_sub(&species[i]->given, size ? 1 : times);
    if (size) change_fate(numbers[i], ALIVE, UNBORN);
    for (uint64_t k = 0; k < (size ? 1 : times); k++) keep_refused(species[i], size ? numbers[i] : 0);
  }
  return false;
}

void ledger_run_submitted(struct ledger_chemistry *chemistry) {
  for (size_t i = 0; i < sizeof chemistry->submitted / sizeof *chemistry->submitted; i++) {
    crucible_firing *firing = atomic_exchange(&chemistry->submitted[i], NULL);
    if (firing) crucible_firing_run(firing);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The reckoning
// ---------------------------------------------------------------------------------------------------------------------

static void check(struct ledger_chemistry *chemistry) {
  static struct books books;
  books = (struct books){.soup_count = 1,
                         .soups = {chemistry->soup},
                         .name_count = chemistry->species_count,
                         .reaction_count = chemistry->rule_count,
                         .dropped = atomic_load(&chemistry->dropped),
                         .withdrawn = atomic_load(&chemistry->withdrawn)};
  for (size_t i = 0; i < chemistry->species_count; i++) {
    struct ledger_species *species = &chemistry->species[i];
    books.names[i].name = species->name;
    books.names[i].injected = atomic_load(&species->given);
    books.names[i].gone = atomic_load(&species->gone);
    books.names[i].drops_unseen = species->size == 0;
  }
  for (size_t r = 0; r < chemistry->rule_count; r++) {
    const struct ledger_rule *rule = &chemistry->rules[r];
    for (size_t i = 0; i < rule->count; i++) {
      books.reactions[r].inputs[i] = (uint32_t)(rule->inputs[i] - chemistry->species);
    }
    books.reactions[r].count = rule->count;
  }
  if (!books_balance(&books)) fail("%s", books.wrong);
}

void ledger_settle(struct ledger_chemistry *chemistry) {
  failing_end();
  size_t kept = 0;
  for (size_t i = 0; i < refused_count; i++) {
    if (refused[i].species->chemistry != chemistry) {
      refused[kept++] = refused[i];
    } else if (!inject_number(refused[i].species, refused[i].number, NULL)) {
      fail("refused though there is memory again");
    }
  }
  refused_count = kept;
  do {
    ledger_run_submitted(chemistry);
    if (!crucible_soup_pending(chemistry->soup)) break;
  } while (!crucible_soup_wait_quiet(chemistry->soup, 1000000));
  if (!crucible_soup_wait_quiet(chemistry->soup, UINT64_C(20000000000))) fail("it is not quiet after 20 s");
  check(chemistry);
}

void ledger_end(struct ledger_chemistry *chemistry) {
  crucible_soup_release(chemistry->soup);
  if (!failing_is_clean()) crucible_reclaim();  // it takes its time, and mostly there is nothing to reclaim
  for (uint64_t number = 1; number <= atomic_load(&molecule_count); number++) {
    if (atomic_load(&fates[number]) == ALIVE) fail("molecule %llu is lost", (unsigned long long)number);
  }
  if (crucible_live_soups() != 0) fail("a soup is alive that should be gone");
  // A worker that starts late allocates its record before the core has counted it. Another worker may start even after
  // a look that found all in order. So only a look that fails until the deadline is a failure.
  for (time_t deadline = time(NULL) + 20; !failing_is_clean(); sched_yield()) {
    if (time(NULL) < deadline) continue;
    failing_check_blocks();
    break;
  }
}
