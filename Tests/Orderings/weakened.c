// Which mutant this program is: see weakened.h. An unknown name is an error, lest it seem to survive.

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "weakened.h"

static const struct {
  int site;
  memory_order left, failing;
  const char *name;
} mutants[] = {
#include "mutants.inc"
};

signed char weakened_orders[WEAKENED_SITES], weakened_failures[WEAKENED_SITES];
_Thread_local unsigned weakened_countdown;

static void weaken(const char *wanted) {
  for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
    if (mutants[i].site >= WEAKENED_SITES || strcmp(mutants[i].name, wanted) != 0) continue;
    weakened_orders[mutants[i].site] = (signed char)mutants[i].left;
    weakened_failures[mutants[i].site] = (signed char)mutants[i].failing;
    return;
  }
  fprintf(stderr, "no mutant is called %s\n", wanted);
  exit(2);
}

__attribute__((constructor)) static void choose_mutant(void) {
  memset(weakened_orders, -1, sizeof weakened_orders);
  memset(weakened_failures, -1, sizeof weakened_failures);
  const char *wanted = getenv("ORDERINGS_MUTANT");
  if (!wanted || strcmp(wanted, "none") == 0) return;
  char *copy = strdup(wanted);
  if (!copy) exit(2);
  for (char *next = strtok(copy, "+"); next; next = strtok(NULL, "+")) weaken(next);
  free(copy);
}

/// Mostly another processor's turn; at times a stop long enough for others to come by several times.
void weakened_pause(void) {
  static _Thread_local unsigned random;
  if (random == 0) random = (unsigned)(size_t)&random | 1;
  random = random * 1664525 + 1013904223;
  weakened_countdown = 20 + (random >> 16) % 400;
  if ((random >> 8) % 16 != 0) {
    sched_yield();
    return;
  }
  struct timespec shortly = {.tv_nsec = 1000 + (random >> 12) % 50000};
  nanosleep(&shortly, NULL);
}
