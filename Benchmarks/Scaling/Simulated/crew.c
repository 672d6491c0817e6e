// The harness's crew on the simulated machine: each thread has a processor. Deals rounds as the real one does
// (CHarness/crew.c), starts all at once, and tells simulated time.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CHarness.h"
#include "machine.h"

struct harness_crew {
  size_t threads;
  bool follows;
  uint64_t base;
  harness_work work;
  void *context;
  harness_deal deal __attribute__((aligned(64)));
};

harness_crew *harness_crew_create(size_t threads) {
  if (threads == 0 || threads > HARNESS_MAX_THREADS || threads > MACHINE_PROCESSORS) return NULL;
  harness_crew *crew = NULL;
  if (posix_memalign((void **)&crew, 64, sizeof *crew) != 0) return NULL;
  memset(crew, 0, sizeof *crew);
  crew->threads = threads;
  return crew;
}

void harness_crew_destroy(harness_crew *crew) { free(crew); }

size_t harness_crew_threads(const harness_crew *crew) { return crew->threads; }

static struct {
  uint64_t number __attribute__((aligned(64)));
} reached;

void harness_reach_exactly(uint64_t number) { __atomic_store_n(&reached.number, number, __ATOMIC_RELAXED); }

void harness_deal_wait(const harness_deal *deal) {
  for (;;) {
    uint64_t next = __atomic_load_n(&deal->next, __ATOMIC_RELAXED);
    uint64_t number = __atomic_load_n(&reached.number, __ATOMIC_RELAXED);
    if (next >= deal->rounds || next <= number - deal->base + deal->ahead) return;
    for (int pause = 0; pause < 16; pause++) harness_pause();
  }
}

void harness_crew_follow(harness_crew *crew, uint64_t base) {
  harness_reach_exactly(base);
  crew->follows = true;
  crew->base = base;
}

static void work_on(void *argument, size_t processor) {
  harness_crew *crew = argument;
  harness_share share = {&crew->deal, processor, NULL};
  crew->work(crew->context, &share);
}

void harness_crew_run(harness_crew *crew, uint64_t rounds, harness_recorder *recorders, harness_work work,
                      void *context, harness_sample *sample) {
  (void)recorders;
  uint64_t portion = rounds / (crew->threads * 32);
  portion = portion < 1 ? 1 : portion > 2048 ? 2048 : portion;
  crew->deal = (harness_deal){.rounds = rounds, .portion = portion, .follows = crew->follows, .base = crew->base,
                              .ahead = portion * (crew->threads + 1) + HARNESS_REACH_STEP};
  crew->follows = false;
  crew->work = work;
  crew->context = context;
  double nanoseconds = machine_run(crew->threads, work_on, crew);
  sample->rounds = harness_deal_rounds(&crew->deal);
  sample->threads = (uint32_t)crew->threads;
  sample->nanoseconds = (uint64_t)nanoseconds;
  sample->overlap = 1;
  sample->busy = (double)crew->threads;
}

void harness_watch(const char *description) { (void)description; }

void harness_hung(void) {
  fprintf(stderr, "simulated machine: not finished\n");
  exit(1);
}
