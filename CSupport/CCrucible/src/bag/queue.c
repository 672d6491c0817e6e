// See queue.h.

#include "bag/queue.h"

#include <string.h>

#include "bag/bag.h"
#include "base/memory.h"

static size_t rounded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

void crucible__queue_create(struct queue *queue, size_t size, size_t alignment, bool tracked) {
  if (tracked && alignment < _Alignof(struct queue_mark)) alignment = _Alignof(struct queue_mark);
  size_t mark = rounded(size, alignment);
  *queue = (struct queue){.size = size,
                          .alignment = alignment,
                          .tracked = tracked,
                          .mark = mark,
                          .stride = tracked ? rounded(mark + sizeof(struct queue_mark), alignment) : mark};
}

static char *value_at(const struct queue *queue, size_t index) {
  return queue->values + (index & (queue->capacity - 1)) * queue->stride;
}

void crucible__queue_destroy(struct queue *queue, void (*destroy)(void *, void *), void *context) {
  for (size_t i = 0; destroy && i < queue->count; i++) destroy(value_at(queue, queue->head + i), context);
  crucible__free(queue->values, queue->capacity * queue->stride);
}

static bool grow(struct queue *queue) {
  struct queue larger = *queue;
  larger.capacity = queue->capacity ? queue->capacity * 2 : 64;
  larger.head = 0;
  larger.values = crucible__allocate(larger.capacity * larger.stride, queue->alignment);
  if (!larger.values) return false;
  for (size_t i = 0; i < queue->count; i++) {
    memcpy(larger.values + i * queue->stride, value_at(queue, queue->head + i), queue->stride);
  }
  crucible__free(queue->values, queue->capacity * queue->stride);
  *queue = larger;
  return true;
}

static struct queue_mark *mark_at(const struct queue *queue, size_t index) {
  return (struct queue_mark *)(void *)(value_at(queue, index) + queue->mark);
}

bool crucible__queue_push(struct queue *queue, const void *value, uint64_t attempts) {
  if (queue->count == queue->capacity && !grow(queue)) return false;
  char *slot = value_at(queue, queue->head + queue->count++);
  if (queue->size == 8) {
    memcpy(slot, value, 8);
  } else {
    memcpy(slot, value, queue->size);
  }
  if (queue->tracked) {
    *(struct queue_mark *)(void *)(slot + queue->mark) =
        (struct queue_mark){.number = queue->pushes++, .attempts = attempts < MOST_ATTEMPTS ? attempts : MOST_ATTEMPTS};
  }
  return true;
}

void crucible__queue_pop(struct queue *queue, void *result, uint64_t *attempts) {
  if (queue->tracked && mark_at(queue, queue->head)->attempts > *attempts) {
    *attempts = mark_at(queue, queue->head)->attempts;
  }
  const char *slot = value_at(queue, queue->head++);
  queue->count--;
  if (queue->size == 8) {
    memcpy(result, slot, 8);
  } else {
    memcpy(result, slot, queue->size);
  }
}

/// Finds the index of a push, counted from the head. Numbers rise from the head on. Returns `count` if it is not there.
static size_t find(const struct queue *queue, uint64_t number) {
  size_t low = 0, high = queue->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (mark_at(queue, queue->head + middle)->number < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < queue->count && mark_at(queue, queue->head + low)->number == number ? low : queue->count;
}

bool crucible__queue_holds(const struct queue *queue, uint64_t number) { return find(queue, number) < queue->count; }

void crucible__queue_remove(struct queue *queue, uint64_t number, void *result) {
  size_t index = find(queue, number);
  memcpy(result, value_at(queue, queue->head + index), queue->size);
  for (size_t i = index; i > 0; i--) {
    memcpy(value_at(queue, queue->head + i), value_at(queue, queue->head + i - 1), queue->stride);
  }
  queue->head++;
  queue->count--;
}
