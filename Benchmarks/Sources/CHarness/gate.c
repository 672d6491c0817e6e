#define _GNU_SOURCE
#include "harness_gate.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "harness_allocations.h"
#include "harness_clock.h"
#include "harness_crew.h"
#include "harness_tally.h"

struct harness_gate {
  sem_t opened;
  uint64_t began, ended;
  uint64_t cpu_began, cpu_ended;
  uint64_t allocations_began, allocations_ended;
};

harness_gate *harness_gate_create(void) {
  harness_gate *gate = calloc(1, sizeof *gate);
  if (!gate) abort();
  sem_init(&gate->opened, 0, 0);
  return gate;
}

void harness_gate_destroy(harness_gate *gate) {
  sem_destroy(&gate->opened);
  free(gate);
}

void harness_gate_begin(harness_gate *gate, harness_sample *sample) {
  harness_tally_reset();
  gate->allocations_began = harness_allocations();
  gate->cpu_began = harness_process_cpu();
  gate->began = harness_now();
  sample->began = gate->began;
}

void harness_gate_open(harness_gate *gate) {
  gate->ended = harness_now();
  gate->cpu_ended = harness_process_cpu();
  gate->allocations_ended = harness_allocations();
  sem_post(&gate->opened);
}

void harness_gate_wait(harness_gate *gate, harness_sample *sample) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += HARNESS_PATIENCE;
  while (sem_timedwait(&gate->opened, &deadline) != 0) {
    if (errno != EINTR) harness_hung();
  }
  sample->nanoseconds = gate->ended > gate->began ? gate->ended - gate->began : 1;
  sample->busy = (double)(gate->cpu_ended - gate->cpu_began) / (double)sample->nanoseconds;
  sample->allocations = gate->allocations_ended - gate->allocations_began;
}
