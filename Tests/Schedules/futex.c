// Linux's futex and the monotonic clock, replaced at link time (--wrap), so that the core sleeps and wakes by its own
// code.
//
//   FUTEX_WAIT  compares and goes to sleep in one step, as in the kernel; the sleep lasts until a wake-up, so a lost
//               wake-up leaves a thread that sleeps for ever, or work that no thread does
//   with limit  the thread goes on once it is woken, or as soon as the policy allows; in the second case the time has
//       passed for all threads
//   FUTEX_WAKE  wakes the threads that the policy chooses among those that sleep there, by address alone
//   the clock   stands still except in those timed sleeps
// A sleep may end early for any reason. Here it does when a thread wakes an address without a reason to (waiters.c).

#include "futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "scheduler.h"

enum { SECOND = 1000000000 };

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

static uint64_t now;

void futex_reset(void) { now = SECOND; }

static long changed(void) {
  errno = EAGAIN;
  return -1;
}

static long wait_on(_Atomic uint32_t *address, uint32_t expected, const struct timespec *limit) {
  scheduler_step("park");
  if (atomic_load(address) != expected) return changed();
  if (!limit) {
    scheduler_sleep(address);
    return 0;
  }
  uint64_t end = now + (uint64_t)limit->tv_sec * SECOND + (uint64_t)limit->tv_nsec;
  if (!scheduler_doze(address)) return 0;
  if (now < end) now = end;
  errno = ETIMEDOUT;
  return -1;
}

static long wake(const _Atomic uint32_t *address, int count) {
  scheduler_step("unpark");
  scheduler_wake(address, count);
  return 0;
}

long __wrap_syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && scheduler_self() != ACTORS) {
    if ((int)a[1] == FUTEX_WAIT_PRIVATE) {
      return wait_on((_Atomic uint32_t *)a[0], (uint32_t)a[2], (const struct timespec *)a[3]);
    }
    if ((int)a[1] == FUTEX_WAKE_PRIVATE) return wake((const _Atomic uint32_t *)a[0], (int)a[2]);
    scheduler_fail("futex operation %d is not known here", (int)a[1]);
  }
  if (number == SYS_futex) return 0;  // between runs no thread sleeps
  return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
  if (clock != CLOCK_MONOTONIC || scheduler_self() == ACTORS) return __real_clock_gettime(clock, time);
  scheduler_note("clock");
  *time = (struct timespec){.tv_sec = (time_t)(now / SECOND), .tv_nsec = (long)(now % SECOND)};
  return 0;
}
