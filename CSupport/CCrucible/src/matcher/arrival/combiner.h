// A combiner: one thread at a time works for all threads. This is flat combining (Hendler, Incze, Shavit and Tzafrir,
// SPAA 2010), with the bound on the work of one thread that CC-Synch has (Fatourou and Kallimanis, PPoPP 2012).
//
// A thread makes a request of a component. If no thread combines, this thread serves its request itself, and then those
// that were enqueued meanwhile, oldest first. Otherwise it enqueues its request by one compare-and-swap and waits until
// the combiner has served it. So the data that serving accesses needs no atomic access.
//
//   pending = IDLE        no thread combines, and no request waits
//   pending = BUSY        a thread combines, and no request waits outside its hands
//   pending = a request   a thread combines, and this is the youngest request that waits; each leads to the next older
//
//   COMBINE-1  Every request is served. It is enqueued only while a thread combines, and that thread stops combining
//       only by the compare-and-swap of BUSY to IDLE. "None waits" and "no thread combines" are in one word, so no
//       thread enqueues between the last check and the end.
//   COMBINE-2  A request is served once, by the thread that took it out of `pending` with all others. It lies on the
//       stack of its thread, so the combiner does not access it after its answer.
//   COMBINE-3  Requests are served in the order in which they were enqueued. The request of a thread that finds the
//       component idle is first.
//   COMBINE-4  A combiner that has served CRUCIBLE_COMBINED requests of other threads hands over to the thread of the
//       oldest request that waits, and returns. So every call ends after a bounded number of requests.
//
// The model `combine` (Tests/Models) has all of this.
//
// Progress: enqueueing is lock-free. A thread that stops before it has enqueued, or after its request was served,
// delays no other thread. A combiner that stops delays every thread that uses the component. So does a thread to which
// the combiner has handed over, until it runs.

#ifndef CRUCIBLE_COMBINER_H
#define CRUCIBLE_COMBINER_H

#include "types.h"

struct request {
  void (*serve)(struct component *component, struct request *request);  ///< must not call code of the binding
  struct request *next;  ///< the next older one while it is enqueued, the next younger one in a combiner's hands
  _Atomic uint32_t answer;
};

struct combiner {
  _Alignas(64) _Atomic(struct request *) pending;
};

#define COMBINER_IDLE ((struct request *)0)
#define COMBINER_BUSY ((struct request *)1)

/// Serves a request that could not be served at once because of another thread.
void crucible__combine_late(struct combiner *combiner, struct component *component, struct request *request);
/// Serves the requests that were enqueued while this thread combined.
void crucible__combine_rest(struct combiner *combiner, struct component *component);

/// Serves the request, on this thread or by the combining thread. Blocks until it is served.
static inline __attribute__((always_inline)) void crucible__combine(
    struct combiner *combiner, struct component *component, struct request *request) {
  struct request *pending = COMBINER_IDLE;
  // partner: the release that ends the work of the combiner before, below or in combiner.c
  if (UNLIKELY(!cas_acquire(&combiner->pending, &pending, COMBINER_BUSY))) {
    crucible__combine_late(combiner, component, request);
    return;
  }
  request->serve(component, request);
  pending = COMBINER_BUSY;
  // partner: the acquire above, and in crucible__combine_late
  if (UNLIKELY(!cas_release(&combiner->pending, &pending, COMBINER_IDLE))) crucible__combine_rest(combiner, component);
}

#endif
