// Calls by which the tests inform the weak memory about themselves. In the plain build they do nothing.
//
// The core's own accesses inform it (see README.md). A test must declare only what it does outside of the core.

#ifndef SCHEDULES_WEAK_H
#define SCHEDULES_WEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void weak_release(const void *object) __attribute__((weak));
/// Notes that memory is retired, which happens before every later read section.
void weak_retires(void) __attribute__((weak));
void weak_acquire(const void *object) __attribute__((weak));
void weak_uses(const volatile void *memory, size_t size) __attribute__((weak));
void weak_reads(const volatile void *memory, size_t size) __attribute__((weak));
/// `weak_moment` notes a point in time; `weak_is_known` asks whether the thread of a later one has heard of it.
void weak_moment(uint64_t tick) __attribute__((weak));
bool weak_is_known(uint64_t earlier, uint64_t later) __attribute__((weak));

/// Hands something over: what this thread did so far comes before what follows `taken_over` elsewhere.
static inline void hand_over(const void *object) {
  if (weak_release) weak_release(object);
}
static inline void taken_over(const void *object) {
  if (weak_acquire) weak_acquire(object);
}

/// Notes that a body reads and writes this memory, which is not atomic.
static inline void uses(const volatile void *memory, size_t size) {
  if (weak_uses) weak_uses(memory, size);
}

/// Notes that a body only reads this memory.
static inline void reads(const volatile void *memory, size_t size) {
  if (weak_reads) weak_reads(memory, size);
}

#endif
