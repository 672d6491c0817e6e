// How the simulated machine learns of accesses: the program is compiled as for ThreadSanitizer, which puts a call before every load and
// store and in the place of every atomic operation; but it is not linked with the sanitizer's library. These are the functions
// that are called. (So plain accesses are seen too: the cell of a state, a payload, what a mutex guards.) This file is compiled
// without the sanitizer.

#include <string.h>

#include "machine.h"

static void announce(const volatile void *address, enum access access) {
  if (machine_is_on()) machine_access(address, access);
}

#define PLAIN(size)                                                                    \
  void __tsan_read##size(void *p) { announce(p, ACCESS_LOAD); }                        \
  void __tsan_write##size(void *p) { announce(p, ACCESS_STORE); }                      \
  void __tsan_unaligned_read##size(void *p) { announce(p, ACCESS_LOAD); }              \
  void __tsan_unaligned_write##size(void *p) { announce(p, ACCESS_STORE); }            \
  void __tsan_read_write##size(void *p) { announce(p, ACCESS_STORE); }                 \
  void __tsan_unaligned_read_write##size(void *p) { announce(p, ACCESS_STORE); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

static void announce_range(const char *from, size_t size, enum access access) {
  for (size_t i = 0; i < size; i += 8) announce(from + i, access);
}

void *__tsan_memcpy(void *to, const void *from, size_t size) {
  announce_range(from, size, ACCESS_LOAD);
  announce_range(to, size, ACCESS_STORE);
  return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size) {
  announce_range(from, size, ACCESS_LOAD);
  announce_range(to, size, ACCESS_STORE);
  return memmove(to, from, size);
}

void *__tsan_memset(void *to, int value, size_t size) {
  announce_range(to, size, ACCESS_STORE);
  return memset(to, value, size);
}

// The orders are the compiler's numbers; 5 is sequentially consistent. A store of that order is an exchange on x86.
enum { SEQ_CST = 5 };

#define EXCHANGES(bits, type, name, builtin)                                           \
  type __tsan_atomic##bits##_##name(volatile type *p, type value, int order) {         \
    (void)order;                                                                       \
    announce(p, ACCESS_EXCHANGE);                                                      \
    return builtin(p, value, __ATOMIC_SEQ_CST);                                        \
  }

#define ATOMIC(bits, type)                                                             \
  type __tsan_atomic##bits##_load(const volatile type *p, int order) {                 \
    (void)order;                                                                       \
    announce(p, ACCESS_LOAD);                                                          \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                       \
  }                                                                                    \
  void __tsan_atomic##bits##_store(volatile type *p, type value, int order) {          \
    announce(p, order == SEQ_CST ? ACCESS_EXCHANGE : ACCESS_STORE);                    \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                      \
  }                                                                                    \
  EXCHANGES(bits, type, exchange, __atomic_exchange_n)                                 \
  EXCHANGES(bits, type, fetch_add, __atomic_fetch_add)                                 \
  EXCHANGES(bits, type, fetch_sub, __atomic_fetch_sub)                                 \
  EXCHANGES(bits, type, fetch_and, __atomic_fetch_and)                                 \
  EXCHANGES(bits, type, fetch_or, __atomic_fetch_or)                                   \
  EXCHANGES(bits, type, fetch_xor, __atomic_fetch_xor)                                 \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected,     \
                                                  type desired, int order, int other) { \
    (void)order, (void)other;                                                          \
    announce(p, ACCESS_CAS);                                                           \
    if (!__atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && machine_is_on()) \
      machine_note_failed_cas();                                                       \
    return expected;                                                                   \
  }
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order) {
  if (order == SEQ_CST && machine_is_on()) machine_fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order) { (void)order; }

// What the sanitizer is told besides accesses.
void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_acquire(void *p) { (void)p; }
void __tsan_release(void *p) { (void)p; }
