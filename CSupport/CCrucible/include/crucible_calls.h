// Calls: selects, waiting for a reply, and callers that wait.

#ifndef CRUCIBLE_CALLS_H
#define CRUCIBLE_CALLS_H

#include "crucible_define.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Selects
// ---------------------------------------------------------------------------------------------------------------------
// A select is one call on several fast names, of any soups: at most one of its branches reacts (soup/select.c). What
// waits in a bag for a branch is not a value of the name, but a mark of the core's. So a binding that makes selects
//   begins each body of a reaction that `selects` named by crucible_firing_select,
//   begins `destroy` of each fast name by crucible_branch_destroy,
//   sees to it that no value of a fast name begins with a word whose two lowest bits are set.

typedef struct crucible_select crucible_select;

/// The functions of a binding that the core calls for its selects.
typedef struct {
  /// Says that from now on bodies of the reaction begin by crucible_firing_select. Called before the first branch on a
  /// name of the reaction is injected, by any thread, perhaps more than once. The soup is held.
  void (*selects)(crucible_soup *soup, size_t reaction);
  /// Injects a value of a name with callers again, which a firing had taken that does not take place. Takes the value
  /// over. `attempts`: as in crucible_inject_tracked. `origin`: the molecule's, taken over as well; null: its name has
  /// none. Runs no body.
  void (*put_back)(crucible_name *name, void *value, uint64_t attempts, void *_Nullable origin);
  /// A branch is gone, and no reaction has consumed it. CRUCIBLE_WITHDRAWN: the select was decided otherwise.
  void (*left)(void *_Nullable context, size_t branch, crucible_reason reason);
  /// The last branch has left for that reason, and none has reacted or will.
  void (*ended)(void *_Nullable context, crucible_reason reason);
  /// Nothing uses the select or its values any more.
  void (*release)(void *_Nullable context);
} crucible_select_binding;

/// One call of a select.
typedef struct {
  crucible_name *name;
  /// For the body, if this branch reacts: moved from then, and untouched otherwise. Stays until `release`.
  const void *value;
  bool owns;          ///< as in crucible_inject_tracked
} crucible_branch;

/// Why these cannot be the branches of a select: CRUCIBLE_NO_BRANCHES, CRUCIBLE_NOT_FROZEN
/// or CRUCIBLE_SHARED_REACTION. `culprits`: the two names, or the first alone.
crucible_status crucible_select_check(const crucible_branch *branches, size_t count,
                                      crucible_name *_Nullable culprits[_Nonnull 2]);
/// A select of branches that were checked. Its caller keeps the shells of all names until `release`. Null: no memory.
crucible_select *_Nullable crucible_select_create(const crucible_branch *branches, size_t count,
                                                  const crucible_select_binding *binding, void *_Nullable context);
/// Injects the branches one by one, until the select is decided. May run bodies that are placed inline. Lock-free where
/// all soups are. CRUCIBLE_NO_MEMORY: the select is given up.
crucible_status crucible_select_begin(crucible_select *select);
/// Decides that no branch reacts, and withdraws all. False: it was decided before. On any thread; runs no body.
bool crucible_select_give_up(crucible_select *select);
/// The branch that reacted. Answers the number of branches if none has, or ever will.
size_t crucible_select_winner(crucible_select *select);
/// Releases the caller's reference.
void crucible_select_release(crucible_select *select);

/// Decides the selects of all branches among the inputs of the body that begins. True: they are values now, and the
/// body goes on; also if there are none. False: some select was decided before. Nothing is left of the inputs, and the
/// body returns at once.
bool crucible_firing_select(void *_Nonnull const *_Nonnull inputs);
/// Whether the value was a branch. Then nothing is left of it.
bool crucible_branch_destroy(void *value, crucible_reason reason);

// ---------------------------------------------------------------------------------------------------------------------
// Waiting for a reply
// ---------------------------------------------------------------------------------------------------------------------

/// The place that a caller waits at. It lies where the caller likes, and must stay there until it is signalled.
typedef struct crucible_waiter {
  uint32_t state;    ///< of the core alone
  uint32_t outcome;  ///< what the signaller said
  /// Called by the signaller instead of waking a thread, once `crucible_waiter_suspend` has returned true.
  void (*_Nullable resume)(struct crucible_waiter *waiter);
  void *_Nullable context;
  const void *_Nullable thread;  ///< of the core alone
} crucible_waiter;

/// Does what crucible_call_kind does, for a call whose thread will wait for `waiter` without a deadline. Requires:
/// `waiter` is all zero. A signal from that very thread then takes no locked instruction.
crucible_call crucible_call_begin(crucible_name *name, crucible_waiter *waiter,
                                  crucible_name *_Nullable *_Nonnull state);
/// How a call of this name that is awaited has to be made: CRUCIBLE_CALL_PLAIN, CRUCIBLE_CALL_SPECIAL, or
/// CRUCIBLE_CALL_AT_ONCE, as crucible_call_at_once may do it. `owns`: the caller owns the soup. Requires: until the
/// definition has ended, the name is special.
crucible_call crucible_call_await(crucible_name *name, bool owns);
/// Injects the call at `value` if it fires a reaction that runs on this thread, and runs it. A call that is injected so
/// is never stored, and cannot be withdrawn. Requires: crucible_call_await has said so; `waiter` is all zero. False: it
/// was not injected. True: a reaction has consumed it. The caller calls crucible_waiter_leave next, unless the call has
/// ended and nothing else refers to the waiter.
bool crucible_call_at_once(crucible_name *name, void *value, crucible_waiter *waiter);
/// Whether the waiter is that of this thread: of an injection by crucible_call_at_once that this thread is inside of,
/// or of a call that it began by crucible_call_begin. False once the call was put back.
bool crucible_waiter_is_here(const crucible_waiter *waiter);
/// The injection by crucible_call_at_once is over, and others may still answer.
void crucible_waiter_leave(crucible_waiter *waiter);
/// Says the outcome, once; after this the waiter may be gone.
void crucible_waiter_signal(crucible_waiter *waiter, uint32_t outcome);
/// The call that somebody waits for with this waiter, which was never handed to `crucible_call_begin`, was taken out of
/// its soup: from now on a reply may come from anywhere. Or it was put back.
void crucible_waiter_set_taken(crucible_waiter *waiter, bool taken);
/// True once it has been signalled; then `outcome`, and what the signaller wrote before, may be read.
bool crucible_waiter_is_signalled(const crucible_waiter *waiter);
/// Blocks until signalled: spins a little, then parks. A thread of the pool is replaced meanwhile.
void crucible_waiter_wait(crucible_waiter *waiter);
/// Blocks like crucible_waiter_wait, for at most `nanoseconds`. False: not signalled yet; it may be waited for again.
bool crucible_waiter_wait_for(crucible_waiter *waiter, uint64_t nanoseconds);
/// From now on `serve` is called by every thread that is about to sleep until a waiter is signalled, and has no
/// deadline: it may wait in its own way, and returns when the waiter is signalled, or at once.
void crucible_waiter_serve_instead(void (*serve)(crucible_waiter *waiter));
/// Arranges for `resume` to be called by the signaller. False: it has been signalled already, or waited for in vain
/// before, and resume is not called.
bool crucible_waiter_suspend(crucible_waiter *waiter);

// ---------------------------------------------------------------------------------------------------------------------
// Calls that are put back
// ---------------------------------------------------------------------------------------------------------------------
// A body may put a call back that its reaction has taken, if the name is declared so (`puts_back`). The call waits
// again when the body has ended, ahead of those that came later, until another molecule of the component comes
// (matcher/waitlist.c). A binding that declares such names fulfils two conditions, as for selects. The first word of a
// fast name's value never has both of its lowest bits set. The `destroy` of each fast name calls
// crucible_branch_destroy first.

/// Sets the function that finds a call's waiter by the call's value, for the whole process, before such a name is
/// declared. Its answer is null if no caller waits any more. The core calls it under a lock, so it must only read.
void crucible_set_waiter_of(const crucible_waiter *_Nullable (*_Nonnull waiter_of)(crucible_name *name,
                                                                                   const void *value));
/// Puts the call of this waiter back, which the body has taken that runs on this thread, or in `task`, if any. Moves
/// from `value`, a value of the call's name, when the answer is true. False: that body has no such call. The caller, if
/// it may give up, has to withdraw it itself if it has given up by then.
bool crucible_call_put_back(const crucible_waiter *waiter, const void *_Nullable task, void *value);
/// Takes a call that was put back out of its soup, and destroys it (CRUCIBLE_WITHDRAWN), as its caller gives up. False:
/// it was not put back, or a body has it, or it is destroyed as soon as it can be. Runs no body; blocks.
bool crucible_withdraw_put_back(crucible_name *name, const crucible_waiter *waiter);

// ---------------------------------------------------------------------------------------------------------------------
// Looking at callers that wait
// ---------------------------------------------------------------------------------------------------------------------

/// A note by which others see a caller that sleeps. It lies where the caller likes, and is in the list of the name's
/// soup from begin to end. Requires: until the end it stays where it is, with the waiter, and its owner keeps the
/// soup's shell.
typedef struct crucible_waiting {
  // To be said before begin.
  crucible_name *name;
  const crucible_waiter *waiter;
  const char *_Nullable file;  ///< of the call; never freed
  uint32_t line;
  uint64_t limit;              ///< nanoseconds; UINT64_MAX: none
  const void *_Nullable task;  ///< that is suspended; null: a thread sleeps
  // Said by begin.
  uint32_t thread;             ///< the system's number of the thread that sleeps; 0: a task
  uint64_t since;              ///< nanoseconds, by the monotonic clock
  bool is_body;                ///< the task runs a body of the name's soup
  struct crucible_waiting *_Nullable next, *_Nullable previous;  ///< of the core alone
} crucible_waiting;

void crucible_waiting_begin(crucible_waiting *note, bool is_thread);
void crucible_waiting_end(crucible_waiting *note);
/// Blocks like crucible_waiter_wait_for. From begin to end of its sleep, if it sleeps, the note is in the list.
bool crucible_waiter_wait_noted(crucible_waiter *waiter, uint64_t nanoseconds, crucible_waiting *_Nullable note);
/// Copies of up to `capacity` notes of callers that sleep and are not signalled, the latest first, and what the clock
/// said meanwhile. Answers how many there are. Needs the shell only; blocks for O(notes).
size_t crucible_soup_waiting(crucible_soup *soup, crucible_waiting *notes, size_t capacity, uint64_t *time);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
