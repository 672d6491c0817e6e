// Calls of fast molecules. The question and the reply are plain memory of the caller. The caller waits in each possible
// way, gives up after a short time, and withdraws. A call that cannot be withdrawn is always signalled, with a reply or
// with a reason.

#include <sched.h>
#include <string.h>

#include "storms.h"

static unsigned char byte_of(uint64_t number, uint32_t index, unsigned salt) {
  return (unsigned char)(number * 17 + index + salt);
}

/// Its address stands for this thread.
static _Thread_local char mark;

void answer(struct call *call) {
  if (crucible_waiter_is_here(&call->waiter) && call->caller != &mark) fail("a body takes another thread for its own");
  for (uint32_t i = 0; i < sizeof call->question; i++) {
    if (call->question[i] != byte_of(call->number, i, 1)) fail("a question is torn");
  }
  for (uint32_t i = 0; i < call->size; i++) call->reply[i] = byte_of(call->number, i, 2);
  crucible_waiter_signal(&call->waiter, REPLIED);
}

static void check_reply(const struct call *call) {
  if (call->waiter.outcome != REPLIED) {
    if (call->waiter.outcome < ENDED) fail("a call ends with outcome %u", call->waiter.outcome);
    return;
  }
  for (uint32_t i = 0; i < call->size; i++) {
    if (call->reply[i] != byte_of(call->number, i, 2)) fail("a reply is torn");
  }
}

/// Resumes after an awaited call. The signaller calls it.
static void resume(crucible_waiter *waiter) {
  struct call *call = waiter->context;
  atomic_store_explicit(&call->resumed, true, memory_order_release);
}

/// Waits for as long as this caller has patience; then, unless it was withdrawn, to the end. Returns true if the call
/// has ended.
static bool wait_for(struct call *call, const crucible_name *name, uint64_t patience) {
  if (one_in(4)) return crucible_waiter_wait_for(&call->waiter, patience);
  crucible_waiting note = {.name = (crucible_name *)name, .waiter = &call->waiter, .limit = patience};
  return crucible_waiter_wait_noted(&call->waiter, patience, &note);
}

static bool has_resumed(struct call *call) { return atomic_load_explicit(&call->resumed, memory_order_acquire); }

/// Suspends like a task that awaits, unless the call is signalled already. Returns true if the call has ended.
static bool suspend_for(struct call *call, uint32_t patience) {
  call->waiter.resume = resume;
  call->waiter.context = call;
  call->suspended = crucible_waiter_suspend(&call->waiter);
  if (!call->suspended) return true;
  while (patience-- > 0 && !has_resumed(call)) sched_yield();
  return has_resumed(call);
}

static void await_end(struct call *call) {
  if (call->suspended) {
    while (!has_resumed(call)) sched_yield();
  } else if (one_in(2)) {
    while (!crucible_waiter_is_signalled(&call->waiter)) sched_yield();
  } else {
    crucible_waiter_wait(&call->waiter);
  }
}

/// Awaits like a task: injects the call if that fires a reaction on this thread, and waits for its end.
static bool call_at_once(const struct kind *kind, struct payload *payload, struct call *call) {
  if (crucible_call_await(kind->name, true) != CRUCIBLE_CALL_AT_ONCE) return false;
  if (!crucible_call_at_once(kind->name, payload->bytes, &call->waiter)) {
    call->waiter = (crucible_waiter){0};
    return false;
  }
  if (!crucible_waiter_is_signalled(&call->waiter)) crucible_waiter_leave(&call->waiter);
  await_end(call);
  check_reply(call);
  return true;
}

void make_call(struct vessel *vessel, struct kind *kind) {
  static const uint64_t patience[] = {0, 0, 1000, 30000, 200000};
  struct payload payload, back;
  crucible_ticket ticket;
  struct call call = {.size = draw(MOST_REPLY)};
  if (!make_molecule(kind, &payload, &call)) return;
  for (uint32_t i = 0; i < sizeof call.question; i++) call.question[i] = byte_of(call.number, i, 1);
  call.caller = &mark;
  // A name is special until its definition has ended.
  if (!vessel->early && one_in(3) && call_at_once(kind, &payload, &call)) return;
  crucible_name *state;
  if (one_in(2)) crucible_call_begin(kind->name, &call.waiter, &state);
  if (!crucible_inject_tracked(kind->name, payload.bytes, 0, true, &ticket)) {
    unmake_molecule(kind, &payload);
    return;
  }
  bool over = one_in(3) ? suspend_for(&call, draw(50))
                        : wait_for(&call, kind->name, patience[draw(sizeof patience / sizeof *patience)]);
  if (!over) {
    if (crucible_withdraw(kind->name, &ticket, back.bytes)) {
      atomic_fetch_add_explicit(&vessel->withdrawn, 1, memory_order_relaxed);
      unmake_molecule(kind, &back);
      return;
    }
    await_end(&call);
  }
  check_reply(&call);
  if (!crucible_waiter_is_signalled(&call.waiter)) fail("a call that has ended is not signalled");
}
