// See shelf.h.

#include "matcher/locked/shelf.h"

#include "base/above.h"
#include "base/memory.h"
#include "firing/bounds.h"
#include "matcher/inject.h"

/// The head of memory for several nodes, which lie behind it.
struct block {
  struct block *next;
  size_t size;
};

static size_t rounded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

static size_t alignment_of(const struct species *species) {
  return species->alignment > _Alignof(struct node) ? species->alignment : _Alignof(struct node);
}

void crucible__shelf_begin(struct shelf *shelf, struct crucible_name *name, size_t head, size_t size,
                           size_t alignment) {
  if (alignment < _Alignof(struct node)) alignment = _Alignof(struct node);
  size_t payload = size > 0 ? rounded(head, alignment) : head;
  *shelf = (struct shelf){.name = name,
                          .stride = rounded(payload + size, alignment),
                          .payload = (uint32_t)payload,
                          .alignment = (uint32_t)alignment};
  if (name) atomic_init(&name->overflow, 0);
}

static size_t head_of(const struct species *species) {
  return species->expiry ? sizeof(struct timed) : sizeof(struct node);
}

void crucible__shelf_create(struct shelf *shelf, struct crucible_name *name, char *room) {
  crucible__shelf_begin(shelf, name, head_of(name->species), name->species->size, name->species->alignment);
  if (!room) return;
  room = (char *)rounded((uintptr_t)room, shelf->alignment);
  shelf->standby = (struct node *)(void *)room;
  shelf->fresh = room + shelf->stride;
  shelf->fresh_end = shelf->fresh + shelf->stride;
}

size_t crucible__shelf_room(const struct crucible_name *name) {
  size_t alignment = alignment_of(name->species);
  return alignment + 2 * rounded(rounded(head_of(name->species), alignment) + name->species->size, alignment);
}

void crucible__shelf_destroy(struct shelf *shelf, void (*destroy)(void *, void *), void *context) {
  for (struct node *node = shelf->first; destroy && node; node = node->next) {
    destroy(crucible__shelf_value(shelf, node), context);
  }
  for (struct block *next; shelf->blocks; shelf->blocks = next) {
    next = shelf->blocks->next;
    crucible__free(shelf->blocks, shelf->blocks->size);
  }
}

bool crucible__shelf_grow(struct shelf *shelf) {
  size_t before = rounded(sizeof(struct block), shelf->alignment);
  size_t wanted = shelf->blocks ? CRUCIBLE_NEXT_BYTES : CRUCIBLE_FIRST_BYTES;
  size_t nodes = wanted > before ? (wanted - before) / shelf->stride : 0;
  if (nodes < CRUCIBLE_LEAST_SLOTS) nodes = CRUCIBLE_LEAST_SLOTS;
  struct block *block = crucible__allocate(before + nodes * shelf->stride, shelf->alignment);
  if (!block) return false;
  *block = (struct block){.next = shelf->blocks, .size = before + nodes * shelf->stride};
  shelf->blocks = block;
  shelf->fresh = (char *)block + before;
  shelf->fresh_end = shelf->fresh + nodes * shelf->stride;
  struct crucible_name *name = shelf->name;
  if (name && fetch_add_relaxed(&name->overflow, nodes) + nodes > CRUCIBLE_BACKLOG) {
    crucible__above.note_backlog(&name->bag);
  }
  return true;
}

struct node *crucible__shelf_take_due(struct shelf *shelf, uint64_t now, uint64_t *next) {
  struct node *due = NULL, **end = &due;
  uint32_t count = 0;
  for (; count < CRUCIBLE_EXPIRY_BATCH && shelf->first && ((struct timed *)(void *)shelf->first)->due <= now; count++) {
    *end = shelf->first;
    end = &shelf->first->next;
    crucible__shelf_remove_first(shelf);
  }
  *end = NULL;
  shelf->count -= count;
  *next = shelf->first ? ((struct timed *)(void *)shelf->first)->due : 0;
  return due;
}

void crucible__end_due(const struct crucible_name *name, const struct shelf *shelf, struct node *due,
                       uint64_t *dropped) {
  struct bound *bound = crucible__bound_of(name);
  for (struct node *node = due; node; node = node->next) {
    if (bound) crucible__release_bound(bound, 1);
    void *value = crucible__shelf_value(shelf, node);
    *dropped += !crucible__end_unconsumed(name, value, CRUCIBLE_EXPIRED, name->species->expiry->into);
  }
}

void crucible__shelf_give_all(struct shelf *shelf, struct node *node) {
  for (struct node *next; node; node = next) {
    next = node->next;
    crucible__shelf_give(shelf, node);
  }
}

void crucible__shelf_remove(struct shelf *shelf, struct node *node) {
  if (node == shelf->first) {
    crucible__shelf_remove_first(shelf);
    return;
  }
  node->waits = false;
  node->previous->next = node->next;
  if (node->next) {
    node->next->previous = node->previous;
  } else {
    shelf->last = node->previous;
  }
}
