// A bag by itself. In a soup a thread that takes a molecule has read the state word before. That orders most of what
// the bag orders too. Here the reservations are relaxed, so the bag alone orders every payload and every ring.

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bag/bag.h"
#include "storms.h"

enum { MOST_THREADS = 6 };

static struct {
  struct bag bag;
  uint32_t size;
  _Atomic int64_t there;  ///< published and not reserved
  struct fates fates;
  uint64_t seed;
  bool has_cell;  ///< then a reservation comes after what was counted, as bag.c requires
} test;

static unsigned char byte_of(uint32_t number, uint32_t index) { return (unsigned char)(number * 13 + index); }

static bool make_value(struct payload *payload) {
  uint32_t number = (uint32_t)fates_number(&test.fates);
  if (number == 0) return false;
  memcpy(payload->bytes, &number, sizeof number);
  for (uint32_t i = sizeof number; i < test.size; i++) payload->bytes[i] = byte_of(number, i);
  fates_move(&test.fates, number, UNBORN, ALIVE);
  return true;
}

static void end_value(void *value, void *unused) {
  const unsigned char *bytes = value;
  uint32_t number;
  memcpy(&number, bytes, sizeof number);
  for (uint32_t i = sizeof number; i < test.size; i++) {
    if (bytes[i] != byte_of(number, i)) fail("molecule %u of a bag is torn", number);
  }
  fates_move(&test.fates, number, ALIVE, CONSUMED);
}

static bool reserve(void) {
  int64_t there = atomic_load_explicit(&test.there, memory_order_relaxed);
  while (there > 0) {
    if (atomic_compare_exchange_weak_explicit(&test.there, &there, there - 1, memory_order_relaxed,
                                              memory_order_relaxed)) {
      if (test.has_cell) atomic_load_explicit(&test.there, memory_order_acquire);
      return true;
    }
  }
  return false;
}

static void add(int64_t count) {
  if (test.has_cell) {
    atomic_fetch_add_explicit(&test.there, count, memory_order_release);
  } else {
    atomic_fetch_add_explicit(&test.there, count, memory_order_relaxed);
  }
}

static void push(void) {
  struct payload payload;
  if (!make_value(&payload)) return;
  if (!crucible__bag_push_mpmc(&test.bag, payload.bytes)) fail("no memory for a bag");
  add(1);
}

static void pop(void) {
  struct payload payload;
  uint64_t attempts = 0;
  if (!reserve()) return;
  crucible__bag_pop_mpmc(&test.bag, payload.bytes, &attempts);
  end_value(payload.bytes, NULL);
}

static void push_and_withdraw(void) {
  struct payload payload;
  struct place place;
  if (!make_value(&payload)) return;
  if (!crucible__bag_push_placed_mpmc(&test.bag, payload.bytes, draw(2), &place)) fail("no memory for a bag");
  if (test.has_cell) {  // no counted molecule of such a bag is withdrawn
    if (crucible__bag_withdraw_mpmc(&test.bag, &place, payload.bytes)) {
      end_value(payload.bytes, NULL);
    } else {
      add(1);
    }
    return;
  }
  add(1);
  for (uint32_t i = draw(4); i > 0; i--) sched_yield();
  if (!crucible__bag_holds(&test.bag, &place) || !reserve()) return;
  if (crucible__bag_withdraw_mpmc(&test.bag, &place, payload.bytes)) {
    end_value(payload.bytes, NULL);
  } else {
    add(1);
  }
}

static void *use_bag(void *argument) {
  seed_thread(test.seed, (uintptr_t)argument);
  // Some threads only push and some only take, so they learn of a ring from each other alone.
  uint32_t role = draw(3), pushes = 3 + draw(6);
  for (int i = 0; i < 300; i++) {
    uint32_t which = role == 0 ? draw(16) : role == 1 ? draw(pushes) : pushes + draw(12 - pushes);
    if (which == 11 && one_in(4)) which = 15;
    if (which < pushes) {
      push();
    } else if (which < 12) {
      pop();
    } else if (which < 15) {
      push_and_withdraw();
    } else {
      crucible__bag_is_empty(&test.bag);
    }
  }
  return NULL;
}

uint64_t storm_bag(uint64_t seed) {
  static const uint32_t sizes[] = {4, 8, 16, 64, 200, MOST_SIZE};
  test.seed = seed;
  test.size = sizes[draw(sizeof sizes / sizeof *sizes)];
  atomic_init(&test.there, 0);
  memset((void *)&test.fates, 0, sizeof test.fates);
  test.has_cell = one_in(2);
  size_t alignment = one_in(4) ? 64 : 8;
  if (!(test.has_cell ? crucible__bag_prepare(&test.bag, test.size, alignment, true)
                      : crucible__bag_create(&test.bag, test.size, alignment))) {
    fail("no memory for a bag");
  }
  pthread_t threads[MOST_THREADS];
  uint32_t count = 2 + draw(MOST_THREADS - 1);
  for (uintptr_t i = 0; i < count; i++) {
    if (pthread_create(&threads[i], NULL, use_bag, (void *)(i + 1)) != 0) fail("no thread");
  }
  for (uint32_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
  crucible__bag_destroy(&test.bag, end_value, NULL);
  return fates_end(&test.fates);
}
