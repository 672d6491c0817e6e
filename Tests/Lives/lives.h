// Declarations for the programs about the life of processes, threads and soups: a chemistry that does real work, with a
// known result.

#ifndef LIVES_H
#define LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "../programs.h"

#define ELEMENTS(array) (sizeof(array) / sizeof *(array))

/// The most matchers that these programs have room for.
enum { MOST_MATCHERS = 8 };
/// Returns the number of matchers in the registry. Ends the program with a message if there are more than
/// MOST_MATCHERS.
unsigned matcher_count(void);
/// Returns the matcher of this index; after the last one the first comes again.
crucible_matcher matcher_at(uint64_t index);

/// sum & add & go → sum + add; sum & ask → the sum for the caller; sum & split → a fork; stuck & never: a call that is
/// never answered.
struct account {
  crucible_soup *soup;
  crucible_name *sum, *add, *go, *ask, *split, *stuck, *never;
};

/// The process that a split on this thread has forked; 0 in that process; -1: none.
extern _Thread_local int split_off;
/// The act of the body before it forks, or null.
extern void (*before_split)(void);

struct account account_open(const char *label, crucible_matcher matcher, crucible_placement placement);
void account_close(struct account *account);
/// Adds 1, 2 … `count`: first the numbers, which wait, then the molecules that let them react. Adds less if this
/// becomes a child meanwhile.
void account_add(const struct account *account, uint64_t count);
/// Waits for the sum.
uint64_t account_ask(const struct account *account);
/// Opens an account, adds, waits until it is quiet, and closes it. Returns false if the sum is wrong, or it does not
/// become quiet.
bool account_works(crucible_matcher matcher, crucible_placement placement, uint64_t count);
/// Waits for an answer that never comes: for a thread.
void *account_wait_for_ever(void *account);

/// Each body calls `each`, which may be null, and injects the molecule that lets the next body run.
struct chain {
  crucible_soup *soup;
  crucible_name *link;
  void (*each)(void);
};
void chain_open(struct chain *chain, crucible_matcher matcher, crucible_placement placement, void (*each)(void));
/// Starts so many bodies, one after the other.
void chain_start(const struct chain *chain, uint64_t length);

/// How often a child was told, by `be_told`, that a soup is its parent's, in all accounts.
extern _Atomic uint64_t told;
void be_told(crucible_soup *soup);

/// Waits, under a deadline, until the pool has nothing queued and all its threads are idle.
void wait_until_asleep(void);

/// Returns the bytes of this process that are in memory.
uint64_t resident_bytes(void);
void start_thread(void *(*run)(void *), void *argument);

#endif
