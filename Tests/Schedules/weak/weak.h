// Calls by which the tests tell the weak memory about themselves. In the plain build, without it, these do nothing.
//
// The core tells by its own accesses: see README.md. Only what a test does outside of the core has to be said.

#ifndef SCHEDULES_WEAK_H
#define SCHEDULES_WEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void weak_release(const void *object) __attribute__((weak));
void weak_acquire(const void *object) __attribute__((weak));
void weak_uses(const volatile void *memory, size_t size) __attribute__((weak));
void weak_reads(const volatile void *memory, size_t size) __attribute__((weak));
void weak_forks(void) __attribute__((weak));
/// A point in time is now; whether the thread of a later one has heard of it.
void weak_moment(uint64_t tick) __attribute__((weak));
bool weak_is_known(uint64_t earlier, uint64_t later) __attribute__((weak));

/// The test hands something over: what this thread did so far comes before what follows `taken_over` elsewhere.
static inline void hand_over(const void *object) {
  if (weak_release) weak_release(object);
}
static inline void taken_over(const void *object) {
  if (weak_acquire) weak_acquire(object);
}

/// A body reads and writes this memory, which is not atomic.
static inline void uses(const volatile void *memory, size_t size) {
  if (weak_uses) weak_uses(memory, size);
}

/// A body only reads it.
static inline void reads(const volatile void *memory, size_t size) {
  if (weak_reads) weak_reads(memory, size);
}

/// The process forks now: what others do inside of liburcu must all have come before, or come after.
static inline void forks(void) {
  if (weak_forks) weak_forks();
}

#endif
