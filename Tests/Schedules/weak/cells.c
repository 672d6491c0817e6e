// Data races, by vector clocks.
//
// For each eight bytes of memory, this keeps each thread's last access of each kind, with the bytes that it touched and
// the thread's clock then. A later access races with it if four things hold. The later thread has not heard of that
// clock (views.h), the bytes overlap, one of the two writes, and one of the two is not atomic (C11 5.1.2.4). It keeps
// only the last access of a kind, as in Flanagan and Freund's FastTrack (PLDI 2009) with one entry a thread. So it may
// miss a race, and never makes one up.

#include "cells.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "views.h"

enum { GRAIN = 8, CELLS = 1 << 16 };

static struct cell {
  uintptr_t grain;
  uint32_t run;
  struct record {
    const void *where;
    uint32_t clock;
    uint8_t bytes;
  } records[ACTORS][ACCESSES];
} cells[CELLS];
static uint32_t run;

void cells_reset(void) { run++; }

static struct cell *find(uintptr_t grain) {
  unsigned index = (unsigned)((grain * UINT64_C(0x9E3779B97F4A7C15)) >> 40) % CELLS;
  for (unsigned looks = 0; looks < CELLS; looks++, index = (index + 1) % CELLS) {
    struct cell *cell = &cells[index];
    if (cell->run == run && cell->grain == grain) return cell;
    if (cell->run == run) continue;
    memset(cell, 0, sizeof *cell);
    cell->run = run;
    cell->grain = grain;
    return cell;
  }
  scheduler_fail("more than %d bytes touched in one run", CELLS * GRAIN);
}

static const char *const kinds[] = {"reads", "writes", "reads (atomically)", "writes (atomically)"};

static bool conflict(enum access a, enum access b) {
  bool one_writes = a == PLAIN_WRITE || a == ATOMIC_WRITE || b == PLAIN_WRITE || b == ATOMIC_WRITE;
  return one_writes && (a <= PLAIN_WRITE || b <= PLAIN_WRITE);
}

/// Prints function and line, if binutils are installed.
static void tell(const void *where) {
  char command[200];
  snprintf(command, sizeof command, "addr2line -fspe /proc/%d/exe %p 2>/dev/null", (int)getpid(), where);
  FILE *lines = popen(command, "r");
  char line[200];
  if (lines && fgets(line, sizeof line, lines)) printf("  at %p: %s", where, line);
  if (lines) pclose(lines);
}

static void touch_grain(uintptr_t grain, uint8_t bytes, enum access access, const void *where) {
  unsigned self = scheduler_self();
  const struct view *mine = views_mine();
  struct cell *cell = find(grain);
  for (unsigned t = 0; t < ACTORS; t++) {
    if (t == self) continue;
    for (unsigned k = 0; k < ACCESSES; k++) {
      const struct record *other = &cell->records[t][k];
      if (!(other->bytes & bytes) || other->clock <= mine->clock[t] || !conflict(access, (enum access)k)) continue;
      tell(other->where);
      tell(where);
      scheduler_fail("a data race: thread %u %s what thread %u %s", self, kinds[access], t, kinds[k]);
    }
  }
  cell->records[self][access] = (struct record){where, mine->clock[self], bytes};
}

void cells_touch(const volatile void *address, size_t size, enum access access, const void *where) {
  uintptr_t at = (uintptr_t)address, end = at + size;
  while (at < end) {
    uintptr_t grain = at / GRAIN * GRAIN;
    uintptr_t next = grain + GRAIN < end ? grain + GRAIN : end;
    uint8_t bytes = (uint8_t)(((1u << (next - at)) - 1) << (at - grain));
    touch_grain(grain, bytes, access, where);
    at = next;
  }
}
