// What can be seen of a soup from outside: quiet, counts, labels.
//
// Quiet. Each injection counts itself as entered and left in a stripe of its thread; each firing that is reserved for
// another thread is counted in `holds` before the injection that reserved it leaves, and until its body has ended, with
// all the injections that the body made. Not counted are plain injections that are not nested in a body (word.c): they show in
// the word of their component; nor what a body without states injects into its own soup and stores (word_short.c): the injection or
// the pending firing that runs the body is counted until the body has ended. Read in this order: all `left`, the words and the pending firings, all `entered`. If the sums
// of the first and the last agree, then nothing that is counted was in progress from the first to the last reading: both
// sums only grow, and entered ≥ left at all times. So no plain injection made another one in that time; each was alone in
// its component, and of those that began before this call, none was left when its component's word was read. Every value is
// read with acquire, so whatever is seen brings along what caused it: the picture has no effect without its cause. An injection
// that begins again, by another path, has entered once and leaves once.
//
// What runs is read from the records of the threads, which show the innermost body of each, and the firing that a worker has
// begun: bodies beneath inline bodies of other soups are not seen. Bodies that go on after their thread has left them are counted
// by their reactions.
//
// What quiet does not say: whether yet other threads, while it looked, were beginning injections of their own.

#include <time.h>

#include "firing.h"
#include "park.h"
#include "pool.h"
#include "soup.h"

enum counter { ENTERED, LEFT };

static uint64_t sum_block(struct stripe *stripes, enum counter counter) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < STRIPES; i++) {
    sum += load_acquire(counter == LEFT ? &stripes[i].left : &stripes[i].entered);  // partner: crucible__leave
  }
  return sum;
}

static uint64_t sum(struct crucible_soup *soup, enum counter counter) {
  uint64_t sum = load_acquire(counter == LEFT ? &soup->crowd.left : &soup->crowd.entered);  // partner: crucible__leave
  sum += sum_block(soup->stripes, counter);
  struct further_stripes *further = load_acquire(&soup->further);  // partner: further_of
  for (uint32_t b = 0; further && b < FURTHER_BLOCKS; b++) {
    struct stripe *block = load_acquire(&further->blocks[b]);  // partner: block_at
    if (block) sum += sum_block(block, counter);
  }
  return sum;
}

/// What workers hold to spare is among them.
static uint64_t pending_holds(const struct crucible_soup *soup) { return load_acquire(&soup->holds) / CRUCIBLE_PENDING; }

uint64_t crucible_soup_pending(crucible_soup *soup) {
  uint64_t pending = pending_holds(soup);
  for (const struct thread *t = crucible__thread_list(); t; t = t->next) {
    if (load_relaxed(&t->spare) == soup && pending > 0) pending--;
  }
  return pending;
}

bool crucible_soup_is_quiet(crucible_soup *soup) {
  if (crucible__is_inherited(soup)) return false;
  if (!load_acquire(&soup->frozen)) return pending_holds(soup) == 0;  // partner: the release in freeze
  uint64_t left = sum(soup, LEFT);
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (!component->strategy->is_at_rest(component)) return false;
  }
  if (pending_holds(soup) != 0) return false;
  return sum(soup, ENTERED) == left;
}

bool crucible_soup_wait_quiet(crucible_soup *soup, uint64_t nanoseconds) {
  enum { SHORTEST = 20000, LONGEST = 1000000 };
  if (crucible_soup_is_quiet(soup)) return true;
  if (nanoseconds == 0 || soup->inherited) return false;
  struct thread *self = crucible__thread();
  if (self) crucible__slot_flush(self);  // what is waited for may have been deferred to this very thread
  crucible__blocking_begin(self);
  uint64_t begin = crucible__now();
  uint64_t pause = SHORTEST;
  uint64_t waited = 0;
  bool quiet = false;
  while (!quiet && waited < nanoseconds) {
    uint64_t remaining = nanoseconds - waited;
    struct timespec sleep = {.tv_nsec = (long)(pause < remaining ? pause : remaining)};
    nanosleep(&sleep, NULL);
    if (pause < LONGEST) pause *= 2;
    quiet = crucible_soup_is_quiet(soup);
    waited = crucible__now() - begin;
  }
  crucible__blocking_end(self);
  return quiet;
}

void crucible_soup_counts(crucible_soup *soup, uint64_t *counts) {
  for (uint32_t i = 0; i < soup->name_count; i++) counts[i] = 0;
  if (crucible__is_inherited(soup)) return;
  if (!load_acquire(&soup->frozen)) return;  // partner: the release in freeze
  if (!crucible_soup_hold(soup)) return;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    if (!component->strategy) continue;
    uint64_t by_bit[CRUCIBLE_MAX_NAMES];
    component->strategy->counts(component, by_bit);
    for (uint32_t bit = 0; bit < component->name_count; bit++) counts[component->names[bit]->index] = by_bit[bit];
  }
  crucible__soup_let_go(soup, 1);
}

uint64_t crucible_soup_dropped(crucible_soup *soup) { return load_relaxed(&soup->dropped); }
uint64_t crucible_soup_withdrawn(crucible_soup *soup) { return load_relaxed(&soup->withdrawn); }

uint64_t crucible_soup_placed(const crucible_soup *soup, size_t reaction) {
  return load_relaxed(&soup->reactions[reaction]->placed);
}

/// The reaction of the soup at this address; null: it is another soup's.
static const struct reaction *known(const struct crucible_soup *soup, const struct reaction *reaction) {
  for (size_t r = 0; r < soup->reaction_count; r++) {
    if (soup->reactions[r] == reaction) return reaction;
  }
  return NULL;
}

void crucible_soup_activity(crucible_soup *soup, uint64_t *running, uint64_t *reserved) {
  for (size_t r = 0; r < soup->reaction_count; r++) running[r] = 0;
  *reserved = 0;
  if (crucible__is_inherited(soup)) return;
  uint64_t pending = crucible_soup_pending(soup);
  for (const struct thread *t = crucible__thread_list(); t; t = t->next) {
    const struct reaction *begun = known(soup, load_relaxed(&t->begun));
    const struct reaction *innermost = known(soup, load_relaxed(&t->running));
    if (innermost && load_relaxed(&innermost->taken) == 0) running[innermost->index]++;
    if (begun && pending > 0) pending--;
    if (begun && !innermost) running[begun->index]++;
  }
  for (size_t r = 0; r < soup->reaction_count; r++) {
    uint32_t taken = load_relaxed(&soup->reactions[r]->taken);
    running[r] += taken;
    pending -= taken < pending ? taken : pending;
  }
  *reserved = pending;
}

crucible_soup *crucible_name_soup(const crucible_name *name) { return name->soup; }
void *crucible_soup_context(const crucible_soup *soup) { return soup->context; }
const char *crucible_soup_label(const crucible_soup *soup) { return soup->label; }
const char *crucible_soup_file(const crucible_soup *soup) { return soup->file; }
uint32_t crucible_soup_line(const crucible_soup *soup) { return soup->line; }
size_t crucible_soup_name_count(const crucible_soup *soup) { return soup->name_count; }
crucible_name *crucible_soup_name(crucible_soup *soup, size_t index) { return soup->names[index]; }
size_t crucible_soup_reaction_count(const crucible_soup *soup) { return soup->reaction_count; }

const char *crucible_name_label(const crucible_name *name) { return name->label; }
const char *crucible_name_file(const crucible_name *name) { return name->file; }
uint32_t crucible_name_line(const crucible_name *name) { return name->line; }
size_t crucible_name_index(const crucible_name *name) { return name->index; }
void *crucible_name_cell(const crucible_name *name) { return name->cell; }
bool crucible_name_has_payload(const crucible_name *name) { return name->has_payload; }
void *crucible_name_context(const crucible_name *name) { return name->context; }
crucible_kind crucible_name_kind(const crucible_name *name) { return name->kind; }

size_t crucible_name_component(const crucible_name *name) { return name->component ? name->component->index : 0; }

crucible_matcher crucible_name_matcher(const crucible_name *name) {
  return name->component && name->component->strategy ? name->component->strategy->matcher : CRUCIBLE_AUTOMATIC;
}

uint64_t crucible_name_capacity(const crucible_name *name) {
  return crucible_name_matcher(name) == CRUCIBLE_WORD ? name->limit / name->unit : 0;
}

crucible_reaction_info crucible_soup_reaction(const crucible_soup *soup, size_t index) {
  const struct reaction *reaction = soup->reactions[index];
  return (crucible_reaction_info){.label = reaction->label,
                                  .file = reaction->file,
                                  .line = reaction->line,
                                  .placement = reaction->placement,
                                  .input_count = reaction->input_count};
}

crucible_name *crucible_soup_reaction_input(const crucible_soup *soup, size_t reaction, size_t input) {
  return soup->reactions[reaction]->inputs[input].name;
}
