// What a stop has dropped, until its report tells it.
//
// Not only the thread that stops a soup drops molecules for the stop: so does a thread that has passed the refusal
// before (STOP-1), or that puts back what it had taken. Each thread notes what it drops, before it leaves. A report
// takes all notes, when the soup is sealed and quiet (STOP-3). So each molecule is told once, by one report, whichever
// thread has dropped it. If the limit of a stop was over before the soup was quiet, the next report tells the rest.
//
// The notes are made with the first molecule, because most soups are never stopped while something waits.

#include "base/errors.h"
#include "base/memory.h"
#include "matcher/inject.h"

static size_t size_of(const struct crucible_soup *soup) { return soup->name_count * sizeof(uint64_t); }

static _Atomic uint64_t *notes_of(struct crucible_soup *soup) {
  _Atomic uint64_t *notes = load_acquire(&soup->untold);  // partner: the CAS below
  if (notes) return notes;
  _Atomic uint64_t *mine = crucible__allocate(size_of(soup), CRUCIBLE_LINE);
  if (!mine) crucible__die("no memory to count what a stop drops");
  for (uint32_t i = 0; i < soup->name_count; i++) atomic_init(&mine[i], 0);
  if (cas_acq_rel(&soup->untold, &notes, mine)) return mine;
  crucible__free((void *)mine, size_of(soup));
  return notes;
}

void crucible__note_stopped(const struct crucible_name *name, uint64_t count) {
  if (count > 0) fetch_add_relaxed(&notes_of(name->soup)[name->species->index], count);
}

void crucible__add_stopped(const struct crucible_name *name, uint64_t count) {
  crucible__add_dropped(name->soup, count);
  crucible__note_stopped(name, count);
}

uint64_t crucible__tell_stopped(struct crucible_soup *soup, uint64_t *counts) {
  _Atomic uint64_t *notes = load_acquire(&soup->untold);  // partner: the CAS in notes_of
  uint64_t sum = 0;
  for (uint32_t i = 0; notes && i < soup->name_count; i++) {
    uint64_t count = exchange_relaxed(&notes[i], 0);
    if (counts) counts[i] += count;
    sum += count;
  }
  return sum;
}

void crucible__free_untold(struct crucible_soup *soup) {
  _Atomic uint64_t *notes = load_relaxed(&soup->untold);
  if (notes) crucible__free((void *)notes, size_of(soup));
}
