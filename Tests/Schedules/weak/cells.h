// Which thread touched which memory, and whether one access came before the other. See README.md.

#ifndef SCHEDULES_CELLS_H
#define SCHEDULES_CELLS_H

#include <stddef.h>

enum access { PLAIN_READ, PLAIN_WRITE, ATOMIC_READ, ATOMIC_WRITE, ACCESSES };

void cells_reset(void);
/// Fails if another thread's access to the same bytes races with this one: neither comes before the other, one of the
/// two writes, and one is not atomic. `where` is the place in the source.
void cells_touch(const volatile void *address, size_t size, enum access access, const void *where);

#endif
