/* Front bits: the cell of a bag, and the bit of the state word that says whether it has a molecule.
 *
 * The word is a count and the front bit, which change together. The cell is EMPTY, OFF, kept by a thread, or filled by
 * a thread:
 *
 *   EMPTY -> KEPT(t) -> FILLED(t) -> KEPT(t) or EMPTY -> OFF -> EMPTY
 *
 * push  A thread that keeps the cell, or makes an EMPTY one its own by CAS, fills it if the rings are empty. Then it
 *       adds one count and the bit in one step. In all other cases it pushes into the rings, and adds one count. If the
 *       cell was its own or EMPTY it turns it OFF.
 * pop   Requires a reservation. An early pop takes the count and clears the bit in one step. If the bit was set, the
 *       thread owns the cell's molecule; if not, the thread is bound to the rings. A late pop takes the count alone,
 *       and then clears the bit by CAS, or finds it 0 and is bound to the rings. A thread that took from the cell keeps
 *       it if it had filled it; otherwise the cell is EMPTY. A thread that pops from the rings turns a cell OFF that is
 *       its own or EMPTY. A thread that leaves the rings empty may turn it on again.
 * fire  A thread that completes a reaction without storing its molecule finds the bit 0, then the rings empty, and then
 *       changes the word by CAS.
 *
 * The rings are one queue whose operations are atomic: bag.pml has the rings themselves.
 *
 * Bounds: threads A, B and C, which push PUSH_A, PUSH_B, PUSH_C molecules and pop POP_A, POP_B, POP_C (the sums are
 * equal) in any order; with FIRE one thread fires once. Every interleaving of single accesses.
 * Defaults: PUSH_A=2 PUSH_B=1 PUSH_C=0 POP_A=2 POP_B=1 POP_C=0
 *
 * Invariants, each an assertion below:
 *   FRONT-M1  a value is popped at most once, and it was pushed
 *   FRONT-M2  every value pushed is popped, and no pop waits for ever
 *   FRONT-M3  when a value is taken, every value whose push had ended before the push of this one began has been taken
 *   FRONT-M4  a molecule that fires without being stored overtakes none: all molecules pushed before it looked have
 *       been taken
 *   FRONT-M5  the bit is 0 when it is added
 *
 * Not modelled: memory orderings, full fields.
 */

#define VALUES (PUSH_A + PUSH_B + PUSH_C)
#include "shared.pml"

#define EMPTY 0
#define OFF 1
#define KEPT(t) (2 + 2 * (t))
#define FILLED(t) (3 + 2 * (t))

#define FRONT 1
#define UNIT 2

byte word, cell, room;
byte ring[VALUES + 1], length;

/* Variables that only the proof uses, a bit for each value. */
byte pushed, taken, popped;
byte before[VALUES + 1]; /* what was pushed when its push began */

hidden byte i;

#define TAKE(value) assert((before[value] & ~taken) == 0) /* FRONT-M3 */; taken = taken | (1 << value)

/* CAS of the cell, in a d_step: whether it changed it is in `ok`. */
#define CHANGE(from, to) ok = (cell == from); if :: ok -> cell = to :: else fi

proctype Thread(byte me; byte value; byte last; byte pops) {
  byte c, n, w;
  bool ok;
  do
  :: value > last && pops == 0 -> break
  :: value <= last ->
    d_step { before[value] = pushed; c = cell }
    if
    :: c == KEPT(me) ->
#ifndef MUTATE_FRONT_OVER_RINGS
      if
      :: length > 0 -> d_step { CHANGE(KEPT(me), OFF) }; goto store
      :: else
      fi
#endif
    :: c == EMPTY ->
      ok = (length == 0);
      if
      :: ok ->
#ifdef MUTATE_KEPT_BY_STORE
        d_step { cell = KEPT(me); ok = true }
#else
        d_step { CHANGE(EMPTY, KEPT(me)) }
#endif
      :: else
      fi;
      if
      :: !ok -> d_step { CHANGE(EMPTY, OFF) }; goto store
      :: else
      fi
    :: else -> goto store
    fi;
    room = value;
    cell = FILLED(me);
    d_step {
      assert(!(word & FRONT)); /* FRONT-M5 */
      word = word + UNIT + FRONT;
      pushed = pushed | (1 << value);
      value++
    }
    goto next;
  store:
    skip;
    d_step { ring[length] = value; length++ }
    d_step { word = word + UNIT; pushed = pushed | (1 << value); value++ }
  next:
    skip;
    d_step { c = 0; ok = false }
  :: pops > 0 && word >= UNIT ->
    if
    :: d_step { /* early */
        word >= UNIT -> w = word & FRONT;
        word = word - UNIT - w;
        if
        :: w != 0 -> TAKE(room)
        :: else
        fi
      }
    :: d_step { word >= UNIT -> word = word - UNIT } /* late */
#ifndef MUTATE_FRONT_PASSED_OVER
      do
      :: w = word;
        if
        :: !(w & FRONT) -> w = 0; break
        :: else ->
#ifdef MUTATE_CLAIMED_WITHOUT_CAS
          d_step {
            if
            :: word & FRONT -> word = word - FRONT; TAKE(room)
            :: else
            fi;
            ok = true
          }
#else
          d_step { ok = (word == w); if :: ok -> word = w - FRONT; TAKE(room) :: else fi }
#endif
          if
          :: ok -> w = FRONT; break
          :: else
          fi
        fi
      od
#endif
    :: word < UNIT -> goto done /* another thread came first */
    fi;
    if
    :: w == FRONT ->
#ifdef MUTATE_FREED_EARLY
      d_step { ok = (cell == FILLED(me)); cell = (ok -> KEPT(me) : EMPTY) }
      d_step { n = room; room = 0 }
#else
      d_step { n = room; room = 0 }
      d_step { ok = (cell == FILLED(me)); cell = (ok -> KEPT(me) : EMPTY) }
#endif
    :: else ->
      c = cell;
      if
      :: c == EMPTY || c == KEPT(me) -> d_step { CHANGE(c, OFF) }
      :: else
      fi;
      d_step {
        length > 0 -> n = ring[0];
        TAKE(n);
        SHIFT(ring, length)
      }
      if /* once in a lap */
      :: length == 0 -> d_step { CHANGE(OFF, EMPTY) }
      :: true
      fi
    fi;
    d_step {
      assert(n != 0 && !(popped & (1 << n))); /* FRONT-M1 */
      popped = popped | (1 << n);
      pops--
    }
  done:
    skip;
    d_step { n = 0; c = 0; w = 0; ok = false }
  od
}

#ifdef FIRE
proctype Firer() {
  byte asked, w;
  d_step { asked = pushed; w = word }
  if
#ifndef MUTATE_FRONT_NOT_ASKED
  :: w & FRONT
#endif
  :: else ->
    if
    :: length > 0
    :: else ->
      d_step {
        if
        :: word == w -> assert((asked & ~taken) == 0) /* FRONT-M4 */
        :: else
        fi
      }
    fi
  fi
}
#endif

init {
  atomic {
    run Thread(0, 1, PUSH_A, POP_A);
    run Thread(1, PUSH_A + 1, PUSH_A + PUSH_B, POP_B);
#if PUSH_C + POP_C > 0
    run Thread(2, PUSH_A + PUSH_B + 1, VALUES, POP_C);
#endif
#ifdef FIRE
    run Firer()
#endif
  }
  _nr_pr == 1;
  /* FRONT-M2 */
  assert(word == 0 && length == 0 && !(cell >= 2 && cell % 2 == 1) && popped == pushed && taken == pushed)
}
