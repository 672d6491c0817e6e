// The bag alone. Its rings have two slots here, so a few pushes fill, close, leave and retire each of them. Some bags
// begin without a ring, so that first pushes race to make it.
//
// One count stands for a reservation in the state word. A thread takes it before a pop, and adds it after a push.

#include "base/reclamation.h"
#include "trial.h"
#include "types.h"

static void define(struct trial *trial) {
  if (!crucible__bag_create(&trial->bag, sizeof(struct payload), _Alignof(struct payload))) scheduler_fail("no memory");
}

static void prepare(struct trial *trial, bool has_cell) {
  if (!crucible__bag_prepare(&trial->bag, sizeof(struct payload), _Alignof(struct payload), has_cell)) {
    scheduler_fail("no memory");
  }
}

/// Makes a bag whose first ring comes with the first push.
static void define_prepared(struct trial *trial) { prepare(trial, false); }

/// Makes a bag whose first ring comes with the first push that finds the cell in use.
static void define_with_cell(struct trial *trial) { prepare(trial, true); }

static void push(struct trial *trial) {
  struct molecule *molecule = new_molecule(trial, 0, 0);
  struct payload payload = payload_of(molecule);
  if (!crucible__bag_push_mpmc(&trial->bag, &payload)) scheduler_fail("a push is refused");
  POKE(molecule->returned, scheduler_tick());
  fetch_add_acq_rel(&trial->available, 1);
}

/// Pops one molecule, once there is one. Fails if an older one was still there all the while.
static void pop(struct trial *trial) {
  uint64_t available = load_acquire(&trial->available);
  while (available == 0 || !cas_acq_rel(&trial->available, &available, available - 1)) {
    if (available == 0) spin_pause();
    available = load_acquire(&trial->available);
  }
  uint64_t begun = scheduler_tick();
  struct payload payload;
  uint64_t attempts = 0;
  crucible__bag_pop_mpmc(&trial->bag, &payload, &attempts);
  struct molecule *molecule = checked(trial, &payload);
  for (unsigned i = 0; i < PEEK(trial->molecule_count); i++) {
    const struct molecule *other = &trial->molecules[i];
    uint64_t consumed = PEEK(other->consumed), returned = PEEK(molecule->returned);
    if (consumed && returned && comes_before(consumed, begun) && comes_before(returned, PEEK(other->begun))) {
      scheduler_fail("molecule %d comes after the younger %u", (int)(molecule - trial->molecules), i);
    }
  }
  for (unsigned i = 0; i < PEEK(trial->emptiness_count); i++) {
    uint64_t returned = PEEK(molecule->returned), ended = PEEK(trial->emptinesses[i].ended);
    if (!returned || !ended || !comes_before(returned, PEEK(trial->emptinesses[i].begun))) continue;
    if (comes_before(ended, begun)) scheduler_fail("a molecule waits in a bag that was empty");
  }
  POKE(molecule->consumed, scheduler_tick());
}

static void look(struct trial *trial) {
  uint64_t begun = scheduler_tick();
  if (!crucible__bag_is_empty(&trial->bag)) return;
  unsigned i = ADD(trial->emptiness_count, 1) - 1;
  POKE(trial->emptinesses[i].begun, begun);
  POKE(trial->emptinesses[i].ended, scheduler_tick());
}

static void two_push_two_pop(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < trial->chemistry->parameter; i++) index < 2 ? push(trial) : pop(trial);
}

static void one_pushes_one_pops(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < trial->chemistry->parameter; i++) index == 0 ? push(trial) : pop(trial);
}

static void one_pops_for_two(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < trial->chemistry->parameter; i++) {
    if (index < 2) {
      push(trial);
    } else {
      pop(trial);
      pop(trial);
    }
  }
}

static void everybody_pushes_and_pops(struct trial *trial, unsigned index) {
  if (index == 0) push(trial);
  for (unsigned i = 0; i < trial->chemistry->parameter; i++) {
    push(trial);
    pop(trial);
  }
  if (index == 0) pop(trial);
}

static void some_stay(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < trial->chemistry->parameter + index; i++) push(trial);
  for (unsigned i = 0; i < trial->chemistry->parameter; i++) pop(trial);
}

/// A late pop: by then the others have left the first ring and use it again.
static void one_may_be_late(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < (index == 0 ? 1 : trial->chemistry->parameter); i++) {
    push(trial);
    pop(trial);
  }
}

static void push_placed(struct trial *trial, struct place *place) {
  struct payload payload = payload_of(new_molecule(trial, 0, 0));
  if (!crucible__bag_push_placed_mpmc(&trial->bag, &payload, 0, place)) scheduler_fail("a push is refused");
}

static void take_back(struct trial *trial, const struct place *place) {
  struct payload payload;
  if (!crucible__bag_withdraw_mpmc(&trial->bag, place, &payload)) scheduler_fail("what nobody takes is not there");
  checked(trial, &payload)->consumed = scheduler_tick();
}

/// No thread pops: the withdrawal itself must leave the rings that are used up.
static void withdraws_its_own(struct trial *trial, unsigned index) {
  struct place places[3];
  for (unsigned i = 0; i < 3; i++) push_placed(trial, &places[i]);
  for (unsigned i = 0; i < 3; i++) take_back(trial, &places[i]);
  for (unsigned i = 0; i < trial->chemistry->parameter; i++) {
    push_placed(trial, &places[0]);
    take_back(trial, &places[0]);
  }
}

static void two_push_and_pop_one_looks(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < trial->chemistry->parameter; i++) {
    if (index == 2) {
      look(trial);
    } else {
      push(trial);
      pop(trial);
    }
  }
}

static void destroyed(void *value, void *context) { checked(context, value)->destroyed = true; }

/// Checks that a first ring that was left can be used again. No thread is in the middle of its slots any more, so
/// earlier failed attempts do not matter.
static void check_first(struct bag *bag) {
  struct segment *first = load_acquire(&bag->first);
  for (struct segment *segment = load_acquire(&bag->head); segment; segment = load_acquire(&segment->next)) {
    if (segment == first) return;
  }
  uint64_t tail = load_acquire(&first->tail) & ~CLOSED;
  for (uint64_t p = tail; p < tail + first->capacity; p++) {
    if (load_acquire(turn_of(slot_at(bag, first, p))) != TURN(p, FREE)) {
      scheduler_fail("the first ring never comes back");
    }
  }
}

static void check(struct trial *trial) {
  check_first(&trial->bag);
  crucible__bag_destroy(&trial->bag, destroyed, trial);
  unsigned left = 0;
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    if (!molecule->consumed && !molecule->destroyed) scheduler_fail("molecule %u is lost", i);
    left += molecule->destroyed;
  }
  if (left != load_acquire(&trial->available)) scheduler_fail("%u molecules are left over", left);
}

static void check_left(struct trial *trial) {
  if (!crucible__bag_is_empty(&trial->bag)) scheduler_fail("all was withdrawn, and the bag does not look empty");
  check(trial);
}

#define BAG(text, what, count, number, definition, use, ...) \
  CASE(text, what, count, definition, use, .parameter = number, .check = check, .bare = true, __VA_ARGS__)

BAG("bag", "two push, two pop", 4, 4, define, two_push_two_pop, .waits = true);
BAG("bag-crowd", "three push and pop in turn", 3, 3, define, everybody_pushes_and_pops);
BAG("bag-again", "the first ring comes back, and is left again", 3, 12, define, everybody_pushes_and_pops);
BAG("bag-empty", "two push and pop, one looks whether all are gone", 3, 12, define, two_push_and_pop_one_looks);
CASE("bag-withdrawn", "one withdraws what it pushes, and nobody pops", 1, define, withdraws_its_own, .parameter = 20,
     .check = check_left, .bare = true);
BAG("bag-rest", "what is not popped is destroyed with the bag", 3, 2, define, some_stay);
BAG("bag-first", "three push and pop in turn, and the first ring comes with the first push", 3, 3, define_prepared,
    everybody_pushes_and_pops);
BAG("tiny-bag", "one pushes more than a ring holds, one pops", 2, 3, define, one_pushes_one_pops, .waits = true);
BAG("tiny-bag-both", "two push and pop", 2, 1, define, everybody_pushes_and_pops);
BAG("tiny-bag-late", "one pushes and pops, another does so many times", 2, 11, define, one_may_be_late);
BAG("bag-late", "one pushes and pops, two others do so many times", 3, 9, define, one_may_be_late);
BAG("tiny-bag-three", "two push, one pops", 3, 1, define, one_pops_for_two, .waits = true);
BAG("tiny-bag-first", "two make the first ring, push and pop", 2, 1, define_prepared, everybody_pushes_and_pops);

// With a cell in front of the rings.

BAG("bag-cell", "three push and pop in turn, through the cell and the rings", 3, 4, define_with_cell,
    everybody_pushes_and_pops);
BAG("bag-cell-empty", "two use the cell and the rings, one looks whether all are gone", 3, 8, define_with_cell,
    two_push_and_pop_one_looks);
BAG("tiny-bag-cell", "two push and pop through the cell and the rings", 2, 1, define_with_cell,
    everybody_pushes_and_pops);
