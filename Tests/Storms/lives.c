// Soups that come and go: one that dies while its bodies run on the pool, and whose shell outlives it. The last thread
// frees what its bodies share, and what its molecules carry.

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "storms.h"

struct life {
  _Atomic uint64_t met, destroyed, sent;
  uint64_t sum;  ///< of the state's bodies
  uint64_t secret;
};

static uint64_t *make_value(void) {
  uint64_t *value = malloc(sizeof *value);
  if (!value) fail("no memory");
  *value = draw(1000);
  return value;
}

static void end_value(struct life *life, void *input, _Atomic uint64_t *count) {
  uint64_t *value = *(uint64_t **)input;
  if (*value >= 1000 || life->secret != 42) fail("a soup's memory is torn");
  free(value);
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

static void meet(void *context, void *const *inputs) {
  struct life *life = context;
  for (uint32_t pauses = draw(6); pauses > 0; pauses--) sched_yield();  // meanwhile the owner may release the soup
  for (int i = 0; i < 2; i++) end_value(life, inputs[i], &life->met);
}

static void count_up(void *context, void *const *inputs) {
  struct life *life = context;
  life->sum += *(uint64_t *)inputs[0];
  *(uint64_t *)inputs[0] = 1;
}

static void destroy_value(void *value, void *context, crucible_reason reason) {
  struct life *life = context;
  if (reason != CRUCIBLE_GONE) fail("a value of a soup that nobody controls is destroyed for reason %u", reason);
  end_value(life, value, &life->destroyed);
}

static void end_life(void *context) {
  struct life *life = context;
  uint64_t ended = atomic_load_explicit(&life->met, memory_order_relaxed) +
                   atomic_load_explicit(&life->destroyed, memory_order_relaxed);
  if (ended != atomic_load_explicit(&life->sent, memory_order_relaxed)) fail("a soup is gone, and not all its values");
  life->secret = 0;
  free(life);
}

static void check(crucible_status status) {
  if (status != CRUCIBLE_OK) fail("a soup is refused: %s", crucible_status_text(status));
}

/// Injects, by an owner or not. A refused value stays the caller's.
static void send(struct life *life, crucible_name *name, bool owned) {
  uint64_t *value = make_value();
  if (owned) atomic_fetch_add_explicit(&life->sent, 1, memory_order_relaxed);
  if (owned ? crucible_inject(name, &value) : crucible_inject_unowned(name, &value)) return;
  if (owned) fail("an owned soup refuses a value");
  free(value);
}

void live_and_die(void) {
  struct life *life = calloc(1, sizeof *life);
  if (!life) fail("no memory");
  life->secret = 42;
  crucible_soup_options options = {.label = "life", .matcher = draw_matcher(),
                                   .context = life, .release = end_life};
  crucible_soup *soup = crucible_soup_create(&options);
  if (!soup) fail("no memory for a soup");
  crucible_name_options slow = {.label = "slow", .size = 8, .alignment = 8, .destroy = destroy_value, .context = life};
  crucible_name_options none = {.label = "none"};
  crucible_name_options state = {.label = "state", .kind = CRUCIBLE_STATE, .size = 8, .alignment = 8};
  crucible_name *a, *b, *tick, *total, *culprit;
  uint64_t first = 1;
  check(crucible_soup_add_name(soup, &slow, NULL, &a));
  check(crucible_soup_add_name(soup, &slow, NULL, &b));
  check(crucible_soup_add_name(soup, &none, NULL, &tick));
  check(crucible_soup_add_name(soup, &state, &first, &total));
  crucible_name *pair[] = {a, b}, *counter[] = {total, tick};
  crucible_reaction_options meeting = {.inputs = pair, .input_count = 2, .body = meet, .context = life};
  crucible_reaction_options counting = {.inputs = counter, .input_count = 2, .body = count_up, .context = life,
                                        .placement = one_in(2) ? CRUCIBLE_INLINE : CRUCIBLE_POOL};
  check(crucible_soup_add_reaction(soup, &meeting, &culprit));
  complete(soup, &counting);
  uint32_t pairs = 1 + draw(4);
  for (uint32_t i = 0; i < pairs; i++) {
    send(life, a, true);
    if (!one_in(4)) send(life, b, true);
    if (!crucible_inject(tick, &first)) fail("an owned soup refuses a tick");
  }
  crucible_soup_retain_shell(soup);
  crucible_soup_release(soup);
  // Whether or not the soup is gone, its bodies may still run. Each refusal gives the reason from now on.
  for (uint32_t tries = draw(4); tries > 0; tries--) {
    uint64_t counts[4];
    crucible_soup_counts(soup, counts);
    sched_yield();
    if (!crucible_inject_unowned(tick, &first) && crucible_last_refusal() != CRUCIBLE_GONE_SOUP) {
      fail("a soup that is gone refuses for another reason");
    }
  }
  crucible_soup_release_shell(soup);
}

static uint64_t lives_seed;

static void *live_often(void *number) {
  seed_thread(lives_seed, (uintptr_t)number);
  for (int i = 0; i < 20; i++) live_and_die();
  return NULL;
}

uint64_t storm_lives(uint64_t seed) {
  enum { THREADS = 3 };
  lives_seed = seed;
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) {
    if (pthread_create(&threads[i], NULL, live_often, (void *)(i + 1)) != 0) fail("no thread");
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return THREADS * 20;
}
