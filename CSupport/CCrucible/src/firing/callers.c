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

#include <sys/syscall.h>
#include <unistd.h>

#include "CCrucible.h"
#include "base/above.h"
#include "base/clock.h"
#include "firing/firing.h"
#include "firing/holds.h"

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
  note->since = crucible__now();
  note->previous = NULL;
  note->is_body = false;
  if (crucible__is_inherited(soup)) return;
  note->is_body = is_body(soup, note->task);
  lock_acquire(&soup->lock);
  if (note->is_body) soup->suspended++;
  note->next = soup->waiting;
  if (note->next) note->next->previous = note;
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
  if (note->next) note->next->previous = note->previous;
  if (note->previous) {
    note->previous->next = note->next;
  } else {
    soup->waiting = note->next;
  }
  lock_release(&soup->lock);
}

size_t crucible_soup_waiting(crucible_soup *soup, crucible_waiting *notes, size_t capacity, uint64_t *time) {
  size_t count = 0;
  *time = crucible__now();
  if (crucible__is_inherited(soup)) return 0;
  lock_acquire(&soup->lock);
  for (const crucible_waiting *note = soup->waiting; note; note = note->next) {
    if (crucible_waiter_is_signalled(note->waiter)) continue;
    if (count < capacity) notes[count] = *note;
    count++;
  }
  *time = crucible__now();
  lock_release(&soup->lock);
  return count;
}
