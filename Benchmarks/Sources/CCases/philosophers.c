// philosophers: five forks and five hungry philosophers in a ring, on the pool. A reaction takes a philosopher and
// the two forks beside it; the body eats, puts the forks back, and is hungry again until its meals are eaten.
//
// Verified: every philosopher ate its meals, and all forks are on the table.

#include <stdlib.h>

#include "experiment.h"

enum { SEATS = 5 };

typedef struct seat {
  struct table *table;
  crucible_name *left, *right, *hungry;
  uint64_t eaten;  // only changed by the body that has this philosopher's molecule
} __attribute__((aligned(64))) seat;

typedef struct table {
  crucible_soup *soup;
  harness_gate *gate;
  uint64_t at_table;
  seat seats[SEATS];
} table;

static void eat(void *context, void *const *inputs) {
  seat *seat = context;
  uint64_t meals = *(const uint64_t *)inputs[0] - 1;
  seat->eaten += 1;
  harness_tally_add_stamped(0);
  crucible_inject(seat->left, &meals);
  crucible_inject(seat->right, &meals);
  if (meals > 0) {
    crucible_inject(seat->hungry, &meals);
  } else if (__atomic_sub_fetch(&seat->table->at_table, 1, __ATOMIC_ACQ_REL) == 0) {
    harness_gate_open(seat->table->gate);
  }
}

static void table_close(void *state) {
  table *table = state;
  if (table->soup) crucible_soup_release(table->soup);
  harness_gate_destroy(table->gate);
  free(table);
}

static void *table_open(const cases_setting *setting, size_t parameter, harness_sample *failure) {
  (void)parameter;
  static const char *const forks[SEATS] = {"fork 0", "fork 1", "fork 2", "fork 3", "fork 4"};
  static const char *const philosophers[SEATS] = {"hungry 0", "hungry 1", "hungry 2", "hungry 3", "hungry 4"};
  table *table = NULL;
  if (posix_memalign((void **)&table, 64, sizeof *table) != 0) abort();
  *table = (struct table){0};
  table->gate = harness_gate_create();
  table->soup = cases_soup(setting, failure);
  if (table->soup) {
    for (size_t i = 0; i < SEATS; i++) {
      seat *seat = &table->seats[i];
      seat->table = table;
      seat->left = cases_name(table->soup, forks[i], CRUCIBLE_SLOW, 0, failure);
      seat->hungry = cases_name(table->soup, philosophers[i], CRUCIBLE_SLOW, sizeof(uint64_t), failure);
    }
    for (size_t i = 0; i < SEATS; i++) {
      seat *seat = &table->seats[i];
      seat->right = table->seats[(i + 1) % SEATS].left;
      crucible_name *pattern[] = {seat->hungry, seat->left, seat->right};
      cases_react(table->soup, CRUCIBLE_POOL, eat, seat, pattern, 3, failure);
    }
    if (cases_freeze(table->soup, setting, failure)) {
      uint64_t nothing = 0;
      for (size_t i = 0; i < SEATS; i++) crucible_inject(table->seats[i].left, &nothing);
      return table;
    }
  }
  table_close(table);
  return NULL;
}

static void table_measure(void *state, uint64_t rounds, harness_recorder *recorders, harness_sample *sample) {
  (void)recorders;
  table *table = state;
  uint64_t meals = rounds < SEATS ? 1 : rounds / SEATS;
  table->at_table = SEATS;
  for (size_t i = 0; i < SEATS; i++) table->seats[i].eaten = 0;
  harness_gate_begin(table->gate, sample);
  for (size_t i = 0; i < SEATS; i++) {
    uint64_t hunger = meals;
    crucible_inject(table->seats[i].hungry, &hunger);
  }
  harness_gate_wait(table->gate, sample);
  cases_rest(table->soup, sample);
  harness_tally_overlap(sample);
  sample->reactions = meals * SEATS;
  harness_sample_expect(sample, "reactions", meals * SEATS, harness_tally_total().count);
  for (size_t i = 0; i < SEATS; i++) harness_sample_expect(sample, "meals of one", meals, table->seats[i].eaten);
  harness_sample_expect(sample, "forks on the table", SEATS, cases_waiting(table->soup));
}

const cases_kind cases_philosophers[] = {
    {"philosophers", SEATS, CASES_MATCHERS, table_open, table_measure, table_close},
    {0},
};
