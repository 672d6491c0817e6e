// Finds which objects are shared: several threads touch them in some run, and not all accesses in all runs only read.
//
// Addresses differ from run to run, because memory is allocated and freed in another order. So an object on the heap is
// named by its block and its offset in the block. The block is named by the thread that allocated it, and by its number
// among that thread's blocks of this run. That number is the same in all runs in which the thread does the same. Other
// objects are named by their addresses. A name that several objects get makes all of them shared if one is: this costs
// schedules, and loses none.

#include "objects.h"

#include <stdint.h>
#include <string.h>

#include "scheduler.h"

enum { MOST_BLOCKS = 4096, MOST_OBJECTS = 1 << 14 };

static struct block {
  uintptr_t begin;
  size_t size;
  uint64_t name;
} blocks[MOST_BLOCKS];
static unsigned block_count;
static uint64_t allocations[ACTORS + 1];

static struct object {
  uint64_t name;  ///< 0: none
  unsigned touched_by;
  bool written;
  bool shared;
  bool known;     ///< that the object is shared
} objects[MOST_OBJECTS];
static unsigned object_count;
static bool learned;

void objects_begin(void) { memset(allocations, 0, sizeof allocations); }

void objects_made(const void *memory, size_t size) {
  if (block_count == MOST_BLOCKS) scheduler_fail("more than %d blocks at once", MOST_BLOCKS);
  unsigned self = scheduler_self();
  uint64_t name = (uint64_t)(self + 1) << 56 | ++allocations[self] << 32;
  blocks[block_count++] = (struct block){.begin = (uintptr_t)memory, .size = size, .name = name};
}

void objects_freed(const void *memory) {
  for (unsigned i = block_count; i-- > 0;) {
    if (blocks[i].begin != (uintptr_t)memory) continue;
    blocks[i] = blocks[--block_count];
    return;
  }
}

static uint64_t name_of(const volatile void *address) {
  uintptr_t at = (uintptr_t)address;
  for (unsigned i = block_count; i-- > 0;) {
    if (at - blocks[i].begin < blocks[i].size) return blocks[i].name | (at - blocks[i].begin);
  }
  return at;  // the highest byte of an address is 0
}

static struct object *find(uint64_t name) {
  size_t at = (name * UINT64_C(0x9E3779B97F4A7C15)) >> 40 & (MOST_OBJECTS - 1);
  while (objects[at].name && objects[at].name != name) at = (at + 1) & (MOST_OBJECTS - 1);
  if (!objects[at].name) {
    if (++object_count > MOST_OBJECTS / 2) scheduler_fail("more than %d objects", MOST_OBJECTS / 2);
    objects[at].name = name;
  }
  return &objects[at];
}

bool objects_touch(unsigned actor, const volatile void *address, const char *operation) {
  struct object *object = find(name_of(address));
  if (object->shared) return object->known;
  object->touched_by |= 1u << actor;
  if (strcmp(operation, "load") != 0) object->written = true;
  if (object->written && (object->touched_by & (object->touched_by - 1)) != 0) object->shared = learned = true;
  return false;
}

bool objects_learned(void) {
  if (!learned) return false;
  for (size_t i = 0; i < MOST_OBJECTS; i++) objects[i].known = objects[i].shared;
  learned = false;
  return true;
}
