// Calls that bodies put back: they wait again until another molecule comes (matcher/waitlist.c).
//
//   PUTBACK-1  no wake-up is lost: at rest no call waits that a body would serve
//   PUTBACK-2  no thread spins: a call is attempted at most once more than there are events
//   PUTBACK-3  of two calls of a name, one of which began after the other had returned, the older one is served first
//
// Each client follows a word:
//
//   a        calls, and goes on           W  gives its last call up
//   f b      injects; adds one to the stock and injects
//   ~        runs what is placed elsewhere, until all is quiet
//   P R      pauses, resumes              K L  clears all, clears the calls
//   S T      stops; restarts when all is quiet

#include "base/atomics.h"
#include "trial.h"

enum { A, F, STOCK };

/// Clients that have ended, or only serve.
static unsigned finished;
/// What `serve_from_goods` looks at.
static _Atomic int64_t goods;

static void serve_until_all_are_finished(struct trial *trial) {
  finished++;
  while (serve_next(trial) || finished < trial->chemistry->clients || trial->ended < trial->placed_count) spin_pause();
  finished--;
}

// ---------------------------------------------------------------------------------------------------------------------
// a & stock, f & stock: a call is served if there is something in stock
// ---------------------------------------------------------------------------------------------------------------------

static void serve_or_put_back(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  int64_t *stock = inputs[1];
  molecules[0]->attempts++;
  if (*stock == 0) {
    put_call_back(trial, 0, 0, molecules[0], inputs);
  } else if (!molecules[0]->given_up) {
    --*stock;
  }
}

static void fill(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  ++*(int64_t *)inputs[1];
}

static void define(struct trial *trial) {
  finished = 0;
  atomic_init(&goods, 0);
  define_soup(trial);
}

/// Checks PUTBACK-3.
static void check_turns(const struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *older = &trial->molecules[i];
    if (older->name != A || older->given_up || older->withdrawn || older->destroyed || older->refused) continue;
    for (unsigned k = 0; k < trial->molecule_count; k++) {
      const struct molecule *younger = &trial->molecules[k];
      if (younger->name != A || younger->given_up || !younger->consumed) continue;
      if (!older->returned || !comes_before(older->returned, younger->begun)) continue;
      if (older->consumed && comes_before(older->consumed, younger->consumed)) continue;
      scheduler_fail("call %u is served before the older call %u", k, i);
    }
  }
}

static bool waits(const struct molecule *molecule) {
  return molecule->name == A && !molecule->consumed && !molecule->withdrawn && !molecule->destroyed &&
         !molecule->refused;
}

static void check_shop(struct trial *trial) {
  unsigned events = 0;
  for (unsigned i = 0; i < trial->molecule_count; i++) events += 2;  // its arrival, and the end of its body
  bool is_over = trial->stop_begun || trial->silent;
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    if (molecule->name != A) continue;
    if (!is_over && waits(molecule) && *(int64_t *)crucible_name_cell(trial->names[STOCK].core) > 0) {
      scheduler_fail("call %u waits, and there is something for it", i);
    }
    if (molecule->attempts > 1 + events) scheduler_fail("call %u is attempted %u times", i, molecule->attempts);
  }
  check_turns(trial);
}

// ---------------------------------------------------------------------------------------------------------------------
// a & f: the first body that has a call puts it back
// ---------------------------------------------------------------------------------------------------------------------

static void put_back_once(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  if (molecules[0]->attempts++ == 0 && !molecules[0]->given_up) put_call_back(trial, 0, 0, molecules[0], inputs);
}

/// Each f was an event, after which all calls were offered, so no f is left beside a call.
static void check_join(struct trial *trial) {
  uint64_t counts[MOST_NAMES];
  crucible_soup_counts(trial->soup, counts);
  if (counts[A] > 0 && counts[F] > 0) scheduler_fail("a call and what it needs are left");
}

// ---------------------------------------------------------------------------------------------------------------------
// a & a & stock: of two calls one is put back, or both
// ---------------------------------------------------------------------------------------------------------------------

static void serve_one(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  int64_t *stock = inputs[2];
  for (unsigned i = 0; i < 2; i++) molecules[i]->attempts++;
  if (*stock == 0) put_call_back(trial, 0, 0, molecules[0], inputs);
  if (*stock < 2) put_call_back(trial, 0, 1, molecules[1], inputs);
  *stock = *stock > 2 ? *stock - 2 : 0;
}

static void check_pair(struct trial *trial) {
  unsigned waiting = 0;
  for (unsigned i = 0; i < trial->molecule_count; i++) waiting += waits(&trial->molecules[i]);
  if (waiting > 1 && *(int64_t *)crucible_name_cell(trial->names[STOCK].core) > 0) {
    scheduler_fail("two calls wait, and there is something for them");
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// a, where what the body looks at is no state: each f, which nothing consumes, says that it has changed
// ---------------------------------------------------------------------------------------------------------------------

static void serve_from_goods(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  int64_t there = load_acquire(&goods);
  molecules[0]->attempts++;
  do {
    if (there == 0) {
      put_call_back(trial, 0, 0, molecules[0], inputs);
      return;
    }
  } while (!cas_acq_rel(&goods, &there, there - 1));
}

static void check_bell(struct trial *trial) {
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    if (waits(&trial->molecules[i]) && load_acquire(&goods) > 0) {
      scheduler_fail("call %u waits, and there is something for it", i);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Clients
// ---------------------------------------------------------------------------------------------------------------------

static void follow(struct trial *trial, unsigned index) {
  struct molecule *last = NULL;
  for (const char *c = trial->chemistry->words[index]; *c; c++) {
    switch (*c) {
      case 'a': last = call_again(trial, A); break;
      case 'f': try_to_inject(trial, F); break;
      case 'b':
        fetch_add_acq_rel(&goods, 1);
        inject(trial, F, 0);
        break;
      case 'P': pause_all(trial); break;
      case 'R': resume_all(trial); break;
      case 'K': clear_all(trial); break;
      case 'L': clear_name(trial, A); break;
      case 'S': stop_all(trial); break;
      case 'T': restart_all(trial); break;
      case 'W':
        if (last) withdraw(trial, last);
        last = NULL;
        break;
      default: serve_until_all_are_finished(trial);
    }
  }
  finished++;
}

#define PUTBACK(text, what, look, ...)                                                                  \
  CASE(text, what, 3, define, follow, .check = look, .puts_back = true, .unordered = true, .waits = true, \
       __VA_ARGS__)
#define SHOP .soup = "a! f s=: as fs", .acts = {serve_or_put_back, fill}
#define JOIN .soup = "a! f: af", .acts = {put_back_once}
#define PAIR .soup = "a! f s=: aas fs", .acts = {serve_one, fill}
#define BELL .soup = "a! f g-: a afg", .acts = {serve_from_goods}
#define HERE(text, what, look, ...) \
  PUTBACK(text, what, look, .placement = CRUCIBLE_INLINE, __VA_ARGS__)
#define ON_POOL(text, what, look, ...) \
  PUTBACK(text, what, look, .placement = CRUCIBLE_POOL, .workers = 2, __VA_ARGS__)
/// Declares a case twice: inline and, as TEXT-pool, on a pool of two.
#define BOTH(text, what, look, ...)     \
  HERE(text, what, look, __VA_ARGS__); \
  ON_POOL(text "-pool", what ", on a pool of two", look, __VA_ARGS__)
#define ELSEWHERE(text, what, look, ...) \
  PUTBACK(text, what, look, .placement = CRUCIBLE_EXTERNAL, __VA_ARGS__)

BOTH("putback-shop", "calls wait for what others bring", check_shop, SHOP, .words = {"aa", "af", "ff"});
HERE("putback-full", "the same, and a field counts one", check_shop, SHOP, .parameter = 31,
     .words = {"aa", "af", "ff"});
BOTH("putback-withdraw", "callers give up beside others", check_shop, SHOP, .words = {"aaW", "aWf", "ff"});
BOTH("putback-join", "a call that is offered again waits in its bag", check_join, JOIN,
     .words = {"aW", "aa", "fff"});
HERE("putback-pair", "a body has two calls", check_pair, PAIR, .words = {"aa", "aa", "ff"});
BOTH("putback-bell", "calls wait for what is no state", check_bell, BELL, .words = {"a", "ab", "b"});
HERE("putback-clear", "calls that wait again are cleared", NULL, SHOP, .words = {"aa", "aL", "fK"});
BOTH("putback-stop", "a soup stops in which calls wait again", NULL, SHOP, .words = {"aa", "aW", "fST"});
HERE("putback-pause", "a soup pauses in which calls wait again", check_shop, SHOP,
     .words = {"aa", "aW", "PffR"});
ELSEWHERE("putback-external", "bodies elsewhere put calls back", check_shop, SHOP,
          .words = {"aa~", "af", "ff~"});
ELSEWHERE("putback-external-steps", "bodies elsewhere put calls back, in two steps", check_shop, SHOP,
          .parameter = 1, .words = {"aa~", "aW", "ff~"});
