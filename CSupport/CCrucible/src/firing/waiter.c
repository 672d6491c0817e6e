// The waiter of a fast call.
//
// A waiter goes WAITING → SIGNALLED, directly or by way of PARKED (a thread sleeps on it) or SUSPENDED (it has a
// function to resume). The signaller writes the outcome and exchanges the state. It does not access the waiter
// afterwards, unless the waiter was SUSPENDED. Then its owner waits for `resume`. A futex wake on memory that is gone
// is harmless.
//
// No wake-up is lost: the waiter's CAS WAITING → PARKED and the exchange are on one word, and futex sleeps only while
// the word is PARKED.
//
// A thread spins before it parks, because a futex round trip takes far longer than a reply by a thread that runs.

#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/above.h"
#include "base/futex.h"
#include "base/patience.h"
#include "firing/firing.h"
#include "firing/holds.h"
#include "pool/pool.h"

enum { WAITING = 0, PARKED = 1, SUSPENDED = 2, SIGNALLED = 3 };

static _Atomic uint32_t *state_of(const crucible_waiter *waiter) { return (_Atomic uint32_t *)(void *)&waiter->state; }
static _Atomic(const void *) *thread_of(const crucible_waiter *waiter) {
  return (_Atomic(const void *) *)(void *)&waiter->thread;
}

void crucible_waiter_signal(crucible_waiter *waiter, uint32_t outcome) {
  waiter->outcome = outcome;
  // If the waiter's thread is this one, it is not asleep. A waiter is signalled only once, and no other thread changes
  // its state. So a store is enough. The exchange was slower for a call that an inline reaction answers. While this
  // thread serves other tasks, the waiter may be SUSPENDED.
  const void *thread = load_relaxed(thread_of(waiter));
  if (thread && thread == crucible__self && load_relaxed(state_of(waiter)) == WAITING) {
    return store_release(state_of(waiter), SIGNALLED);
  }
  // partner: the acquire of a thread that sees SIGNALLED
  uint32_t before = exchange_acq_rel(state_of(waiter), SIGNALLED);
  if (before == PARKED) {
    crucible__unpark(state_of(waiter), INT_MAX);
  } else if (before == SUSPENDED) {
    waiter->resume(waiter);
  }
}

// A call that may give up knows its thread only during the injection that fires it at once. A reply from elsewhere that
// sees this thread runs on another one, and exchanges. From then on the value says that the call was taken.
void crucible_waiter_set_taken(crucible_waiter *waiter, bool taken) {
  store_relaxed(thread_of(waiter), taken ? waiter : NULL);
}

bool crucible__waiter_is_taken(const crucible_waiter *waiter) {
  return load_relaxed(thread_of(waiter)) == waiter;
}

bool crucible_waiter_is_here(const crucible_waiter *waiter) {
  const void *thread = load_relaxed(thread_of(waiter));
  return thread && thread == crucible__self;
}

void crucible_waiter_leave(crucible_waiter *waiter) {
  // This changes nothing if the call was put back already. Then the thread that did so has set the value.
  const void *thread = crucible__self;
  cas_relaxed(thread_of(waiter), &thread, waiter);  // as crucible_waiter_set_taken
}

bool crucible_waiter_is_signalled(const crucible_waiter *waiter) {
  return load_acquire(state_of(waiter)) == SIGNALLED;
}

/// Marks the waiter as parked, and sleeps until it is signalled or until `deadline` (UINT64_MAX: none). Meanwhile the
/// pool may run a replacement for this thread. True: signalled.
static bool park(struct thread *self, crucible_waiter *waiter, uint64_t deadline) {
  // It is parked already if an earlier wait of the same thread ended at its deadline.
  uint32_t expected = WAITING;
  if (!cas_acq_rel(state_of(waiter), &expected, PARKED) && expected == SIGNALLED) return true;
  crucible__blocking_begin(self);
  bool signalled;
  while (!(signalled = crucible_waiter_is_signalled(waiter))) {
    uint64_t time = deadline == UINT64_MAX ? 0 : crucible_now();
    if (time >= deadline) break;
    crucible__park(state_of(waiter), PARKED, deadline == UINT64_MAX ? UINT64_MAX : deadline - time);
  }
  crucible__blocking_end(self);
  return signalled;
}

/// The function of the process. There is one, because a language has one way to serve its main thread. As a member of
/// each waiter, its store would cost every call, and hardly any call sleeps.
static void (*_Atomic serve_instead)(crucible_waiter *waiter);

void crucible_waiter_serve_instead(void (*serve)(crucible_waiter *waiter)) { store_relaxed(&serve_instead, serve); }

bool crucible_waiter_wait_noted(crucible_waiter *waiter, uint64_t nanoseconds, crucible_waiting *note) {
  if (crucible_waiter_is_signalled(waiter)) return true;
  if (note && crucible__is_inherited(note->name->soup)) return false;  // no thread that could answer is in this process
  struct thread *self = crucible__thread();
  crucible__note_wait(self);
  if (self) crucible__hand_over(self);  // the awaited firing may have been deferred to this thread
  uint64_t begin = nanoseconds == UINT64_MAX ? 0 : crucible_now();
  uint64_t deadline = nanoseconds < UINT64_MAX - begin ? begin + nanoseconds : UINT64_MAX;
  for (int spin = 0; spin < CRUCIBLE_SPINS && nanoseconds > 0; spin++) {
    if (crucible_waiter_is_signalled(waiter)) return true;
    spin_pause();
  }
  void (*serve)(crucible_waiter *) = nanoseconds == UINT64_MAX ? load_relaxed(&serve_instead) : NULL;
  if (note) crucible_waiting_begin(note, true);
  if (serve) serve(waiter);
  bool signalled = park(self, waiter, deadline);
  if (note) crucible_waiting_end(note);
  return signalled;
}

bool crucible_waiter_pause(const crucible_waiter *waiter) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self) || !crucible__is_patient(self)) return false;
  int pauses = self->patience < CRUCIBLE_MISS ? CRUCIBLE_PROBE : CRUCIBLE_PAUSES;
  bool answered;
  while (!(answered = crucible_waiter_is_signalled(waiter)) && pauses-- > 0) spin_pause();
  crucible__has_paused(self, answered);
  return answered;
}

void crucible_waiter_wait(crucible_waiter *waiter) { crucible_waiter_wait_noted(waiter, UINT64_MAX, NULL); }

bool crucible_waiter_suspend(crucible_waiter *waiter) {
  uint32_t expected = WAITING;
  return cas_acq_rel(state_of(waiter), &expected, SUSPENDED);
}

// ---------------------------------------------------------------------------------------------------------------------
// Inspecting callers that wait
// ---------------------------------------------------------------------------------------------------------------------
// The callers that wait for a reply, with the time and the line of the call. Each soup has a list, for `explain`.
//
// A caller notes itself only before it sleeps, which costs far more. A caller that is answered at once, or while it
// spins, makes no note. The note lies in memory of the caller: a frame of the blocked thread, or the object of an
// awaited call. So nothing is allocated. The list belongs to the shell and outlives the soup's contents, because a body
// may have kept the call. A caller in the list keeps the shell.
//
// The lock orders everything: notes are linked, unlinked and read under it. The waiter that a note refers to lives as
// long as the note is linked. Inspection skips a caller that was signalled and has not resumed yet. So once a reply has
// returned true, its caller never appears as waiting.

/// Whether the task runs a body of this soup, which waits for the soup's own reactions. Requires: task and body belong
/// to the caller.
static bool is_body(const struct crucible_soup *soup, const void *task) {
  if (!task || !soup->chemistry->suspends) return false;
  const struct crucible_firing *firing = crucible_firing_of(task);
  return firing && firing->reaction->soup == soup;
}

void crucible_waiting_begin(crucible_waiting *note, bool is_thread) {
  struct crucible_soup *soup = note->name->soup;
  note->thread = is_thread ? (uint32_t)syscall(SYS_gettid) : 0;
  note->since = crucible_now();
  note->is_body = false;
  if (crucible__is_inherited(soup)) return;
  note->is_body = is_body(soup, note->task);
  lock_acquire(&soup->lock);
  if (note->is_body) soup->suspended++;
  note->next = soup->waiting;
  note->link = &soup->waiting;
  if (note->next) note->next->link = &note->next;
  soup->waiting = note;
  lock_release(&soup->lock);
  // UNOWNED-2. The check follows the lock: an owner that has released the soup since then has seen this body.
  if (note->is_body && !crucible_soup_is_owned(soup)) crucible__above.look_unowned(soup);
}

void crucible_waiting_end(crucible_waiting *note) {
  struct crucible_soup *soup = note->name->soup;
  if (crucible__is_inherited(soup)) return;  // its neighbours lie on stacks that no longer exist
  lock_acquire(&soup->lock);
  if (note->is_body) soup->suspended--;
  *note->link = note->next;
  if (note->next) note->next->link = note->link;
  lock_release(&soup->lock);
}

size_t crucible_soup_waiting(crucible_soup *soup, crucible_waiting *notes, size_t capacity, uint64_t *time) {
  size_t count = 0;
  *time = crucible_now();
  if (crucible__is_inherited(soup)) return 0;
  lock_acquire(&soup->lock);
  for (const crucible_waiting *note = soup->waiting; note; note = note->next) {
    if (crucible_waiter_is_signalled(note->waiter)) continue;
    if (count < capacity) notes[count] = *note;
    count++;
  }
  *time = crucible_now();
  lock_release(&soup->lock);
  return count;
}
