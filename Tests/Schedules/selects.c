// Selects: calls on several names, of which at most one branch reacts (soup/select.c). Each client follows a word:
//
//   (ab)   makes a select over a and b         W   gives its last select up
//   .      waits until that is decided, and releases it
//   f g v  injects the name                    Q   stops the first soup, and drops the rest when all is quiet
//   K      clears the first soup               O   stops the second soup
//   ~      runs what is placed externally, until the others have ended or have reached a ~
//
//   PICK-1  a branch is consumed only if its select is decided for it; no other branch of the select ever is
//   PICK-2  a select that is given up or has ended has no branch that is consumed, and it does not end twice; an open
//       one has lost no branch, unless a soup was cleared or stopped
//   PICK-3  when all is quiet, no molecule of a decided select is left, and no reference but its caller's
//
// TRIAL-2 and TRIAL-3 see what is put back, and that it fires.

#include <string.h>

#include "trial.h"
#include "weak/weak.h"

enum { MOST_BRANCHES = 3, MOST_PICKS = 8 };

struct pick {
  struct trial *trial;
  crucible_select *select;  ///< null: its caller has released it
  unsigned count;
  unsigned winner;          ///< set when it is released
  struct molecule *molecules[MOST_BRANCHES];
  struct payload payloads[MOST_BRANCHES];
  bool given_up, ended, released;
  bool withdrew;            ///< a branch was withdrawn
};

static struct pick picks[MOST_PICKS];
static unsigned pick_count;
static unsigned finished;  ///< clients that inject nothing more

// ---------------------------------------------------------------------------------------------------------------------
// The binding
// ---------------------------------------------------------------------------------------------------------------------

static void selects(crucible_soup *soup, size_t reaction) {}

static void put_back(crucible_name *name, void *value, uint64_t attempts, void *origin) {
  // The ticket is local to this function. Once the call is back, another thread may consume it and put it back before
  // this thread notes its place.
  crucible_ticket ticket;
  if (!inject_from(origin, name, value, attempts, &ticket)) scheduler_fail("a call is not put back");
}

static void left(void *context, size_t branch, crucible_reason reason) {
  struct pick *pick = context;
  struct trial *trial = pick->trial;
  struct molecule *molecule = pick->molecules[branch];
  if (molecule->consumed || molecule->destroyed || molecule->refused) scheduler_fail("a branch ends twice");
  crucible_select *select = PEEK(pick->select);
  if (reason == CRUCIBLE_WITHDRAWN && (select ? crucible_select_winner(select) : PEEK(pick->winner)) == branch) {
    scheduler_fail("the branch is withdrawn for which its select is decided");
  }
  if (reason != CRUCIBLE_WITHDRAWN && !takes_branches_out()) {
    molecule->refused = true;
    ADD(trial->names[molecule->name].injected, -1);
    return;
  }
  molecule->destroyed = true;
  if (reason == CRUCIBLE_WITHDRAWN) POKE(pick->withdrew, true);
  ADD(trial->names[molecule->name].destroyed, 1);
  ADD(trial->by_reason[reason], 1);
}

static void ended(void *context, crucible_reason reason) {
  struct pick *pick = context;
  if (PEEK(pick->ended)) scheduler_fail("a select ends twice");
  POKE(pick->ended, true);
}

static void released(void *context) { ((struct pick *)context)->released = true; }

/// Counts the molecules of a select that is gone, at rest. One that has had no end was never injected.
static void count_refused(struct pick *pick) {
  for (unsigned i = 0; i < pick->count; i++) {
    struct molecule *molecule = pick->molecules[i];
    if (molecule->consumed || molecule->destroyed || molecule->refused) continue;
    molecule->refused = true;
    ADD(pick->trial->names[molecule->name].injected, -1);
  }
}

static const crucible_select_binding binding = {selects, put_back, left, ended, released};

// ---------------------------------------------------------------------------------------------------------------------
// Clients
// ---------------------------------------------------------------------------------------------------------------------

static void release_pick(struct pick *pick) {
  crucible_select *select = pick->select;
  POKE(pick->winner, (unsigned)crucible_select_winner(select));
  POKE(pick->select, NULL);
  crucible_select_release(select);
}

static bool is_decided(struct pick *pick) {
  return !pick->select || pick->given_up || PEEK(pick->ended) || crucible_select_winner(pick->select) < pick->count;
}

/// Reads `names` up to a closing parenthesis.
static struct pick *begin(struct trial *trial, const char *names) {
  struct pick *pick = &picks[ADD(pick_count, 1) - 1];
  crucible_branch branches[MOST_BRANCHES];
  *pick = (struct pick){.trial = trial, .winner = MOST_BRANCHES};
  for (; names[pick->count] != ')'; pick->count++) {
    unsigned i = pick->count;
    pick->molecules[i] = begin_injection(trial, named(trial, names[i]), 0);
    pick->payloads[i] = payload_of(pick->molecules[i]);
    branches[i] = (crucible_branch){trial->names[pick->molecules[i]->name].core, &pick->payloads[i], true};
  }
  crucible_name *culprits[2];
  if (crucible_select_check(branches, pick->count, culprits) != CRUCIBLE_OK) scheduler_fail("a select is refused");
  pick->select = crucible_select_create(branches, pick->count, &binding, pick);
  if (!pick->select || crucible_select_begin(pick->select) != CRUCIBLE_OK) scheduler_fail("no memory");
  for (unsigned i = 0; i < pick->count; i++) POKE(pick->molecules[i]->returned, scheduler_tick());
  return pick;
}

static void stop_other(struct trial *trial) {
  uint64_t dropped;
  if (crucible_soup_stop(trial->other, &dropped) != CRUCIBLE_OK) scheduler_fail("a soup does not stop");
  while (!crucible_soup_is_quiet(trial->other)) spin_pause();
  ADD(trial->dropped, crucible_soup_end_stop(trial->other, NULL));
}

/// Serves until all clients have finished. A firing may place more, which its thread then finds.
static void serve_until_all_are_finished(struct trial *trial) {
  finished++;
  while (serve_next(trial) || finished < trial->chemistry->clients) {
    if (trial->served_count == trial->placed_count) spin_pause();
  }
  finished--;
}

static void follow(struct trial *trial, unsigned index) {
  struct pick *last = NULL;
  for (const char *c = trial->chemistry->words[index]; *c; c++) {
    switch (*c) {
      case '(':
        last = begin(trial, c + 1);
        c = strchr(c, ')');
        break;
      case '.':
        while (!is_decided(last)) spin_pause();
        release_pick(last);
        break;
      case 'W': last->given_up = crucible_select_give_up(last->select); break;
      case 'Q': stop_and_empty(trial); break;
      case 'O': stop_other(trial); break;
      case 'K': clear_all(trial); break;
      case '~': serve_until_all_are_finished(trial); break;
      default: try_to_inject(trial, named(trial, *c));
    }
  }
  ADD(finished, 1);
}

static void begin_picks(void) {
  memset(picks, 0, sizeof picks);
  pick_count = 0;
  finished = 0;
}

/// Releases, for the callers, what is decided, before the counts are read.
static void release_decided(struct trial *trial) {
  for (unsigned p = 0; p < pick_count; p++) {
    struct pick *pick = &picks[p];
    if (!is_decided(pick)) continue;
    if (pick->select) release_pick(pick);
    if (!pick->released) scheduler_fail("select %u is decided, and something is left of it", p);  // PICK-3
    count_refused(pick);
  }
}

static void check(struct trial *trial) {
  for (unsigned p = 0; p < pick_count; p++) {
    struct pick *pick = &picks[p];
    unsigned consumed = 0;
    if (!pick->released) {
      if (pick->withdrew) scheduler_fail("a branch of select %u is withdrawn, and it is open", p);  // PICK-2
      if (!crucible_select_give_up(pick->select)) scheduler_fail("select %u was decided, and did not show it", p);
      release_pick(pick);
      if (!pick->released) scheduler_fail("something is left of select %u", p);
      count_refused(pick);
    }
    for (unsigned i = 0; i < pick->count; i++) {
      if (!pick->molecules[i]->consumed) continue;
      consumed++;
      if (pick->winner != i) scheduler_fail("select %u: branch %u is consumed, and not chosen", p, i);  // PICK-1
    }
    if (consumed != (pick->winner < pick->count)) scheduler_fail("select %u: its branch is not consumed", p);
    if (consumed + pick->given_up + pick->ended > 1) scheduler_fail("select %u ends more than once", p);  // PICK-2
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Chemistries
// ---------------------------------------------------------------------------------------------------------------------

static void define_picks(struct trial *trial) {
  begin_picks();
  define_soup(trial);
}

/// a & f in one soup, b & g in another
static void define_soups(struct trial *trial) {
  begin_picks();
  unsigned a = declare(trial, "a", CALL_NAME), f = declare(trial, "f", CARRIES);
  REACT(trial, NULL, a, f);
  declare_in_other(trial);
  unsigned b = declare(trial, "b", CALL_NAME), g = declare(trial, "g", VOID_NAME);
  REACT(trial, NULL, b, g);
  freeze_soup(trial->other);
}

#define TWO "a! f b! g-: af bg"
// Where bodies run elsewhere, all of these but g and v have origins.
#define ORIGINS "a! b! f c! d! g- v-: abf bg cg dg fv"
// What is put back enables others.
#define SHARED "a! f v- b! g- c! w: afv bg cf vw"
// A state comes back.
#define STATE "a! s= f b! g- v-: asf bg sv"
#define SOUPS NULL  // define_soups
#define CHANNELS "a! b! c! d! e! h!: ab cd eh"

#define SELECTS(text, what, chemistry, count, wait, ...)                                                    \
  CASE(text, what, count, chemistry ? define_picks : define_soups, follow, .before = release_decided,       \
       .check = check, .selects = true, .unordered = true, .waits = wait, .soup = chemistry, __VA_ARGS__)
/// Bodies run elsewhere, in one step or two, by the origin of one of their molecules.
#define ELSEWHERE(text, what, chemistry, count, steps, ...) \
  SELECTS(text, what, chemistry, count, true, .placement = CRUCIBLE_EXTERNAL, .parameter = steps, .scheduled = true, \
          __VA_ARGS__)
#define SELECT(text, what, chemistry, count, wait, ...) \
  SELECTS(text, what, chemistry, count, wait, .placement = CRUCIBLE_INLINE, .words = {__VA_ARGS__})

SELECT("select-two", "a select over two components, and both can react", TWO, 3, false, "(ab)W", "fg", "g");
SELECT("select-soups", "two selects over two soups", SOUPS, 4, false, "(ab)W", "(ba)W", "fg", "gf");
SELECT("select-shared", "what a firing puts back enables others", SHARED, 4, false, "(ab)W(ab)", "fv", "gwc",
       "vf");
SELECT("select-state", "a firing gives its state back", STATE, 4, false, "(ab)W", "(ab)", "fgv", "vfg");
SELECT("select-fact", "selects over calls that read facts", "a! b! f* h*: af bh", 3, true, "(ab).(ba).",
       "(ba)W(ab)", "hf");
SELECT("select-meet", "two selects meet in two channels", CHANNELS, 2, false, "(ac)W.", "(bd)W.");
SELECT("select-cross", "selects meet selects and calls", CHANNELS, 4, false, "(ac)W", "(db)W", "(ad)", "b");
SELECT("select-ring", "three selects, each pair in one channel", CHANNELS, 3, false, "(ah)W.", "(cb)W.", "(ed)W.");
SELECT("select-wait", "two selects meet for certain", CHANNELS, 2, true, "(ac).(ac).", "(bd).(db).");
SELECT("select-stop", "a soup of a select stops", SOUPS, 4, true, "(ab)W", "(ab)", "fQ", "gO");
SELECT("select-end", "both soups stop", SOUPS, 3, true, "(ab).", "Q", "O");
SELECT("select-end-late", "both soups stop, and the caller gives up", SOUPS, 3, true, "(ab)W", "Q", "O");
SELECT("select-clear", "branches are cleared", CHANNELS, 3, false, "(ac)W", "(bd)(ae)", "K");
SELECT("select-small", "a select against two matches", TWO, 3, false, "(ab)", "f", "g");
SELECT("tiny-select-late", "a select gives up against a match", TWO, 2, false, "(ab)W", "f");
SELECT("select-back", "a branch is put back beside one that is decided", CHANNELS, 3, false, "(ac)W", "(bd)",
       "a");
ELSEWHERE("select-external", "both bodies of a select run elsewhere", TWO, 4, 0,
          .words = {"(ab)W", "fg~", "g", "~"});
ELSEWHERE("select-external-soups", "bodies of two soups run elsewhere in two steps", SOUPS, 4, 1,
          .words = {"(ab)W", "(ba)", "fg~", "gf~"});
ELSEWHERE("select-external-shared", "what a firing elsewhere puts back enables others", SHARED, 4, 0,
          .words = {"(ab)W(ab)", "fv~", "gwc", "vf~"});
ELSEWHERE("select-external-state", "a firing elsewhere gives its state back", STATE, 4, 1,
          .words = {"(ab)W", "(ab)~", "fgv", "vfg~"});
ELSEWHERE("select-external-all", "all that a firing puts back has origins", ORIGINS, 4, 0,
          .words = {"(ac)W", "(bd)~", "fg", "gf~"});
ELSEWHERE("select-external-meet", "selects and a call meet elsewhere", CHANNELS, 4, 0,
          .words = {"(ac)W", "(bd)~", "(ad)", "b~"});
ELSEWHERE("select-external-enter", "one client is where the bodies belong", CHANNELS, 4, 1, .enters = true,
          .words = {"(ac)~", "(bd)W", "(ad)", "b~"});
ELSEWHERE("select-external-order", "a place runs one firing at a time", "a! b! g-: a bg", 3, 0, .in_order = true,
          .words = {"~", "(ab)W", "(ba)g"});
ELSEWHERE("select-external-stop", "a soup stops whose bodies run elsewhere", SOUPS, 4, 0,
          .words = {"(ab)W", "(ab)~", "fQ", "gO"});
