// See reclamation.h.
//
// Only whole segments that a bag has left are retired. A segment serves hundreds of molecules.

#include "base/reclamation.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "CCrucible.h"
#include "base/atomics.h"
#include "base/errors.h"
#include "base/grace.h"
#include "base/memory.h"
#include "base/tuning.h"

static _Atomic uint64_t retired_bytes;

uint64_t crucible_retired_bytes(void) { return load_relaxed(&retired_bytes); }

_Thread_local bool crucible__is_reader __attribute__((tls_model("initial-exec")));

void crucible__become_reader(void) {
  void *room = mmap(NULL, CRUCIBLE_READER_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) crucible__die("a thread cannot be registered with liburcu: %s", strerror(errno));
  munmap(room, CRUCIBLE_READER_ROOM);
  crucible__is_reader = true;
}

#if defined(CRUCIBLE_TSAN)
// ThreadSanitizer does not see liburcu's grace period. This tells it that the end of every earlier read section comes
// before the reuse. That is coarser than the truth, but only for memory that is being freed.
void __tsan_acquire(void *);
void __tsan_release(void *);
#define TSAN_RELEASE(p) __tsan_release(p)
#define TSAN_ACQUIRE(p) __tsan_acquire(p)
#else
#define TSAN_RELEASE(p) ((void)0)
#define TSAN_ACQUIRE(p) ((void)0)
#endif

void crucible__reclaim(struct retired *memory) {
  TSAN_ACQUIRE(memory);
  fetch_sub_relaxed(&retired_bytes, memory->size);
  if (memory->then) {
    memory->then(memory);
  } else {
    crucible__free(memory, memory->size);
  }
}

void crucible__retire(struct retired *memory, size_t size, void (*then)(struct retired *memory)) {
  memory->size = size;
  memory->then = then;
  fetch_add_relaxed(&retired_bytes, size);
  TSAN_RELEASE(memory);
  crucible__grace_then_reclaim(memory);
}
