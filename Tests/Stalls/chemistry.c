// The chemistry: one soup of two components, and threads that run rounds in it.
//
//   a + b, call (+ never)              4 names, shared by all threads: counts are added blindly, by the short paths
//   x + y for each pair (+ never)     13 names, two of a pair used by one thread alone: counts are added by CAS
//
// In the wide form of the first component two names, a and c, take the place of a, and a, b and c have words of their
// own. So a + b + c is a claim of two words at least. Names that are never injected fill the words.
//
// In a round a thread injects a and b, its own x and y, and a call that it withdraws. A reaction that never happens
// connects the names. So each component is one word, or one lock, in which all threads meet.

#include "stalls.h"

struct worker workers[THREADS];
atomic_ulong fired;
_Thread_local volatile enum operation operation;

static crucible_name *a, *b, *c, *call;
static atomic_bool ended;

// ---------------------------------------------------------------------------------------------------------------------
// The soup
// ---------------------------------------------------------------------------------------------------------------------

static void react(void *counter, void *const *inputs) {
  atomic_fetch_add((atomic_ulong *)counter, 1);
}

static crucible_name *add_name(crucible_soup *soup, const char *label, crucible_kind kind, size_t size) {
  crucible_name *name;
  crucible_name_options options = {.label = label, .kind = kind, .size = size, .alignment = 8};
  if (crucible_soup_add_name(soup, &options, NULL, &name) != CRUCIBLE_OK) fail("a name is refused");
  return name;
}

static void add_reaction(crucible_soup *soup, crucible_name *const *inputs, size_t count, atomic_ulong *counter) {
  crucible_name *culprit;
  crucible_reaction_options options = {
      .inputs = inputs, .input_count = count, .placement = CRUCIBLE_INLINE, .body = react, .context = counter};
  if (crucible_soup_add_reaction(soup, &options, &culprit) != CRUCIBLE_OK) fail("a reaction is refused");
}

/// Adds a name that shares a word with no other injected name.
static crucible_name *add_apart(crucible_soup *soup, const char *label) {
  crucible_name *names[WORD_NAMES] = {add_name(soup, label, CRUCIBLE_SLOW, 8)};
  for (int i = 1; i < WORD_NAMES; i++) names[i] = add_name(soup, "never", CRUCIBLE_SLOW, 0);
  add_reaction(soup, names, WORD_NAMES, &fired);
  return names[0];
}

static void check_apart(void) {
  uint32_t homes[3];
  crucible_name *const names[] = {a, b, c};
  for (int i = 0; i < 3; i++) {
    if (crucible_name_words(names[i], &homes[i]) < 3) fail("the wide component has too few words");
  }
  if (homes[0] == homes[1] || homes[1] == homes[2] || homes[2] == homes[0]) fail("a, b and c share words");
}

/// Connects a + b + c, each in a word of its own, and the calls by a reaction that never happens.
static void add_wide(crucible_soup *soup) {
  a = add_apart(soup, "a");
  b = add_apart(soup, "b");
  c = add_apart(soup, "c");
  call = add_name(soup, "call", CRUCIBLE_FAST, 8);
  add_reaction(soup, (crucible_name *[]){a, b, c}, 3, &fired);
  add_reaction(soup, (crucible_name *[]){call, add_name(soup, "never", CRUCIBLE_SLOW, 0), a}, 3, &fired);
}

/// Connects a + b and the calls by a reaction that never happens.
static void add_shared(crucible_soup *soup) {
  a = add_name(soup, "a", CRUCIBLE_SLOW, 8);
  b = add_name(soup, "b", CRUCIBLE_SLOW, 8);
  call = add_name(soup, "call", CRUCIBLE_FAST, 8);
  add_reaction(soup, (crucible_name *[]){a, b}, 2, &fired);
  add_reaction(soup, (crucible_name *[]){call, add_name(soup, "never", CRUCIBLE_SLOW, 0), a}, 3, &fired);
}

/// Adds x + y for each pair of each thread, and a reaction that never happens, which connects all x.
static void add_pairs(crucible_soup *soup) {
  crucible_name *connected[1 + THREADS * PAIRS] = {add_name(soup, "never", CRUCIBLE_SLOW, 0)};
  for (int i = 0; i < THREADS * PAIRS; i++) {
    struct pair *pair = &workers[i / PAIRS].pairs[i % PAIRS];
    pair->x = connected[1 + i] = add_name(soup, "x", CRUCIBLE_SLOW, 8);
    pair->y = add_name(soup, "y", CRUCIBLE_SLOW, 8);
    add_reaction(soup, (crucible_name *[]){pair->x, pair->y}, 2, &pair->fired);
  }
  add_reaction(soup, connected, 1 + THREADS * PAIRS, &fired);
}

crucible_soup *make_soup(crucible_matcher matcher, bool wide) {
  crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){.label = "stalls", .matcher = matcher});
  if (!soup) fail("no memory");
  wide ? add_wide(soup) : add_shared(soup);
  add_pairs(soup);
  crucible_name *culprit;
  if (crucible_soup_freeze(soup, &culprit) != CRUCIBLE_OK) fail("the soup is refused");
  if (wide) check_apart();
  return soup;
}

// ---------------------------------------------------------------------------------------------------------------------
// The threads
// ---------------------------------------------------------------------------------------------------------------------

static void inject(crucible_name *name, enum operation what) {
  uint64_t value = 1;
  operation = what;
  bool injected = crucible_inject(name, &value);
  operation = ELSEWHERE;
  if (!injected) fail("no memory");
}

static void call_and_withdraw(void) {
  uint64_t value = 2;
  crucible_ticket ticket;
  operation = INJECT_CALL;
  bool injected = crucible_inject_tracked(call, &value, 0, true, &ticket);
  operation = WITHDRAW;
  bool withdrawn = injected && crucible_withdraw(call, &ticket, &value);
  operation = ELSEWHERE;
  if (!withdrawn) fail("a call that nothing consumes is not the caller's again");
}

static void *work(void *argument) {
  struct worker *self = argument;
  while (!atomic_load(&ended)) {
    inject(a, INJECT_FIRST);
    if (c) inject(c, INJECT_FIRST);
    inject(b, INJECT_SECOND);
    for (int i = 0; i < PAIRS; i++) inject(self->pairs[i].x, INJECT_FIRST);
    for (int i = 0; i < PAIRS; i++) inject(self->pairs[i].y, INJECT_SECOND);
    call_and_withdraw();
    atomic_fetch_add(&self->rounds, 1);
  }
  return NULL;
}

void start_workers(void) {
  for (int i = 0; i < THREADS; i++) {
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) fail("no thread");
  }
}

void end_workers(void) {
  atomic_store(&ended, true);
  for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
}
