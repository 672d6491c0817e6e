// Threads that end while others begin and take over their records. Threads that suspend or sleep until they are
// answered. Threads that only look whether all is quiet.
//
// The scheduler's threads never end. So a thread begins and ends here in the middle of one: it forgets its record, gets
// another, and uses it. Then it calls what the core has registered for the end of a thread. These records are numbered
// behind those of the scheduler's threads, so their calls are counted in further stripes. Or they are numbered behind
// all records that have a stripe, and belong to the crowd, whose calls are counted by read-modify-writes.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "firing/firing.h"
#include "trial.h"
#include "weak/weak.h"

enum { A, B };

// ---------------------------------------------------------------------------------------------------------------------
// Records
// ---------------------------------------------------------------------------------------------------------------------

static void (*thread_ends)(void *record);

/// Replaces the C library's function, to learn what is to be called at the end of a thread. The core's call is the
/// first.
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  if (!thread_ends) thread_ends = destructor;
  int (*real)(pthread_key_t *, void (*)(void *));
  *(void **)&real = dlsym(RTLD_NEXT, "pthread_key_create");
  return real(key, destructor);
}

struct guest {
  struct thread *own;  ///< the record of the scheduler's thread
};

/// Makes the calling thread another one, which has not been here before.
static struct guest begin_thread(void) {
  struct guest guest = {crucible__self};
  crucible__self = NULL;
  if (!crucible__thread()) scheduler_fail("no memory for a record");
  return guest;
}

static void end_thread(struct guest guest) {
  thread_ends(crucible__self);
  crucible__self = guest.own;
}

/// One for each life: over a weak memory a thread that begins may not see that another one has ended.
enum { GUESTS = 2 * CLIENTS };

/// The records below `least`, while they must not be available.
static struct thread *kept[MOST_STRIPES];
static unsigned kept_count;

/// Makes the records that the runs need, before the first run. They are never freed, and are not among what a run must
/// free. Their indices are `least` and more.
static void make_records(struct trial *trial, uint32_t least) {
  uint64_t before = crucible_live_bytes();
  struct thread *own = crucible__self, *records[GUESTS];
  while (least == 0 && kept_count > 0) thread_ends(kept[--kept_count]);
  for (unsigned i = 0; i < GUESTS;) {
    crucible__self = NULL;
    struct thread *record = crucible__thread();
    if (record->index < least) {
      kept[kept_count++] = record;
    } else {
      records[i++] = record;
    }
  }
  for (unsigned i = 0; i < GUESTS; i++) thread_ends(records[i]);
  crucible__self = own;
  trial->bytes += crucible_live_bytes() - before;
}

static void define_with_records(struct trial *trial) {
  make_records(trial, trial->chemistry->parameter == 2 ? MOST_STRIPES : 0);
  define_soup(trial);
}

static unsigned caches;
static void cache_destroyed(void *cache) {
  uses(cache, 1);
  caches--;
}

/// Ends each thread twice; each leaves something in its record that is destroyed then.
static void come_and_go(struct trial *trial, unsigned index) {
  for (unsigned i = 0; i < 2; i++) {
    struct guest guest = begin_thread();
    if (crucible_thread_take_saved()) scheduler_fail("a new thread has what another one saved");
    if (crucible_thread_take(CRUCIBLE_FOR_CALL)) scheduler_fail("a new thread has a call that another one saved");
    if (crucible_thread_take(CRUCIBLE_FOR_CALL_AT_ONCE)) scheduler_fail("a new thread has another one's answered call");
    static char cache[CLIENTS], call[CLIENTS], at_once[CLIENTS];
    uses(&cache[index], 1);
    uses(&call[index], 1);
    uses(&at_once[index], 1);
    caches += 3;
    if (!crucible_thread_save(&cache[index], cache_destroyed)) scheduler_fail("a thread cannot save anything");
    if (!crucible_thread_keep(CRUCIBLE_FOR_CALL, &call[index], cache_destroyed)) scheduler_fail("it saves no call");
    if (crucible_thread_keep(CRUCIBLE_FOR_CALL, &call[index], cache_destroyed)) scheduler_fail("it saves two calls");
    bool kept = crucible_thread_keep(CRUCIBLE_FOR_CALL_AT_ONCE, &at_once[index], cache_destroyed);
    if (!kept) scheduler_fail("one call excludes another");
    inject(trial, index == 0 ? A : B, 0);
    end_thread(guest);
  }
}

static void check_caches(struct trial *trial) {
  if (caches != 0) scheduler_fail("%u caches of ended threads are not destroyed", caches);
}

INLINE_CASE("records", "threads end while others begin", 3, define_with_records, come_and_go, AB, .check = check_caches,
            .waits = true);

// ---------------------------------------------------------------------------------------------------------------------
// Quiet
// ---------------------------------------------------------------------------------------------------------------------

/// The end of a definition that releases molecules counts as one injection.
enum { DEFINITION = 1 };

/// Returns how many injections have been counted as over. This says nothing about what they did: a look must learn that
/// from the core. Blocks of stripes exist before a thread that counts in them injects anything.
static uint64_t over(struct crucible_soup *soup) {
  uint64_t sum = load_relaxed(&soup->crowd.left);
  for (unsigned i = 0; i < OWN_STRIPES; i++) sum += load_relaxed(&soup->stripes[i].left);
  struct stripe *near = load_acquire(&soup->near);
  for (unsigned i = 0; near && i < NEAR_STRIPES; i++) sum += load_relaxed(&near[i].left);
  struct further_stripes *further = load_acquire(&soup->further);
  for (unsigned b = 0; further && b < FURTHER_BLOCKS; b++) {
    struct stripe *block = load_acquire(&further->blocks[b]);
    for (unsigned i = 0; block && i < STRIPES; i++) sum += load_relaxed(&block[i].left);
  }
  return sum;
}

/// Looks until one of the others' bodies has run and all is quiet. Then it can read what that body wrote.
static void look_when_quiet(struct trial *trial, unsigned index) {
  if (index < 2) {
    bool guest = trial->chemistry->parameter != 0;
    struct guest thread;
    if (guest) thread = begin_thread();
    inject(trial, index == 0 ? A : B, 0);
    if (guest) end_thread(thread);
    return;
  }
  crucible_soup_is_quiet(trial->soup);  // perhaps in the middle of the first injection
  // Relaxed and in any order, so that only the look at the soup can make visible what they did.
  while (over(trial->soup) < 2 || !crucible_soup_is_quiet(trial->soup)) spin_pause();
  for (unsigned i = 0; i < trial->molecule_count; i++) uses(&trial->molecules[i].cargo, 1);
  if (trial->rules[0].fired != 1) scheduler_fail("all is quiet, and nothing has reacted");
}

/// a & b, twice; only the a are missing.
static void define_two_waiting(struct trial *trial) {
  define_soup(trial);
  inject_some(trial, B, 2);
}

/// Returns how many injections have been counted as begun.
static uint64_t begun(struct crucible_soup *soup) {
  uint64_t sum = load_acquire(&soup->crowd.entered);
  for (unsigned i = 0; i < OWN_STRIPES; i++) sum += load_acquire(&soup->stripes[i].entered);
  struct stripe *near = load_acquire(&soup->near);
  for (unsigned i = 0; near && i < NEAR_STRIPES; i++) sum += load_acquire(&near[i].entered);
  return sum;
}

/// The others' injections meet, and one must begin again. From its first beginning to its end nothing is quiet.
static void look_when_begun(struct trial *trial, unsigned index) {
  if (index < 2) {
    inject(trial, A, 0);
    return;
  }
  while (begun(trial->soup) < DEFINITION + 4) spin_pause();
  if (!crucible_soup_is_quiet(trial->soup)) return;
  if (trial->rules[0].fired != 2) scheduler_fail("all is quiet in the middle of an injection");
}

INLINE_CASE("look-quiet", "quiet: what bodies wrote can be read", 3, define_soup, look_when_quiet, AB, .waits = true);
INLINE_CASE("look-quiet-crowd", "the same, and the threads have further stripes", 3, define_with_records,
            look_when_quiet, AB, .parameter = 1, .waits = true);
INLINE_CASE("look-quiet-many", "the same, and the threads belong to the crowd", 3, define_with_records,
            look_when_quiet, AB, .parameter = 2, .waits = true);
INLINE_CASE("look-quiet-again", "an injection that begins again is in progress all the time", 3, define_two_waiting,
            look_when_begun, .soup = "a- b-: ab", .waits = true);
CASE("look-quiet-pool", "the same, and the body runs on a pool of one", 3, define_soup, look_when_quiet, AB,
     .placement = CRUCIBLE_POOL, .waits = true);

// ---------------------------------------------------------------------------------------------------------------------
// Waiters
// ---------------------------------------------------------------------------------------------------------------------

static void reply(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  crucible_waiter_signal(((const struct payload *)inputs[0])->waiter, 7);
}

/// The owner may write its own fields again.
static void own(crucible_waiter *waiter) {
  uses(waiter, sizeof *waiter);
  if (waiter->outcome != 7) scheduler_fail("a reply is lost");
}

/// Sleeps with a timeout of zero, again and again, until it is answered.
static void sleep_for_reply(struct trial *trial, unsigned index) {
  if (index != 0) {
    inject(trial, B, 0);
    return;
  }
  crucible_waiter waiter = {0};
  inject_waiting(trial, A, &waiter);
  while (!crucible_waiter_wait_noted(&waiter, 0, NULL)) spin_pause();
  own(&waiter);
}

/// Suspends until the reply. The waiter is known only after the call was made.
static void suspend_until_reply(struct trial *trial, unsigned index) {
  if (index != 0) {
    inject(trial, B, 0);
    return;
  }
  crucible_waiter waiter = {0};
  inject_waiting(trial, A, &waiter);
  suspend(&waiter);
  own(&waiter);
}

INLINE_CASE("reply-asleep", "a caller sleeps, for no time, until it is answered", 2, define_soup, sleep_for_reply,
            .soup = "a b-: ab", .acts = {reply}, .waits = true);
INLINE_CASE("reply-suspended", "a caller is suspended, and resumed by the answer", 2, define_soup,
            suspend_until_reply, .soup = "a b-: ab", .acts = {reply}, .waits = true);
