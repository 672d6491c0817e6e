// Sleeping until a word changes: Linux's futex.

#ifndef CRUCIBLE_FUTEX_H
#define CRUCIBLE_FUTEX_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// Sleeps while `*address` is `expected`, at most `nanoseconds` (UINT64_MAX: no limit); may return early.
static inline void crucible__park(_Atomic uint32_t *address, uint32_t expected, uint64_t nanoseconds) {
  struct timespec limit = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
  syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, expected, nanoseconds == UINT64_MAX ? NULL : &limit, NULL, 0);
}

/// Wakes up to `count` threads that sleep on `address`, which need not be valid memory any more.
static inline void crucible__unpark(_Atomic uint32_t *address, int count) {
  syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#endif
