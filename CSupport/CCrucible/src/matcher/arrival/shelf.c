// See shelf.h.

#include "matcher/arrival/shelf.h"

#include "base/memory.h"

/// The head of memory for several nodes, which lie behind it.
struct block {
  struct block *next;
  size_t size;
};

static size_t rounded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

void crucible__shelf_create(struct shelf *shelf, const struct crucible_name *name) {
  size_t alignment = name->alignment > _Alignof(struct node) ? name->alignment : _Alignof(struct node);
  size_t payload = name->has_payload ? rounded(sizeof(struct node), alignment) : sizeof(struct node);
  *shelf = (struct shelf){.stride = rounded(payload + name->size, alignment),
                          .payload = (uint32_t)payload,
                          .alignment = (uint32_t)alignment};
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

static bool grow(struct shelf *shelf) {
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
  return true;
}

struct node *crucible__shelf_node(struct shelf *shelf) {
  struct node *node = shelf->free;
  if (LIKELY(node != NULL)) {
    shelf->free = node->next;
    return node;
  }
  if (shelf->fresh == shelf->fresh_end && !grow(shelf)) return NULL;
  node = (struct node *)(void *)shelf->fresh;
  shelf->fresh += shelf->stride;
  return node;
}

void crucible__shelf_give(struct shelf *shelf, struct node *node) {
  node->number = NO_ARRIVAL;
  node->next = shelf->free;
  shelf->free = node;
}

void crucible__shelf_give_all(struct shelf *shelf, struct node *node) {
  for (struct node *next; node; node = next) {
    next = node->next;
    crucible__shelf_give(shelf, node);
  }
}

void crucible__shelf_put(struct shelf *shelf, struct node *node, bool has_payload) {
  struct node *last = shelf->last;
  shelf->count += node->times;
  if (!has_payload && last && last->number + last->times == node->number) {
    last->times += node->times;
    crucible__shelf_give(shelf, node);
    return;
  }
  node->waits = true;
  node->next = NULL;
  node->previous = last;
  if (last) last->next = node;
  if (!last) shelf->first = node;
  shelf->last = node;
}

void crucible__shelf_remove(struct shelf *shelf, struct node *node) {
  if (node->previous) node->previous->next = node->next;
  if (node->next) node->next->previous = node->previous;
  if (!node->previous) shelf->first = node->next;
  if (!node->next) shelf->last = node->previous;
  shelf->count -= node->times;
  node->waits = false;
}

uint64_t crucible__shelf_number(const struct shelf *shelf, uint64_t index) {
  const struct node *node = shelf->first;
  for (; index >= node->times; node = node->next) index -= node->times;
  return node->number + index;
}
