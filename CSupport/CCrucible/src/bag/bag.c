// The bag: a linked list of rings.
//
// The list is that of LCRQ (Morrison and Afek, "Fast concurrent queues for x86 processors", PPoPP 2013): each ring is
// closed when it overflows. The slots are those of Vyukov's bounded queue, with a turn number in each. Three things
// differ from both. Payloads of any size are written in place. A pusher that stalls while it writes blocks no other
// thread. Poppers need no tickets, because each pop has a reservation.
//
//   bag.head ─→ [closed ring] ─→ [closed ring] ─→ [open ring] ←─ bag.tail
//
// Position p of a ring lies in slot p mod capacity, whose `turn` goes
//
//   FREE(p) ──publish──→ FULL(p) ──pop or withdraw──→ TAKEN(p) ──payload copied──→ FREE(p + capacity)
//       └────leave────→ VOID(p)
//
// Invariants
//   BAG-1  The thread that moved `tail` from p to p + 1, which takes FREE(p), owns position p. No other thread writes
//       that payload until the turn is FREE(p + capacity). So no payload is torn, however slow the pusher or the popper
//       is.
//   BAG-2  Every position below `head` has been taken or voided. `head` is only a hint: a plain store, possibly stale.
//       A scan starts from `tail - capacity` at least, because a position is occupied only once the one a lap
//       earlier is consumed.
//   BAG-3  No thread occupies a position of a closed ring. A closed ring has a successor before any thread leaves it.
//   BAG-4  A ring is left when all its positions are taken or void. The leaving thread voids what is occupied and not
//       yet published. That publication then fails, and the pusher pushes again further on. The count is added only
//       after the publication, so no reservation can mean that molecule.
//   BAG-5  `bag.tail` never lags behind `bag.head`: a thread that leaves a ring first helps the tail on. So a thread
//       that enters a read section after the ring was retired cannot find it.
//   BAG-6  Molecules published and not taken ≥ reservations not yet redeemed. So a pop that scanned all rings in vain
//       lost its molecule to another pop, and starts again. The progress of the other pop makes this lock-free.
//   The first ring is used again after it was left: first_ring.c has BAG-7.
//
// The cell
//   A small molecule that waits alone lies in a cell beside the bag's own fields. That spares it the ring: a push takes
//   one read-modify-write less, two lines less, and a bag in which one molecule waits at a time never makes a ring.
//   Where the state word has room for it, a bit of that word says whether the cell is full: matcher/word/word_front.h.
//   Else the cell says it itself:
//
//     EMPTY ──put──→ BUSY ──payload written──→ FULL ──take──→ BUSY ──payload copied──→ EMPTY ──→ OFF ──→ EMPTY
//
//   BAG-8  Only the thread that made the cell BUSY writes or reads the payload, until it stores FULL or EMPTY. Other
//       threads push to rings and pop from rings meanwhile, so a thread that stalls there delays none of them. A
//       molecule that a pusher has not made FULL is not counted. A molecule that a popper has made BUSY belongs to it.
//   BAG-9  A thread fills the cell only after it saw that the rings are empty, and pops read the cell first. So the
//       cell's molecule is older than those in the rings, except those pushed between that read and the filling.
//   BAG-10  A pop reads the cell after its reservation. If the cell is not FULL, the pop finds its molecule in the
//       rings. To see this, name for each count the molecule for which it was added. The count may move between word
//       and overflow, and each step of it is a read-modify-write that acquires and releases. So the thread that finally
//       reserves the count of m does so after m was FULL, and finds m in the cell, unless m was taken before. While m
//       stays in the cell, its count is not reserved, or its pop has not read the cell yet. Of the other molecules the
//       rings have at least one for each pop that has read the cell.
//   BAG-11  Threads that push at the same time would use the cell and a ring in turn, and wait for the lines of both.
//       So a thread turns the cell OFF if it finds it EMPTY although the thread pops from a ring or may not push to the
//       cell. Once in a lap of the first ring, a pop that leaves the ring empty turns the cell on again. Both are
//       hints: BAG-8 and BAG-9 do not depend on them.
//   No counted molecule is withdrawn from a bag with a cell, because that breaks BAG-10. The bags of calls have no
//   cell. A molecule that was not counted yet may be taken back from its place in a ring (word_together.c).
//
// Order
//   The oldest position comes first. A molecule that is not published yet is passed over. Only the pops of that time
//   can overtake it. After publication it is taken after at most B + (T - 1) other consumptions of its name: B
//   molecules were published before it, and T threads are at work. Each other thread has at most one molecule that may
//   still come first. That thread has occupied a lower position and not published it, or it is in a pop that has passed
//   the slot, or it saw the bag empty and is about to consume without storing. Any later operation occupies a higher
//   position, scans from a lower hint, or sees that the bag is not empty. A thread that has seen the rings empty and is
//   about to fill the cell is one of these threads.
//
// Withdrawal
//   A pusher may record its place: the serial number of the ring in the list, and the position. A thread in a read
//   section finds the molecule by its place, from the head on. If the ring is gone, all its molecules were taken. A pop
//   skips taken slots anyway, so it does not notice a molecule taken from the middle. A withdrawal needs a reservation,
//   as any pop does (BAG-6). If the place is the head's hint, the withdrawal advances the hint, so that a bag of calls
//   that time out appears empty again. A withdrawal also leaves closed rings that are empty, because without pops no
//   other thread would leave them.
//
// Reclamation
//   RCU frees all rings except the first. Every access to them lies in a read section. The first ring stays until the
//   bag is destroyed: first_ring.c.
//
// Costs
//   A push into a ring takes two read-modify-writes (occupy and publish), a push into the cell takes one, and a pop
//   takes one. Slots lie as close together as their payloads allow. With a cache line for each slot the bag was slower
//   in most cases with two threads, and a waiting word would take four times the room.

#include "bag/bag.h"

#include <string.h>

#include "bag/first_ring.h"
#include "base/above.h"
#include "base/reclamation.h"
#include "base/tuning.h"

_Static_assert(sizeof(struct retired) <= offsetof(struct segment, capacity), "what is retired needs room at the front");

static void set_shape(struct bag *bag, size_t size, size_t alignment) {
  if (alignment < 8) alignment = 8;
  bag->size = (uint32_t)size;
  bag->alignment = (uint32_t)alignment;
  bag->slots = (uint32_t)((sizeof(struct segment) + alignment - 1) / alignment * alignment);
  bag->stride = (uint32_t)((alignment + size + alignment - 1) / alignment * alignment);
  bag->has_words = bag->size == WORD_SHAPE.size && bag->stride == WORD_SHAPE.stride;
  bag->is_of_name = false;
  bag->last = (uint8_t)(crucible__ring_capacity(bag, CRUCIBLE_FIRST_BYTES) - 1);
  _Static_assert(CRUCIBLE_FIRST_BYTES / 16 <= 256, "the capacity less one fits a byte");
}

bool crucible__bag_create(struct bag *bag, size_t size, size_t alignment) {
  set_shape(bag, size, alignment);
  atomic_init(&bag->cell, CELL_NONE);
  struct segment *first = crucible__ring_create(bag, CRUCIBLE_FIRST_BYTES);
  if (!first) return false;
  atomic_init(&bag->first, bag->slots == sizeof(struct segment) ? first : &crucible__no_ring.segment);
  atomic_init(&bag->head, first);
  atomic_init(&bag->tail, first);
  return true;
}

bool crucible__bag_prepare(struct bag *bag, size_t size, size_t alignment, bool has_cell) {
  set_shape(bag, size, alignment);
  if (bag->slots != sizeof(struct segment)) return crucible__bag_create(bag, size, alignment);
  bool is_small = size <= sizeof bag->room && bag->alignment <= _Alignof(max_align_t);
  atomic_init(&bag->cell, has_cell && is_small ? CELL_EMPTY : CELL_NONE);
  atomic_init(&bag->first, &crucible__no_ring.segment);
  atomic_init(&bag->head, &crucible__no_ring.segment);
  atomic_init(&bag->tail, &crucible__no_ring.segment);
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Push
// ---------------------------------------------------------------------------------------------------------------------

/// Whether molecules fill the ring, whose next position to occupy is `tail`.
static bool is_full_of_molecules(const struct bag *bag, struct segment *segment, uint64_t tail) {
  return tail >= segment->capacity &&
         is_full(load_acquire(turn_of(slot_at(bag, segment, tail))), tail - segment->capacity);
}

/// Whether another ring is better: the backlog that made this one large is gone, or the first ring can be used again.
/// Tested once in two laps, which pay for the test and for the next ring.
static bool is_better_left(const struct bag *bag, struct segment *segment, uint64_t tail) {
  if (LIKELY((tail & (2 * segment->capacity - 1)) != 0) || tail == 0) return false;
  struct segment *first = load_relaxed(&bag->first);
  if (segment == first || !is_empty(segment)) return false;
  bool is_large = segment->capacity > (uint64_t)bag->last + 1;
  return is_large || (load_acquire(&first->use) == IDLE && crucible__first_is_given_back(bag, first));
}

/// Occupies a position of `segment`. False: it is closed already, or this thread closes it.
static bool occupy(const struct bag *bag, struct segment *segment, uint64_t *position, char **slot) {
  bool waited = false;
  uint64_t tail = load_acquire(&segment->tail);  // partner: the occupations of others
  for (;;) {
    if (UNLIKELY(tail & CLOSED)) return false;
    *slot = slot_at(bag, segment, tail);
    uint64_t free = TURN(tail, FREE);
    uint64_t turn = load_acquire(turn_of(*slot));  // partner: the popper's release of the slot: it has read its payload
    if (LIKELY(turn == free) && LIKELY(!is_better_left(bag, segment, tail))) {
      if (LIKELY(cas_acq_rel(&segment->tail, &tail, tail + 1))) {
        *position = tail;
        return true;
      }
      tail = crucible__bag_back_off(segment);
    } else if (IS_BEFORE(free, turn)) {
      tail = load_acquire(&segment->tail);  // it was stale
    } else if (turn != free && !waited && !is_full_of_molecules(bag, segment, tail)) {
      waited = true;  // another thread is in the middle of this slot, mostly for a short time
      tail = crucible__bag_back_off(segment);
    } else if (cas_acq_rel(&segment->tail, &tail, tail | CLOSED)) {
      return false;
    }
  }
}

/// Notes the backlog behind a ring that is full of molecules, if it may be long: all rings in front of it are full, but
/// for the head.
static void note_backlog(struct bag *bag, struct segment *segment) {
  // Meanwhile consumers may have moved the head past this ring.
  uint64_t last = load_relaxed(&segment->serial), first = load_relaxed(&load_acquire(&bag->head)->serial);
  if (last <= first || (last - first) * segment->capacity < CRUCIBLE_BACKLOG || !bag->is_of_name) return;
  crucible__above.note_backlog(bag);
}

/// Returns the successor of a closed ring, and appends one if there is none. It is large if molecules fill the closed
/// ring. Null: no memory.
static struct segment *successor(struct bag *bag, struct segment *segment) {
  struct segment *next = load_acquire(&segment->next);  // partner: the release of the thread that appended it
  if (next) return next;
  bool grows = is_full_of_molecules(bag, segment, load_acquire(&segment->tail) & ~CLOSED);
  uint64_t serial = load_relaxed(&segment->serial) + 1;
  struct segment *fresh = grows ? NULL : crucible__first_again(bag, serial);
  if (!fresh) {
    fresh = crucible__ring_create(bag, grows ? CRUCIBLE_NEXT_BYTES : CRUCIBLE_FIRST_BYTES);
    if (!fresh) return NULL;
    store_relaxed(&fresh->serial, serial);
  }
  if (cas_acq_rel(&segment->next, &next, fresh)) {
    if (grows) note_backlog(bag, segment);
    return fresh;
  }
  if (fresh == load_relaxed(&bag->first)) {
    crucible__first_unused(fresh);
  } else {
    crucible__ring_free(bag, fresh);
  }
  return next;
}

/// Advances the tail to the next ring, which is open from now on.
static void help_tail(struct bag *bag, struct segment *segment, struct segment *next) {
  if (next == load_relaxed(&bag->first)) crucible__first_open(next);
  cas_acq_rel(&bag->tail, &segment, next);
}

/// Pushes into rings that may be retired, inside a read section.
bool crucible__bag_push_placed_mpmc(struct bag *bag, const void *value, uint64_t attempts, struct place *place) {
  bool pushed = false;
  crucible__read_lock();
  for (;;) {
    struct segment *segment = load_acquire(&bag->tail);  // partner: help_tail, crucible__first_make
    if (UNLIKELY(segment == &crucible__no_ring.segment)) {
      if (!crucible__first_make(bag)) break;
      continue;
    }
    uint64_t position;
    char *slot;
    if (occupy(bag, segment, &position, &slot)) {
      move_payload(slot + bag->alignment, value, bag->size);
      *place = (struct place){.serial = load_relaxed(&segment->serial), .position = position};
      pushed = publish(slot, position, attempts);
      if (LIKELY(pushed)) break;
      crucible__bag_give_void_back(slot, segment);
    } else {
      struct segment *next = successor(bag, segment);
      if (!next) break;
      help_tail(bag, segment, next);
    }
  }
  crucible__read_unlock();
  return pushed;
}

CRUCIBLE_SELDOM bool crucible__bag_push_generic(struct bag *bag, const void *value) {
  struct place place;
  return crucible__bag_push_placed_mpmc(bag, value, 0, &place);
}

// ---------------------------------------------------------------------------------------------------------------------
// Pop
// ---------------------------------------------------------------------------------------------------------------------

/// Voids the positions of a closed ring that are occupied and not published, so that the ring can be left. True: one
/// was published at the last moment, and has been taken to `result` instead.
static bool void_rest(const struct bag *bag, struct segment *segment, void *result, uint64_t *attempts) {
  uint64_t tail = load_acquire(&segment->tail) & ~CLOSED;
  uint64_t p = tail > segment->capacity ? tail - segment->capacity : 0;
  for (; p < tail; p++) {
    char *slot = slot_at(bag, segment, p);
    uint64_t turn = TURN(p, FREE);
    if (cas_acquire(turn_of(slot), &turn, TURN(p, VOID))) continue;
    if (is_full(turn, p) && take_slot(bag, segment, slot, p, turn, result)) {
      if (*attempts < ATTEMPTS_OF(turn)) *attempts = ATTEMPTS_OF(turn);
      return true;
    }
  }
  return false;
}

/// Leaves the head ring for `next`. Requires: all its positions are consumed (BAG-4).
static void leave(struct bag *bag, struct segment *segment, struct segment *next) {
  help_tail(bag, segment, next);  // BAG-5
  if (!cas_acq_rel(&bag->head, &segment, next)) return;
  if (segment == load_relaxed(&bag->first)) {
    crucible__first_left(bag, segment);
  } else {
    crucible__retire((struct retired *)(void *)segment, crucible__ring_size(bag, segment->capacity), NULL);
  }
}

void crucible__bag_pop_generic(struct bag *bag, void *result, uint64_t *attempts) {
  crucible__read_lock();
  for (;;) {
    struct segment *segment = load_acquire(&bag->head);  // partner: leave
    if (take_from(bag, segment, result, attempts)) break;
    // If the ring is not closed, it is the last one, and another pop made progress (BAG-6). If it is closed, all its
    // positions are taken or about to be published. The next ring must exist before this one is left (BAG-3). Without
    // memory for it, the loop waits for a pusher's.
    if (load_acquire(&segment->tail) & CLOSED) {
      if (void_rest(bag, segment, result, attempts)) break;
      struct segment *next = successor(bag, segment);
      if (next) leave(bag, segment, next);
    }
    spin_pause();
  }
  crucible__read_unlock();
}

CRUCIBLE_SELDOM uint64_t crucible__bag_back_off(struct segment *segment) {
  let_others_run();
  return load_acquire(&segment->tail);  // partner: the occupations of others
}

CRUCIBLE_SELDOM bool crucible__bag_give_void_back(char *slot, struct segment *segment) {
  uint64_t next = load_relaxed(turn_of(slot)) - VOID + TURN(segment->capacity, FREE);
  store_release(turn_of(slot), next);  // partner: the acquire in crucible__first_again
  return false;
}

CRUCIBLE_SELDOM bool crucible__bag_is_empty_generic(struct bag *bag) {
  crucible__read_lock();
  bool empty = is_empty(load_acquire(&bag->head));
  crucible__read_unlock();
  return empty;
}

// ---------------------------------------------------------------------------------------------------------------------
// The cell
// ---------------------------------------------------------------------------------------------------------------------

// Both hints are relaxed read-modify-writes: they pass the popper's release on to the next pusher.

CRUCIBLE_SELDOM void crucible__cell_off(struct bag *bag, uint32_t cell) {
  cas_relaxed(&bag->cell, &cell, CELL_OFF);
}

CRUCIBLE_SELDOM bool crucible__cell_keep(struct bag *bag, uint32_t keeper) {
  uint32_t cell = CELL_EMPTY;
  // partner: the release in crucible__front_take: the payload has been read
  if (crucible__bag_first_is_empty(bag) && cas_acquire(&bag->cell, &cell, keeper)) return true;
  crucible__cell_off(bag, CELL_EMPTY);
  return false;
}

CRUCIBLE_SELDOM void crucible__cell_on(struct bag *bag, struct segment *first, uint64_t p) {
  uint32_t cell = CELL_OFF;
  if (load_relaxed(&bag->cell) != CELL_OFF || load_relaxed(&first->tail) != p + 1) return;
  cas_relaxed(&bag->cell, &cell, CELL_EMPTY);
}

// ---------------------------------------------------------------------------------------------------------------------
// Withdrawal
// ---------------------------------------------------------------------------------------------------------------------

/// Finds the segment of a place. Null: it has been left. Requires: a read section.
static struct segment *segment_of(struct bag *bag, const struct place *place) {
  struct segment *segment = load_acquire(&bag->head);  // partner: leave
  while (segment && load_relaxed(&segment->serial) < place->serial) segment = load_acquire(&segment->next);
  return segment && load_relaxed(&segment->serial) == place->serial ? segment : NULL;
}

bool crucible__bag_holds(struct bag *bag, const struct place *place) {
  crucible__read_lock();
  struct segment *segment = segment_of(bag, place);
  bool holds = segment && is_full(load_acquire(turn_of(slot_at(bag, segment, place->position))), place->position);
  crucible__read_unlock();
  return holds;
}

/// Leaves the front rings that are closed and fully consumed. Without pops no other thread would leave them.
static void leave_consumed(struct bag *bag) {
  for (;;) {
    struct segment *segment = load_acquire(&bag->head);  // partner: leave
    uint64_t tail = load_acquire(&segment->tail);
    struct segment *next = load_acquire(&segment->next);
    if (!(tail & CLOSED) || !next) return;
    tail &= ~CLOSED;
    uint64_t p = tail > segment->capacity ? tail - segment->capacity : 0;
    uint64_t head = load_acquire(&segment->head);
    if (p < head) p = head;
    for (; p < tail; p++) {
      uint64_t turn = load_acquire(turn_of(slot_at(bag, segment, p)));
      if (IS_BEFORE(turn, TURN(p + segment->capacity, FREE)) && turn != TURN(p, VOID)) return;
    }
    leave(bag, segment, next);
  }
}

bool crucible__bag_withdraw_mpmc(struct bag *bag, const struct place *place, void *result) {
  crucible__read_lock();
  bool taken = false;
  struct segment *segment = segment_of(bag, place);
  if (segment) {
    uint64_t p = place->position;
    char *slot = slot_at(bag, segment, p);
    uint64_t turn = load_acquire(turn_of(slot));
    taken = is_full(turn, p) && take_slot(bag, segment, slot, p, turn, result);
    // All positions below the hint are taken, and stay taken. If other threads advance the hint meanwhile, this store
    // only makes it stale.
    if (taken && load_acquire(&segment->head) == p) store_release(&segment->head, p + 1);
    // This is for bags without pops. Rings are closed when they are full, or when they are empty and another ring is
    // better. Nothing is withdrawn from the latter any more.
    if (taken && ((load_acquire(&segment->tail) & CLOSED) || load_acquire(&bag->head) != segment)) leave_consumed(bag);
  }
  crucible__read_unlock();
  return taken;
}

void crucible__bag_destroy(struct bag *bag, void (*destroy)(void *, void *), void *context) {
  struct segment *segment = load_acquire(&bag->head), *first = load_acquire(&bag->first);
  // The last hold is gone, and its release ordered all accesses.
  if (destroy && load_relaxed(&bag->cell) & CELL_FULL) destroy(bag->room, context);
  if (segment == &crucible__no_ring.segment) return;
  bool has_first = first == &crucible__no_ring.segment;
  while (segment) {
    has_first |= segment == first;
    uint64_t tail = load_acquire(&segment->tail) & ~CLOSED;
    uint64_t p = tail > segment->capacity ? tail - segment->capacity : 0;
    for (; destroy && p < tail; p++) {
      char *slot = slot_at(bag, segment, p);
      if (is_full(load_acquire(turn_of(slot)), p)) destroy(slot + bag->alignment, context);
    }
    struct segment *next = load_acquire(&segment->next);
    crucible__ring_free(bag, segment);
    segment = next;
  }
  if (!has_first) crucible__first_free(bag, first);
}
