// The process ends while everything runs: by exit on the main thread, by return from main, by exit on another thread,
// by exit in a body inline and on the pool, and by _exit.
//
//   exits WAY      return | exit | thread | inline | pool | at-once
//
// Threads inject on every matcher, so that rings are retired. The pool works at chains that never end. Callers wait for
// answers, and some answers come. Soups are made and dropped. Nothing stops for the end: the function that atexit
// registers finds all of it going on, uses soups and makes new ones. The process must end with the status that it was
// given, and under AddressSanitizer without a finding. So no thread may touch memory that the end has freed, and the
// end must not wait for a thread. The script that runs this checks how it ends, under a deadline.

#include <stdatomic.h>
#include <stdlib.h>

#include "lives.h"

enum { STATUS = 7, COUNT = 300 };
static struct account in_place[MOST_MATCHERS], on_pool[MOST_MATCHERS];
static atomic_uint at_work;

static void *work(void *argument) {
  unsigned m = (unsigned)(uintptr_t)argument;
  for (bool is_first = true;; is_first = false) {
    account_add(&in_place[m], COUNT);
    account_add(&on_pool[m], COUNT);
    account_ask(&on_pool[m]);
    if (!account_works(matcher_at(m), CRUCIBLE_POOL, COUNT)) fail("a soup counts wrong");
    if (is_first) atomic_fetch_add(&at_work, 1);
  }
  return NULL;
}

static struct chain chains[MOST_MATCHERS];
static atomic_bool exits;

static void exit_if_asked(void) {
  if (atomic_load(&exits)) exit(STATUS);
}

/// Runs in the middle of the end.
static void use_soups(void) {
  for (unsigned m = 0; m < matcher_count(); m++) {
    account_add(&in_place[m], COUNT);
    if (!account_works(matcher_at(m), CRUCIBLE_INLINE, COUNT)) fail("a soup counts wrong at the end");
    if (!account_works(matcher_at(m), CRUCIBLE_POOL, COUNT)) fail("a soup counts wrong on the pool at the end");
  }
}

static void *end_process(void *unused) {
  exit(STATUS);
}

static void exit_in_body(void *context, void *const *inputs) {
  exit(STATUS);
}

static void exit_inline(void) {
  crucible_soup *soup = new_soup("end", CRUCIBLE_AUTOMATIC);
  crucible_name *name = new_name(soup, "end", CRUCIBLE_SLOW, 0);
  REACTION(soup, CRUCIBLE_INLINE, exit_in_body, NULL, name);
  end_definition(soup);
  uint64_t nothing = 0;
  crucible_inject(name, &nothing);
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "return";
  if (atexit(use_soups) != 0) fail("atexit is refused");
  for (unsigned m = 0; m < matcher_count(); m++) {
    in_place[m] = account_open("inline", matcher_at(m), CRUCIBLE_INLINE);
    on_pool[m] = account_open("pool", matcher_at(m), CRUCIBLE_POOL);
    chain_open(&chains[m], matcher_at(m), CRUCIBLE_POOL, exit_if_asked);
    chain_start(&chains[m], UINT64_MAX);
    start_thread(account_wait_for_ever, &in_place[m]);
    start_thread(account_wait_for_ever, &on_pool[m]);
  }
  for (uintptr_t i = 0; i < 4; i++) start_thread(work, (void *)(i % matcher_count()));
  while (atomic_load(&at_work) < 4) sched_yield();
  if (strcmp(way, "return") == 0) return STATUS;
  if (strcmp(way, "exit") == 0) exit(STATUS);
  if (strcmp(way, "at-once") == 0) _exit(STATUS);
  if (strcmp(way, "thread") == 0) {
    start_thread(end_process, NULL);
  } else if (strcmp(way, "inline") == 0) {
    exit_inline();
  } else if (strcmp(way, "pool") == 0) {
    atomic_store(&exits, true);
  } else {
    fail("no such way: %s", way);
  }
  account_wait_for_ever(&in_place[0]);
}
