/* Memory ends in the middle of an injection of several molecules. The injector takes back what it published.
 *
 * Reactions a & b and a & c share a. a has a bag of positions, each FREE (claimed, not published), FULL or TAKEN. A
 * pop, which has a reservation, takes the oldest published molecule and passes over unpublished ones, one position a
 * step. b and c are Void: the count is the molecule.
 *
 * together   crucible__word_publish_together: publish each. Then add all counts in one step, settle, run. If there is
 *            no memory for one of them, nothing has been counted yet: unpublish, and refuse
 * unpublish  For each published molecule: CAS the own slot FULL → TAKEN, and it belongs to the caller again. If that
 *            fails, a reaction has taken it, by the count of another molecule of a, which has none now. Add a count for
 *            that one, under the rule of adding (give_back). The lost molecule then counts as injected all the same
 *
 * A reaction may take a published molecule that is not counted: a pop takes the oldest there is, whichever count was
 * reserved.
 *
 * Bounds: one process injects TOGETHER (3) molecules of a in one step, and there is memory for any number of them, from
 * none to all. One injects ALONE (2) of a, one by one. One injects b and c, OTHERS (3) times, either of them.
 * Defaults: TOGETHER=3 ALONE=2 OTHERS=3
 *
 * Invariants:
 *   SHORT-M1  a process that has reserved a molecule finds one: a scan in vain means that another one was taken
 *       meanwhile
 *   SHORT-M2  a molecule is consumed once, or belongs to the caller again, or waits; the caller gets back its own
 *       molecules, and no other
 *   SHORT-M3  at rest as many wait as are counted, and every answer is true: refused and returned, or injected
 *   SHORT-M4  at rest nothing is enabled
 *
 * Not modelled: memory orderings; the inside of the bag (bag.pml); full fields: a count that is added for a taken
 * molecule may spill like any other (spill.pml); molecules without payload, which need no memory.
 */

#define ALL (TOGETHER + ALONE)

/* The word: three bits of a, two of b and of c, each with its guard. */
#define ONE_A 1
#define ONE_B 16
#define ONE_C 128
#define A(w) ((w) & 7)
#define ENABLED(w, one) (((((w) | (8 + 4 * (one))) - ONE_A - (one)) & (8 + 4 * (one))) == (8 + 4 * (one)))
#include "shared.pml"
short word;

mtype = { FREE, FULL, TAKEN };
mtype slot[ALL];
byte molecule[ALL], tail;

/* Variables that only the proof uses. Molecules of the step are 0, 1, …; the others' follow. */
byte takes, consumed, others;
bool wasConsumed[ALL], isReturned[ALL], isInjected[ALL];
hidden byte i, waiting;

#define LOCALS byte have, p, before, x; bool ok

inline publish(m) {
  d_step { p = tail; tail++; slot[p] = FREE; molecule[p] = m }
  d_step { slot[p] = FULL; p = 0 }
}

/* Reserves what is enabled. */
inline settle() {
  do
  :: d_step {
       if
       :: ENABLED(word, ONE_B) -> word = word - ONE_A - ONE_B; have++; ok = true
       :: !ENABLED(word, ONE_B) && ENABLED(word, ONE_C) -> word = word - ONE_A - ONE_C; have++; ok = true
       :: else
       fi
     }
     if
     :: ok -> ok = false
     :: else -> break
     fi
  od;
  skip
}

inline body() {
  do
  :: have == 0 -> break
  :: else ->
     takeOldest();
     d_step {
       assert(!wasConsumed[x] && !isReturned[x]); /* SHORT-M2 */
       wasConsumed[x] = true; consumed++; have--; x = 0
     }
  od;
  skip
}

inline returned(m) {
  isReturned[m] = true;
  assert(m < TOGETHER && !wasConsumed[m]) /* SHORT-M2 */
}

inline giveBack() {
#ifdef MUTATE_UNPUBLISH_WITHOUT_COUNT
  skip
#else
  word = word + ONE_A;
#ifndef MUTATE_GIVE_BACK_WITHOUT_SETTLING
  settle()
#endif
#endif
}

proctype Together() {
  LOCALS;
  byte m, published, places[TOGETHER];
  do
  :: m < TOGETHER ->
     d_step { p = tail; tail++; slot[p] = FREE; molecule[p] = m; places[m] = p }
     d_step { slot[p] = FULL; p = 0; m++ }
  :: m < TOGETHER -> goto refused /* no memory */
  :: m == TOGETHER -> break
  od;
  skip;
  d_step { word = word + TOGETHER * ONE_A; m = 0 }
  settle();
  body();
  d_step {
    do
    :: m < TOGETHER -> isInjected[m] = true; m++
    :: else -> break
    od
  }
  goto end;

refused:
  skip;
  d_step { /* unpublished molecules belong to the caller anyway */
    published = m;
    do
    :: m < TOGETHER -> isReturned[m] = true; m++
    :: else -> m = 0; break
    od
  }
  do
  :: m == published -> break
  :: else ->
#ifdef MUTATE_UNPUBLISH_BY_POP
     takeOldest();
     d_step { returned(x); x = 0 }
     skip;
#else
     d_step {
#ifdef MUTATE_UNPUBLISH_BY_STORE
       ok = true;
#else
       ok = (slot[places[m]] == FULL);
#endif
       if
       :: ok -> slot[places[m]] = TAKEN; takes++; returned(m)
       :: else -> isInjected[m] = true
       fi
     }
     if
     :: ok -> ok = false
     :: else -> giveBack()
     fi;
#endif
     m++
  od;
  body();
end:
  skip
}

proctype Alone() {
  LOCALS;
  byte m = TOGETHER;
  do
  :: m == ALL -> break
  :: else ->
     publish(m);
     d_step { word = word + ONE_A; isInjected[m] = true; m++ }
     settle();
     body()
  od
}

proctype Other(byte many) {
  LOCALS;
  do
  :: many == 0 -> break
  :: else ->
     many--;
     d_step {
       others++;
       if
       :: many == 1 -> word = word + ONE_C
       :: else -> word = word + ONE_B
       fi
     }
     settle();
     body()
  od
}

init {
  atomic {
    run Together();
    run Alone();
    run Other(OTHERS)
  }
  _nr_pr == 1;
  d_step {
    i = 0; waiting = 0;
    do
    :: i < tail ->
       if
       :: slot[i] == FULL -> waiting++
       :: else
       fi;
       i++
    :: else -> break
    od;
    assert(waiting == A(word)); /* SHORT-M3 */
    assert(others == consumed + (word >> 4 & 3) + (word >> 7 & 3));
    i = 0;
    do
    :: i < ALL -> assert(isInjected[i] != isReturned[i]); assert(isInjected[i] || !wasConsumed[i]); i++
    :: else -> break
    od;
    assert(!ENABLED(word, ONE_B) && !ENABLED(word, ONE_C)) /* SHORT-M4 */
  }
}
