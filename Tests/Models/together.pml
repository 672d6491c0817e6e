/* The matcher with its parts together: full fields, calls that give up, reactions that share names, states with
 * batches, and control.
 *
 * Reactions f & s and f & a share the fast name f, f & s and i & s the state s. The field of f holds at most LIMIT. a
 * and i are Void: the count is the molecule. spill.pml, withdraw.pml, stop.pml and batch.pml show each part alone. This
 * model shows how they meet:
 *
 * inject   Ask whether injections are refused. Be counted as busy. Publish, add, settle, run what was reserved. Be
 *     counted as busy no more
 * settle   Reserve while something is enabled, and after each bring over, and tend. If nothing was reserved, tend
 *     before leaving
 * tend     Bring counts over. If REFUSING drop the molecules of a stopped word. If ABANDONED try the abandoned calls
 *          again. Repeat all while one of the two changed anything
 * give up  Claim the call. Be counted as busy. Take a count of f, and then the own molecule. Too late: return the
 *          count, settle. Withdrawn: tend, because there is room now, and settle if that brought something. No count:
 *          abandon, tend, and so on
 * run      A body of s returns it by adding it, and settles; or by one CAS that also reserves f & s, or up to two of i
 *          & s. In the core, a process that gives up lets others run what is reserved; here it does so itself, last
 * drop     Take the overflow, all counts in one step, the overflow again. Pop as many, and end their calls. If for a
 *          stop, do so counted in `droppers`, and only from a word that shows STOPPED
 * stop     REFUSING, STOPPED, refuse, drop, wait until no process is busy, drop again
 * restart  When no process is busy: clear STOPPED, wait until there are no droppers, clear REFUSING, accept injections,
 *     tend, settle
 *
 * pause    Set PAUSED: nothing is reserved. resume: clear it, settle
 *
 * A CAS loop is one step, as in withdraw.pml and stop.pml.
 *
 * Bounds: two callers of f, of which GIVE_UP (1) may give up; A_R (0) molecules of a, I_R (0) of i; CONTROLS (1) calls
 * of control, any of clear, stop, restart, with -DPAUSE of pause and resume too. With A_R and I_R 0 only f & s fires.
 * Defaults: LIMIT=1 GIVE_UP=1 A_R=0 I_R=0 CONTROLS=1
 *
 * -DBEGUN begins in the middle. A body of i & s has the state, one f is counted, the other one spilled, and I_R of i
 * wait. So f fires by each of its reactions, i & s in batches of up to two, and the body returns the state to a word in
 * which all of them wait. Only the molecules of a are new; calls only give up. The runs without it show what a call
 * does before.
 *
 * Invariants:
 *   TOGETHER-M1  a call ends at most once; one that was accepted before a stop has ended when the component is stopped
 *       and at rest
 *   TOGETHER-M2  a molecule is taken once, by a firing, a withdrawal or a drop, and a process that has a count finds
 *       one
 *   TOGETHER-M3  at rest accepted = consumed + withdrawn + dropped + waiting, for each name, and waiting = counted +
 *       spilled
 *   TOGETHER-M4  one state: in the word or with one body
 *   TOGETHER-M5  at rest nothing is enabled, and nothing spilled while the field has room
 *   TOGETHER-M6  at rest no call waits whose caller gave up, and nothing waits in a stopped component; nor when it is
 *       restarted
 *   TOGETHER-M7  what was injected after a restart is not dropped for the stop before it
 *   TOGETHER-M8  nothing is reserved while the component is paused or stopped
 *
 * Not modelled: memory orderings, the inside of the bag (bag.pml), CAS-first, bodies that never return (batch.pml), how
 * a process finds that none is busy, control calls by several threads at once.
 */

#define CALLERS 2
/* The word: two bits of f and i, one of a and s, each with its guard, STOPPED and PAUSED. */
#define ONE_F 1
#define ONE_I 8
#define ONE_A 64
#define ONE_S 256
#define STOPPED 1024
#define PAUSED 2048
#define F(w) ((w) & 3)
#define FIELD F
#define I(w) (((w) >> 3) & 3)
#define A(w) (((w) >> 6) & 1)
#define S(w) (((w) >> 8) & 1)
#ifdef MUTATE_GIVE_BACK_WHILE_PAUSED
#define AFTER(w) (((w) + ONE_S) & ~PAUSED) /* the mask test of the return does not check it */
#else
#define AFTER(w) ((w) + ONE_S)
#endif
#define ENABLED(w, need, guards) (((((w) | (guards)) - (need)) & ((guards) + STOPPED + PAUSED)) == (guards))
#define FS_ENABLED(w) ENABLED(w, ONE_F + ONE_S, 4 + 512)
#define FA_ENABLED(w) ENABLED(w, ONE_F + ONE_A, 4 + 128)
#define IS_ENABLED(w) ENABLED(w, ONE_I + ONE_S, 32 + 512)
#include "shared.pml"

#ifdef BEGUN
short word = LIMIT * ONE_F + I_R * ONE_I;
byte overflow = CALLERS - LIMIT, busy = 1;
#else
short word = ONE_S;
byte overflow, busy;
#endif
byte droppers, abandoned;
bool refuses, REFUSING, ABANDONED;

mtype = { FREE, FULL, TAKEN, UNDECIDED, WITHDRAWN, CONSUMED, RUNS, STOPS, IS_STOPPED, RESTARTS };
mtype slot[CALLERS];
byte molecule[CALLERS], place[CALLERS], tail;
bool claimed[CALLERS];

/* Variables that only the proof uses. */
mtype mode = RUNS;
#ifdef BEGUN
byte held = 1, acceptedF = CALLERS, acceptedI = I_R + 1;
#else
byte held, acceptedF, acceptedI;
#endif
bool paused;
byte stops, restarts, takes, acceptedA, consumedF, consumedA, consumedI, withdrawn, droppedF, droppedA, droppedI;
byte since[CALLERS]; /* for each call: how many restarts came before it was accepted */
bool gaveUp[CALLERS], accepted[CALLERS], ended[CALLERS];
hidden byte i;

#define LOCALS \
  byte haveS, haveI, haveA, x, p, k, before; \
  mtype found; \
  bool ok, any, fired, changed, isDropper

inline end(c) { d_step { assert(!ended[c]); /* TOGETHER-M1 */ ended[c] = true } }

/* Ends the calls of k molecules, which are popped, by an error. */
inline popAndDrop() {
  do
  :: k == 0 -> break
  :: else ->
     takeOldest();
     d_step {
       assert(!isDropper || since[x] < stops); /* TOGETHER-M7 */
       droppedF++;
       k--;
#ifdef MUTATE_DROP_WITHOUT_CLAIM
       ok = true
#else
       ok = !claimed[x];
       claimed[x] = true
#endif
     }
     if
     :: ok -> ok = false; end(x)
     :: else
     fi;
     x = 0
  od;
  skip
}

inline takeOverflow() { d_step { k = k + overflow; overflow = 0 } }

/* All counts except that of the state. */
inline takeCounts() {
  k = k + F(word); droppedA = droppedA + A(word); droppedI = droppedI + I(word);
  word = word & (ONE_S + STOPPED + PAUSED)
}

inline dropStopped() {
  droppers++;
  d_step {
    isDropper = true;
    if
    :: word & STOPPED -> changed = changed || (F(word) + A(word) + I(word) > 0); takeCounts(); ok = true
    :: else
    fi
  }
  if
  :: ok -> d_step { ok = false; changed = changed || overflow > 0; k = k + overflow; overflow = 0 }
  :: else
  fi;
  popAndDrop();
  d_step { isDropper = false; droppers-- }
}

#define RESERVES assert(!paused && mode != IS_STOPPED) /* TOGETHER-M8 */

/* Reserves one of what is enabled: `fired`. */
inline reserve() {
  atomic {
    if
    :: FS_ENABLED(word) -> RESERVES; word = word - ONE_F - ONE_S; haveS++; held++; fired = true
    :: FA_ENABLED(word) -> RESERVES; word = word - ONE_F - ONE_A; haveA++; fired = true
    :: IS_ENABLED(word) -> RESERVES; word = word - ONE_I - ONE_S; haveI++; held++; fired = true
    :: else -> fired = false
    fi
  }
}

/* Makes one attempt to withdraw call x. A returned count may enable several firings, which are reserved. */
inline attempt() {
  if
  :: slot[place[x]] != FULL -> found = CONSUMED
  :: else ->
     takeCount();
     if
     :: !ok -> found = UNDECIDED
     :: else ->
        d_step { takeOwn(slot[place[x]] == FULL) }
        changed = true;
        if
        :: found == CONSUMED ->
           addNarrow(_);
           do
           :: reserve();
              if
              :: fired -> fired = false; bringOver(any)
              :: else -> break
              fi
           od;
           skip
        :: else
        fi
     fi
  fi
}

inline tend() {
  do
  :: bringOver(any);
     changed = false;
#ifndef MUTATE_LATE_ADDITION_STAYS
     if
     :: REFUSING -> dropStopped()
     :: else
     fi;
#endif
     if
     :: ABANDONED -> retryFor(F(word) + overflow)
     :: else
     fi;
     if
#ifdef MUTATE_TEND_ONCE
     :: true -> changed = false; break
#endif
     :: !changed -> break
     :: else
     fi
  od;
  skip
}

/* Reserves while something is enabled; `any` is for the processes that brought counts over. */
inline settle() {
  do
  :: any = false;
     reserve();
     if
     :: fired ->
        fired = false;
        bringOver(any);
        if
        :: REFUSING || ABANDONED -> tend()
        :: else
        fi
     :: else ->
#ifdef MUTATE_LEAVE_WITHOUT_TENDING
        break
#else
        tend();
        if
        :: any
        :: else -> break
        fi
#endif
     fi
  od;
  any = false
}

/* Replies to call x. */
inline reply() {
  d_step { consumedF++; ok = !claimed[x]; claimed[x] = true }
  if
  :: ok -> ok = false; end(x)
  :: else
  fi;
  x = 0
}

/* Runs all that is reserved, and what that enables. */
inline body() {
  do
  :: haveA > 0 -> takeOldest(); d_step { haveA--; consumedA++ } reply()
  :: haveA == 0 && haveS + haveI > 0 ->
     assert(held == 1); /* TOGETHER-M4 */
     if
     :: haveS > 0 -> takeOldest(); haveS--; reply()
     :: else -> d_step { consumedI = consumedI + haveI; haveI = 0 }
     fi;
     if
     :: d_step { word = word + ONE_S; held-- }
        settle()
#if I_R > 0
     :: atomic {
          if
          :: IS_ENABLED(AFTER(word)) ->
#ifdef MUTATE_BATCH_TOO_MANY
             haveI = 2;
#else
             haveI = (I(word) > 1 -> 2 : 1);
#endif
             RESERVES;
             word = word - haveI * ONE_I;
             fired = true
          :: FS_ENABLED(AFTER(word)) -> RESERVES; word = word - ONE_F; haveS++; fired = true
          :: else -> word = word + ONE_S; held--
          fi
        }
        if
        :: fired -> fired = false; bringOver(any)
        :: else
        fi;
        tend();
        if
        :: any -> settle()
        :: else
        fi
#endif
     fi
  :: else -> break
  od;
  skip
}

inline enter() { busy++ }
inline leave() { busy-- }

inline giveUp(me) {
  d_step { ok = !claimed[me]; claimed[me] = true }
  if
  :: ok ->
     ok = false;
     enter();
     x = me;
     attempt();
     if
     :: found == UNDECIDED ->
        abandoned = abandoned | (1 << me);
        ABANDONED = true;
        ok = true
     :: else -> ok = true
     fi;
     d_step { gaveUp[me] = true; x = 0; found = 0; ok = false }
     end(me);
#ifndef MUTATE_GIVE_UP_WITHOUT_TENDING
     settle();
#endif
     body();
     leave()
  :: else
  fi
}

#ifdef BEGUN
proctype Call(byte me) {
  LOCALS;
  giveUp(me)
}
#else
proctype Call(byte me) {
  LOCALS;
  d_step { ok = refuses; since[me] = restarts; accepted[me] = !refuses }
  if
  :: ok -> ok = false
  :: else ->
     enter();
     d_step { p = tail; tail++; slot[p] = FREE; molecule[p] = me; place[me] = p }
     d_step { slot[p] = FULL; p = 0; acceptedF++ }
     addNarrow(_);
     settle();
     body();
     leave();
     if
     :: me < GIVE_UP -> giveUp(me)
     :: true
     fi
  fi
}
#endif

#if A_R + I_R > 0
/* Injects a and i; or, if it has begun already, runs its body of i & s. */
proctype Inject(byte a; byte slow; bool begun) {
  LOCALS;
  if
  :: begun -> haveI = 1; goto run_
  :: else
  fi;
  do
  :: a + slow == 0 -> break
  :: else ->
     ok = refuses;
     if
     :: ok -> d_step { ok = false; a = 0; slow = 0 }
     :: else ->
        enter();
        d_step {
          if
          :: a > 0 -> a--; word = word + ONE_A; acceptedA++
          :: else -> slow--; word = word + ONE_I; acceptedI++
          fi
        }
        settle();
  run_:
        body();
        leave()
     fi
  od
}
#endif

inline drop() {
  takeOverflow();
  d_step { takeCounts(); assert(S(word) + held == 1) /* TOGETHER-M4 */ }
  takeOverflow();
  popAndDrop()
}

proctype Control() {
  LOCALS;
  byte left = CONTROLS;
  do
  :: left == 0 -> break
  :: else ->
     left--;
     if
#ifdef PAUSE
     :: !paused -> d_step { word = word | PAUSED; paused = true }
     :: paused -> d_step { word = word & ~PAUSED; paused = false; any = true } enter()
#endif
     :: mode == RUNS -> enter(); drop(); leave() /* clear */
     :: mode == RUNS ->
        d_step { mode = STOPS; stops++ }
        REFUSING = true;
        word = word | STOPPED;
        refuses = true;
        enter();
        drop();
        leave();
        busy == 0;
        enter();
        drop();
        leave();
        mode = IS_STOPPED
     :: mode == IS_STOPPED ->
        busy == 0;
        d_step {
          assert(held == 0 && takes == tail && F(word) + A(word) + I(word) + overflow == 0); /* TOGETHER-M6 */
          word = word & ~STOPPED;
          mode = RESTARTS
        }
        enter();
        droppers == 0;
        REFUSING = false;
        d_step { refuses = false; restarts++; mode = RUNS; any = true }
     fi;
     if
     :: any -> settle(); body(); leave()
     :: else
     fi
  od
}

init {
  atomic {
#ifdef BEGUN
    do
    :: tail == CALLERS -> break
    :: else -> slot[tail] = FULL; molecule[tail] = tail; place[tail] = tail; accepted[tail] = true; tail++
    od;
    run Inject(0, 0, true);
#if GIVE_UP > 0
    run Call(0);
#endif
#if GIVE_UP > 1
    run Call(1);
#endif
#else
    run Call(0);
    run Call(1);
#endif
#if A_R > 0
    run Inject(A_R, 0, false);
#endif
#if I_R > 0 && !defined(BEGUN)
    run Inject(0, I_R, false);
#endif
#if CONTROLS > 0
    run Control()
#endif
  }
  _nr_pr == 1;
  d_step {
    assert(S(word) == 1 && held == 0); /* TOGETHER-M4 */
    /* TOGETHER-M3 */
    assert(acceptedF == consumedF + withdrawn + droppedF + tail - takes && tail - takes == F(word) + overflow);
    assert(acceptedA == consumedA + droppedA + A(word) && acceptedI == consumedI + droppedI + I(word));
    assert(!FS_ENABLED(word) && !FA_ENABLED(word) && !IS_ENABLED(word)); /* TOGETHER-M5 */
    assert(overflow == 0 || F(word) >= LIMIT);
    assert(mode == RUNS || (tail == takes && A(word) + I(word) == 0)); /* TOGETHER-M6 */
    assert(mode == RUNS || (!accepted[0] || ended[0]) && (!accepted[1] || ended[1])); /* TOGETHER-M1 */
    i = 0;
    do
    :: i < tail -> assert(slot[i] != FULL || !gaveUp[molecule[i]]); i++ /* TOGETHER-M6 */
    :: else -> break
    od
  }
}
