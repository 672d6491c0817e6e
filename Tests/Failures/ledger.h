// The books of a trial: every molecule that it has made, and the soup in which they react.

#ifndef LEDGER_H
#define LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../programs.h"

enum { MOST_SPECIES = 40, MOST_RULES = 40, MOST_INPUTS = 24 };

/// A name of the soup.
struct ledger_species {
  crucible_name *name;
  size_t size;                  ///< 0: its molecules are only counted
  _Atomic uint64_t given;       ///< injected, and not refused
  _Atomic uint64_t gone;        ///< consumed by bodies, withdrawn or destroyed
  struct ledger_chemistry *chemistry;
};

/// A reaction of the soup.
struct ledger_rule {
  struct ledger_chemistry *chemistry;
  struct ledger_species *inputs[MOST_INPUTS];
  size_t count;
  _Atomic uint64_t fired;
  void (*then)(struct ledger_chemistry *chemistry);  ///< the act of its body besides consuming; may be null
};

struct ledger_chemistry {
  crucible_soup *soup;
  struct ledger_species species[MOST_SPECIES];
  struct ledger_rule rules[MOST_RULES];
  size_t species_count, rule_count;
  _Atomic uint64_t dropped, withdrawn;  ///< only molecules with values
  _Atomic uint64_t observed;  ///< injections that the observer was told of, less those taken back
  crucible_firing *_Atomic submitted[64];  ///< firings that are placed externally, and wait
};

/// The values of species are at least this large.
struct molecule {
  uint64_t number;
  uint64_t inverse;
  uint64_t padding[2];
};

/// Defines a soup by `build`, and tries again until there is enough memory.
void ledger_define(struct ledger_chemistry *chemistry, crucible_matcher matcher,
                   void (*build)(struct ledger_chemistry *chemistry));
/// Values of this size are aligned to it. Their bag allocates its first ring when it is created, not with the first
/// push.
enum { ALIGNED = 256 };
/// Adds a name. Requires: `build` calls it, and `size` is 0, or at least that of a struct molecule.
struct ledger_species *ledger_species(struct ledger_chemistry *chemistry, crucible_kind kind, size_t size);
struct ledger_rule *ledger_rule(struct ledger_chemistry *chemistry, crucible_placement placement, size_t count, ...);

/// Injects one molecule. Returns false if there was no memory; then the molecule is kept for ledger_settle.
bool ledger_inject(struct ledger_species *species);
/// Injects, in one step, one molecule of each species, and `times` of those that are only counted.
bool ledger_inject_together(size_t count, uint64_t times, struct ledger_species *const *species);
/// Injects a call, and withdraws it later.
struct pending_call {
  struct ledger_species *species;
  crucible_ticket ticket;
  bool waits;
};
struct pending_call ledger_call(struct ledger_species *species);
void ledger_withdraw(struct pending_call *call);
/// Runs, or discards, the firings that were submitted.
void ledger_run_submitted(struct ledger_chemistry *chemistry);

/// Makes a thread of the test.
pthread_t ledger_thread(void *(*function)(void *), void *argument);

/// Requires: memory is back. Injects the refused molecules, waits until all is quiet, and checks the books.
void ledger_settle(struct ledger_chemistry *chemistry);
/// Releases the soup, and checks that nothing of it is left.
void ledger_end(struct ledger_chemistry *chemistry);
/// Returns how often the core refused something.
uint64_t ledger_refusals(void);

#endif
