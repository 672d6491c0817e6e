// A runtime that replaces ThreadSanitizer's. With -fsanitize=thread clang calls it for every access of the code that it
// compiles. So memory orders take part in schedules that a seed replays.
//
// Accesses go through the model while their thread takes steps under the scheduler. All others go to the memory itself:
// before and after a run, and in code that inspects the run from aside.

#include "runtime.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../scheduler.h"
#include "cells.h"
#include "handed.h"
#include "lacking.h"
#include "views.h"
#include "weak.h"

#define HERE __builtin_return_address(0)

void __real_memory_begin(void);
void __wrap_memory_begin(void);
void __real_memory_end(void);
void __wrap_memory_end(void);

static bool running;

void __wrap_memory_begin(void) {
  __real_memory_begin();
  views_reset();
  cells_reset();
  handed_reset();
  running = true;
}

void __wrap_memory_end(void) {
  running = false;
  lacking_tell();
  __real_memory_end();
}

bool runtime_counts(void) { return running && !scheduler_is_aside(); }

static void touch(const volatile void *address, size_t size, enum access access, const void *where) {
  if (runtime_counts()) cells_touch(address, size, access, where);
}

void weak_uses(const volatile void *memory, size_t size) {
  touch(memory, size, PLAIN_READ, HERE);
  touch(memory, size, PLAIN_WRITE, HERE);
}
void weak_reads(const volatile void *memory, size_t size) { touch(memory, size, PLAIN_READ, HERE); }

/// Freeing counts as a write: what other threads did with the memory must come before it. Retired memory is different:
/// liburcu waits for its readers, and reclamation.c frees it.
void __real_crucible__free(void *memory, size_t size);
void __wrap_crucible__free(void *memory, size_t size);

void __wrap_crucible__free(void *memory, size_t size) {
  if (memory) touch(memory, size, PLAIN_WRITE, HERE);
  __real_crucible__free(memory, size);
}

// ---------------------------------------------------------------------------------------------------------------------
// Plain accesses
// ---------------------------------------------------------------------------------------------------------------------

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) {}
void __tsan_func_exit(void) {}

#define PLAIN(size)                                                                              \
  void __tsan_read##size(void *p) { touch(p, size, PLAIN_READ, HERE); }                          \
  void __tsan_write##size(void *p) { touch(p, size, PLAIN_WRITE, HERE); }                        \
  void __tsan_unaligned_read##size(void *p) { touch(p, size, PLAIN_READ, HERE); }                \
  void __tsan_unaligned_write##size(void *p) { touch(p, size, PLAIN_WRITE, HERE); }              \
  void __tsan_read_write##size(void *p) {                                                        \
    touch(p, size, PLAIN_READ, HERE);                                                            \
    touch(p, size, PLAIN_WRITE, HERE);                                                           \
  }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void *__tsan_memcpy(void *to, const void *from, size_t size) {
  touch(from, size, PLAIN_READ, HERE);
  touch(to, size, PLAIN_WRITE, HERE);
  return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size) {
  touch(from, size, PLAIN_READ, HERE);
  touch(to, size, PLAIN_WRITE, HERE);
  return memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size) {
  touch(to, size, PLAIN_WRITE, HERE);
  return memset(to, byte, size);
}

// reclamation.h announces grace periods to ThreadSanitizer; here handed.c knows of them.
void __tsan_acquire(void *object) {}
void __tsan_release(void *object) {}

// ---------------------------------------------------------------------------------------------------------------------
// Atomic accesses
// ---------------------------------------------------------------------------------------------------------------------

static uint64_t exchanged(uint64_t before, uint64_t operand) { return (void)before, operand; }
static uint64_t added(uint64_t before, uint64_t operand) { return before + operand; }
static uint64_t subtracted(uint64_t before, uint64_t operand) { return before - operand; }
static uint64_t with(uint64_t before, uint64_t operand) { return before | operand; }
static uint64_t within(uint64_t before, uint64_t operand) { return before & operand; }

#define CHANGE(bits, name, change, plain)                                                        \
  uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *p, uint##bits##_t v, int order) {   \
    if (!runtime_counts()) return plain((_Atomic uint##bits##_t *)p, v);                         \
    touch(p, sizeof v, ATOMIC_READ, HERE);                                                       \
    touch(p, sizeof v, ATOMIC_WRITE, HERE);                                                      \
    return (uint##bits##_t)views_change(p, sizeof v, change, v, lacking_order(order));                          \
  }

#define ATOMIC(bits)                                                                             \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *p, int order) {       \
    if (!runtime_counts()) return atomic_load((_Atomic uint##bits##_t *)p);                      \
    touch(p, sizeof *p, ATOMIC_READ, HERE);                                                      \
    return (uint##bits##_t)views_load(p, sizeof *p, lacking_order(order));                                      \
  }                                                                                              \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t *p, uint##bits##_t v, int order) {    \
    if (!runtime_counts()) {                                                                     \
      atomic_store((_Atomic uint##bits##_t *)p, v);                                              \
      return;                                                                                    \
    }                                                                                            \
    touch(p, sizeof *p, ATOMIC_WRITE, HERE);                                                     \
    views_store(p, sizeof *p, v, lacking_order(order));                                                         \
  }                                                                                              \
  uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(volatile uint##bits##_t *p, uint##bits##_t expected,   \
                                                            uint##bits##_t desired, int success, int failure) {    \
    if (!runtime_counts()) {                                                                     \
      atomic_compare_exchange_strong((_Atomic uint##bits##_t *)p, &expected, desired);           \
      return expected;                                                                           \
    }                                                                                            \
    touch(p, sizeof *p, ATOMIC_READ, HERE);                                                      \
    int order = lacking_order(success);                                                          \
    if (order == memory_order_release) failure = memory_order_relaxed;                           \
    if (failure > order) failure = order;                                                        \
    uint64_t before = views_compare_exchange(p, sizeof *p, expected, desired, order, failure, HERE);   \
    return (uint##bits##_t)before;                                                               \
  }                                                                                              \
  CHANGE(bits, exchange, exchanged, atomic_exchange)                                             \
  CHANGE(bits, fetch_add, added, atomic_fetch_add)                                               \
  CHANGE(bits, fetch_sub, subtracted, atomic_fetch_sub)                                          \
  CHANGE(bits, fetch_or, with, atomic_fetch_or)                                                  \
  CHANGE(bits, fetch_and, within, atomic_fetch_and)
ATOMIC(8)
ATOMIC(32)
ATOMIC(64)
