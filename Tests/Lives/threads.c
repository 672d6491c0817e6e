// Threads end at any moment, and there are very many of them over time.
//
//   threads NUMBER
//
// In every way in which a thread may end, it leaves no work undone and nothing behind:
//   joined and detached; right after it has injected, with the pool asleep; after a chain of inline reactions too long
//   for its stack, whose rest is in its slot, where the pool may steal it; with what the binding saves, which is
//   destroyed once; while destructors of thread-specific data inject, before and after the core's own.
// Then NUMBER threads begin and end, four at a time, and each injects once. At the end the records of threads, the
// core's memory and the memory of the process may not be more than after the first few threads: the threads that live
// at once bound them.

#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread.h"
#include "lives.h"

enum { ROUNDS = 200, DEPTH = 100, AT_ONCE = 4, FIRST = 1000, MOST_RECORDS = 40, DEADLINE = 60 };
static pthread_key_t before, after;
static struct chain in_place[MOST_MATCHERS], on_pool[MOST_MATCHERS];
static atomic_ulong reactions, saved_made, saved_destroyed;

static void count_reaction(void) { atomic_fetch_add(&reactions, 1); }

static void wait_for_reactions(unsigned long number, const char *what) {
  AWAIT(atomic_load(&reactions) >= number, DEADLINE, "%s: %lu of %lu reactions", what, atomic_load(&reactions), number);
  if (atomic_load(&reactions) != number) {
    fail("%s: %lu reactions instead of %lu", what, atomic_load(&reactions), number);
  }
  atomic_store(&reactions, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// The ways to end
// ---------------------------------------------------------------------------------------------------------------------

static void inject_at_the_end(void *soups) {
  for (unsigned m = 0; m < matcher_count(); m++) chain_start((struct chain *)soups + m, DEPTH);
}

static void destroy_saved(void *saved) {
  atomic_fetch_add(&saved_destroyed, 1);
  free(saved);
}

/// Saves as many pointers as a thread can.
static void save(void) {
  if (!crucible_thread_save(malloc(1), destroy_saved)) fail("a thread cannot save anything");
  if (!crucible_thread_keep(CRUCIBLE_FOR_CALL, malloc(1), destroy_saved)) fail("a thread cannot save a call");
  atomic_fetch_add(&saved_made, 2);
  for (void *memory; (memory = malloc(1)); atomic_fetch_add(&saved_made, 1)) {
    if (crucible_thread_save(memory, destroy_saved)) continue;
    if (!crucible_thread_keep(CRUCIBLE_FOR_CALL_AT_ONCE, memory, destroy_saved)) fail("it saves one call only");
    atomic_fetch_add(&saved_made, 1);
    return;
  }
}

static void *with_destructors(void *unused) {
  pthread_setspecific(before, in_place);
  pthread_setspecific(after, on_pool);
  chain_start(&in_place[0], 1);
  return NULL;
}

/// A thread that has never been in the core before its destructors run.
static void *with_destructors_alone(void *unused) {
  pthread_setspecific(after, in_place);
  return NULL;
}

static void *with_saved(void *unused) {
  save();
  chain_start(&on_pool[0], 1);
  return NULL;
}

static void *with_slot(void *unused) {
  for (unsigned m = 0; m < matcher_count(); m++) chain_start(&in_place[m], DEPTH);
  return NULL;
}

static void *with_pool_asleep(void *unused) {
  chain_start(&on_pool[0], 1);
  return NULL;
}

struct way {
  const char *name;
  void *(*run)(void *);
  unsigned long each;  ///< reactions on each matcher
  unsigned long once;  ///< further reactions
  bool asleep;
};
static const struct way ways[] = {
    {"destructors that inject", with_destructors, 2 * DEPTH, 1, false},
    {"nothing but a destructor that injects", with_destructors_alone, DEPTH, 0, false},
    {"saved pointers", with_saved, 0, 1, false},
    {"firings in its slot", with_slot, DEPTH, 0, false},
    {"the pool asleep", with_pool_asleep, 0, 1, true},
};

static void end_threads(const struct way *way) {
  for (int i = 0; i < ROUNDS; i++) {
    if (way->asleep) wait_until_asleep();
    bool detached = i % 2 == 0;
    pthread_t thread = new_thread(way->run, NULL);
    if ((detached ? pthread_detach(thread) : pthread_join(thread, NULL)) != 0) fail("no such thread");
    wait_for_reactions(way->each * matcher_count() + way->once, way->name);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Many
// ---------------------------------------------------------------------------------------------------------------------

static pthread_barrier_t together;

/// The first thousand threads live at once, four by four, and use every soup. So there are as many records and counters
/// of threads then as there can be.
static void *inject_once(void *number) {
  bool is_first = (uintptr_t)number < FIRST;
  if ((uintptr_t)number % 64 == 0) save();
  for (unsigned m = 0; m < matcher_count(); m++) {
    if (is_first || (uintptr_t)number % matcher_count() == m) chain_start(&in_place[m], 1);
  }
  if (is_first) pthread_barrier_wait(&together);
  return NULL;
}

/// Starts and joins the threads number `first` to `end`.
static void come_and_go(uintptr_t first, uintptr_t end) {
  pthread_t crew[AT_ONCE];
  for (uintptr_t i = first; i < end; i += AT_ONCE) {
    for (uintptr_t k = 0; k < AT_ONCE; k++) crew[k] = new_thread(inject_once, (void *)(i + k));
    for (uintptr_t k = 0; k < AT_ONCE; k++) pthread_join(crew[k], NULL);
  }
  wait_for_reactions((end - first) * (first < FIRST ? matcher_count() : 1), "many");
}

static unsigned records(void) {
  unsigned count = 0;
  for (const struct thread *t = crucible__thread_list(); t; t = t->next) count++;
  return count;
}

int main(int argc, char **argv) {
  uintptr_t threads = argc > 1 ? strtoul(argv[1], NULL, 10) / AT_ONCE * AT_ONCE : 100000;
  // One key is made before the core's own, which the core makes with the first thread that it knows, and one after it.
  if (pthread_key_create(&before, inject_at_the_end) != 0) fail("no key");
  for (unsigned m = 0; m < matcher_count(); m++) {
    chain_open(&in_place[m], matcher_at(m), CRUCIBLE_INLINE, count_reaction);
    chain_open(&on_pool[m], matcher_at(m), CRUCIBLE_POOL, count_reaction);
  }
  chain_start(&on_pool[0], 1);
  wait_for_reactions(1, "first");
  if (pthread_key_create(&after, inject_at_the_end) != 0) fail("no key");
  for (unsigned i = 0; i < ELEMENTS(ways); i++) end_threads(&ways[i]);
  if (pthread_barrier_init(&together, NULL, AT_ONCE) != 0) fail("no barrier");
  come_and_go(0, FIRST);
  wait_until_asleep();
  crucible_reclaim();
  unsigned most = records();
  if (most > MOST_RECORDS) {
    fail("%u records of threads, of which %d live at once, beside the pool's", most, AT_ONCE + 1);
  }
  uint64_t live = crucible_live_bytes(), resident = resident_bytes(), begin = nanoseconds_now();
  come_and_go(FIRST, FIRST + threads);
  crucible_reclaim();
  if (records() != most) fail("%u records of threads after %lu threads, %u before", records(), threads, most);
  if (crucible_live_bytes() != live) fail("%lu bytes after the threads, %lu before", crucible_live_bytes(), live);
  // An emulator keeps memory of its own for each thread that has ended.
  if (!getenv("CRUCIBLE_RUNNER") && resident_bytes() > resident + (1 << 20)) {
    fail("the process has grown from %lu to %lu bytes", resident, resident_bytes());
  }
  if (atomic_load(&saved_made) != atomic_load(&saved_destroyed)) {
    fail("%lu pointers saved, %lu destroyed", atomic_load(&saved_made), atomic_load(&saved_destroyed));
  }
  printf("passed %zu ways for a thread to end, %d times each, and %lu threads in %.1f s: %u records, %lu bytes of the "
         "core before and after, the process %+ld KB\n",
         ELEMENTS(ways), ROUNDS, threads, (double)(nanoseconds_now() - begin) / 1e9, most, live,
         ((long)resident_bytes() - (long)resident) / 1024);
  return 0;
}
