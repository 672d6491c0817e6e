// A fast call from C: the payload has the address for the reply, and the thread to wake.

#ifndef CASES_CALL_H
#define CASES_CALL_H

#include "CCrucible.h"

typedef struct cases_call {
  crucible_waiter *waiter;
  int64_t *reply;
} cases_call;

/// Injects a fast molecule and blocks until a reaction has replied.
static inline int64_t cases_call_and_wait(crucible_name *name) {
  crucible_waiter waiter = {0};
  int64_t reply = -1;
  cases_call call = {&waiter, &reply};
  if (crucible_inject(name, &call)) crucible_waiter_wait(&waiter);
  return reply;
}

static inline void cases_reply(const cases_call *call, int64_t reply) {
  crucible_waiter *waiter = call->waiter;
  *call->reply = reply;
  crucible_waiter_signal(waiter, 1);
}

#endif
