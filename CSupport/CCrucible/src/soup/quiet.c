// Checks whether anything is in progress in a soup.
//
// Counted activity
//   Each injection counts itself as entered and left in a stripe of its thread. A firing that is reserved for another
//   thread is counted in `holds`, from before the reserving injection leaves until the end of its body and of all
//   injections of the body.
// Activity that is not counted
//   The word of a component shows plain injections that are not nested in a body (matcher/word/word_plain.c,
//   wide/wide_short.c). In a wide component that is the word that has everything that they take. A step of a chain
//   (word_chain.c) is pending from its beginning on, by an advance hold of its thread.
//
// The check reads, in this order, all `left`, the words and the pending firings, and all `entered`. If the sums of the
// first and the last agree, nothing that is counted was in progress between the first and the last reading: both sums
// only grow, and entered ≥ left at all times. So no plain injection made another one in that time. Each was alone in
// its component. Those that began before this call were over when the word of their component was read. Every value is
// read with acquire, so a check that sees an effect also sees its cause. An injection that restarts, by another path,
// enters once and leaves once.
//
// A soup that is found quiet may be about to change: further threads may have begun injections during the check.

#include "CCrucible.h"
#include "firing/holds.h"
#include "firing/stripes.h"
#include "matcher/matcher.h"
#include "pool/pool.h"

enum counter { ENTERED, LEFT };

static uint64_t sum_block(struct stripe *stripes, uint32_t count, enum counter counter) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    // partner: crucible__leave, and crucible__enter_and_look
    sum += load_seq_cst(counter == LEFT ? &stripes[i].left : &stripes[i].entered);
  }
  return sum;
}

static uint64_t sum(struct crucible_soup *soup, enum counter counter) {
  uint64_t sum = load_acquire(counter == LEFT ? &soup->crowd.left : &soup->crowd.entered);  // partner: crucible__leave
  sum += sum_block(soup->stripes, OWN_STRIPES, counter);
  // The counters are zeroed before the block is published.
  struct stripe *near = load_acquire(&soup->near);  // partner: block_at
  if (near) sum += sum_block(near, NEAR_STRIPES, counter);
  struct further_stripes *further = load_acquire(&soup->further);  // partner: further_of
  for (uint32_t b = 0; further && b < FURTHER_BLOCKS; b++) {
    struct stripe *block = load_acquire(&further->blocks[b]);  // partner: block_at
    if (block) sum += sum_block(block, STRIPES, counter);
  }
  return sum;
}

/// Returns the number of pending holds, including the advance holds of workers.
static uint64_t pending_holds(const struct crucible_soup *soup) {
  return load_acquire(&soup->holds) / CRUCIBLE_PENDING;
}

uint64_t crucible_soup_pending(crucible_soup *soup) {
  uint64_t pending = pending_holds(soup);
  for (const struct thread *t = crucible__thread_list(); t; t = t->next) {
    if (load_relaxed(&t->advance) == soup && pending > 0) pending--;
  }
  return pending;
}

bool crucible_soup_is_quiet(crucible_soup *soup) {
  if (crucible__is_inherited(soup)) return false;
  if (!load_acquire(&soup->frozen)) return pending_holds(soup) == 0;  // partner: the release in freeze
  uint64_t left = sum(soup, LEFT);
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (component->matcher->is_at_rest && !component->matcher->is_at_rest(component)) return false;
  }
  if (pending_holds(soup) != 0) return false;
  return sum(soup, ENTERED) == left;
}

bool crucible_soup_wait_quiet(crucible_soup *soup, uint64_t nanoseconds) {
  if (crucible_soup_is_quiet(soup)) return true;
  if (nanoseconds == 0 || soup->inherited) return false;
  crucible_pool_begin_blocking();
  uint64_t begin = crucible_now(), pause = CRUCIBLE_QUIET_SHORTEST;
  bool quiet = false;
  for (uint64_t waited = 0; !quiet && waited < nanoseconds; waited = crucible_now() - begin) {
    uint64_t remaining = nanoseconds - waited;
    crucible_pool_sleep(pause < remaining ? pause : remaining);
    if (pause < CRUCIBLE_QUIET_LONGEST) pause *= 2;
    quiet = crucible_soup_is_quiet(soup);
  }
  crucible_pool_end_blocking();
  return quiet;
}
