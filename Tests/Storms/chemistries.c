// One round: up to three soups of random chemistries, four to eight clients, and the final account.
//
// A client is a sequence of threads. Each does a part of the work and ends; a later thread takes over what it leaves
// behind (its record, its counters). A thread of their own starts and joins them, so that the main thread orders no
// clients. In every other round the first of them are regulars (regulars.c). A soup is defined before its clients
// begin, or while they already inject. In some rounds the main thread releases the soups at once, and the last thread
// destroys them. In the others it waits until they are quiet, and checks them at rest. Many rounds are brief, because a
// molecule that is left behind shows at rest only if nothing happens after it.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../books.h"
#include "storms.h"

enum { MOST_LIVES = 3, PATIENCE = 60 };

static struct vessel vessels[MOST_VESSELS];
static uint32_t vessel_count, operations, lives;
static uint64_t round_seed;

static void *live(void *number) {
  seed_thread(round_seed, (uintptr_t)number);
  be_client(vessels, vessel_count, operations);
  return NULL;
}

static void release_soups(void) {
  for (uint32_t v = 0; v < vessel_count; v++) crucible_soup_release(vessels[v].soup);
}

static void *be_born_again(void *number) {
  for (uintptr_t life = 0; life < lives; life++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, live, (void *)((uintptr_t)number * MOST_LIVES + life)) != 0) fail("no thread");
    pthread_join(thread, NULL);
  }
  release_soups();
  return NULL;
}

static void *live_once(void *number) {
  live((void *)((uintptr_t)number * MOST_LIVES));
  release_soups();
  return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// At rest
// ---------------------------------------------------------------------------------------------------------------------

static uint64_t read_count(_Atomic uint64_t *count) { return atomic_load_explicit(count, memory_order_relaxed); }

static void check_books(struct vessel *vessel) {
  static struct books books;
  books = (struct books){.soup_count = 1, .soups = {vessel->soup}};
  for (uint32_t i = 0; i < vessel->name_count; i++) {
    struct kind *kind = &vessel->kinds[i];
    uint32_t place = place_of(vessel, i);
    books.names[place].name = kind->name;
    books.names[place].injected = read_count(&kind->injected);
    books.names[place].gone = read_count(&kind->consumed);
    books.names[place].drops_unseen = kind->size == 0;
  }
  uint32_t bystanders = vessel->crowded ? BYSTANDERS : 0;
  for (uint32_t i = 0; i < bystanders; i++) books.names[1 + i].name = vessel->bystanders[i];
  books.name_count = vessel->name_count + bystanders;
  for (uint32_t r = 0; r < vessel->rule_count; r++) {
    const struct rule *rule = &vessel->rules[r];
    for (uint32_t i = 0; i < rule->count; i++) books.reactions[r].inputs[i] = place_of(vessel, rule->inputs[i]->index);
    books.reactions[r].count = rule->count;
  }
  books.reaction_count = vessel->rule_count;
  books.dropped = read_count(&vessel->destroyed[CRUCIBLE_CLEARED]) +
                  read_count(&vessel->destroyed[CRUCIBLE_STOPPED_SOUP]);
  books.withdrawn = read_count(&vessel->withdrawn) + read_count(&vessel->destroyed[CRUCIBLE_WITHDRAWN]);
  if (!books_balance(&books)) fail("%s", books.wrong);
}

static void check_at_rest(struct vessel *vessel) {
  uint64_t nanoseconds = PATIENCE * UINT64_C(1000000000);
  crucible_soup_resume(vessel->soup);
  if (!crucible_soup_wait_quiet(vessel->soup, nanoseconds)) fail("the soup does not become quiet");
  check_books(vessel);
}

/// Requires: the soup is gone. Checks that every molecule has met its fate, and that each name and reaction was
/// released once.
static uint64_t check_gone(struct vessel *vessel) {
  uint64_t made = fates_end(&vessel->fates);
  for (uint32_t i = 0; i < vessel->name_count; i++) {
    if (atomic_load_explicit(&vessel->kinds[i].releases, memory_order_relaxed) != 1) {
      fail("a name is not released once");
    }
  }
  for (uint32_t r = 0; r < vessel->rule_count; r++) {
    if (atomic_load_explicit(&vessel->rules[r].releases, memory_order_relaxed) != 1) {
      fail("a rule is not released once");
    }
  }
  return made;
}

uint64_t storm_chemistries(uint64_t seed) {
  round_seed = seed;
  vessel_count = 1 + draw(one_in(2) ? 1 : MOST_VESSELS);
  bool brief = one_in(2);
  lives = brief ? 1 : MOST_LIVES;
  operations = brief ? 1 + draw(4) : 5 + draw(60);
  uint32_t clients = 4 + draw(MOST_CLIENTS - 3);
  uint32_t regulars = seed % 2 ? 0 : clients < REGULARS ? clients : REGULARS;
  bool releases = one_in(3);
  for (uint32_t v = 0; v < vessel_count; v++) {
    struct vessel *vessel = &vessels[v];
    memset((void *)vessel, 0, sizeof *vessel);
    if (sem_init(&vessel->gone, 0, 0) != 0) fail("no semaphore");
    draw_chemistry(vessel);
    vessel->early = one_in(4);
    atomic_init(&vessel->budget, 200 * clients);
    make_names(vessel);
    if (!vessel->early) make_rules(vessel);
    for (uint32_t c = 0; c < clients; c++) crucible_soup_hold(vessel->soup);
  }
  pthread_t threads[MOST_CLIENTS];
  call_regulars(regulars, live_once);
  for (uintptr_t c = regulars; c < clients; c++) {
    if (pthread_create(&threads[c], NULL, be_born_again, (void *)(c + 1)) != 0) fail("no thread");
  }
  for (uint32_t v = 0; v < vessel_count; v++) {
    if (vessels[v].early) make_rules(&vessels[v]);
    if (releases) crucible_soup_release(vessels[v].soup);
  }
  join_regulars(regulars);
  for (uint32_t c = regulars; c < clients; c++) pthread_join(threads[c], NULL);
  uint64_t molecules = 0;
  for (uint32_t v = 0; v < vessel_count; v++) {
    if (!releases) {
      check_at_rest(&vessels[v]);
      crucible_soup_release(vessels[v].soup);
    }
    while (sem_wait(&vessels[v].gone) != 0) {
    }
    sem_destroy(&vessels[v].gone);
    molecules += check_gone(&vessels[v]);
  }
  return molecules;
}
