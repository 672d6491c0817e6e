// Noise under the core: it delays a thread now and then where the core touches shared memory, so that races of a few
// instructions happen on two processors as well.
//
// There are two kinds. One is rare and everywhere: a yield or a short spin. The other is frequent, at a few places in
// the code that are drawn for each chemistry. There a thread waits until the others have made some steps. So a window
// between two accesses stays open while the others go through all of it, which even noise cannot achieve. A wait ends
// after a bounded time whatever the others do, because another thread may be waiting for this one.

#define _GNU_SOURCE
#include "CHistories.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static atomic_int threads;
static _Atomic uint64_t noise_seed;
static _Atomic uint64_t made;
static atomic_ulong steps;

static _Thread_local struct {
  int32_t number;
  uint64_t seed;
  uint64_t random;
  unsigned long own_steps;
} self;

int32_t histories_thread(void) {
  if (self.number == 0) self.number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
  return self.number;
}

void histories_noise(uint64_t seed) { atomic_store_explicit(&noise_seed, seed, memory_order_relaxed); }

uint64_t histories_noise_made(void) { return atomic_load_explicit(&made, memory_order_relaxed); }

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

static uint64_t draw(void) {
  self.random += 0x9E3779B97F4A7C15;
  return mix(self.random);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/// Waits until the others have made `count` steps, or for `limit` nanoseconds. It sleeps, because on a busy machine a
/// yield gives the time to other processes.
static void wait_for_others(unsigned long count, uint64_t limit) {
  unsigned long target = atomic_load_explicit(&steps, memory_order_relaxed) + count;
  uint64_t end = now() + limit;
  while ((long)(atomic_load_explicit(&steps, memory_order_relaxed) - target) < 0 && now() < end) {
    nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
  }
}

void crucible__schedule(const char *operation, const volatile void *address);

void crucible__schedule(const char *operation, const volatile void *address) {
  uint64_t seed = atomic_load_explicit(&noise_seed, memory_order_relaxed);
  if (seed == 0) return;
  if (operation[0] == 'p') return;  // a pause: the thread waits already
  if (self.seed != seed) {
    self.seed = seed;
    self.random = mix(seed + 0x9E3779B97F4A7C15 * (uint64_t)histories_thread());
  }
  // Counts in eights, or the threads would do little but write this cache line.
  if ((++self.own_steps & 7) == 0) atomic_fetch_add_explicit(&steps, 8, memory_order_relaxed);
  // Unlike the address of the code, its distance from this function is the same in each process.
  uint64_t place = (uint64_t)((uintptr_t)__builtin_return_address(0) - (uintptr_t)&crucible__schedule);
  uint64_t random = draw();
  if (mix(place ^ seed) % 24 == 0) {
    if (random % 4 != 0) return;
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    wait_for_others(8u << (random >> 8) % 8, 200000);
  } else if (random % 256 == 0) {
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    sched_yield();
  }
}
