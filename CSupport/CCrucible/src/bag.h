// Where one name's waiting molecules are: a lock-free first-in-first-out queue whose slots hold payloads of any size.
//
// Who may call: push by any thread; pop by any thread that has reserved a molecule of this bag in the state word, so that
// there is always one to find.

#ifndef CRUCIBLE_BAG_H
#define CRUCIBLE_BAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomics.h"

struct segment;

struct bag {
  // Read by everybody, written when a segment is full or left.
  _Alignas(64) _Atomic(struct segment *) head;
  _Atomic(struct segment *) tail;
  struct segment *first;  ///< never freed before the bag, so that it may be used outside a read section
  uint32_t size;          ///< bytes of a payload
  uint32_t offset;        ///< of the payload in a slot
  uint32_t stride;        ///< bytes of a slot
  uint32_t alignment;
};

/// False: no memory.
bool crucible__bag_create(struct bag *bag, size_t size, size_t alignment);
/// Destroys what waits (when `destroy` is given) and frees every segment. Nobody else may use the bag any more.
void crucible__bag_destroy(struct bag *bag, void (*destroy)(void *value, void *context), void *context);

/// Moves `value` into the bag. False: it had to grow and there is no memory; then nothing has changed.
/// Lock-free, but for the allocation when it grows.
bool crucible__bag_push_mpmc(struct bag *bag, const void *value);
/// Moves the oldest published molecule to `result`. The caller has reserved one. Lock-free.
void crucible__bag_pop_mpmc(struct bag *bag, void *result);

#endif
