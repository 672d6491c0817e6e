// See clock.h.

#include "base/clock.h"

#include <time.h>

#include "base/errors.h"

uint64_t crucible__now(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) crucible__die("the system has no monotonic clock");
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}
