/* The cell of a bag, in front of its rings.
 *
 * A molecule that waits alone is in the cell, which has four states:
 *
 *   EMPTY -> BUSY -> FULL -> BUSY -> EMPTY -> OFF -> EMPTY
 *
 * push  Finds the cell EMPTY and the rings empty, makes the cell BUSY by CAS, writes the payload, and stores FULL. In
 *       all other cases it pushes into the rings, and turns the cell OFF if it was EMPTY. Then the molecule is counted.
 * pop   Requires a reservation. It finds the cell FULL, makes it BUSY by CAS, reads the payload, and stores EMPTY. In
 *       all other cases it pops from the rings, and turns the cell OFF if it was EMPTY. A pop that leaves the rings
 *       empty may turn the cell from OFF to EMPTY.
 * ask   Asks whether the bag is empty: the cell is not FULL, and then the rings are empty.
 *
 * The rings are one queue whose operations are atomic: bag.pml has the rings themselves.
 *
 * Bounds: pushers A and B push PUSH_A and PUSH_B molecules one after the other, poppers C and D pop POP_C and POP_D
 * (the sums are equal), and one process asks once. Every interleaving of single accesses.
 * Defaults: PUSH_A=2 PUSH_B=2 POP_C=2 POP_D=2
 *
 * Invariants, each an assertion below:
 *   CELL-M1  a value is popped at most once, and it was pushed
 *   CELL-M2  every value pushed is popped, and no pop waits for ever
 *   CELL-M3  when a value is taken, every value whose push had ended before the push of this one began has been taken
 *   CELL-M4  the answer "empty" means that whatever was pushed before the question has been taken
 *
 * Not modelled: memory orderings, withdrawal (bags of calls have no cell), the CAS on the state word.
 */

#define VALUES (PUSH_A + PUSH_B)
#include "shared.pml"

#define EMPTY 0
#define FULL 1
#define BUSY 2
#define OFF 3

byte cell, room;
byte ring[VALUES + 1], length;
byte available; /* the count in the state word */

/* Variables that only the proof uses, a bit for each value. */
byte pushed, taken, popped;
byte before[VALUES + 1]; /* what was pushed when its push began */

hidden byte i;

#define TAKE(value) assert((before[value] & ~taken) == 0) /* CELL-M3 */; taken = taken | (1 << value)

/* CAS, in a d_step: whether it changed the cell is in `ok`. */
#define CHANGE(from, to) ok = (cell == from); if :: ok -> cell = to :: else fi

proctype Pusher(byte value; byte last) {
  byte c;
  bool ok;
  do
  :: value > last -> break
  :: else ->
    d_step { before[value] = pushed; c = cell }
    if
    :: c == EMPTY ->
#ifndef MUTATE_CELL_OVER_RINGS
      ok = (length == 0);
      if
      :: !ok -> goto off
      :: else
      fi;
#endif
#ifdef MUTATE_FILL_BY_STORE
      d_step { cell = BUSY; ok = true }
#else
      d_step { CHANGE(EMPTY, BUSY) }
#endif
      if
      :: !ok -> goto off
      :: else
      fi;
#ifdef MUTATE_FULL_BEFORE_PAYLOAD
      cell = FULL;
      room = value;
#else
      room = value;
      cell = FULL;
#endif
      goto count;
  off:
      skip;
      d_step { CHANGE(EMPTY, OFF) }
    :: else
    fi;
    d_step { ring[length] = value; length++ }
  count:
    skip;
    d_step { available++; pushed = pushed | (1 << value); value++; c = 0; ok = false }
  od
}

proctype Popper(byte left) {
  byte c, n;
  bool ok;
  do
  :: left == 0 -> break
  :: else ->
    d_step { available > 0 -> available-- } /* the reservation */
#ifndef MUTATE_POP_RINGS_ONLY
    c = cell;
    if
    :: c == FULL ->
#ifdef MUTATE_TAKE_BY_STORE
      d_step { ok = true; cell = BUSY; if :: room != 0 -> taken = taken | (1 << room) :: else fi }
#else
      d_step { CHANGE(FULL, BUSY); if :: ok -> TAKE(room) :: else fi }
#endif
      if
      :: ok ->
#ifdef MUTATE_EMPTY_BEFORE_COPY
        cell = EMPTY;
        d_step { n = room; room = 0 }
#else
        d_step { n = room; room = 0 }
        cell = EMPTY;
#endif
        goto got
      :: else
      fi
    :: c == EMPTY -> d_step { CHANGE(EMPTY, OFF) }
    :: else
    fi;
#endif
    d_step {
      length > 0 -> n = ring[0];
      TAKE(n);
      SHIFT(ring, length)
    }
    if /* once in a lap */
    :: length == 0 -> d_step { CHANGE(OFF, EMPTY) }
    :: true
    fi;
  got:
    skip;
    d_step {
      assert(n != 0 && !(popped & (1 << n))); /* CELL-M1 */
      popped = popped | (1 << n);
      n = 0; c = 0; ok = false; left--
    }
  od
}

proctype Asker() {
  byte asked;
  bool there;
  asked = pushed;
#ifndef MUTATE_CELL_NOT_ASKED
  there = (cell == FULL);
#endif
  if
  :: there
  :: else -> assert(length > 0 || (asked & ~taken) == 0) /* CELL-M4 */
  fi
}

init {
  atomic {
    run Pusher(1, PUSH_A);
    run Pusher(PUSH_A + 1, VALUES);
    run Popper(POP_C);
    run Popper(POP_D);
    run Asker()
  }
  _nr_pr == 1;
  /* CELL-M2 */
  assert(available == 0 && length == 0 && cell != FULL && cell != BUSY && popped == pushed && taken == pushed)
}
