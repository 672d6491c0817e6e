// The firings that a thread defers to itself.
//
// An inline firing that finds no room on the stack of its thread is deferred: it goes into a queue of the thread's own.
// The queue is a bag with a count, like the pool's. Only its owner adds. The owner takes from it when its outermost
// injection is about to return (firing/firing.c). A thief takes from it when the owner's body blocks, or takes long.
//
//   DEFER-1  A firing is deferred once and taken once. The bag is pushed before the count is raised, and a thread pops
//       only after it has lowered the count. So a pop finds a firing, and no two threads find the same one.
//   DEFER-2  When an outermost injection returns, its thread's queue is empty. Only the owner adds, so the count that
//       the owner finds 0 stays 0. Firings that are deferred while the owner drains its queue go behind the rest, and
//       the same loop drains them. So the stack does not grow.
//   DEFER-3  The owner runs firings in the order in which it deferred them, because the bag is first-in-first-out and
//       only the owner adds.
//   DEFER-4  No firing waits in the queue for a body that blocks. A body that waits in a call of the library, or that
//       says that it blocks, first gives the queue to the pool. For any other body a worker watches the queue (pool.c).
//   DEFER-5  No thief reads the pointer to a queue that the owner is about to make. The owner makes the queue before it
//       raises the count for the first time, and a thief reads the pointer only after it has found the count raised.
//
// How the watcher recognizes a body that blocks
//   The beat of its thread stands still, and the kernel confirms it. Either the thread sleeps at two checks in a row,
//   or it has used CRUCIBLE_STUCK of processor time meanwhile. A thread that waits for a processor, for memory or for a
//   lock that is soon free keeps its deferred firings. So the caller of its outermost injection finds everything done,
//   however busy the machine is. Where the kernel cannot be asked, standing still is enough.

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tuning.h"
#include "pool/pool.h"

/// The note of a thread that stands still: UNSEEN, ASLEEP if it slept at the last check, or its processor time.
enum { UNSEEN = -1, ASLEEP = -2 };

/// Returns the queue of this thread. The first use makes it, and the record keeps it. Null: no memory.
static struct bag *queue_of(struct thread *self) {
  if (LIKELY(self->queue != NULL)) return self->queue;
  struct bag *queue = crucible__allocate(sizeof *queue, _Alignof(struct bag));
  if (queue && crucible__bag_create(queue, sizeof(struct reaction *), _Alignof(struct reaction *))) {
    return self->queue = queue;  // published by the first addition to the count
  }
  crucible__free(queue, sizeof *queue);
  return NULL;
}

bool crucible__deferred_push(struct thread *self, struct reaction *reaction) {
  struct bag *queue = queue_of(self);
  if (UNLIKELY(!queue)) return false;
  bool pushed = crucible__bag_push_first(queue, WORD_SHAPE, &reaction) || crucible__bag_push_generic(queue, &reaction);
  if (!pushed) return false;
  fetch_add_seq_cst(&self->deferred, 1);  // partner: the last look of a watcher; and crucible__take_counted
  return true;
}

struct reaction *crucible__deferred_take(struct thread *owner) {
  // Read before the count: the owner has made the queue, or the caller has found the count raised (DEFER-5).
  struct reaction *reaction;
  return crucible__take_counted(owner->queue, WORD_SHAPE, &owner->deferred, &reaction) ? reaction : NULL;
}

/// Reads the state of a thread of this process from the kernel, and its processor time in ticks. False: they cannot be
/// read.
static bool ask_kernel(int32_t id, char *state, int64_t *time) {
  char text[512];
  snprintf(text, sizeof text, "/proc/self/task/%d/stat", (int)id);
  int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return false;
  text[size] = '\0';
  const char *rest = strrchr(text, ')');  // the name of a thread may have any other character
  unsigned long user, system;
  if (!rest || sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", state, &user, &system) != 3) {
    return false;
  }
  *time = (int64_t)(user + system);
  return true;
}

bool crucible__deferred_is_stuck(struct thread *owner) {
  char state;
  int64_t time;
  if (!ask_kernel(__atomic_load_n(&owner->id, __ATOMIC_RELAXED), &state, &time)) return true;
  int64_t since = load_relaxed(&owner->seen_time);
  if (state == 'S') {
    store_relaxed(&owner->seen_time, ASLEEP);
    return since == ASLEEP;
  }
  if (since == UNSEEN || since == ASLEEP) store_relaxed(&owner->seen_time, since = time);
  return time - since >= CRUCIBLE_STUCK;
}
