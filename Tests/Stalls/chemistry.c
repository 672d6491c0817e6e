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

/// Adds a name that shares a word with no other injected name.
static crucible_name *add_apart(crucible_soup *soup, const char *label) {
  crucible_name *names[WORD_NAMES] = {new_name(soup, label, CRUCIBLE_SLOW, 8)};
  for (int i = 1; i < WORD_NAMES; i++) names[i] = new_name(soup, "never", CRUCIBLE_SLOW, 0);
  new_reaction(soup, CRUCIBLE_INLINE, react, &fired, WORD_NAMES, names);
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
  call = new_name(soup, "call", CRUCIBLE_FAST, 8);
  REACTION(soup, CRUCIBLE_INLINE, react, &fired, a, b, c);
  REACTION(soup, CRUCIBLE_INLINE, react, &fired, call, new_name(soup, "never", CRUCIBLE_SLOW, 0), a);
}

/// Connects a + b and the calls by a reaction that never happens.
static void add_shared(crucible_soup *soup) {
  a = new_name(soup, "a", CRUCIBLE_SLOW, 8);
  b = new_name(soup, "b", CRUCIBLE_SLOW, 8);
  call = new_name(soup, "call", CRUCIBLE_FAST, 8);
  REACTION(soup, CRUCIBLE_INLINE, react, &fired, a, b);
  REACTION(soup, CRUCIBLE_INLINE, react, &fired, call, new_name(soup, "never", CRUCIBLE_SLOW, 0), a);
}

/// Adds x + y for each pair of each thread, and a reaction that never happens, which connects all x.
static void add_pairs(crucible_soup *soup) {
  crucible_name *connected[1 + THREADS * PAIRS] = {new_name(soup, "never", CRUCIBLE_SLOW, 0)};
  for (int i = 0; i < THREADS * PAIRS; i++) {
    struct pair *pair = &workers[i / PAIRS].pairs[i % PAIRS];
    pair->x = connected[1 + i] = new_name(soup, "x", CRUCIBLE_SLOW, 8);
    pair->y = new_name(soup, "y", CRUCIBLE_SLOW, 8);
    REACTION(soup, CRUCIBLE_INLINE, react, &pair->fired, pair->x, pair->y);
  }
  new_reaction(soup, CRUCIBLE_INLINE, react, &fired, 1 + THREADS * PAIRS, connected);
}

crucible_soup *make_soup(crucible_matcher matcher, bool wide) {
  crucible_soup *soup = new_soup("stalls", matcher);
  wide ? add_wide(soup) : add_shared(soup);
  add_pairs(soup);
  end_definition(soup);
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
  for (int i = 0; i < THREADS; i++) workers[i].thread = new_thread(work, &workers[i]);
}

void end_workers(void) {
  atomic_store(&ended, true);
  for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
}
