// One soup, what the clients do to it in one run, and what must hold when they are done.
//
// Every molecule with a payload is known by its address in `molecules`, which shows what consumed it, and when.

#ifndef SCHEDULES_TRIAL_H
#define SCHEDULES_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "CCrucible.h"
#include "bag/bag.h"
#include "scheduler.h"

enum { MOST_NAMES = 67, MOST_RULES = 8, MOST_MOLECULES = 64, MOST_KEYS = 3 };

enum form { CARRIES, VOID_NAME, STATE_NAME, CALL_NAME, SMALL_NAME, FACT_NAME };

struct molecule {
  unsigned name;
  bool is_small;             ///< its name is a SMALL_NAME
  unsigned pusher;           ///< the thread that injects it
  int64_t value;
  char cargo;                ///< stands for memory that its injector wrote, and that the consumer reads
  uint64_t begun, returned;  ///< when its injection began and returned; returned 0: not yet
  uint64_t consumed;         ///< when; 0: not consumed
  bool refused, destroyed;
  bool told;                 ///< its injection was told that it is refused; another one may be, in its place
  bool withdrawn;            ///< it belongs to the caller again
  bool given_up;             ///< its caller waits no more, and was told that the call is not returned
  crucible_ticket ticket;
};

/// The payload of a molecule. The complement reveals torn copies. A SMALL_NAME carries the first word alone, with its
/// lowest bit set.
struct payload {
  struct molecule *molecule;
  uintptr_t complement;
  crucible_waiter *waiter;
};

// What threads write while others may read it. Under the scheduler one thread runs at a time. On real threads
// (Tests/Storms) these are relaxed atomics, which order nothing, so that ThreadSanitizer checks what the core orders.
#ifdef CRUCIBLE_SCHEDULER
#define PEEK(place) (place)
#define POKE(place, value) ((place) = (value))
#define ADD(place, number) ((place) += (number))
#define CLAIM(place, value) ((place)++ == (value))
#define PUBLISH(place, value) ((place) = (value))
#define PUBLISHED(place) (place)
#else
#define PEEK(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define POKE(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELAXED)
#define ADD(place, number) __atomic_add_fetch(&(place), number, __ATOMIC_RELAXED)
#define CLAIM(place, value) \
  __atomic_compare_exchange_n(&(place), &(value), (value) + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define PUBLISH(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)
#define PUBLISHED(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#endif

struct trial;

/// The act of a body besides consuming. `values` are in the order of the inputs, null for `Void`.
typedef void act(struct trial *trial, struct molecule *const *molecules, void *const *values);

struct trial_rule {
  struct trial *trial;
  unsigned reaction;  ///< its number in the soup
  unsigned inputs[MOST_NAMES];
  unsigned count;
  act *act;           ///< may be null
  unsigned fired;
};

struct name {
  crucible_name *core;
  enum form form;
  unsigned injected, consumed;  ///< also counts reactions that keep a state
  unsigned withdrawn, destroyed;
};

struct trial_chemistry {
  const char *name;
  const char *sentence;
  unsigned clients;
  unsigned workers;                ///< threads of the pool; 0 counts as 1, for firings that nest too deeply
  crucible_placement placement;
  unsigned parameter;
  unsigned capacity;               ///< how much the field of its first name, a state aside, must hold; 0: any
  void (*define)(struct trial *trial);
  const char *soup;                ///< for `define_soup`: what it defines (words.c)
  act *acts[MOST_RULES];           ///< of its reactions
  void (*client)(struct trial *trial, unsigned index);
  void (*before)(struct trial *trial);  ///< the first check, when all is quiet; may be null
  void (*check)(struct trial *trial);  ///< in addition to what every trial checks; may be null
  bool (*quiet)(const struct trial *trial);  ///< for a bare case that needs workers: no work is left
  void (*between)(struct trial *trial, const void *task);  ///< external: what its body does between two steps
  void (*unowned)(crucible_soup *soup);  ///< learns that the last owner has left; may be null
  bool waits;    ///< some call waits for another thread even on `word`
  bool bare;     ///< no soup: a bag alone
  bool for_word; ///< about a path that only `word` has; on the others it is the same as another case
  bool crowded;  ///< reactions connect more names than some matchers serve
  bool unfrozen; ///< a client ends the definition
  bool gone;     ///< the clients release the soup
  bool unordered;
  bool mixed;    ///< only the first reactions are placed so, the others are inline
  unsigned first;  ///< for a mixed case: how many reactions are placed so; 0: one
  bool in_order; ///< for an external case: one client alone serves, and molecules are taken when a firing begins
  bool enters;   ///< for an external case: what client 0 completes runs at once
  bool own;      ///< for an external case: a firing may have no origin, if its giver is being injected
  bool visits;   ///< for an external case: bodies may visit their callers
  bool scheduled;  ///< its clients share memory that only the scheduler orders: not for real threads
  bool selects;  ///< its calls may be branches of selects
  crucible_bound_options bound;  ///< of its name 'q', if it has one; without `capacity`, `r` is the room
  crucible_bound_options limits;  ///< of the same name, for each key: its capacity, when_full, and the keys as `rooms`
  bool expires;  ///< molecules with values may expire, and states with keys; with keys, molecules do anyway
  unsigned keys; ///< its names have keys, and there are so many; the first one's states need not stay
  const char *words[CLIENTS];  ///< what each client does, in the letters of its case
};

/// Whether the matcher serves names with keys and names that expire, as far as the case has them.
static inline bool serves_names(const struct trial_chemistry *chemistry, crucible_matcher matcher) {
  if (chemistry->keys) return matcher == CRUCIBLE_LOCKED;
  return !chemistry->expires || matcher == CRUCIBLE_LOCKED || matcher == CRUCIBLE_ARRIVAL;
}

/// A case: its name, what its clients do, and further members. The linker collects all of them (schedules.c).
#define CASE(text, what, count, definition, use, ...)                                                        \
  __attribute__((used, section("chemistries"))) static const struct trial_chemistry *const NUMBERED(__COUNTER__) = \
      &(const struct trial_chemistry){                                                                             \
          .name = text, .sentence = what, .clients = count, .define = definition, .client = use, __VA_ARGS__}
#define NUMBERED(number) NUMBERED_AS(number)
#define NUMBERED_AS(number) chemistry_##number
/// Declares a case whose soup and clients are text. The words are the last of its members.
#define INLINE_WORDS(text, what, count, chemistry, ...) \
  INLINE_CASE(text, what, count, define_soup, follow_word, .soup = chemistry, __VA_ARGS__)
#define INLINE_CASE(text, what, count, definition, use, ...) \
  CASE(text, what, count, definition, use, .placement = CRUCIBLE_INLINE, __VA_ARGS__)
/// Declares a case of three clients, inline and, as TEXT-pool, on a pool of two.
#define INLINE_AND_POOL(text, what, definition, use, ...)           \
  INLINE_CASE(text, what, 3, definition, use, __VA_ARGS__);         \
  CASE(text "-pool", what ", on a pool of two", 3, definition, use, \
       .workers = 2, .placement = CRUCIBLE_POOL, __VA_ARGS__)

struct trial {
  const struct trial_chemistry *chemistry;
  crucible_matcher matcher;
  crucible_soup *soup;
  crucible_soup *other;     ///< a second soup, whose names come after those of the first; null: none
  unsigned first_of_other;  ///< the number of its first name
  unsigned first_rule_of_other;
  struct name names[MOST_NAMES];
  unsigned name_count;
  struct trial_rule rules[MOST_RULES];
  unsigned rule_count;
  struct molecule molecules[MOST_MOLECULES];
  unsigned molecule_count;
  bool inside[MOST_NAMES][MOST_KEYS];  ///< a body works on this state
  unsigned begins;  ///< how often a molecule was perhaps the first of its name and shard to wait
  unsigned stays;   ///< how often a state with an expiry was perhaps the first of its name and shard with a value
  uint64_t keyed_states, keys_alive;  ///< states that were made for a key and not destroyed; copies of keys
  bool silent;              ///< no body may run, except in steps
  unsigned steps;           ///< how many steps may still let a body run
  uint64_t paused;          ///< when; molecules injected since then wait until the soup is resumed; 0: not paused
  bool hushed[MOST_NAMES];  ///< no body that consumes the name may run
  unsigned by_reason[5];    ///< destroyed molecules
  uint64_t dropped;         ///< as the calls that drop reported
  uint64_t forgotten;       ///< facts that a restart has dropped
  unsigned stops;           ///< stops that have begun, and whose report is made
  bool is_told;             ///< the report of the last stop is made: nothing more is dropped for it
  bool late[ACTORS + 1];    ///< the thread passes the refusal before the stop, and goes on after its report
  bool cleared[MOST_NAMES];  ///< a clear of it has begun
  uint64_t drain_begun, drain_returned;  ///< when it began and returned; 0: not yet
  uint64_t stop_begun, stop_returned, restart_begun, restart_returned;  ///< 0: not yet
  unsigned rules_released, names_released;
  struct bag bag;
  _Atomic uint64_t available;
  struct {
    uint64_t begun, ended;
  } emptinesses[MOST_MOLECULES];  ///< looks that found the bag empty
  unsigned emptiness_count;
  struct {
    struct trial_rule *rule;
    crucible_firing *firing;
    void *origin;  ///< by which it runs, if that was taken as it was submitted
  } placed[MOST_MOLECULES];  ///< externally placed firings, in the order of their arrival
  unsigned placed_count, served_count;
  unsigned ended;            ///< how many of those have ended
  void *taken[ACTORS + 1];  ///< the origin by which a thread is about to run a firing
  bool own[ACTORS + 1];  ///< whether that firing needs no other task than the one in which its thread injects
  const void *task[ACTORS + 1];  ///< of the external body that loads on the actor, in two steps; null: none
  uint64_t bytes, soups;  ///< alive before the trial
};

void trial_begin(struct trial *trial, const struct trial_chemistry *chemistry, crucible_matcher matcher, uint64_t seed);
/// Checks that all is at rest as it must be, and takes the soup down.
void trial_end(struct trial *trial);
bool trial_quiet(void *trial);
/// The most molecules of this name that its word counts before it spills; 0 on matchers without words.
uint64_t capacity_of(const crucible_name *name);

/// The key of a molecule. 0 in a case without keys.
unsigned key_of(const struct trial *trial, const struct molecule *molecule);
unsigned declare(struct trial *trial, const char *label, enum form form);
void react(struct trial *trial, const unsigned *inputs, unsigned count, act *act);
#define REACT(trial, act, ...) \
  react(trial, (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned), act)

/// Defines what the case says in `soup`.
void define_soup(struct trial *trial);
/// a & b, which both carry values.
#define AB .soup = "a b: ab"

/// Declares further names and reactions in a second soup, whose definition must be ended as well.
void declare_in_other(struct trial *trial);
/// Ends a definition.
void freeze_soup(crucible_soup *soup);
/// Declares names that meet in one wide reaction, which is never enabled, until the soup has `total` names. Fields get
/// narrow.
void fill_up(struct trial *trial, unsigned total);

/// Does what the case says in `words` (words.c).
void follow_word(struct trial *trial, unsigned index);
/// Returns the first name whose label begins so.
unsigned named(const struct trial *trial, char initial);

/// Injects by an owner, or from a body.
struct molecule *inject(struct trial *trial, unsigned name, int64_t value);
/// Injects `count` molecules.
void inject_some(struct trial *trial, unsigned name, unsigned count);
/// Injects into a soup that may be stopped. Returns null if it is.
struct molecule *try_to_inject(struct trial *trial, unsigned name);
/// A body of the first two names: injects the other name twice, until there are some molecules.
act step_on;
/// A body that waits for another one: bodies go on two at a time.
act wait_for_partner;
/// Injects a fact. Returns null if the fact is known, or the soup may be stopped.
struct molecule *learn(struct trial *trial, unsigned name);
/// Injects by a name that does not own. Returns null if the soup is gone.
struct molecule *inject_unowned(struct trial *trial, unsigned name, int64_t value);
/// Injects a molecule with a waiting caller.
void inject_waiting(struct trial *trial, unsigned name, crucible_waiter *waiter);
/// Injects a call that is awaited. If a reaction on this thread answers it at once, it is not stored.
void inject_at_once(struct trial *trial, unsigned name, crucible_waiter *waiter);
/// Injects an awaited call by a name that does not own. Returns null if the soup is gone; then no thread signals the
/// waiter.
struct molecule *ask_unowned(struct trial *trial, unsigned name, crucible_waiter *waiter);
/// Waits for the outcome as a task does, which another thread resumes.
void suspend(crucible_waiter *waiter);
/// Injects a call that can be withdrawn. Returns null if the soup is stopped.
struct molecule *call(struct trial *trial, unsigned name);
/// Gives a call up. Returns true if the call belongs to the caller again; otherwise no caller waits for it any more.
bool withdraw(struct trial *trial, struct molecule *molecule);
/// Injects several molecules in one step, by the initials of their names' labels.
crucible_status inject_together(struct trial *trial, const char *initials);

/// Gives the next molecule that this thread injects the origin of client `of`.
void give_origin(unsigned of);
/// Injects by the name with this origin, which `inject` gets as the one that it makes. Ends the origin if `inject` did
/// not ask for it.
bool inject_from(void *origin, crucible_name *name, void *value, uint64_t attempts, crucible_ticket *ticket);
/// Runs a firing that has been placed externally, if there is one.
bool serve_next(struct trial *trial);
/// Runs firings that are placed externally, as the thread where they belong, until `count` have ended. It runs each in
/// one step or, if the chemistry's parameter says so, in two.
void serve(struct trial *trial, unsigned count);

void pause_all(struct trial *trial);
void resume_all(struct trial *trial);
/// Lets one reaction fire, if the soup is paused. Returns false if none is enabled, or the soup is not paused.
bool step_once(struct trial *trial);
void pause_name(struct trial *trial, unsigned name);
void resume_name(struct trial *trial, unsigned name);
/// Waits until the soup is quiet. Requires: the name is paused. No body that consumes it may run from then on.
void wait_for_hush(struct trial *trial, unsigned name);
void clear_all(struct trial *trial);
void clear_name(struct trial *trial, unsigned name);
/// Expires all molecules of a name with keys.
void expire_name(struct trial *trial, unsigned name);
void stop_all(struct trial *trial);
/// Stops, and when the soup is quiet drops what came in between. Nothing waits then, until a restart.
void stop_and_empty(struct trial *trial);
/// Drains, and stops when the soup is quiet. Nothing waits then, as after `stop_and_empty`.
void drain_and_empty(struct trial *trial);
/// Restarts, with all states at 0.
void restart_all(struct trial *trial);
/// Waits until the soup is quiet. Requires: it is stopped or paused. No body may run until it goes on.
void wait_for_silence(struct trial *trial);

/// Whether the thread is in a step of the core that takes branches out of a soup, rather than one that refuses them.
bool takes_branches_out(void);

/// Makes a molecule that is about to be injected. The caller must report it if the injection fails.
struct molecule *begin_injection(struct trial *trial, unsigned name, int64_t value);
struct molecule *new_molecule(struct trial *trial, unsigned name, int64_t value);
struct payload payload_of(struct molecule *molecule);
struct molecule *checked(struct trial *trial, const struct payload *payload);
static inline bool carries(const struct trial *trial, unsigned name) {
  return trial->names[name].form != VOID_NAME && trial->names[name].form != STATE_NAME;
}

#endif
