// A crew: permanent threads that start a piece of work at the same moment, and share its rounds.
//
// The crew deals rounds out in small portions, and does not divide them beforehand. A thread that the kernel favours
// does more of them. All threads stop at about the same time, so no thread is timed while it runs alone.

#ifndef HARNESS_CREW_H
#define HARNESS_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness_clock.h"
#include "harness_sample.h"

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

#define HARNESS_MAX_THREADS 64

typedef struct harness_crew harness_crew;

typedef struct harness_deal {
  uint64_t next;
  uint64_t padding[7];  // members that are only read are on another line
  uint64_t rounds;
  uint64_t portion;
  bool follows;    // rounds are dealt out only a limited distance ahead
  uint64_t base;   // the number that was reached before the first round
  uint64_t ahead;
  uint64_t until;  // no rounds are dealt out from then on; 0: all are
} harness_deal;

void harness_reach_exactly(uint64_t number);

enum { HARNESS_REACH_STEP = 64 };

/// Notes the progress of the reactions of a case, if its rounds follow them. The body passes its number. Every 64th is
/// noted, because waiting threads read the cache line of that note.
static inline void harness_reach(uint64_t number) {
  if (__builtin_expect(number % HARNESS_REACH_STEP == 0, 0)) harness_reach_exactly(number);
}

/// Waits until the reactions are close enough to the dealt rounds.
void harness_deal_wait(const harness_deal *deal);

/// Takes the next rounds [first, end). Returns false if all are dealt out, or if the time is over and some are.
static inline bool harness_deal_take(harness_deal *deal, uint64_t *first, uint64_t *end) {
  if (deal->follows) harness_deal_wait(deal);
  if (deal->until && __atomic_load_n(&deal->next, __ATOMIC_RELAXED) > 0 && harness_now() >= deal->until) return false;
  uint64_t start = __atomic_fetch_add(&deal->next, deal->portion, __ATOMIC_RELAXED);
  if (start >= deal->rounds) return false;
  *first = start;
  *end = deal->rounds - start < deal->portion ? deal->rounds : start + deal->portion;
  return true;
}

/// The number of rounds that were dealt out, which are the first ones. All rounds, if the work took none from the deal.
static inline uint64_t harness_deal_rounds(const harness_deal *deal) {
  return deal->next == 0 || deal->next > deal->rounds ? deal->rounds : deal->next;
}

/// The share of one thread of the crew.
typedef struct harness_share {
  harness_deal *deal;
  size_t thread;
  harness_recorder *_Nullable recorder;  ///< null unless single calls are timed
} harness_share;

typedef void (*harness_work)(void *context, const harness_share *share);

/// Returns null if there are too many threads, or if no thread can start.
harness_crew *_Nullable harness_crew_create(size_t threads);
void harness_crew_destroy(harness_crew *crew);
/// Limits the time in which the next runs deal out rounds. 0 means no limit. It does not limit work that divides its
/// rounds without the deal.
void harness_crew_limit(harness_crew *crew, uint64_t nanoseconds);

/// The number of rounds of a run that ends by its time: as many as are dealt out within the crew's limit.
enum { HARNESS_UNTIL_LIMIT = 0 };

/// Runs each thread's share at the same time, and waits for all threads. Writes times, overlap and allocations into the
/// sample. `recorders` is null, or has one for each thread.
void harness_crew_run(harness_crew *crew, uint64_t rounds, harness_recorder *_Nullable recorders, harness_work work,
                      void *_Nullable context, harness_sample *sample);

/// Keeps the threads of the next run together. One thread may be busy with the reactions of all, because it has what
/// they all need. Then the others would finish their injections long before it, and the threads would hardly overlap.
/// With this they inject only some portions ahead. `base` is the last number that was passed to harness_reach.
void harness_crew_follow(harness_crew *crew, uint64_t base);

/// Seconds after which a sample counts as hung.
enum { HARNESS_PATIENCE = 120 };
/// Sets the message with which the process exits with code 1 when a sample takes longer. A lost wake-up must not hang
/// the reader of the figures. The description is copied.
void harness_watch(const char *description);
/// Prints the message, and ends the process.
_Noreturn void harness_hung(void);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
