// The time and random numbers, for programs in C.

#ifndef TESTS_PROGRAMS_H
#define TESTS_PROGRAMS_H

#include <stdint.h>
#include <time.h>

/// The time by the monotonic clock.
static inline uint64_t nanoseconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/// The next random number of this state (Marsaglia's xorshift). Requires: the state is not 0.
static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

#endif
