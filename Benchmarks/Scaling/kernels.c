// See kernels.h.

#define _GNU_SOURCE  // sched_setaffinity
#include "kernels.h"

#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
  uint64_t word __attribute__((aligned(64)));
  uint32_t turn __attribute__((aligned(64)));
  uint64_t stamp __attribute__((aligned(64)));  // when the last turn began
  struct {
    uint64_t in_calls, until_awake;
  } futex[2];
} shared;

static uint64_t rounds_in_all;  // of the kernels whose threads take turns

static void add(void *context, const harness_share *share) {
  (void)context;
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) __atomic_fetch_add(&shared.word, 1, __ATOMIC_SEQ_CST);
  }
}

static void cas(void *context, const harness_share *share) {
  (void)context;
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) {
      uint64_t word = __atomic_load_n(&shared.word, __ATOMIC_ACQUIRE);
      while (!__atomic_compare_exchange_n(&shared.word, &word, word + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      }
    }
  }
}

static void visit(void *context, const harness_share *share) {
  (void)context;
  volatile uint64_t own = 0;
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) {
      __atomic_fetch_add(&shared.word, 1, __ATOMIC_SEQ_CST);
      for (int i = 0; i < 100; i++) own = own + 1;
    }
  }
}

static void turns(void *context, const harness_share *share) {
  (void)context;
  for (uint64_t round = share->thread; round < rounds_in_all; round += 2) {
    while (__atomic_load_n(&shared.word, __ATOMIC_ACQUIRE) != round) {
    }
    __atomic_store_n(&shared.word, round + 1, __ATOMIC_RELEASE);
  }
}

static void pause_often(void *context, const harness_share *share) {
  (void)context;
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    for (; round < end; round++) harness_pause();
  }
}

static void call(void *context, const harness_share *share) {
  (void)context;
  uint64_t round, end;
  while (harness_deal_take(share->deal, &round, &end)) {
    // The word does not hold this value, so the call returns at once.
    for (; round < end; round++) syscall(SYS_futex, &shared.turn, FUTEX_WAIT_PRIVATE, UINT32_MAX, NULL, NULL, 0);
  }
}

/// The crew has just spread its threads out; waking one on the own processor would be another thing.
static void stay_here(void) {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);
}

static void hand_over(void *context, const harness_share *share) {
  (void)context;
  stay_here();
  uint64_t in_calls = 0, until_awake = 0;
  for (uint32_t round = (uint32_t)share->thread; round < rounds_in_all; round += 2) {
    uint32_t turn;
    while ((turn = __atomic_load_n(&shared.turn, __ATOMIC_ACQUIRE)) != round) {
      syscall(SYS_futex, &shared.turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
    }
    uint64_t awake = harness_now(), start;
    if (round > 0) until_awake += awake - shared.stamp;
    enum { LONG_ENOUGH = 20000 };  // for the other to have fallen asleep
    while ((start = harness_now()) < awake + LONG_ENOUGH) {
    }
    shared.stamp = start;
    __atomic_store_n(&shared.turn, round + 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &shared.turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    in_calls += harness_now() - start;
  }
  shared.futex[share->thread].in_calls = in_calls;
  shared.futex[share->thread].until_awake = until_awake;
}

uint64_t kernel_in_calls(void) { return shared.futex[0].in_calls + shared.futex[1].in_calls; }
uint64_t kernel_until_awake(void) { return shared.futex[0].until_awake + shared.futex[1].until_awake; }

bool kernel_run(const char *name, harness_crew *crew, uint64_t rounds, harness_sample *sample) {
  static const struct {
    const char *name;
    harness_work work;
    size_t threads;  // 0: any number
  } kernels[] = {{"add", add, 0},          {"cas", cas, 0},   {"visit", visit, 0}, {"turns", turns, 2},
                 {"pause", pause_often, 1}, {"call", call, 1}, {"futex", hand_over, 2}};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    if (strcmp(kernels[i].name, name) != 0) continue;
    if (kernels[i].threads != 0 && kernels[i].threads != harness_crew_threads(crew)) return false;
    memset(&shared, 0, sizeof shared);
    rounds_in_all = rounds;
    harness_crew_run(crew, rounds, NULL, kernels[i].work, NULL, sample);
    sample->reactions = rounds;
    return true;
  }
  return false;
}
