// Where one name's waiting molecules are: a lock-free first-in-first-out queue whose slots hold payloads of any size.
//
// Who may call: push by any thread; pop by any thread that has reserved a molecule of this bag in the state word, so that
// there is always one to find. bag.c tells how it works and why it is right; here are its structures and the paths that
// stay within the first ring, inline.

#ifndef CRUCIBLE_BAG_H
#define CRUCIBLE_BAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "atomics.h"

// A slot's turn: the position that it serves, how often its molecule has been put back before (six bits, 0 unless a reaction
// failed and is to be tried again), and its status.
enum { FREE = 0, FULL = 1, TAKEN = 2, VOID = 3 };
enum { MOST_ATTEMPTS = 63 };
// Positions have 63 bits and turns the lower 56 of them: turns wrap, and are compared by their distance.
#define TURN(position, status) ((position) * 256 + (status))
#define AGAIN(attempts) ((uint64_t)(attempts) * 4)
#define ATTEMPTS_OF(turn) ((turn) / 4 % 64)
#define IS_BEFORE(turn, other) ((int64_t)((turn) - (other)) < 0)
#define CLOSED (UINT64_C(1) << 63)

struct segment {
  struct {
    void *link[2];
    size_t size;
  } retired;          // reclamation.h's struct retired, which only bag.c looks into; must be first
  uint64_t capacity;  // a power of two
  uint64_t serial;    // its number in the bag's list, from 0
  _Alignas(64) _Atomic uint64_t tail;
  _Alignas(64) _Atomic uint64_t head;
  _Atomic(struct segment *) next;
};

struct bag {
  // Read by everybody, written when a segment is full or left.
  _Alignas(64) _Atomic(struct segment *) head;
  _Atomic(struct segment *) tail;
  struct segment *first;  ///< never freed before the bag, so that it may be used outside a read section
  uint32_t size;          ///< bytes of a payload
  uint32_t offset;        ///< of the payload in a slot
  uint32_t stride;        ///< bytes of a slot
  uint32_t alignment;
  uint32_t slots;         ///< offset of the slots in a segment
};

/// Where a molecule was put: by this its injector finds it again, as long as nobody has taken it.
struct place {
  uint64_t serial;    ///< of the segment
  uint64_t position;
};

/// False: no memory.
bool crucible__bag_create(struct bag *bag, size_t size, size_t alignment);
/// Destroys what waits (when `destroy` is given) and frees every segment. Nobody else may use the bag any more.
void crucible__bag_destroy(struct bag *bag, void (*destroy)(void *value, void *context), void *context);

/// As push; also notes the place, and how often the molecule was put back before (at most MOST_ATTEMPTS are told apart).
bool crucible__bag_push_placed_mpmc(struct bag *bag, const void *value, uint64_t attempts, struct place *place);
/// Whether the molecule at `place` is still there.
bool crucible__bag_holds(struct bag *bag, const struct place *place);
/// Takes the molecule at `place`, unless somebody else has. The caller has reserved one of this bag. Lock-free; looks at every
/// segment from the oldest to the one of the place.
bool crucible__bag_withdraw_mpmc(struct bag *bag, const struct place *place, void *result);

bool crucible__bag_is_empty_generic(struct bag *bag);
bool crucible__bag_push_generic(struct bag *bag, const void *value);
void crucible__bag_pop_generic(struct bag *bag, void *result, uint64_t *attempts);

static inline char *slot_at(const struct bag *bag, struct segment *segment, uint64_t position) {
  return (char *)segment + bag->slots + (position & (segment->capacity - 1)) * bag->stride;
}

static inline _Atomic uint64_t *turn_of(char *slot) { return (_Atomic uint64_t *)(void *)slot; }

/// Copies a payload; the common sizes without a call.
static inline void move_payload(void *restrict to, const void *restrict from, size_t size) {
  if (LIKELY(size == 8)) {
    memcpy(to, from, 8);
  } else if (size == 16) {
    memcpy(to, from, 16);
  } else {
    memcpy(to, from, size);
  }
}

enum claim { CLAIMED, RING_CLOSED };

/// Claims a position of `segment`, or finds or makes it closed.
static inline enum claim claim(const struct bag *bag, struct segment *segment, uint64_t *position, char **slot) {
  for (;;) {
    uint64_t tail = load_acquire(&segment->tail);  // partner: the claims of others
    if (UNLIKELY(tail & CLOSED)) return RING_CLOSED;
    *slot = slot_at(bag, segment, tail);
    uint64_t turn = load_acquire(turn_of(*slot));  // partner: the popper's release of the slot: it has read its payload
    if (LIKELY(turn == TURN(tail, FREE))) {
      if (LIKELY(cas_acq_rel(&segment->tail, &tail, tail + 1))) {
        *position = tail;
        return CLAIMED;
      }
    } else if (IS_BEFORE(turn, TURN(tail, FREE))) {
      // A lap earlier is not consumed yet: the ring is full, or somebody stalls in this slot.
      if (cas_acq_rel(&segment->tail, &tail, tail | CLOSED)) return RING_CLOSED;
    }
    // Otherwise `tail` was stale.
  }
}

/// Makes the claimed position visible. False: the ring was left meanwhile, and the payload must go elsewhere.
static inline bool publish(char *slot, uint64_t position, uint64_t attempts) {
  uint64_t expected = TURN(position, FREE);
  uint64_t full = TURN(position, FULL) + AGAIN(attempts < MOST_ATTEMPTS ? attempts : MOST_ATTEMPTS);
  return cas_release(turn_of(slot), &expected, full);  // partner: the acquire of the pop that takes it
}

/// Published and not taken, however often it was put back before.
static inline bool is_full(uint64_t turn, uint64_t position) {
  return turn / 256 == (position & (UINT64_MAX / 256)) && turn % 4 == FULL;  // by four instructions less than masking the attempts
}

/// Takes what lies at position `p`, whose turn was found to be `turn`, FULL.
static inline bool take_slot(const struct bag *bag, struct segment *segment, char *slot, uint64_t p, uint64_t turn,
                             void *result) {
  if (UNLIKELY(!cas_acquire(turn_of(slot), &turn, TURN(p, TAKEN)))) return false;
  move_payload(result, slot + bag->offset, bag->size);
  store_release(turn_of(slot), TURN(p + segment->capacity, FREE));  // partner: claim's acquire: the payload is read
  return true;
}

/// Takes the oldest published molecule of one ring, if there is one. `*attempts` is raised to how often it was put back.
static inline bool take_from(const struct bag *bag, struct segment *segment, void *result, uint64_t *attempts) {
  uint64_t head = load_acquire(&segment->head);  // partner: the hint's release: what lies below has been taken
  uint64_t tail = load_acquire(&segment->tail) & ~CLOSED;
  if (UNLIKELY(tail > segment->capacity && head < tail - segment->capacity)) head = tail - segment->capacity;
  bool all_taken = true;
  for (uint64_t p = head; p < tail; p++) {
    char *slot = slot_at(bag, segment, p);
    uint64_t turn = load_acquire(turn_of(slot));
    if (LIKELY(turn == TURN(p, FULL)) && LIKELY(take_slot(bag, segment, slot, p, turn, result))) {
      if (LIKELY(all_taken)) store_release(&segment->head, p + 1);
      return true;
    }
    if (UNLIKELY(is_full(turn, p)) && take_slot(bag, segment, slot, p, turn, result)) {
      if (*attempts < ATTEMPTS_OF(turn)) *attempts = ATTEMPTS_OF(turn);
      return true;
    }
    if (turn == TURN(p, FREE)) all_taken = false;  // claimed, not yet published: passed over
  }
  return false;
}

/// Whether every position of the ring that was claimed before this call has been taken, and it is not closed. Every position
/// below the hint has been taken, and taken it stays; a stale hint only makes the answer false.
static inline bool is_empty(struct segment *segment) {
  uint64_t head = load_acquire(&segment->head);  // partner: the hint's release
  return load_acquire(&segment->tail) == head;
}

/// True only if everything that was pushed before this call has been taken.
static inline bool crucible__bag_is_empty(struct bag *bag) {
  if (LIKELY(load_acquire(&bag->head) == bag->first)) return is_empty(bag->first);
  return crucible__bag_is_empty_generic(bag);
}

/// Moves `value` into the bag. False: it had to grow and there is no memory; then nothing has changed.
/// Lock-free, but for the allocation when it grows.
static inline bool crucible__bag_push_mpmc(struct bag *bag, const void *value) {
  struct segment *first = bag->first;
  if (LIKELY(load_acquire(&bag->tail) == first)) {
    uint64_t position;
    char *slot;
    if (LIKELY(claim(bag, first, &position, &slot) == CLAIMED)) {
      move_payload(slot + bag->offset, value, bag->size);
      if (LIKELY(publish(slot, position, 0))) return true;
    }
  }
  return crucible__bag_push_generic(bag, value);
}

/// Moves the oldest published molecule to `result`, and raises `*attempts` to how often it was put back before. The caller
/// has reserved one. Lock-free.
static inline void crucible__bag_pop_mpmc(struct bag *bag, void *result, uint64_t *attempts) {
  struct segment *first = bag->first;
  if (LIKELY(load_acquire(&bag->head) == first) && LIKELY(take_from(bag, first, result, attempts))) return;
  crucible__bag_pop_generic(bag, result, attempts);
}

#endif
