// Storms: random chemistries on real threads, under the sanitizers.
//
//   storms [--seed S] [--rounds N | --seconds T] [--of chemistries|bag|rests|lives|shortages|shorts]
//
// --of: all rounds of one kind; without it most are of chemistries, and the rest of the kinds that those seldom reach.
//
// A round draws everything from its seed. The soups: names of all kinds, payloads up to 600 bytes, repeated inputs, all
// placements, all matchers, wide and narrow fields. The acts of four to eight clients: inject, alone and together;
// call, give up and withdraw; pause, clear, stop and restart; look; hold and release; end and begin again. And the acts
// of bodies. --seed S begins with seed S, and so replays its chemistries; the machine decides the schedule.
//
// Every payload, question, reply, state and context is plain memory, and all of it is written and read. Without a
// sanitizer the storms check that no molecule ends twice, and none is torn or lost. At rest nothing is enabled. Every
// call ends once, and everything given to a soup is released once. In the end no soup and no bytes are left. A finding
// is one line that names the seed.

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bag/bag.h"
#include "base/thread.h"
#include "storms.h"

enum { HANG = 120, PATIENCE = 20, MOST_RINGS = 3 };

_Thread_local uint64_t storms_random = 1;
static char seed_text[32];  ///< the seed of the round, for messages

void seed_thread(uint64_t round, uint64_t thread) {
  storms_random = (round + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (thread + 1) * UINT64_C(0xD1B54A32D192ED03);
  if (storms_random == 0) storms_random = 1;
  for (int i = 0; i < 8; i++) draw(2);
}

void fail(const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "FAILED storm, seed %s: %s\n", seed_text, text);
  _exit(1);
}

void complete(crucible_soup *soup, const crucible_reaction_options *reaction) {
  crucible_name *culprit;
  crucible_status status = crucible_soup_add_reaction(soup, reaction, &culprit);
  if (status == CRUCIBLE_OK) status = crucible_soup_freeze(soup, &culprit);
  if (status != CRUCIBLE_OK) fail("a soup is refused: %s", crucible_status_text(status));
}

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
void __sanitizer_set_death_callback(void (*callback)(void));

static void tell_seed(void) { fprintf(stderr, "the storm's seed: %s\n", seed_text); }
static void tell_seed_at_death(void) { __sanitizer_set_death_callback(tell_seed); }
#else
static void tell_seed_at_death(void) {}
#endif

static void tell_hang(int signal) {
  static const char begin[] = "FAILED storm, seed ", end[] = ": it hangs\n";
  if (write(STDERR_FILENO, begin, sizeof begin - 1) < 0 || write(STDERR_FILENO, seed_text, strlen(seed_text)) < 0 ||
      write(STDERR_FILENO, end, sizeof end - 1) < 0) {
    _exit(2);
  }
  _exit(1);
}

/// Returns the bytes of the queue in which a thread defers; it keeps its first ring.
static uint64_t queue_bytes(struct bag *queue) {
  uint64_t bytes = sizeof *queue;
  struct segment *first = load_acquire(&queue->first);
  bool has_first = false;
  for (struct segment *s = load_acquire(&queue->head); s; s = load_acquire(&s->next)) {
    bytes += queue->slots + s->capacity * queue->stride;
    has_first |= s == first;
  }
  return has_first ? bytes : bytes + queue->slots + first->capacity * queue->stride;
}

/// Returns the bytes that are left when no soup is: the queue of the pool, without the records of threads and their
/// queues.
static uint64_t bytes_left(void) {
  crucible_reclaim();
  uint64_t records = 0;
  for (struct thread *t = crucible__thread_list(); t; t = t->next) {
    records += sizeof *t + (t->queue ? queue_bytes(t->queue) : 0);
  }
  return crucible_live_bytes() - records;
}

/// The bytes of a further ring of the pool's queue, which is a bag of tasks: after a full ring, and after another.
struct rings {
  uint64_t large, small;
};

static struct rings ring_bytes(void) {
  struct bag bag;
  struct task value = {.work = NULL};
  uint64_t before = crucible_live_bytes();
  if (!crucible__bag_create(&bag, sizeof value, _Alignof(uint64_t))) fail("no memory for a bag");
  struct rings bytes = {.small = crucible_live_bytes() - before};
  before += bytes.small;
  while (crucible_live_bytes() == before) {
    if (!crucible__bag_push_mpmc(&bag, &value)) fail("no memory for a bag");
  }
  bytes.large = crucible_live_bytes() - before;
  crucible__bag_destroy(&bag, NULL, NULL);
  return bytes;
}

static bool are_rings(uint64_t bytes, struct rings rings) {
  for (unsigned i = 0; i <= MOST_RINGS && i * rings.large <= bytes; i++) {
    uint64_t rest = bytes - i * rings.large;
    if (rest % rings.small == 0 && rest / rings.small <= MOST_RINGS - i) return true;
  }
  return false;
}

/// Waits until all soups are gone, also those without a waiting caller.
static void wait_for_soups(void) {
  uint64_t deadline = nanoseconds_now() + PATIENCE * UINT64_C(1000000000);
  while (crucible_live_soups() != 0) {
    if (nanoseconds_now() > deadline) fail("%llu soups are left", (unsigned long long)crucible_live_soups());
    sched_yield();
  }
}

/// Checks that no bytes are left, except some rings that the pool's queue may be ahead.
static void check_bytes(uint64_t first, struct rings rings) {
  uint64_t deadline = nanoseconds_now() + PATIENCE * UINT64_C(1000000000);
  for (;;) {
    uint64_t more = bytes_left() - first;
    if (are_rings(more, rings)) return;
    if (nanoseconds_now() > deadline) fail("%llu bytes are left", (unsigned long long)more);
    sched_yield();
  }
}

static uint64_t number_after(int argc, char **argv, const char *option, uint64_t otherwise) {
  for (int i = 1; i + 1 < argc; i++) {
    if (strcmp(argv[i], option) == 0) return strtoull(argv[i + 1], NULL, 10);
  }
  return otherwise;
}

typedef uint64_t storm(uint64_t seed);

static const struct {
  const char *name;
  storm *storm;
} storms[] = {{"chemistries", storm_chemistries}, {"bag", storm_bag}, {"rests", storm_rests},
              {"lives", storm_lives}, {"shortages", storm_shortages}, {"shorts", storm_shorts}};
enum { STORMS = sizeof storms / sizeof *storms };

/// Draws the kind of a round, mostly chemistries.
static storm *draw_storm(void) {
  uint32_t which = draw(13);
  return storms[which < 5 ? 0 : which < 8 ? 1 : which < 10 ? 2 : which - 7].storm;
}

static storm *find_storm(int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i++) {
    for (int s = 0; strcmp(argv[i], "--of") == 0 && s < STORMS; s++) {
      if (strcmp(argv[i + 1], storms[s].name) == 0) return storms[s].storm;
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i += 2) {
    bool known = strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--rounds") == 0 ||
                 strcmp(argv[i], "--seconds") == 0 || (strcmp(argv[i], "--of") == 0 && find_storm(argc, argv));
    if (known && i + 1 < argc) continue;
    fprintf(stderr, "usage: storms [--seed S] [--rounds N | --seconds T] "
                    "[--of chemistries|bag|rests|lives|shortages|shorts]\n");
    return 2;
  }
  uint64_t begin = nanoseconds_now();
  uint64_t first = number_after(argc, argv, "--seed", begin % 1000000000);
  uint64_t rounds = number_after(argc, argv, "--rounds", UINT64_MAX);
  uint64_t limit =
      number_after(argc, argv, "--seconds", rounds == UINT64_MAX ? 10 : UINT64_MAX / 1000000000) * 1000000000;
  storm *only = find_storm(argc, argv);
  signal(SIGALRM, tell_hang);
  tell_seed_at_death();
  begin_regulars();
  crucible_pool_workers();
  set_handler();
  struct rings rings = ring_bytes();
  uint64_t bytes = bytes_left(), molecules = 0, seed = first;
  for (; seed - first < rounds && nanoseconds_now() - begin < limit; seed++) {
    snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed);
    alarm(HANG);
    seed_thread(seed, 0);
    crucible_pool_set_workers(1 + draw(4));
    crucible_pool_set_limit(64);
    molecules += (only ? only : draw_storm())(seed);
    alarm(0);
    wait_for_soups();
    if ((seed - first) % 16 == 15) check_bytes(bytes, rings);  // this waits for a grace period
  }
  check_bytes(bytes, rings);
  printf("passed %llu storms, seeds %llu to %llu: %llu molecules, %.1f s\n", (unsigned long long)(seed - first),
         (unsigned long long)first, (unsigned long long)(seed - 1), (unsigned long long)molecules,
         (double)(nanoseconds_now() - begin) / 1e9);
  return 0;
}
