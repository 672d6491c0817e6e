// Callers that sleep until the outcome of a call (waiter.c). The cases detect lost wake-ups, and threads
// that touch a waiter that is gone.
//
// There is no reaction here: clients do what a body or the Swift layer does with a call. The client that claims a call
// signals its waiter. The waiter is freed as soon as the wait is over, so that a late access fails. Each client follows
// a word:
//
//   T D S   makes the next call and waits for it: as a thread; as a thread with a deadline, which then claims the call
//           itself or goes on waiting; as a task, which is resumed
//   r c     replies to the call at that place in the word, or cancels it, unless it has been claimed
//   l       looks at the callers that wait
//   w       wakes the call at that place for no reason, as a late signaller of an older waiter at the same address does
//   -       skips a call
//
//   WAITER-1  no thread sleeps for ever (the scheduler reports it)
//   WAITER-2  no thread touches a waiter that is gone (memory.c reports it)
//   WAITER-3  a wait is over when a thread has signalled, and its outcome is that of the thread that claimed the call;
//       no look at the waiting callers shows a caller that has been signalled
//   WAITER-4  a task is resumed once

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/futex.h"
#include "trial.h"
#include "weak/weak.h"

enum { MOST_CALLS = 4, LIMIT = 1000 };
enum token { OPEN, REPLIED, CANCELLED, TIMED_OUT };

struct call {
  struct {
    crucible_waiter waiter;
    crucible_waiting note;
  } *place;                    ///< freed when the wait is over
  _Atomic uint32_t begun;
  _Atomic uint32_t token;
  _Atomic uint32_t resumed;
  _Atomic uint32_t signalled;  ///< the signaller has returned
  char answer;                 ///< stands for memory that is written before the signal, and read after it
};

static struct call calls[MOST_CALLS];

static void define(struct trial *trial) {
  memset(calls, 0, sizeof calls);
  crucible_soup_options options = {.label = "waiters", .seed = 1};
  trial->soup = crucible_soup_create(&options);
  if (!trial->soup) scheduler_fail("no memory");
  crucible_name_options name = {.label = "f", .kind = CRUCIBLE_FAST, .size = sizeof(void *),
                                .alignment = sizeof(void *)};
  if (crucible_soup_add_name(trial->soup, &name, NULL, &trial->names[0].core) != CRUCIBLE_OK) {
    scheduler_fail("a name is refused");
  }
}

static void check(struct trial *trial) {
  crucible_waiting notes[MOST_CALLS];
  uint64_t time;
  if (crucible_soup_waiting(trial->soup, notes, MOST_CALLS, &time) != 0) {
    scheduler_fail("somebody is in the list at rest");
  }
  crucible_soup_release(trial->soup);
}

// ---------------------------------------------------------------------------------------------------------------------
// Ending calls
// ---------------------------------------------------------------------------------------------------------------------

static void end_call(struct call *call, enum token token) {
  uint32_t open = OPEN;
  if (!cas_acq_rel(&call->token, &open, token)) return;
  uses(&call->answer, sizeof call->answer);
  crucible_waiter_signal(&call->place->waiter, token);
  store_release(&call->signalled, 1);
}

static void await_begin(struct call *call) {
  while (!load_acquire(&call->begun)) spin_pause();
}

static void look(struct trial *trial) {
  bool ended[MOST_CALLS];
  for (unsigned i = 0; i < MOST_CALLS; i++) ended[i] = load_acquire(&calls[i].signalled);
  crucible_waiting notes[MOST_CALLS];
  uint64_t time;
  size_t count = crucible_soup_waiting(trial->soup, notes, MOST_CALLS, &time);
  if (count > MOST_CALLS) scheduler_fail("more wait than there are");
  for (size_t k = 0; k < count; k++) {
    if (notes[k].since > time) scheduler_fail("a caller waits since later than now");
    for (unsigned i = 0; i < MOST_CALLS; i++) {
      if (ended[i] && notes[k].waiter == &calls[i].place->waiter) {
        scheduler_fail("call %u has ended, and is seen waiting", i);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Waiting
// ---------------------------------------------------------------------------------------------------------------------

static void resume(crucible_waiter *waiter) {
  struct call *call = waiter->context;
  if (exchange_acq_rel(&call->resumed, 1)) scheduler_fail("a task is resumed twice");
  crucible__unpark(&call->resumed, INT_MAX);
}

static void wait_as_task(struct call *call) {
  crucible_waiter *waiter = &call->place->waiter;
  crucible_waiting_begin(&call->place->note, false);
  waiter->resume = resume;
  waiter->context = call;
  if (crucible_waiter_pause(waiter) || !crucible_waiter_suspend(waiter)) resume(waiter);
  while (!load_acquire(&call->resumed)) crucible__park(&call->resumed, 0, UINT64_MAX);
  crucible_waiting_end(&call->place->note);
}

static void wait_as_thread(struct call *call, uint64_t limit) {
  if (crucible_waiter_wait_noted(&call->place->waiter, limit, &call->place->note)) return;
  end_call(call, TIMED_OUT);
  crucible_waiter_wait(&call->place->waiter);
}

static void begin_call(struct trial *trial, struct call *call, char how) {
  call->place = aligned_alloc(_Alignof(max_align_t), sizeof *call->place);
  if (!call->place) scheduler_fail("no memory");
  memset(call->place, 0, sizeof *call->place);
  call->place->note = (crucible_waiting){.name = trial->names[0].core, .waiter = &call->place->waiter,
                                         .limit = UINT64_MAX};
  crucible_name *state;
  if (how == 'T') crucible_call_begin(trial->names[0].core, &call->place->waiter, &state);
  store_release(&call->begun, 1);
}

static void finish_call(struct call *call) {
  crucible_waiter *waiter = &call->place->waiter;
  if (!crucible_waiter_is_signalled(waiter)) scheduler_fail("a wait is over, and nobody has signalled");
  uses(waiter, sizeof *waiter);
  uses(&call->answer, sizeof call->answer);
  if (waiter->outcome != load_acquire(&call->token)) {
    scheduler_fail("a wait ends with outcome %u, and the call with %u", waiter->outcome, load_acquire(&call->token));
  }
  free(call->place);
}

static void call_and_wait(struct trial *trial, struct call *call, char how) {
  begin_call(trial, call, how);
  if (!crucible_waiter_is_signalled(&call->place->waiter)) {
    if (how == 'S') wait_as_task(call);
    else wait_as_thread(call, how == 'D' ? LIMIT : UINT64_MAX);
  }
  finish_call(call);
}

static void follow(struct trial *trial, unsigned index) {
  struct call *call = calls;
  for (const char *c = trial->chemistry->words[index]; *c; c++, call++) {
    if (*c == '-') continue;
    if (*c == 'l') {
      look(trial);
    } else if (strchr("TDS", *c)) {
      call_and_wait(trial, call, *c);
    } else {
      await_begin(call);
      if (*c == 'w') crucible__unpark((_Atomic uint32_t *)(void *)&call->place->waiter.state, 1);
      else end_call(call, *c == 'r' ? REPLIED : CANCELLED);
    }
  }
}

#define WAITERS(text, what, count, ...) \
  CASE(text, what, count, define, follow, .check = check, .waits = true, .bare = true, .scheduled = true, \
       .words = {__VA_ARGS__})

WAITERS("wait", "threads sleep until they are answered or cancelled", 4, "TTT", "rrr", "ccc", "lll");
WAITERS("wait-mixed", "a thread, one with a deadline, a task, and wake-ups for no reason", 4, "TDST", "rrrr", "cwcw",
        "wllw");
WAITERS("wait-two", "two threads wait, and either leaves the list first", 3, "T", "-T", "rr");
WAITERS("tiny-wait", "a thread is answered", 2, "T", "r");
WAITERS("tiny-wait-woken", "a thread is answered, and woken for no reason", 3, "T", "r", "w");
WAITERS("tiny-wait-deadline", "a thread is answered at its deadline", 2, "D", "r");
WAITERS("tiny-wait-task", "a task is answered", 2, "S", "r");
WAITERS("tiny-wait-cancel", "a task is answered and cancelled", 3, "S", "r", "c");
WAITERS("tiny-wait-look", "a thread is answered and looked at", 3, "T", "r", "l");
