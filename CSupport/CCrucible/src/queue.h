// A queue of payloads in a growing ring, for the matcher `locked`. Not thread-safe: its owner has the lock.

#ifndef CRUCIBLE_QUEUE_H
#define CRUCIBLE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct queue {
  char *values;
  size_t size;       ///< bytes of a payload
  size_t stride;
  size_t alignment;
  size_t capacity;   ///< a power of two, or 0
  size_t head;
  size_t count;
};

void crucible__queue_create(struct queue *queue, size_t size, size_t alignment);
void crucible__queue_destroy(struct queue *queue, void (*destroy)(void *value, void *context), void *context);
/// False: no memory.
bool crucible__queue_push(struct queue *queue, const void *value);
/// The queue must not be empty.
void crucible__queue_pop(struct queue *queue, void *result);

#endif
