// The system under the core, replaced by the linker's --wrap, and by definitions that precede those of the C library.
//
// The test records every block of memory from its allocation to its end. At both it fills the block with bytes that
// lead nowhere, so code that reads unwritten or freed memory finds nothing useful. Blocks must be freed with the size
// they had, or live_bytes does not agree.

#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bag/bag.h"
#include "base/thread.h"
#include "base/tuning.h"
#include "ledger.h"

_Thread_local bool failing_spares;
static _Atomic unsigned failing;
static _Atomic uint64_t attempts, failures;
static uint64_t first, count;

void failing_begin(unsigned what, uint64_t first_one, uint64_t how_many) {
  first = first_one, count = how_many;
  atomic_store(&attempts, 0);
  atomic_store(&failures, 0);
  atomic_store(&failing, what);
}

void failing_end(void) { atomic_store(&failing, 0); }
bool failing_is(unsigned what) { return atomic_load(&failing) & what; }
uint64_t failing_failures(void) { return atomic_load(&failures); }

static bool fails(unsigned what) {
  if (!(atomic_load(&failing) & what) || failing_spares) return false;
  uint64_t number = atomic_fetch_add(&attempts, 1) + 1;
  bool now = number >= first && number - first < count;
  if (now) atomic_fetch_add(&failures, 1);
  return now;
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------------------------

// Memory that is kept for good has another alignment than the rest.
enum { MOST_BLOCKS = 1 << 16, FRESH = 0x5A, GONE = 0xA5, KEPT = 64 };

static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static struct block {
  char *begin;
  size_t size;
} blocks[MOST_BLOCKS];
static unsigned block_count;

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  if (fails(MEMORY)) {
    errno = ENOMEM;
    return NULL;
  }
  char *memory = __real_aligned_alloc(alignment, size);
  if (!memory) fail("the machine has no memory");
  memset(memory, FRESH, size);
  if (alignment == KEPT) return memory;
  pthread_mutex_lock(&blocks_lock);
  if (block_count == MOST_BLOCKS) fail("more blocks than are noted");
  blocks[block_count++] = (struct block){memory, size};
  pthread_mutex_unlock(&blocks_lock);
  return memory;
}

/// Removes a block that has ended, or that is kept for good.
static void forget(void *memory, bool ends) {
  pthread_mutex_lock(&blocks_lock);
  for (unsigned i = 0; i < block_count; i++) {
    if (blocks[i].begin != memory) continue;
    if (ends) memset(memory, GONE, blocks[i].size);
    blocks[i] = blocks[--block_count];
    break;
  }
  pthread_mutex_unlock(&blocks_lock);
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory) {
  forget(memory, true);
  __real_free(memory);
}

void __real_crucible__keep(void *memory, size_t size);
void __wrap_crucible__keep(void *memory, size_t size);
void __wrap_crucible__keep(void *memory, size_t size) {
  forget(((void **)memory)[-1], false);
  __real_crucible__keep(memory, size);
}

/// Returns the bytes of a ring in a queue of entries of `size` bytes: of the first ring, or of a further one.
static size_t size_of_ring(size_t size, bool is_first) {
  struct bag pool = {.size = 0};
  if (!crucible__bag_create(&pool, size, _Alignof(uint64_t))) fail("no memory for the check");
  uint64_t capacity = pool.first->capacity;
  crucible__bag_destroy(&pool, NULL, NULL);
  while (!is_first && capacity * 2 * pool.stride <= CRUCIBLE_NEXT_BYTES) capacity *= 2;
  return pool.slots + capacity * pool.stride;
}

/// Adds the bytes that crucible__allocate needs for alignment.
static size_t rounded(size_t size) { return (size + 64 + 15) / 16 * 16; }

/// Returns the bytes of the blocks that are kept for good. `*leaked`: the size of a block that is not one of them, or
/// 0.
static uint64_t sum_up(size_t *leaked) {
  // A part of the table of thread records has room for 512 of them (base/thread.c).
  enum { KINDS = 7, OF_POOL = sizeof(struct task), OF_THREAD = sizeof(struct reaction *) };
  size_t sizes[KINDS] = {sizeof(struct thread),          sizeof(struct bag),
                         512 * sizeof(struct thread *),
                         size_of_ring(OF_POOL, true),    size_of_ring(OF_POOL, false),
                         size_of_ring(OF_THREAD, true),  size_of_ring(OF_THREAD, false)};
  uint64_t kept = 0;
  *leaked = 0;
  pthread_mutex_lock(&blocks_lock);
  for (unsigned i = 0; i < block_count; i++) {
    unsigned kind = 0;
    while (kind < KINDS && blocks[i].size != rounded(sizes[kind])) kind++;
    if (kind == KINDS) *leaked = blocks[i].size;
    kept += kind < KINDS ? sizes[kind] : 0;
  }
  pthread_mutex_unlock(&blocks_lock);
  return kept;
}

bool failing_is_clean(void) {
  size_t leaked;
  return sum_up(&leaked) == crucible_live_bytes() && leaked == 0;
}

void failing_check_blocks(void) {
  size_t leaked;
  uint64_t kept = sum_up(&leaked);
  if (leaked) fail("a block of %zu bytes has leaked", leaked);
  if (crucible_live_bytes() != kept) {
    fail("%llu bytes are kept, and crucible_live_bytes says %llu", (unsigned long long)kept,
                (unsigned long long)crucible_live_bytes());
  }
}

uint64_t failing_first_position;

bool __real_crucible__bag_create(struct bag *bag, size_t size, size_t alignment);
bool __wrap_crucible__bag_create(struct bag *bag, size_t size, size_t alignment);
bool __wrap_crucible__bag_create(struct bag *bag, size_t size, size_t alignment) {
  if (!__real_crucible__bag_create(bag, size, alignment)) return false;
  uint64_t position = failing_first_position;
  atomic_store(&bag->first->head, position);
  atomic_store(&bag->first->tail, position);
  for (uint64_t i = 0; i < bag->first->capacity; i++, position++) {
    atomic_store(turn_of(slot_at(bag, bag->first, position)), TURN(position, FREE));
  }
  return true;
}

__typeof__(crucible__bag_prepare) __real_crucible__bag_prepare, __wrap_crucible__bag_prepare;
/// Positions that are far on need a ring.
bool __wrap_crucible__bag_prepare(struct bag *bag, size_t size, size_t alignment, bool has_cell) {
  if (failing_first_position) return __wrap_crucible__bag_create(bag, size, alignment);
  return __real_crucible__bag_prepare(bag, size, alignment, has_cell);
}

// ---------------------------------------------------------------------------------------------------------------------
// Threads
// ---------------------------------------------------------------------------------------------------------------------

int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value) {
  return fails(SPECIFIC) ? ENOMEM : __real_pthread_setspecific(key, value);
}

int __real_pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
  return fails(KEY) ? EAGAIN : __real_pthread_key_create(key, destroy);
}

int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  return fails(MUTEX) ? ENOMEM : __real_pthread_mutex_init(mutex, attributes);
}

/// Replaces the C library's function, for liburcu as well.
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  return fails(THREAD) ? EAGAIN : real(thread, attributes, run, argument);
}

/// Replaces the C library's function; the C library calls its own by another name.
void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  if (fails(MAPPING)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
