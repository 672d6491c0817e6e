/* Holding: molecules that are injected during a definition wait in a list, and are released when the definition ends.
 *
 * Reactions f & g and a & b & g share g. f is a call, with a bag of positions as in withdraw.pml. a, b and g are Void:
 * the count is the molecule. a and b are injected in one step. The processes do what these functions do:
 *
 * hold     crucible__hold_molecules: under the lock, unless the soup is frozen by now, append all at `held_end`, the
 *          link that ends the list. A process that finds the soup frozen goes on to the matcher. It reads without the
 *          lock whether a name holds (crucible__inject_of), so the answer may be outdated
 * freeze   crucible_soup_freeze: under the lock open each name, and set `frozen`. Then take the molecules that were
 *          injected in one step, and release them, until nothing is left
 * take     take_held, under the lock: take the first of the list, and what is together with it. A call goes onto the
 *          list of those that were released in the same step. Its place is NOWHERE while it is on its way
 * release  release_step: several in one addition. release_tracked: a call by itself. Then, under the lock, note its
 *          place and see whether its caller gave up meanwhile. If so, withdraw it
 * give up  crucible_withdraw. A held call, crucible__withdraw_held, under the lock: if it was released, read its place
 *          and note that it is given up; otherwise unlink it, and end the list before it if it was the last. A call
 *          with a place is withdrawn from there: a count first, then the own molecule (withdraw.pml). A call that is
 *          NOWHERE has been consumed, or the releasing process withdraws it
 *
 * A critical section is one step, except that of freeze, because other processes read what it writes without the lock.
 * A CAS loop is one step.
 *
 * Bounds: CALLERS (1) callers of one f each, which may give up; one process that injects a and b together, one that
 * injects g G_R (2) times, and one that freezes. Everything before, after or in the middle of freezing.
 * Defaults: CALLERS=1 G_R=2
 *
 * Invariants:
 *   HELD-M1  no process touches freed memory; at rest all memory that is not freed is on the list of the released calls
 *   HELD-M2  no molecule stays held, and at rest injected = consumed + withdrawn + waiting for each name, waiting =
 *       counted
 *   HELD-M3  molecules that were injected in one step appear in one step: the word always shows as many a as b
 *   HELD-M4  a call is consumed or withdrawn, once; at rest no call waits whose caller gave up
 *   HELD-M5  at rest nothing is enabled
 *   HELD-M6  no process waits for ever: neither for the lock, nor for a decision
 *
 * Not modelled: memory orderings; missing memory; a stop in the middle (a stop drops what is released then: stop.pml);
 * abandoned calls (withdraw.pml): a withdrawer that finds no count waits until something is decided; the end of the
 * soup (life.pml).
 */

/* The word. */
#define ONE_F 1
#define ONE_G 8
#define ONE_A 64
#define ONE_B 256
#define F(w) ((w) & 3)
#define G(w) (((w) >> 3) & 3)
#define A(w) (((w) >> 6) & 1)
#define B(w) (((w) >> 8) & 1)
#define ENABLED(w, need, guards) (((((w) | (guards)) - (need)) & (guards)) == (guards))
#define FG_NEED (ONE_F + ONE_G)
#define ABG_NEED (ONE_A + ONE_B + ONE_G)
#define FG_ENABLED(w) ENABLED(w, FG_NEED, 4 + 32)
#define ABG_ENABLED(w) ENABLED(w, ABG_NEED, 128 + 512 + 32)
short word;

/* The bag of f. */
mtype = { FREE, FULL, TAKEN, CONSUMED, WITHDRAWN };
mtype slot[CALLERS];
byte owner[CALLERS], tail, waiting;

/* The names: whether they hold. The soup's lock, and the data that it protects. Held molecules: first the calls, then
   a, b, and each g. */
bool openF, openG, openA, locked, frozen;
#define PAIR CALLERS
#define G_FIRST (CALLERS + 2)
#define MOST (CALLERS + 2 + G_R)
#define HEAD MOST
#define NONE (MOST + 1)
byte next[MOST + 1], end = HEAD; /* next[HEAD] is the first one */
bool together[MOST], givenUp[CALLERS], letGo[CALLERS];
#define NOWHERE CALLERS
byte place[CALLERS];

/* Variables that only the proof uses. */
bool live[MOST];
byte injectedG, injectedPairs, consumedF, consumedPairs, withdrawn;
bool gaveUp[CALLERS], wasTaken[CALLERS];
hidden byte i;

#define LOCALS byte haveF, haveP, p, x; mtype found; bool ok

#define CHANGED assert(A(word) == B(word)) /* HELD-M3 */

/* Reserves what is enabled. */
inline settle() {
  do
  :: d_step {
       if
       :: FG_ENABLED(word) -> word = word - FG_NEED; haveF++; ok = true
       :: !FG_ENABLED(word) && ABG_ENABLED(word) -> word = word - ABG_NEED; haveP++; ok = true
       :: else
       fi;
       CHANGED
     }
     if
     :: ok -> ok = false
     :: else -> break
     fi
  od;
  skip
}

inline taken(c) { assert(!wasTaken[c]); /* HELD-M4 */ wasTaken[c] = true }

/* Runs what is reserved: takes the oldest published call. */
inline body() {
  do
  :: haveF > 0 ->
     d_step {
       p = 0;
       do
       :: p < tail && slot[p] != FULL -> p++
       :: else -> break
       od;
       assert(p < tail); /* HELD-M2 */
       slot[p] = TAKEN; waiting--; taken(owner[p]); consumedF++; haveF--; p = 0
     }
  :: haveF == 0 && haveP > 0 -> d_step { consumedPairs = consumedPairs + haveP; haveP = 0 }
  :: haveF == 0 && haveP == 0 -> break
  od;
  skip
}

/* Injects call c as the matcher does; then x is its place. */
inline injectCall(c) {
  if
  :: waiting == 0 -> /* CAS-first: perhaps it is never stored */
     d_step { if :: G(word) > 0 -> word = word - ONE_G; taken(c); consumedF++; ok = true :: else fi }
  :: true
  fi;
  if
  :: ok -> d_step { ok = false; x = NOWHERE }
  :: else ->
     d_step { x = tail; tail++; slot[x] = FULL; owner[x] = c; waiting++ }
     word = word + ONE_F;
     settle();
     body()
  fi
}

/* Withdraws the call at place x: sets `found`. */
inline withdraw() {
  do
  :: x == NOWHERE -> found = CONSUMED; break
  :: x != NOWHERE && slot[x] != FULL -> found = CONSUMED; break
  :: x != NOWHERE && slot[x] == FULL ->
     d_step { if :: F(word) > 0 -> word = word - ONE_F; ok = true :: else fi }
     if
     :: !ok -> slot[x] != FULL || F(word) > 0
     :: else ->
        d_step {
          ok = false;
          if
          :: slot[x] == FULL -> slot[x] = TAKEN; waiting--; taken(owner[x]); withdrawn++; found = WITHDRAWN
          :: else -> found = CONSUMED
          fi
        }
        if
        :: found == CONSUMED -> word = word + ONE_F; settle(); body()
        :: else
        fi;
        break
     fi
  od;
  skip
}

/* Appends first to last, which are linked; `ok`: held. */
inline hold(first, last) {
  d_step {
    !locked ->
#ifdef MUTATE_HOLD_AFTER_FROZEN
    ok = true;
#else
    ok = !frozen;
#endif
    if
    :: ok ->
       assert(end == HEAD || live[end]); /* HELD-M1 */
       next[end] = first; end = last;
       next[last] = NONE;
       live[first] = true; live[last] = true
    :: else
    fi
  }
}

/* Takes the first molecules that were injected in one step: x, or NONE. */
inline take() {
  d_step {
    !locked ->
    x = next[HEAD];
    if
    :: x != NONE ->
       p = x;
#ifndef MUTATE_HELD_APART
       do
       :: together[p] && next[p] != NONE -> p = next[p]
       :: else -> break
       od;
#endif
       assert(live[x] && live[p]); /* HELD-M1 */
       next[HEAD] = next[p];
       next[p] = NONE;
       p = 0;
#ifndef MUTATE_NOTE_LATE
       if
       :: x < CALLERS -> place[x] = NOWHERE; letGo[x] = true
       :: else
       fi
#endif
    :: else
    fi
  }
#ifdef MUTATE_NOTE_LATE
  d_step {
    !locked ->
    if
    :: x < CALLERS -> place[x] = NOWHERE; letGo[x] = true
    :: else
    fi
  }
#endif
}

proctype Freeze() {
  LOCALS;
  byte first;
  d_step { !locked -> locked = true }
  openF = true;
  openG = true;
  openA = true;
  frozen = true;
  locked = false;
  do
  :: take();
     first = x;
     if
     :: first == NONE -> break
     :: first < CALLERS ->
        injectCall(first);
        d_step {
          !locked ->
          assert(live[first]); /* HELD-M1 */
#ifndef MUTATE_PLACE_LOST
          place[first] = x;
#endif
          ok = givenUp[first]
        }
#ifdef MUTATE_GIVEN_UP_STAYS
        ok = false;
#endif
        if
        :: ok -> ok = false; withdraw()
        :: else
        fi
     :: first >= CALLERS && first != NONE ->
        d_step { /* all of them at once */
          do
          :: x == NONE -> break
          :: x != NONE ->
             assert(live[x]); /* HELD-M1 */
             word = word + (x >= G_FIRST -> ONE_G : (x == PAIR -> ONE_A : ONE_B));
             live[x] = false;
             x = next[x]
          od;
          CHANGED
        }
        settle();
        body()
     fi;
     d_step { first = 0; x = 0; found = 0 }
  od
}

proctype Call(byte me) {
  LOCALS;
  if
  :: !openF -> hold(me, me) /* `ok`: with the number of a held one, not a place */
  :: openF
  fi;
  if
  :: ok ->
     ok = false;
     if
     :: true -> /* gives up */
        d_step {
          !locked ->
          if
          :: letGo[me] -> x = place[me]; givenUp[me] = true; ok = true
          :: else ->
             p = HEAD;
             do
             :: next[p] == me || next[p] == NONE -> break
             :: else -> p = next[p]; assert(live[p]) /* HELD-M1 */
             od;
             if
             :: next[p] == me ->
                next[p] = next[me];
#ifndef MUTATE_END_STALE
                if
                :: end == me -> end = p
                :: else
                fi;
#endif
                live[me] = false; next[me] = 0; taken(me); withdrawn++
             :: else
             fi
          fi;
          p = 0
        }
        if
        :: ok -> ok = false; withdraw()
        :: else
        fi;
        d_step { x = 0; found = 0; gaveUp[me] = true }
     :: true
     fi
  :: else ->
     injectCall(me);
     if
     :: true -> withdraw(); d_step { x = 0; found = 0; gaveUp[me] = true }
     :: true -> x = 0
     fi
  fi
}

/* a and b in one step. */
proctype Together() {
  LOCALS;
  if
  :: !openA ->
     d_step { next[PAIR] = PAIR + 1; together[PAIR] = true }
     hold(PAIR, PAIR + 1)
  :: openA
  fi;
  injectedPairs++;
  if
  :: ok -> ok = false
  :: else -> d_step { word = word + ONE_A + ONE_B; CHANGED } settle(); body()
  fi
}

proctype InjectG() {
  LOCALS;
  byte g = G_FIRST;
  do
  :: g == MOST -> break
  :: else ->
     if
     :: !openG -> hold(g, g)
     :: openG
     fi;
     d_step { injectedG++; g++ }
     if
     :: ok -> ok = false
     :: else -> word = word + ONE_G; settle(); body()
     fi
  od
}

init {
  atomic {
    next[HEAD] = NONE;
    i = 0;
    do
    :: i < CALLERS -> run Call(i); i++
    :: else -> break
    od;
    run Together();
    run InjectG();
    run Freeze()
  }
  _nr_pr == 1;
  d_step {
    assert(next[HEAD] == NONE); /* HELD-M2 */
    assert(CALLERS == consumedF + withdrawn + waiting && waiting == F(word));
    assert(injectedG == consumedF + consumedPairs + G(word) && injectedPairs == consumedPairs + A(word));
    assert(!FG_ENABLED(word) && !ABG_ENABLED(word)); /* HELD-M5 */
    i = 0;
    do
    :: i < tail -> assert(slot[i] != FULL || !gaveUp[owner[i]]); i++ /* HELD-M4 */
    :: else -> break
    od;
    i = 0;
    do
    :: i < MOST -> assert(!live[i] || (i < CALLERS && letGo[i])); i++ /* HELD-M1 */
    :: else -> break
    od
  }
}
