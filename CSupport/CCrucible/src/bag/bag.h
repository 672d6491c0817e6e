// The waiting molecules of one name: a lock-free first-in-first-out queue whose slots hold payloads of any size. Any
// thread may push. A thread may pop if it has reserved a molecule of this bag in the state word. So there is always one
// to find. bag.c explains how the bag works and why it is correct. This header has its structures, and, inline, the
// paths that stay within the first ring.

#ifndef CRUCIBLE_BAG_H
#define CRUCIBLE_BAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/atomics.h"
#include "base/tuning.h"

// The turn of a slot consists of the position that it serves, the number of times its molecule has been put back, and
// its status. The number has six bits. It is 0 unless a reaction failed and is to be retried.
enum { FREE = 0, FULL = 1, TAKEN = 2, VOID = 3 };
enum { MOST_ATTEMPTS = 63 };
// Positions have 63 bits, and turns have the lower 56 of them. Turns wrap, and are compared by their distance.
#define TURN(position, status) ((position) * 256 + (status))
#define AGAIN(attempts) ((uint64_t)(attempts) * 4)
#define ATTEMPTS_OF(turn) ((turn) / 4 % 64)
#define IS_BEFORE(turn, other) ((int64_t)((turn) - (other)) < 0)
#define CLOSED (UINT64_C(1) << 63)

struct segment {
  struct {
    void *link[2];
    size_t size;
    void *then;
  } retired;                // struct retired of reclamation.h, used by bag.c alone; must be first
  uint64_t capacity;        // a power of two
  _Atomic uint64_t serial;  // the number of the ring in the bag's list, from 0 on
  _Atomic uint64_t begin;   // for the first ring: the position at which its life begins
  _Atomic uint32_t use;     // for the first ring: enum use (first_ring.h)
  _Alignas(CRUCIBLE_LINE) _Atomic uint64_t tail;
  _Alignas(CRUCIBLE_LINE) _Atomic uint64_t head;
  _Atomic(struct segment *) next;
};

struct bag {
  // Read by all threads. Written when a segment is full or left, and by users of the cell.
  _Alignas(CRUCIBLE_LINE) _Atomic(struct segment *) head;
  _Atomic(struct segment *) tail;
  _Atomic(struct segment *) first;  ///< never freed before the bag, so it may be accessed outside a read section
  uint32_t size;          ///< bytes of a payload
  uint32_t alignment;     ///< and the offset of the payload in a slot
  uint32_t stride;        ///< bytes of a slot
  uint32_t slots;         ///< offset of the slots in a segment
  uint8_t last;           ///< for the first segment: its capacity - 1, at most 255
  bool has_words;         ///< payloads are of WORD_SHAPE
  bool is_of_name;        ///< part of a name, which may warn of its backlog
  _Atomic uint32_t cell;  ///< enum cell; with a front bit, see matcher/word/word_front.h
  _Alignas(16) char room[CRUCIBLE_CELL_BYTES];  ///< the payload in the cell
};
_Static_assert(sizeof(struct bag) == CRUCIBLE_LINE || CRUCIBLE_CELL_BYTES > 16,
               "what moves a payload in or out writes one line");

/// The states of a bag's cell: see "The cell" in bag.c.
enum cell {
  CELL_EMPTY = 0,
  CELL_FULL = 1,  ///< a molecule is in it, and pops take it first
  CELL_BUSY = 2,  ///< a thread moves a payload in or out
  CELL_OFF = 4,   ///< empty, and not filled until a lap of the first ring begins with a molecule that waits alone
  CELL_NONE = 6,  ///< the bag has no cell
};

/// The place of a molecule. Its injector finds it again by this, as long as no thread has taken it.
struct place {
  uint64_t serial;    ///< the number of the segment
  uint64_t position;
};

/// Prepares a bag. The first push that needs a ring makes the first ring. `has_cell`: small payloads get a cell.
/// Requires: no counted molecule is ever withdrawn from a bag with a cell. False: no memory.
bool crucible__bag_prepare(struct bag *bag, size_t size, size_t alignment, bool has_cell);
/// Whether a bag that was just prepared has no memory of its own, so that a copy of it is another bag.
static inline bool crucible__bag_is_plain(const struct bag *bag) { return bag->slots == sizeof(struct segment); }
/// Creates a bag with its first ring. False: no memory.
bool crucible__bag_create(struct bag *bag, size_t size, size_t alignment);
/// Destroys waiting molecules (if `destroy` is not null) and frees every segment. Requires: no other thread uses the
/// bag.
void crucible__bag_destroy(struct bag *bag, void (*destroy)(void *value, void *context), void *context);

/// Pushes a molecule. Records its place, and how often it was put back before, up to MOST_ATTEMPTS.
bool crucible__bag_push_placed_mpmc(struct bag *bag, const void *value, uint64_t attempts, struct place *place);
/// Whether the molecule at `place` is still there.
bool crucible__bag_holds(struct bag *bag, const struct place *place);
/// Takes the molecule at `place`, unless another thread has taken it. Requires: the caller has reserved one of this
/// bag. Lock-free. Visits every segment from the oldest to the one of the place.
bool crucible__bag_withdraw_mpmc(struct bag *bag, const struct place *place, void *result);

// Functions that the short paths seldom call save the registers, so that the short paths need not save them. They are
// hidden, because the dynamic linker does not save all registers when it resolves a function at its first call.
#define CRUCIBLE_SELDOM __attribute__((preserve_most, visibility("hidden")))
/// Backs off after another thread has occupied the position. Returns the next position.
CRUCIBLE_SELDOM uint64_t crucible__bag_back_off(struct segment *segment);
/// Releases a slot after a publication that failed. No other thread writes to the slot any more. Returns false.
CRUCIBLE_SELDOM bool crucible__bag_give_void_back(char *slot, struct segment *segment);
CRUCIBLE_SELDOM bool crucible__bag_is_empty_generic(struct bag *bag);
CRUCIBLE_SELDOM bool crucible__bag_push_generic(struct bag *bag, const void *value);
void crucible__bag_pop_generic(struct bag *bag, void *result, uint64_t *attempts);

static inline char *slot_at(const struct bag *bag, struct segment *segment, uint64_t position) {
  return (char *)segment + bag->slots + (position & (segment->capacity - 1)) * bag->stride;
}

static inline _Atomic uint64_t *turn_of(char *slot) { return (_Atomic uint64_t *)(void *)slot; }

/// Copies a payload. Common sizes need no call.
static inline void move_payload(void *restrict to, const void *restrict from, size_t size) {
  if (LIKELY(size == 8)) {
    memcpy(to, from, 8);
  } else if (size == 16) {
    memcpy(to, from, 16);
  } else {
    memcpy(to, from, size);
  }
}

/// Makes the occupied position visible. False: a thread has left the ring meanwhile, and the payload must go elsewhere.
static inline bool publish(char *slot, uint64_t position, uint64_t attempts) {
  uint64_t expected = TURN(position, FREE);
  uint64_t full = TURN(position, FULL) + AGAIN(attempts < MOST_ATTEMPTS ? attempts : MOST_ATTEMPTS);
  return cas_release(turn_of(slot), &expected, full);  // partner: the acquire of the pop that takes it
}

/// Whether the position is published and not taken, however often its molecule was put back before.
static inline bool is_full(uint64_t turn, uint64_t position) {
  // Masking the attempts took more instructions: `Benchmarks/costs` counts them.
  return turn / 256 == (position & (UINT64_MAX / 256)) && turn % 4 == FULL;
}

/// The layout of a bag's payloads in slots.
struct shape {
  uint32_t size, offset, stride;
  uint32_t slots;  ///< where the slots begin in a segment; 0: read it from the bag each time, to save a register
};
/// The shape of a machine word, the most common payload. Reading the shape from the bag instead took more instructions,
/// in a push as in a pop: `Benchmarks/costs` counts them.
#define WORD_SHAPE ((struct shape){.size = 8, .offset = 8, .stride = 16, .slots = sizeof(struct segment)})

static inline struct shape shape_of(const struct bag *bag) {
  return (struct shape){.size = bag->size, .offset = bag->alignment, .stride = bag->stride};
}

/// Takes what lies at position `p` of a ring with `capacity` slots, whose turn was found to be `turn`, FULL.
static INLINE bool take_shaped(struct shape shape, uint64_t capacity, char *slot, uint64_t p, uint64_t turn,
                               void *result) {
  if (UNLIKELY(!cas_acquire(turn_of(slot), &turn, TURN(p, TAKEN)))) return false;
  move_payload(result, slot + shape.offset, shape.size);
  store_release(turn_of(slot), TURN(p + capacity, FREE));  // partner: occupy's acquire: the payload is read
  return true;
}

static inline bool take_slot(const struct bag *bag, struct segment *segment, char *slot, uint64_t p, uint64_t turn,
                             void *result) {
  return take_shaped(shape_of(bag), segment->capacity, slot, p, turn, result);
}

/// Takes the oldest published molecule of one ring, if there is one. Raises `*attempts` to the number of times it was
/// put back.
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
    if (turn == TURN(p, FREE)) all_taken = false;  // occupied, not yet published: passed over
  }
  return false;
}

/// Whether the ring is open, and every position that was occupied before this call has been taken. Every position below
/// the hint has been taken, and stays taken. A stale hint only makes the answer false.
static inline bool is_empty(struct segment *segment) {
  uint64_t head = load_acquire(&segment->head);  // partner: the hint's release
  return load_acquire(&segment->tail) == head;
}

/// Whether the first ring is in front, and all molecules that were pushed into it before this call have been taken. The
/// ring is read before the head. If the ring was empty then and is in front now, the answer holds however often it was
/// left and used again in between (BAG-7).
static inline bool crucible__bag_first_is_empty(struct bag *bag) {
  struct segment *first = load_acquire(&bag->first);  // partner: crucible__first_make
  return LIKELY(is_empty(first)) && LIKELY(load_acquire(&bag->head) == first);
}

/// Whether all molecules that were pushed into any ring before this call have been taken.
static inline bool crucible__rings_are_empty(struct bag *bag) {
  if (LIKELY(crucible__bag_first_is_empty(bag))) return true;
  return load_acquire(&bag->head) != load_relaxed(&bag->first) && crucible__bag_is_empty_generic(bag);
}

/// Whether all molecules that were pushed before this call have been taken. May be false even so. Requires: no front
/// bit.
static inline bool crucible__bag_is_empty(struct bag *bag) {
  return LIKELY(load_relaxed(&bag->cell) != CELL_FULL) && crucible__rings_are_empty(bag);
}

/// Turns the cell off. Requires: it was found empty, as in `cell`, while a molecule may lie in a ring.
CRUCIBLE_SELDOM void crucible__cell_off(struct bag *bag, uint32_t cell);
/// Makes the thread the keeper of an EMPTY cell, if the rings are empty (matcher/word/word_front.h). False: the cell is
/// off, or another thread keeps it.
CRUCIBLE_SELDOM bool crucible__cell_keep(struct bag *bag, uint32_t keeper);
/// Turns the cell on again, if the ring is empty. Called after position `p` of the first ring was taken.
CRUCIBLE_SELDOM void crucible__cell_on(struct bag *bag, struct segment *first, uint64_t p);

/// Puts a molecule into the cell. False: the molecule must go into a ring. Requires: no front bit.
static INLINE bool crucible__cell_put(struct bag *bag, uint32_t size, const void *value) {
  uint32_t cell = load_relaxed(&bag->cell);
  if (cell != CELL_EMPTY) return false;
  // partner: the popper's release: it has read its payload
  if (LIKELY(crucible__bag_first_is_empty(bag)) && LIKELY(cas_acquire(&bag->cell, &cell, CELL_BUSY))) {
    move_payload(bag->room, value, size);
    store_release(&bag->cell, CELL_FULL);  // partner: the popper's acquire
    return true;
  }
  crucible__cell_off(bag, CELL_EMPTY);
  return false;
}

/// Takes the molecule in the cell. False: there is none.
static INLINE bool crucible__cell_take(struct bag *bag, uint32_t size, void *result) {
  uint32_t cell = load_relaxed(&bag->cell);
  // partner: the pusher's release of the payload
  if (LIKELY(cell == CELL_FULL) && LIKELY(cas_acquire(&bag->cell, &cell, CELL_BUSY))) {
    move_payload(result, bag->room, size);
    store_release(&bag->cell, CELL_EMPTY);  // partner: the next pusher's acquire
    return true;
  }
  if (UNLIKELY(cell == CELL_EMPTY)) crucible__cell_off(bag, CELL_EMPTY);
  return false;
}

static inline char *slot_of_first(const struct bag *bag, struct segment *first, struct shape shape, uint64_t position) {
  size_t slots = shape.slots ? shape.slots : bag->slots;
  return (char *)first + ((position & bag->last) * shape.stride + slots);
}

/// Moves `value` into the first ring of a bag whose payloads have this shape. False: the ring is full or is not the
/// last one, and nothing was moved.
static INLINE bool crucible__bag_push_first(struct bag *bag, struct shape shape, const void *value) {
  struct segment *first = load_relaxed(&bag->first);
  if (UNLIKELY(load_acquire(&bag->tail) != first)) return false;  // partner: crucible__first_make
  uint64_t tail = load_acquire(&first->tail);  // partner: the occupations of others
  char *slot;
  for (;;) {
    slot = slot_of_first(bag, first, shape, tail);
    if (UNLIKELY(tail & CLOSED)) return false;
    // partner: the popper's release of the slot
    if (UNLIKELY(load_acquire(turn_of(slot)) != TURN(tail, FREE))) return false;
    if (LIKELY(cas_acq_rel(&first->tail, &tail, tail + 1))) break;
    tail = crucible__bag_back_off(first);
  }
  move_payload(slot + shape.offset, value, shape.size);
  return LIKELY(publish(slot, tail, 0)) || crucible__bag_give_void_back(slot, first);
}

/// Takes the oldest molecule from the first ring. False: the pop must search further. A slot that is FULL at the hint
/// has the oldest molecule, because all below it are consumed (BAG-2). A turn is FULL for one position alone, so no
/// thread needs to know where the ring ends.
static INLINE bool crucible__bag_pop_first(struct bag *bag, struct shape shape, void *result) {
  struct segment *first = load_acquire(&bag->first);              // partner: crucible__first_make
  uint64_t p = load_acquire(&first->head);                        // partner: the hint's release
  if (UNLIKELY(load_acquire(&bag->head) != first)) return false;  // only now: see "Reclamation" in bag.c
  char *slot = slot_of_first(bag, first, shape, p);
  if (UNLIKELY(load_acquire(turn_of(slot)) != TURN(p, FULL))) return false;
  if (UNLIKELY(!take_shaped(shape, (uint64_t)bag->last + 1, slot, p, TURN(p, FULL), result))) return false;
  store_release(&first->head, p + 1);
  if (UNLIKELY((p & bag->last) == 0)) crucible__cell_on(bag, first, p);
  return true;
}

/// Takes the oldest molecule of a bag of words, from the cell or from the first ring. False: the pop must search
/// further.
static INLINE bool crucible__bag_pop_word(struct bag *bag, void *result) {
  return LIKELY(crucible__cell_take(bag, WORD_SHAPE.size, result)) ||
         LIKELY(crucible__bag_pop_first(bag, WORD_SHAPE, result));
}

/// Pushes like crucible__bag_push_mpmc, into a bag whose payloads have a shape that the compiler knows.
static INLINE bool crucible__bag_push_shaped_mpmc(struct bag *bag, struct shape shape, const void *value) {
  return LIKELY(crucible__cell_put(bag, shape.size, value)) || LIKELY(crucible__bag_push_first(bag, shape, value)) ||
         crucible__bag_push_generic(bag, value);
}

/// Moves `value` into the bag. False: the bag had to grow and there is no memory, and nothing has changed. Lock-free,
/// except for that allocation.
static inline bool crucible__bag_push_mpmc(struct bag *bag, const void *value) {
  return crucible__bag_push_shaped_mpmc(bag, shape_of(bag), value);
}

/// Moves the oldest published molecule of a bag without a front bit to `result`. Raises `*attempts` to the number of
/// times it was put back. Requires: the caller has reserved one. Lock-free.
static INLINE void crucible__bag_pop_mpmc(struct bag *bag, void *result, uint64_t *attempts) {
  if (crucible__cell_take(bag, bag->size, result)) return;
  bool popped = LIKELY(bag->has_words) ? crucible__bag_pop_first(bag, WORD_SHAPE, result)
                                       : crucible__bag_pop_first(bag, shape_of(bag), result);
  if (UNLIKELY(!popped)) crucible__bag_pop_generic(bag, result, attempts);
}

#endif
