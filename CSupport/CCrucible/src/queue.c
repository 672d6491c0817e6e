// See queue.h.

#include "queue.h"

#include <string.h>

#include "reclamation.h"

void crucible__queue_create(struct queue *queue, size_t size, size_t alignment) {
  *queue = (struct queue){
      .size = size, .alignment = alignment, .stride = (size + alignment - 1) / alignment * alignment};
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
    memcpy(larger.values + i * queue->stride, value_at(queue, queue->head + i), queue->size);
  }
  crucible__free(queue->values, queue->capacity * queue->stride);
  *queue = larger;
  return true;
}

bool crucible__queue_push(struct queue *queue, const void *value) {
  if (queue->count == queue->capacity && !grow(queue)) return false;
  char *slot = value_at(queue, queue->head + queue->count++);
  if (queue->size == 8) {
    memcpy(slot, value, 8);
  } else {
    memcpy(slot, value, queue->size);
  }
  return true;
}

void crucible__queue_pop(struct queue *queue, void *result) {
  const char *slot = value_at(queue, queue->head++);
  queue->count--;
  if (queue->size == 8) {
    memcpy(result, slot, 8);
  } else {
    memcpy(result, slot, queue->size);
  }
}
