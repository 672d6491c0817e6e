// A queue of payloads in a growing ring, for the matcher `locked`. Not thread-safe: the owner holds a lock.

#ifndef CRUCIBLE_QUEUE_H
#define CRUCIBLE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The mark behind each payload of a tracked queue.
struct queue_mark {
  uint64_t number;    ///< of its push, counted from 0
  uint64_t attempts;  ///< how often it was put back before
};

struct queue {
  char *values;
  uint64_t pushes;
  bool tracked;
  size_t mark;       ///< offset of a payload's mark
  size_t size;       ///< bytes of a payload
  size_t stride;
  size_t alignment;
  size_t capacity;   ///< a power of two, or 0
  size_t head;
  size_t count;
};

/// Creates a queue. A tracked queue can identify and find its payloads again, at the cost of 16 bytes for each.
void crucible__queue_create(struct queue *queue, size_t size, size_t alignment, bool tracked);
void crucible__queue_destroy(struct queue *queue, void (*destroy)(void *value, void *context), void *context);
/// Pushes a payload. False: no memory.
bool crucible__queue_push(struct queue *queue, const void *value, uint64_t attempts);
/// Pops the oldest payload. Requires: the queue is not empty. Raises `*attempts` to how often the payload was put back.
void crucible__queue_pop(struct queue *queue, void *result, uint64_t *attempts);
/// Whether the payload of push `number` is still in the queue. Requires: the queue is tracked.
bool crucible__queue_holds(const struct queue *queue, uint64_t number);
/// Takes the payload of push `number`. Requires: it is in the queue. O(payloads).
void crucible__queue_remove(struct queue *queue, uint64_t number, void *result);

#endif
