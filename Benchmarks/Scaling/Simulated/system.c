// glibc's mutex and the kernel's futex on the simulated machine. Compiled without system.h's names.
//
// The mutex is glibc's plain one (nptl/lowlevellock.c): 0 free, 1 locked, 2 locked and perhaps awaited. A thread that finds it locked does
// not spin; it exchanges in 2 and sleeps while it stays 2. Whoever unlocks exchanges in 0, and wakes one if it was 2; the
// mutex is then free for whoever comes first, who is rarely the one that was woken.

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine.h"

void system_pause(void) {
  if (machine_is_on()) machine_pause();
}

int system_yield(void) {
  if (!machine_is_on()) return sched_yield();
  machine_call();
  return 0;
}

static void wait_while(volatile int *word, int value) {
  machine_call();
  machine_access(word, ACCESS_LOAD);
  if (*word == value) machine_sleep(word);
}

static void wake(volatile int *word, int count) {
  machine_call();
  machine_wake(word, count);
}

static int exchange(volatile int *word, int value) {
  machine_access(word, ACCESS_EXCHANGE);
  int before = *word;
  *word = value;
  return before;
}

int system_mutex_lock(pthread_mutex_t *mutex) {
  if (!machine_is_on()) return pthread_mutex_lock(mutex);
  volatile int *word = &mutex->__data.__lock;
  machine_access(word, ACCESS_CAS);
  if (*word == 0) {
    *word = 1;
    return 0;
  }
  machine_note_failed_cas();
  if (*word == 2) wait_while(word, 2);
  while (exchange(word, 2) != 0) wait_while(word, 2);
  return 0;
}

int system_mutex_unlock(pthread_mutex_t *mutex) {
  if (!machine_is_on()) return pthread_mutex_unlock(mutex);
  volatile int *word = &mutex->__data.__lock;
  if (exchange(word, 0) == 2) wake(word, 1);
  return 0;
}

/// Threads of the pool begin and get no processor: inline cases do without them, and whoever would want one finds that there is one.
int system_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
  (void)thread, (void)attributes, (void)function, (void)argument;
  return 0;
}

/// Of the kernel's calls the program uses gettid and futex, which on the simulated machine waits without a limit.
long system_call(long number, ...) {
  if (number == SYS_gettid) return syscall(SYS_gettid);
  if (number != SYS_futex) {
    fprintf(stderr, "simulated machine: system call %ld is not known to it\n", number);
    exit(1);
  }
  va_list arguments;
  va_start(arguments, number);
  int *word = va_arg(arguments, int *);
  int operation = va_arg(arguments, int);
  int value = va_arg(arguments, int);
  va_end(arguments);
  if (!machine_is_on()) return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) {
    wait_while(word, value);
  } else {
    wake(word, value);
  }
  return 0;
}
