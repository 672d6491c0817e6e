// The clock of every figure: CLOCK_MONOTONIC in nanoseconds.

#ifndef HARNESS_CLOCK_H
#define HARNESS_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t harness_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// Processor time that the calling thread has used.
uint64_t harness_thread_cpu(void);
/// The time in which the calling thread could have run, but waited for a processor. 0 if the kernel does not report it.
uint64_t harness_thread_waited(void);
/// Processor time that all threads of the process have used.
uint64_t harness_process_cpu(void);

/// Tells the processor that this is a spin loop.
static inline void harness_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// The record of the time of each call of one thread. A call reads the clock twice, so every value contains one reading
/// of it (`harness_clock_ns`).
typedef struct harness_recorder {
  uint64_t *values;
  size_t count;
  size_t capacity;
  uint64_t padding[5];  // one line each, because recorders of several threads are adjacent
} harness_recorder;

static inline void harness_recorder_add(harness_recorder *recorder, uint64_t nanoseconds) {
  if (recorder->count < recorder->capacity) recorder->values[recorder->count++] = nanoseconds;
}

#endif
