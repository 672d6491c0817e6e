/* Fast molecules: a caller whose deadline has passed takes its molecule back, unless a reaction has it.
 *
 * Reactions f & a and f & b share the fast name f. Each caller injects one f, add-first or CAS-first, and may give up
 * from then on: at its deadline, and by a cancellation, which may come before its molecule is counted. The field of f
 * is narrow and has the limit LIMIT; the overflow counts what is beyond. a and b are Void names: the count is the
 * molecule. The bag is a row of positions, each FREE (occupied, not published), FULL or TAKEN. A pop, which has a
 * reservation, takes the oldest published molecule and passes over unpublished ones, one position a step.
 *
 * withdraw  While the own slot is FULL: take one count of f out of the word by CAS, or out of the overflow if the word
 *           has none. With the count in hand CAS the own slot FULL → TAKEN. Then it is withdrawn, and there is room, so
 *           bring over. If that CAS fails, return the count, under the rule of adding. If there is no count, the call
 *           is abandoned: put its place on a list, set `attention`, and try once more
 * retry     A process that added counts or fired, and is about to leave, takes the list if `attention` is set. It tries
 *           each call, puts back those still undecided, and starts again if f has a count by then
 *
 * No count does not mean that a reaction has the molecule. Another process may have the count
 * in hand, or a pop has taken an older molecule that is published and not counted yet. Bringing over adds counts as any
 * addition does, so the process looks at the list after it.
 *
 * Every CAS loop is one step here, because a CAS that fails changes nothing and starts again.
 *
 * Bounds: CALLERS callers of one molecule each, of which the first GIVE_UP may give up at a deadline, and caller 0 by
 * cancellation too with -DCANCEL; one process that injects a, and then perhaps b, not with -DONLY_A.
 * Defaults: LIMIT=3 CALLERS=2 GIVE_UP=CALLERS
 *
 * Invariants:
 *   WITHDRAW-M2  a molecule is taken once: no reaction sees a withdrawn one. A pop finds one: a scan in vain means that
 *       another molecule was taken meanwhile
 *   WITHDRAW-M3  conservation at rest: injected = consumed + waiting + withdrawn, waiting = counted + spilled
 *   WITHDRAW-M4  at rest nothing is enabled, and the overflow is empty while the field has room
 *   WITHDRAW-M5  at rest no molecule waits whose caller gave up
 *
 * Not modelled: memory orderings, the inside of the bag (bag.pml; no position is used twice here, and turns are not
 * modelled), control, processes that stop for good: one that has a count in hand, or the list, hides
 * callers.
 */

/* The word: three bits of f, two of a, two of b, each with its guard. */
#define ONE_F 1
#define ONE_A 16
#define ONE_B 64
#define F(w) ((w) & 7)
#define A(w) (((w) >> 4) & 1)
#define B(w) (((w) >> 6) & 1)
#define GUARDS(one) (8 + 2 * (one))
#define ENABLED(w, one) (((((w) | GUARDS(one)) - ONE_F - (one)) & GUARDS(one)) == GUARDS(one))
byte word, overflow;

mtype = { FREE, FULL, TAKEN, UNDECIDED, WITHDRAWN, CONSUMED };
mtype slot[CALLERS + 1];
byte molecule[CALLERS + 1], tail;

/* The state of each call. A call that was consumed unstored never had a place. */
#define NOWHERE CALLERS
byte place[CALLERS];
bool known[CALLERS]; /* it may be given up from now on */

bool attention;
byte abandoned; /* a set of calls */

/* Variables that only the proof uses. */
byte injected, consumed, withdrawn, others, takes;
bool gaveUp[CALLERS], wasConsumed[CALLERS], wasWithdrawn[CALLERS];

#define LOCALS \
  byte have, p, before, x, took, kept; \
  mtype found; \
  bool ok, any, fired

/* Moves counts from the overflow to the field; `added`: a count was added. */
inline bringOver(added) {
  do
  :: F(word) >= LIMIT -> break
  :: else ->
     d_step { if :: overflow > 0 -> overflow--; ok = true :: else fi }
     if
     :: !ok -> break
     :: else
     fi;
     d_step { if :: F(word) < LIMIT -> word++; added = true; ok = false :: else fi }
     if
     :: ok -> d_step { overflow++; ok = false }
     :: else
     fi
  od;
  skip
}

/* Adds one count below the limit, or spills it. */
inline addNarrow(added) {
  d_step { added = true; if :: F(word) < LIMIT -> word++ :: else -> ok = true fi }
  if
  :: ok -> d_step { overflow++; ok = false } bringOver(any)
  :: else
  fi
}

/* Takes one count out of the word, or out of the overflow if the word has none. `ok`: it did. */
inline takeCount() {
  d_step { if :: F(word) > 0 -> word--; ok = true :: else fi }
  if
  :: ok
  :: else -> d_step { if :: overflow > 0 -> overflow--; ok = true :: else fi }
  fi
}

/* The second half of an attempt to withdraw call x, in a d_step: the CAS of its own slot, which succeeds if it is FULL.
   Sets `found`. */
inline takeOwn(isFull) {
  ok = false;
  if
  :: isFull -> slot[place[x]] = TAKEN; takes++; withdrawn++; found = WITHDRAWN
  :: else -> found = CONSUMED
  fi
}

/* Takes the oldest published molecule, for which there is a reservation, and passes over unpublished ones. x is its
   number. A scan in vain means that another molecule was taken meanwhile (WITHDRAW-M2). */
inline takeOldest() {
  before = takes;
  do
  :: d_step {
       p < tail ->
       if
       :: slot[p] == FULL -> slot[p] = TAKEN; takes++; x = molecule[p]; ok = true
       :: else -> p++
       fi
     }
     if
     :: ok -> break
     :: else
     fi
  :: d_step { p == tail -> assert(takes > before); before = takes; p = 0 }
  od;
  skip;
  d_step { ok = false; before = 0; p = 0 }
}

inline publish(me) {
  d_step { p = tail; tail++; slot[p] = FREE }
  d_step { molecule[p] = me; slot[p] = FULL; place[me] = p; p = 0; injected++ }
}

/* Makes one attempt to withdraw the molecule of call x: sets `found`. */
inline attempt() {
  do
  :: slot[place[x]] != FULL -> found = CONSUMED; break
  :: else ->
#ifdef MUTATE_SLOT_BEFORE_COUNT
     d_step { slot[place[x]] = TAKEN; takes++; withdrawn++; found = WITHDRAWN }
     d_step { if :: F(word) > 0 -> word = word - ONE_F :: else fi }
     break
#else
     takeCount();
     if
     :: !ok -> found = UNDECIDED; break
     :: else
     fi;
     d_step {
       takeOwn(slot[place[x]] == FULL);
       wasWithdrawn[x] = wasWithdrawn[x] || found == WITHDRAWN
     }
     if
     :: found == WITHDRAWN ->
        bringOver(any)
     :: else ->
        addNarrow(any);
        skip
     fi;
     break
#endif
  od;
  skip
}

inline takeList() { d_step { took = took | abandoned; abandoned = 0 } }

inline retry() {
  takeList();
  do
  :: took == 0 ->
     if
     :: kept == 0 -> break
     :: else
     fi;
     d_step { abandoned = abandoned | kept; kept = 0 }
#ifdef MUTATE_PUT_BACK_WITHOUT_LOOKING
     break
#else
     if
     :: F(word) > 0 -> takeList()
     :: else -> break
     fi
#endif
  :: else ->
     d_step { x = (took & 1 -> 0 : (took & 2 -> 1 : 2)); took = took & ~(1 << x) }
     attempt();
     d_step { if :: found == UNDECIDED -> kept = kept | (1 << x) :: else fi; found = 0; x = 0 }
  od
}

/* Fires until nothing is enabled; then handles the room that this makes, and the abandoned calls. */
inline settle() {
  do
  :: d_step {
       if
       :: ENABLED(word, ONE_A) -> word = word - ONE_F - ONE_A; have++; ok = true
       :: !ENABLED(word, ONE_A) && ENABLED(word, ONE_B) -> word = word - ONE_F - ONE_B; have++; ok = true
       :: else -> any = false
       fi
     }
     if
     :: ok ->
        ok = false;
        bringOver(any)
     :: else ->
        if
        :: attention -> retry()
        :: else
        fi;
        if
        :: any
        :: else -> break
        fi
     fi
  od;
  any = false
}

/* The reaction with call x. */
inline reply() {
  d_step {
    assert(!wasConsumed[x] && !wasWithdrawn[x]); /* WITHDRAW-M2 */
    wasConsumed[x] = true;
    consumed++;
    x = 0
  }
}

inline body() {
  do
  :: have == 0 -> break
  :: else ->
     takeOldest();
     have--;
     reply()
  od
}

/* Handles the deadline or the cancellation of call `me`. */
inline giveUp(me) {
  x = me;
  if
  :: place[x] == NOWHERE -> found = CONSUMED
  :: else -> attempt()
  fi;
  if
  :: found == UNDECIDED ->
     abandoned = abandoned | (1 << x);
     attention = true;
     attempt()
  :: else
  fi;
  d_step { x = 0; found = 0; gaveUp[me] = true }
  if
  :: any -> settle(); body()
  :: else
  fi
}

proctype Caller(byte me) {
  LOCALS;
  if
  :: tail == takes -> /* CAS-first: everything that was ever in the bag is taken */
     d_step {
       x = (A(word) > 0 -> ONE_A : (B(word) > 0 -> ONE_B : 0));
       if
       :: x != 0 -> word = word - x; injected++; ok = true; x = me; place[me] = NOWHERE; known[me] = true
       :: else
       fi
     }
  :: true
  fi;
  if
  :: ok -> ok = false; reply()
  :: else ->
     publish(me);
     known[me] = true;
     addNarrow(any);
     settle();
     body()
  fi;
  if
  :: me < GIVE_UP -> giveUp(me)
  :: true
  fi
}

#ifdef CANCEL
proctype Cancel(byte me) {
  LOCALS;
  known[me];
  giveUp(me)
}
#endif

proctype Inject() {
  LOCALS;
  word = word + ONE_A;
  others++;
  any = true;
  settle();
  body()
#ifndef ONLY_A
  ;
  if
  :: word = word + ONE_B; others++; any = true; settle(); body()
  :: true
  fi
#endif
}

hidden byte i, waiting;

init {
  atomic {
    i = 0;
    do
    :: i < CALLERS -> run Caller(i); i++
    :: else -> break
    od;
#ifdef CANCEL
    run Cancel(0);
#endif
    run Inject()
  }
  _nr_pr == 1;
  d_step {
    i = 0; waiting = 0;
    do
    :: i < tail ->
       assert(slot[i] == FULL || slot[i] == TAKEN);
       if
       :: slot[i] == FULL -> waiting++; assert(!gaveUp[molecule[i]]) /* WITHDRAW-M5 */
       :: else
       fi;
       i++
    :: else -> break
    od;
    assert(injected == consumed + waiting + withdrawn && waiting == F(word) + overflow); /* WITHDRAW-M3 */
    assert(A(word) + B(word) + consumed == others);
    assert(F(word) == 0 || A(word) + B(word) == 0); /* WITHDRAW-M4 */
    assert(overflow == 0 || F(word) >= LIMIT)
  }
}
