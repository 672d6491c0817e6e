// The parts of the test: the chemistry and its threads (chemistry.c), freezing one of them (freezing.c), and the work
// of the others meanwhile (stalls.c).

#ifndef STALLS_H
#define STALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../programs.h"

/// Pauses for a moment, for polling.
void pause_shortly(void);

// ---------------------------------------------------------------------------------------------------------------------
// The chemistry
// ---------------------------------------------------------------------------------------------------------------------

enum { THREADS = 3, PAIRS = 2, WORD_NAMES = 10, MOST_NAMES = 3 * WORD_NAMES + 2 + 1 + 2 * PAIRS * THREADS };

struct worker {
  pthread_t thread;
  struct pair {
    crucible_name *x, *y;
    atomic_ulong fired;
  } pairs[PAIRS];
  atomic_ulong rounds;
  char padding[64];
};

extern struct worker workers[THREADS];
extern atomic_ulong fired;  ///< firings of a and b

/// Makes the soup. If `wide`, the shared component takes several words.
crucible_soup *make_soup(crucible_matcher matcher, bool wide);
void start_workers(void);
/// Ends the threads, each after its round.
void end_workers(void);

// ---------------------------------------------------------------------------------------------------------------------
// Freezing
// ---------------------------------------------------------------------------------------------------------------------

/// The operation that a thread performs on the core.
enum operation { ELSEWHERE, INJECT_FIRST, INJECT_SECOND, INJECT_CALL, WITHDRAW, OPERATIONS };
extern _Thread_local volatile enum operation operation;
/// Whether this thread allocates for the core.
extern _Thread_local volatile bool stalls_allocating;

void prepare_freezing(void);
/// Sends the thread one signal. Returns the operation in which it is frozen until its release, or ELSEWHERE if the
/// signal met it outside of the core.
enum operation try_to_freeze(pthread_t victim);
void release_frozen(void);

#endif
