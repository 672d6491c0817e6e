// Declarations for the files of the storms. See storms.c.
//
// Nothing here may order two threads that the core does not order: that would hide a missing ordering from
// ThreadSanitizer. So data that threads share beside the core is written before they are made, or is a relaxed atomic.

#ifndef STORMS_H
#define STORMS_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../fates.h"
#include "../programs.h"
#include "CCrucible.h"

enum { MOST_NAMES = 20, MOST_RULES = 12, MOST_INPUTS = 5, MOST_VESSELS = 3, MOST_CLIENTS = 8, MOST_SIZE = 600 };
/// Names of a crowded chemistry that no thread injects.
enum { BYSTANDERS = CRUCIBLE_MAX_INPUTS - 1 };
enum { CONTEXTS = 64 };

// ---------------------------------------------------------------------------------------------------------------------
// Chance
// ---------------------------------------------------------------------------------------------------------------------

/// The random state of this thread. Its seed comes from the round's seed and the thread's number in it, or from the
/// thread that draws a chemistry.
extern _Thread_local uint64_t storms_random;

/// Returns a number below `bound`.
static inline uint32_t draw(uint32_t bound) {
  return (uint32_t)(((next_random(&storms_random) >> 32) * bound) >> 32);
}
static inline bool one_in(uint32_t n) { return draw(n) == 0; }
static inline crucible_matcher draw_matcher(void) {
  return (crucible_matcher)(1 + draw((uint32_t)crucible_matcher_count()));
}
void seed_thread(uint64_t round, uint64_t thread);

/// Adds the last reaction of a soup, and ends the definition.
void complete(crucible_soup *soup, const crucible_reaction_options *reaction);

// ---------------------------------------------------------------------------------------------------------------------
// A chemistry and its ledger
// ---------------------------------------------------------------------------------------------------------------------

/// A name. Its payload is a number; for fast names then the call, for boxed ones a block of memory; and then bytes that
/// follow from the number.
struct kind {
  struct vessel *vessel;
  crucible_name *name;
  crucible_kind kind;
  uint32_t index, size, alignment;
  bool boxed;
  _Atomic uint64_t injected, consumed;  ///< less those put back or refused
  _Atomic uint32_t releases;
};

struct rule {
  struct vessel *vessel;
  struct kind *inputs[MOST_INPUTS];
  uint32_t count, index;
  crucible_placement placement;
  bool retries, enters;
  _Atomic uint32_t releases;
};

/// The context of a body: plain memory, exchanged while bodies run.
struct context {
  struct rule *rule;
  uint64_t number, twice;
};

/// A soup with its ledger.
struct vessel {
  crucible_soup *soup;
  crucible_matcher matcher;
  uint32_t name_count, rule_count;
  uint32_t inline_share;  ///< eighths of its reactions that are inline
  uint32_t own_share;     ///< eighths that are inline or on the pool; the others are placed externally
  bool calm;   ///< no thread controls it
  bool restarts;  ///< it is mostly stopped and restarted
  bool crowded;  ///< masks cannot distinguish its many connected names
  bool early;  ///< it is used while it is still being defined
  struct kind kinds[MOST_NAMES];
  crucible_name *bystanders[BYSTANDERS];
  struct rule rules[MOST_RULES];
  struct context contexts[CONTEXTS];
  _Atomic uint32_t next_context;
  _Atomic int64_t budget;    ///< molecules that bodies may still inject
  _Atomic uint64_t destroyed[CRUCIBLE_DISCARDED + 1];
  _Atomic uint64_t withdrawn;  ///< by their callers
  sem_t gone;                ///< posted when its contents have been destroyed
  struct fates fates;
};

void draw_chemistry(struct vessel *vessel);
/// Adds the names. `make_rules` adds the reactions and freezes; in between others may inject already.
void make_names(struct vessel *vessel);
void make_rules(struct vessel *vessel);
/// Returns the number of a name in its soup.
static inline uint32_t place_of(const struct vessel *vessel, uint32_t index) {
  return index > 0 && vessel->crowded ? index + BYSTANDERS : index;
}
/// Returns another context for a reaction, or null if there have been enough.
struct context *new_context(struct vessel *vessel, struct rule *rule);

// ---------------------------------------------------------------------------------------------------------------------
// Molecules
// ---------------------------------------------------------------------------------------------------------------------

struct call;

/// Room for any payload.
struct payload {
  _Alignas(64) unsigned char bytes[MOST_SIZE + 64];
};

/// Writes a payload of this kind. Returns false if the ledger is full.
bool make_molecule(struct kind *kind, struct payload *payload, struct call *call);
/// Takes back a molecule that was refused, or withdrawn by its caller: it is the injector's again, and the injector is
/// done with it.
void unmake_molecule(struct kind *kind, struct payload *payload);
/// Reads all of a molecule, and notes that it has met its fate, which it does once. Returns its call, if it is a fast
/// one.
struct call *end_molecule(struct kind *kind, void *value, enum fate fate);
/// Checks that a molecule reads as it was written, and is alive.
void check_molecule(struct kind *kind, const void *value);

/// Puts a first value into a state's cell.
void reset_cell(crucible_name *state, void *context);
void check_cell(const struct kind *kind, const unsigned char *cell);
/// Reads and writes all of a state's cell.
void change_cell(const struct kind *kind, unsigned char *cell);

void react(void *context, void *const *inputs);
void destroy_molecule(void *value, void *kind, crucible_reason reason);
void submit_firing(void *context, crucible_firing *firing);
bool enter_firing(void *context, crucible_firing *firing);

// ---------------------------------------------------------------------------------------------------------------------
// Calls
// ---------------------------------------------------------------------------------------------------------------------

enum { REPLIED = 1, ENDED = 100, MOST_REPLY = 300 };  ///< outcomes; from ENDED on: why it was destroyed

struct call {
  crucible_waiter waiter;
  const void *caller;  ///< stands for the thread that waits
  uint64_t number;
  uint32_t size;
  bool suspended;
  _Atomic bool resumed;
  unsigned char question[64];
  unsigned char reply[MOST_REPLY];
};

/// Reads the question, writes the reply and signals.
void answer(struct call *call);
/// Makes one call of the kind, and waits for its end.
void make_call(struct vessel *vessel, struct kind *kind);

// ---------------------------------------------------------------------------------------------------------------------
// Rounds
// ---------------------------------------------------------------------------------------------------------------------

/// Does the work of one client, on this thread.
void be_client(struct vessel *vessels, uint32_t count, uint32_t operations);
/// Runs several soups, and threads that do everything with them. Returns how many molecules there were.
uint64_t storm_chemistries(uint64_t seed);
/// Makes a soup of this thread alone that dies while its bodies run. Then it asks the shell.
void live_and_die(void);
/// Lets several threads do so.
uint64_t storm_lives(uint64_t seed);
/// A body that goes on only when another thread has run the firing that it left to its own thread.
void be_robbed(void);
/// Runs a pool that is short of threads all the time.
uint64_t storm_shortages(uint64_t seed);
/// Sets a shortage handler that has not been set yet, if there is one left.
void set_handler(void);
/// Stops and restarts a soup while many threads inject.
uint64_t storm_rests(uint64_t seed);
/// Runs short injections, by regulars.
uint64_t storm_shorts(uint64_t seed);
/// Runs one bag alone, without a word that would order its users.
uint64_t storm_bag(uint64_t seed);

// ---------------------------------------------------------------------------------------------------------------------
// Regulars
// ---------------------------------------------------------------------------------------------------------------------

enum { REGULARS = 6 };

/// Makes the regulars. Requires: no other thread has used the core yet.
void begin_regulars(void);
/// Lets the first `count` of them run this, each with its number, from 1. `join_regulars` waits for them.
void call_regulars(uint32_t count, void *(*work)(void *number));
void join_regulars(uint32_t count);

#endif
