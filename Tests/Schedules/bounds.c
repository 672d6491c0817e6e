// Names with a capacity: see firing/bounds.c of the core. The bounded name is `q`.

#include "trial.h"

// A clear, a stop and a restart wait for other threads.
#define BOUND(text, what, limits, does_wait, ...)                                                         \
  INLINE_AND_POOL(text, what, define_soup, follow_word, .soup = "q a: qa", .bound = limits, .waits = does_wait, \
                  .words = {__VA_ARGS__})
#define AT_MOST(count, policy) {.capacity = count, .when_full = policy}
#define REFUSE AT_MOST(2, CRUCIBLE_REFUSE)
#define NEWEST AT_MOST(2, CRUCIBLE_DROP_NEWEST)
#define OLDEST(count) AT_MOST(count, CRUCIBLE_DROP_OLDEST)

BOUND("bound-refuse", "two wait, and further ones are refused", REFUSE, false, "qqq", "aqa", "qaa");
BOUND("bound-newest", "further ones are dropped, and the soup stops", NEWEST, true, "qqq", "aqa", "qQTqa");
BOUND("bound-oldest", "the oldest one makes room", OLDEST(2), false, "qqq", "qqa", "aqq");
BOUND("bound-oldest-stop", "the same, and the soup stops", OLDEST(1), true, "qqa", "aqq", "qQTq");
BOUND("bound-clear", "a clear and a stop make room", REFUSE, true, "qqKqq", "qaq", "LqqQTq");
BOUND("bound-late", "a stop refuses what has been counted", REFUSE, true, "QTqq", "aqa", "Yqq");
BOUND("bound-together", "several are injected or refused together", REFUSE, false, "(qqa)", "(qa)q", "a(qq)");

// The same with three keys: the limits of each, of their number, and of all together.
#define KEY_BOUND(text, what, does_wait, members, ...)                                                        \
  INLINE_AND_POOL(text, what, define_soup, follow_word, .soup = "q a: qa", .keys = 3, .unordered = true,      \
                  .waits = does_wait, .words = {__VA_ARGS__}, members)
#define EACH(count, policy) .limits = {.capacity = count, .when_full = policy}
#define MOST_KEYS(count, policy) .limits = {.rooms = count, .when_full = policy}

KEY_BOUND("bound-key", "one of each key waits", false, EACH(1, CRUCIBLE_REFUSE), "qqqa", "aqqa", "qaq");
KEY_BOUND("bound-key-oldest", "the oldest of its key makes room, and the soup stops", true,
          EACH(1, CRUCIBLE_DROP_OLDEST), "qqqa", "aqQTq", "qqaq");
KEY_BOUND("bound-keys", "molecules of one key wait", true, MOST_KEYS(1, CRUCIBLE_REFUSE), "qq", "OqaKq", "q");
KEY_BOUND("bound-keys-newest", "those of a further key are dropped, and several come together", true,
          MOST_KEYS(1, CRUCIBLE_DROP_NEWEST), "q(qq)a", "aqQTq", "(qa)q");
KEY_BOUND("bound-key-all", "two of all keys wait, and molecules expire", true, .bound = REFUSE, "qqOq", "qqa", "aqOq");
KEY_BOUND("bound-key-all-oldest", "the oldest of all keys makes room", true, .bound = OLDEST(2), "qqQTq", "qqa", "aqq");
#define BOTH .bound = REFUSE, EACH(1, CRUCIBLE_DROP_NEWEST)
KEY_BOUND("bound-key-both", "one of each key and two of all, and further ones are dropped", true, BOTH, "qqqq", "qqa",
          "aqq");

// Molecules that expire, without keys.
#define EXPIRES(text, what, chemistry, ...)                                                             \
  INLINE_AND_POOL(text, what, define_soup, follow_word, .soup = chemistry, .expires = true, .waits = true, \
                  .words = {__VA_ARGS__})
EXPIRES("expire", "molecules expire while others are matched, and a stop comes", "a b: ab", "aOab", "abOb", "baQb");
EXPIRES("expire-together", "the same, several in one step, with a clear", "a b h=: ab ha", "(aab)Oa", "bOaKb",
        "(ba)Obb");
EXPIRES("expire-pause", "molecules expire in a pause, and of a name that is paused", "a b: ab", "PaOaR", "abOb",
        "MabUa");

static void serve_line(struct trial *trial, unsigned index) {
  inject_some(trial, index, 2);
  serve(trial, 2);
}
CASE("bound-external", "molecules are counted off when a body elsewhere begins", 2, define_soup, serve_line,
     .placement = CRUCIBLE_EXTERNAL, .waits = true, .soup = "q a: qa", .bound = REFUSE,
     .parameter = 1);

/// Injects a molecule of the line, which has room for it.
static void fill(struct trial *trial, struct molecule *const *molecules, void *const *values) {
  (void)molecules, (void)values;
  inject_unowned(trial, named(trial, 'q'), 0);
}

static void check_room(struct trial *trial) {
  uint64_t counts[MOST_NAMES];
  crucible_soup_counts(trial->soup, counts);
  uint64_t all = counts[named(trial, 'r')] + counts[named(trial, 'q')];
  if (all != 2) scheduler_fail("there is room for %llu molecules", (unsigned long long)all);
}
CASE("bound-room", "each that ends makes room for one that waits", 3, define_soup, follow_word, .workers = 2,
     .placement = CRUCIBLE_POOL, .soup = "r- q p a: pr qa", .acts = {fill}, .before = check_room, .bound = {.rooms = 2},
     .words = {"rrpp", "paa", "ppa"});
CASE("bound-room-clear", "the same with a clear of all", 3, define_soup, follow_word, .workers = 2,
     .placement = CRUCIBLE_POOL, .soup = "r- q p a: pr qa", .acts = {fill}, .before = check_room, .bound = {.rooms = 2},
     .words = {"rrpp", "paKp", "pap"});
