// Calls: selects, waiting for a reply, and the list of waiting callers.

#ifndef CRUCIBLE_CALLS_H
#define CRUCIBLE_CALLS_H

#include "crucible_define.h"

#pragma clang assume_nonnull begin

// ---------------------------------------------------------------------------------------------------------------------
// Selects
// ---------------------------------------------------------------------------------------------------------------------
// A select is one call on several fast names of any soups. At most one of its branches reacts (soup/select.c). A bag
// stores a mark of the core for a branch, and not a value of the name. So a binding that makes selects has three
// duties:
//   - Each body of a reaction that `selects` named begins with crucible_firing_select.
//   - The `destroy` of each fast name begins with crucible_branch_destroy.
//   - In the first word of a fast name's value, at least one of the two lowest bits is 0. The core's mark sets both.

typedef struct crucible_select crucible_select;

/// The functions of a binding that the core calls for its selects.
typedef struct {
  /// Says that from now on bodies of the reaction begin with crucible_firing_select. Any thread calls it before it
  /// injects the first branch on a name of the reaction, perhaps more than once. The soup is held.
  void (*selects)(crucible_soup *soup, size_t reaction);
  /// Injects a value of a name with callers again, after a firing took it and then did not take place. Takes the value
  /// over. `attempts`: as in crucible_inject_tracked. `origin`: the molecule's origin, also taken over, or null if its
  /// name has none. Runs no body.
  void (*put_back)(crucible_name *name, void *value, uint64_t attempts, void *_Nullable origin);
  /// Reports that a branch is gone and no reaction has consumed it. CRUCIBLE_WITHDRAWN: the select was decided
  /// otherwise.
  void (*left)(void *_Nullable context, size_t branch, crucible_reason reason);
  /// Reports that the last branch has left for that reason. No branch has reacted, and none will.
  void (*ended)(void *_Nullable context, crucible_reason reason);
  /// Releases the context. Nothing uses the select or its values after this.
  void (*release)(void *_Nullable context);
} crucible_select_binding;

/// One call of a select.
typedef struct {
  crucible_name *name;
  /// The value for the body, if this branch reacts. It is moved from then, and untouched otherwise. It stays in place
  /// until `release`.
  const void *value;
  bool owns;          ///< as in crucible_inject_tracked
} crucible_branch;

/// Checks whether these can be the branches of a select. Returns CRUCIBLE_NO_BRANCHES, CRUCIBLE_NOT_FROZEN or
/// CRUCIBLE_SHARED_REACTION if they cannot. `culprits`: the two names, or the first alone.
crucible_status crucible_select_check(const crucible_branch *branches, size_t count,
                                      crucible_name *_Nullable culprits[_Nonnull 2]);
/// Creates a select of branches that were checked. The caller keeps the shells of all names until `release`. Null: no
/// memory.
crucible_select *_Nullable crucible_select_create(const crucible_branch *branches, size_t count,
                                                  const crucible_select_binding *binding, void *_Nullable context);
/// Injects the branches one by one, until the select is decided. May run bodies that are placed inline. Lock-free if
/// all its soups are. CRUCIBLE_NO_MEMORY: the select is given up.
crucible_status crucible_select_begin(crucible_select *select);
/// Decides that no branch reacts, and withdraws all branches. False: the select was decided before. Callable on any
/// thread. Runs no body.
bool crucible_select_give_up(crucible_select *select);
/// The branch that reacted, or the number of branches if none has reacted or ever will.
size_t crucible_select_winner(crucible_select *select);
/// Releases the caller's reference.
void crucible_select_release(crucible_select *select);

/// Decides the selects of all branches among the inputs of the body that begins. True: the branches are values now, and
/// the body continues. So it does if there are no branches. False: some select was decided before, nothing is left of
/// the inputs, and the body must return at once.
bool crucible_firing_select(void *_Nonnull const *_Nonnull inputs);
/// Returns the call that the caller made. In a select, the bag has a mark of the core in place of the call. `read` of a
/// name with keys uses this function, because it needs the call.
const void *crucible_branch_value(const void *value);
/// Destroys the value if it is a branch. Returns whether it was one.
bool crucible_branch_destroy(void *value, crucible_reason reason);

// ---------------------------------------------------------------------------------------------------------------------
// Waiting for a reply
// ---------------------------------------------------------------------------------------------------------------------

/// The place where a caller waits. The caller chooses where it lies. It must stay there until it is signalled.
typedef struct crucible_waiter {
  uint32_t state;    ///< used by the core alone
  uint32_t outcome;  ///< the outcome that the signaller passed
  /// Called by the signaller instead of waking a thread, after `crucible_waiter_suspend` has returned true.
  void (*_Nullable resume)(struct crucible_waiter *waiter);
  void *_Nullable context;
  const void *_Nullable thread;  ///< used by the core alone
} crucible_waiter;

/// Does what crucible_call_kind does, for a call whose thread will wait for `waiter` without a deadline. Requires:
/// `waiter` is all zero. A signal from the same thread then executes no locked instruction.
crucible_call crucible_call_begin(crucible_name *name, crucible_waiter *waiter,
                                  crucible_name *_Nullable *_Nonnull state);
/// How to make a call of this name that is awaited: CRUCIBLE_CALL_PLAIN, CRUCIBLE_CALL_SPECIAL,
/// CRUCIBLE_CALL_AT_ONCE if crucible_call_at_once may make it, or CRUCIBLE_CALL_VISITED if crucible_call_visit may.
/// `owns`: the caller owns the soup. Requires: the name is special until the definition has ended.
crucible_call crucible_call_await(crucible_name *name, bool owns);
/// Injects the call at `value` if it fires a reaction that runs on this thread, and runs that reaction. Such a call is
/// never stored, and cannot be withdrawn. Requires: crucible_call_await has returned CRUCIBLE_CALL_AT_ONCE, and
/// `waiter` is all zero. False: the call was not injected. True: a reaction has consumed it. Then the caller calls
/// crucible_waiter_leave next, unless the call has ended and nothing else refers to the waiter.
bool crucible_call_at_once(crucible_name *name, void *value, crucible_waiter *waiter);
/// Injects the call like crucible_call_at_once. The reaction may also be one placed by CRUCIBLE_POOL_OR_CALLER, or one
/// that visits, because this thread waits for the reply. Requires: crucible_call_await, or crucible_call_begin for a
/// call that blocks, has returned CRUCIBLE_CALL_VISITED, and the caller owns the soup.
bool crucible_call_visit(crucible_name *name, void *value, crucible_waiter *waiter);
/// Whether the waiter belongs to this thread: to an injection by crucible_call_at_once that the thread is inside of, or
/// to a call that it began by crucible_call_begin. False after the call was put back.
bool crucible_waiter_is_here(const crucible_waiter *waiter);
/// Sets the functions for bodies that visit callers. `allow` returns whether a body may run
/// on the calling thread, which is going to wait for it. `overstay` is called when a body took long on its caller's
/// thread, or waited there. All later bodies of that reaction run on the pool. Any thread may call `overstay`. The soup
/// lives until it returns.
void crucible_visits_begin(bool (*allow)(void),
                           void (*_Nullable overstay)(crucible_soup *soup, size_t reaction));
/// The soup of the body that runs on this thread, or else in `task`. Null: there is none.
crucible_soup *_Nullable crucible_running_soup(const void *_Nullable task);
/// Ends an injection by crucible_call_at_once. Other threads may still answer the call.
void crucible_waiter_leave(crucible_waiter *waiter);
/// Signals the outcome, once. The waiter may be gone after this.
void crucible_waiter_signal(crucible_waiter *waiter, uint32_t outcome);
/// Notes whether a call was taken out of its soup, so that a reply may come from anywhere, or was put back. Requires: a
/// caller waits with this waiter, and it was never handed to `crucible_call_begin`.
void crucible_waiter_set_taken(crucible_waiter *waiter, bool taken);
/// Whether it has been signalled. If true, the caller may read `outcome` and everything that the signaller wrote
/// before.
bool crucible_waiter_is_signalled(const crucible_waiter *waiter);
/// Blocks until the waiter is signalled. Spins a little, then parks. Meanwhile the pool replaces a thread of its own.
void crucible_waiter_wait(crucible_waiter *waiter);
/// Sets a function that every thread calls when it is about to sleep without a deadline until a waiter is signalled.
/// `serve` may wait in its own way. It returns when the waiter is signalled, or at once.
void crucible_waiter_serve_instead(void (*serve)(crucible_waiter *waiter));
/// Pauses some times for a signal, if this thread's pauses have mostly been worth it. Returns whether it came. For a
/// task that is about to suspend.
bool crucible_waiter_pause(const crucible_waiter *waiter);
/// Arranges that the signaller calls `resume`. False: `resume` will not be called, because the waiter was signalled
/// already, or an earlier wait for it timed out.
bool crucible_waiter_suspend(crucible_waiter *waiter);

// ---------------------------------------------------------------------------------------------------------------------
// Inspecting callers that wait
// ---------------------------------------------------------------------------------------------------------------------

/// A note that makes a sleeping caller visible to others. It lies where the caller chooses, and is in the list of the
/// name's soup from begin to end. Requires: until the end the note and the waiter stay where they are, and the owner of
/// the note keeps the soup's shell.
typedef struct crucible_waiting {
  // Members that the caller sets before begin.
  crucible_name *name;
  const crucible_waiter *waiter;
  const char *_Nullable file;  ///< of the call; never freed
  uint32_t line;
  uint64_t limit;              ///< nanoseconds, or UINT64_MAX for no limit
  const void *_Nullable task;  ///< the suspended task; null: a thread sleeps
  // Members that begin sets.
  uint32_t thread;             ///< the system's number of the sleeping thread; 0: a task
  uint64_t since;              ///< nanoseconds, by the monotonic clock
  bool is_body;                ///< the task runs a body of the name's soup
  struct crucible_waiting *_Nullable next, *_Nullable *_Nullable link;  ///< used by the core alone
} crucible_waiting;

void crucible_waiting_begin(crucible_waiting *note, bool is_thread);
void crucible_waiting_end(crucible_waiting *note);
/// Blocks like crucible_waiter_wait, for at most `nanoseconds`. False: not signalled yet. The caller may wait again. If
/// the thread sleeps, the note is in the list from begin to end of the sleep.
bool crucible_waiter_wait_noted(crucible_waiter *waiter, uint64_t nanoseconds, crucible_waiting *_Nullable note);
/// Copies up to `capacity` notes of callers that sleep and are not signalled, the latest first. Sets `*time` to the
/// clock at that moment. Returns the number of such notes. Requires: the shell is retained. Blocks for O(notes).
size_t crucible_soup_waiting(crucible_soup *soup, crucible_waiting *notes, size_t capacity, uint64_t *time);

#pragma clang assume_nonnull end

#endif
