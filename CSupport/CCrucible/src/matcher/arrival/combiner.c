// See combiner.h.

#include "matcher/arrival/combiner.h"

#include "base/futex.h"

enum answer { NONE, ASLEEP, SERVED, HANDED_OVER };

static void answer(struct request *request, enum answer with) {
  // partner: the acquire in wait_for_answer. From here on the request may be gone (COMBINE-2). A wake of whatever lies
  // there does no harm.
  if (exchange_release(&request->answer, with) == ASLEEP) crucible__unpark(&request->answer, 1);
}

static uint32_t wait_for_answer(struct request *request) {
  uint32_t answer = NONE;
  for (uint32_t look = 0; look < CRUCIBLE_SPINS; look++) {
    answer = load_acquire(&request->answer);  // partner: the exchange in `answer`
    if (answer != NONE) return answer;
    spin_pause();
  }
  if (!cas_acquire(&request->answer, &answer, ASLEEP)) return answer;  // partner: the same
  do {
    crucible__park(&request->answer, ASLEEP, UINT64_MAX);
    answer = load_acquire(&request->answer);  // partner: the same
  } while (answer == ASLEEP);
  return answer;
}

/// Takes all waiting requests, oldest first. Requires: there is one.
static struct request *take_all(struct combiner *combiner) {
  // partner: the compare-and-swap in crucible__combine_late
  struct request *next = exchange_acquire(&combiner->pending, COMBINER_BUSY);
  struct request *oldest = NULL;
  while (next != COMBINER_BUSY) {
    struct request *request = next;
    next = request->next;
    request->next = oldest;
    oldest = request;
  }
  return oldest;
}

/// Serves `next` and the younger requests behind it, and then those that are enqueued meanwhile.
static void combine(struct combiner *combiner, struct component *component, struct request *next) {
  for (uint32_t served = 0;;) {
    while (next) {
      struct request *request = next;
      next = request->next;
      request->serve(component, request);
      answer(request, SERVED);
      served++;
    }
    struct request *pending = COMBINER_BUSY;
    // partner: the acquire in crucible__combine and crucible__combine_late
    if (cas_release(&combiner->pending, &pending, COMBINER_IDLE)) return;
    next = take_all(combiner);
    if (served < CRUCIBLE_COMBINED) continue;
    answer(next, HANDED_OVER);
    return;
  }
}

void crucible__combine_rest(struct combiner *combiner, struct component *component) {
  combine(combiner, component, take_all(combiner));
}

void crucible__combine_late(struct combiner *combiner, struct component *component, struct request *request) {
  struct request *pending = load_relaxed(&combiner->pending);
  atomic_init(&request->answer, NONE);
  for (;;) {
    request->next = pending;
    // partner: the exchange in take_all; if it was idle, the release that ended the work of the combiner before
    if (cas_acq_rel(&combiner->pending, &pending, pending == COMBINER_IDLE ? COMBINER_BUSY : request)) break;
  }
  struct request *next = NULL;
  if (pending != COMBINER_IDLE) {
    if (wait_for_answer(request) == SERVED) return;
    next = request->next;  // handed over, with all younger requests
  }
  request->serve(component, request);
  combine(combiner, component, next);
}
