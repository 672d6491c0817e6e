/* Control: pause and resume, clear, stop and restart, while injections are in progress.
 *
 * Reaction i & s, s a state, its body inline. The word and the overflow are those of spill.pml, wide, with two control
 * bits on top: nothing is enabled while PAUSED or STOPPED is set. Molecules of i are in a bag whose push and pop are
 * one step.
 *
 * inject   Call the name's function, which may refuse. Publish. Add blindly; above the limit take it back by CAS and
 *          spill. Fire, bring over, run, return s, bring over, and so on. Before leaving look at `attention`
 * drop     Take the overflow. Take all counts of i with one CAS that leaves s and the control bits. Take the overflow
 *          again, because there is room now. Pop and destroy as many
 * pause    set PAUSED. resume: clear it, settle. clear: drop
 * stop     Set `attention`, set STOPPED, let the function refuse, drop, wait until the state is back, drop again
 * retract  A process that is about to leave and finds `attention` set is counted in `retracting`. While the word shows
 *          STOPPED, it takes a count out of that word by CAS, or one out of the overflow, and pops and destroys the
 *          oldest molecule for it
 * restart  When stopped and quiet: initial value, clear STOPPED, wait until no process is retracting, clear
 *          `attention`, let the function inject again, bring over, settle
 *
 * Three things are easy to get wrong. A retracter that has its count and has not popped yet pops a molecule of after
 * the restart, if the reaction, enabled again, has popped the intended one. So a restart waits, and only after it has
 * cleared STOPPED, because others begin to retract until then (MUTATE_RESTART_WAITS_FIRST). A retracter makes room and
 * does not look at the overflow, so a restart does (MUTATE_RESTART_WITHOUT_BRINGING). A process that brings over adds a
 * count, perhaps to a stopped word after the last drop. So it looks at `attention` even if it has fired.
 *
 * -DOTHER: a second reaction, i & j, without a state; j is Void, its count is the molecule. Its bodies are counted in
 * `bodies`, and a stop waits for them, too. Drop takes the counts of j with those of i, and so does a process that
 * retracts, whichever it has injected.
 *
 * Every CAS loop is one step here, because a CAS that fails changes nothing and starts again (spill.pml has the steps
 * apart).
 *
 * Bounds: two processes inject (I_P and I_Q times), with OTHER one process injects j (J_R times); CONTROLS calls of
 * control one after the other, any that fit the state.
 * Defaults: LIMIT=1 I_P=2 I_Q=1 CONTROLS=3 J_R=1
 *
 * Invariants:
 *   STOP-M1  an injection that begins after stop has returned is refused, and none that begins after restart is; a
 *       molecule injected after a restart is not dropped because of the stop before it
 *   STOP-M2  no firing after pause or stop has returned; a stop returns, and a restart sets the initial value, after
 *       the last body has ended
 *   STOP-M3  exactly one state: in the word or with one body
 *   STOP-M4  a process that has a reservation, to consume or to drop, finds a molecule; at rest accepted = consumed +
 *       waiting + dropped, and waiting = counted + spilled
 *   STOP-M5  at rest nothing is enabled, the overflow is empty while the field has room, and nothing waits while
 *       stopped
 *
 * Not modelled: memory orderings, the inside of the bag (bag.pml), withdrawal (withdraw.pml), injections by bodies,
 * CAS-first (it fires, or nothing has happened), control calls by several threads at once (a lock keeps them apart).
 */

/* The word. */
#define ONE_I 1
#define ONE_S 16
#define PAUSED 64
#define STOPPED 128
#define ONE_J 256
#define NEED (ONE_I + ONE_S)
#define GUARDS 40
#define I(w) ((w) & 7)
#define FIELD I
#define S(w) (((w) >> 4) & 1)
#ifdef OTHER
#define J(w) (((w) >> 8) & 3)
#define WORD short
#else
#define J(w) 0
#define WORD byte
#endif
#define CONTROL (PAUSED + STOPPED)
#define ENABLED(w) (((((w) | GUARDS) - NEED) & (GUARDS + CONTROL)) == GUARDS)
/* The other reaction's. */
#define NEED_J (ONE_I + ONE_J)
#define GUARDS_J (8 + 4 * ONE_J)
#define ENABLED_J(w) (((((w) | GUARDS_J) - NEED_J) & (GUARDS_J + CONTROL)) == GUARDS_J)
#include "shared.pml"
WORD word = ONE_S;
byte overflow;

bool attention, refusing;
byte retracting;
byte bag[I_P + I_Q], waiting; /* for each waiting molecule: how many restarts came before its injection */

/* Variables that only the proof uses. */
mtype = { RUNS, STOPS, IS_STOPPED, RESTARTS };
mtype mode = RUNS;
bool paused;
byte held, stops, restarts, accepted, consumed, dropped;
#ifdef OTHER
byte bodies, acceptedJ, consumedJ, droppedJ; /* bodies: of i & j, as counted per thread */
#define BODIES bodies
#else
#define BODIES 0
#endif
hidden byte i;

#define LOCALS byte since, k; bool ok, any, fired, other, isJ

inline push(generation) {
  d_step { bag[waiting] = generation; waiting++; accepted++ }
}

/* Takes the oldest one out of the bag. One that is dropped because of a stop must be of after `since` restarts. */
inline pop(isDropped) {
  d_step {
    assert(waiting > 0); /* STOP-M4 */
    assert(!(isDropped) || bag[0] <= since); /* STOP-M1 */
    SHIFT(bag, waiting)
  }
}

inline add() {
  d_step { word = word + ONE_I; ok = (I(word) > LIMIT); assert(I(word) < 7) }
  if
  :: ok -> d_step { if :: I(word) > LIMIT -> word = word - ONE_I :: else -> ok = false fi }
  :: else
  fi;
  if
  :: ok -> d_step { overflow++; ok = false } bringOver(_)
  :: else
  fi
}

#ifdef MUTATE_RETRACT_OWN
#define RETRACTS_I !isJ
#else
#define RETRACTS_I true
#endif

inline retract() {
  retracting++;
  do
  :: d_step {
       since = stops - 1; /* the stop that is in force or was last */
       any = true;
       if
#ifdef MUTATE_RETRACT_BLINDLY
       :: true -> word = word - ONE_I; ok = true
#else
#ifdef MUTATE_RETRACT_REGARDLESS
       :: I(word) > 0 -> word = word - ONE_I; ok = true
#else
       :: (word & STOPPED) && I(word) > 0 && RETRACTS_I -> word = word - ONE_I; ok = true
#endif
#ifdef OTHER
       :: (word & STOPPED) && !(I(word) > 0 && RETRACTS_I) && J(word) > 0 -> word = word - ONE_J; droppedJ++;
          other = true
#endif
       :: (word & STOPPED) == 0 -> any = false
#endif
       :: else
       fi
     }
     if
     :: any && !ok && !other && RETRACTS_I -> d_step { if :: overflow > 0 -> overflow--; ok = true :: else fi }
     :: else
     fi;
     if
     :: ok -> pop(true); d_step { dropped++; ok = false }
#ifdef MUTATE_RETRACT_BLINDLY
        break
#endif
#ifdef OTHER
     :: other -> other = false
#endif
     :: else -> break
     fi
  od;
  skip;
  d_step { since = 0; any = false; retracting-- }
}

/* Fires and runs until nothing is enabled; then does what a stop requires. */
inline settle() {
  do
  :: atomic {
       if
       :: ENABLED(word) ->
          assert(!paused && mode != IS_STOPPED); /* STOP-M2 */
          assert(held == 0); /* STOP-M3 */
          word = word - NEED; held++; ok = true
#ifdef OTHER
       :: ENABLED_J(word) ->
          assert(!paused && mode != IS_STOPPED); /* STOP-M2 */
          word = word - NEED_J; bodies++; ok = true; other = true
#endif
       :: else
       fi
     }
     if
     :: ok ->
        ok = false;
        bringOver(_);
        pop(false);
        consumed++;
#ifdef OTHER
        if
        :: other -> d_step { other = false; bodies--; consumedJ++ }
        :: else -> d_step { word = word + ONE_S; held-- }
        fi;
#else
        d_step { word = word + ONE_S; held-- };
#endif
        bringOver(_)
     :: else ->
        if
        :: attention -> retract()
        :: else
        fi;
        break
     fi
  od;
  fired = false
}

inline drop() {
  d_step { k = overflow; overflow = 0 }
  d_step {
    k = k + I(word);
#ifdef OTHER
    droppedJ = droppedJ + J(word);
#endif
    word = word & (PAUSED + STOPPED + ONE_S);
    assert(S(word) + held == 1) /* STOP-M3 */
  }
  d_step { k = k + overflow; overflow = 0 }
  since = stops - 1;
  do
  :: k > 0 -> pop(mode == STOPS); d_step { dropped++; k-- }
  :: else -> break
  od;
  since = 0
}

proctype Inject(byte many) {
  LOCALS;
  do
  :: many == 0 -> break
  :: else ->
     d_step {
       many--;
       ok = refusing;
       since = restarts;
       assert((mode != IS_STOPPED || refusing) && (mode != RUNS || !refusing)) /* STOP-M1 */
     }
     if
     :: ok -> d_step { ok = false; since = 0 }
     :: else ->
        push(since);
        since = 0;
        add();
        settle()
     fi
  od
}

#ifdef OTHER
proctype InjectJ(byte many) {
  LOCALS;
  isJ = true;
  do
  :: many == 0 -> break
  :: else ->
     d_step {
       many--;
       ok = refusing;
       assert((mode != IS_STOPPED || refusing) && (mode != RUNS || !refusing)) /* STOP-M1 */
     }
     if
     :: ok -> ok = false
     :: else ->
        d_step { word = word + ONE_J; acceptedJ++ }
        settle()
     fi
  od
}
#endif

proctype Control() {
  LOCALS;
  byte left = CONTROLS;
  do
  :: left == 0 -> break
  :: else ->
     left--;
     if
     :: !paused -> d_step { word = word | PAUSED; paused = true }
     :: paused ->
        d_step { word = word & ~PAUSED; paused = false }
        any = true
     :: drop() /* clear */
     :: mode == RUNS ->
        d_step { mode = STOPS; stops++ }
#ifndef MUTATE_ATTENTION_LAST
        attention = true;
#endif
        word = word | STOPPED;
        refusing = true;
        drop();
        S(word) == 1 && BODIES == 0;
        drop();
#ifdef MUTATE_ATTENTION_LAST
        attention = true;
#endif
        d_step { mode = IS_STOPPED; assert(held == 0 && BODIES == 0) /* STOP-M2 */ }
     :: mode == IS_STOPPED ->
#ifdef MUTATE_RESTART_WAITS_FIRST
        retracting == 0;
#endif
        d_step { assert(held == 0 && BODIES == 0); /* STOP-M2 */ mode = RESTARTS; word = word & ~STOPPED }
#ifndef MUTATE_RESTART_WAITS_FIRST
        retracting == 0;
#endif
        attention = false;
        d_step { refusing = false; restarts++; mode = RUNS }
#ifndef MUTATE_RESTART_WITHOUT_BRINGING
        bringOver(_);
#endif
        any = true
     fi;
     if
     :: any -> any = false; settle()
     :: else
     fi
  od
}

init {
  atomic {
    run Inject(I_P);
#if I_Q > 0
    run Inject(I_Q);
#endif
#ifdef OTHER
    run InjectJ(J_R);
#endif
    run Control()
  }
  _nr_pr == 1;
  d_step {
    assert(S(word) == 1 && held == 0); /* STOP-M3 */
    assert(accepted == consumed + waiting + dropped && waiting == I(word) + overflow); /* STOP-M4 */
#ifdef OTHER
    assert(acceptedJ == consumedJ + J(word) + droppedJ && bodies == 0);
    assert(!ENABLED_J(word)); /* STOP-M5 */
#endif
    assert(!ENABLED(word)); /* STOP-M5 */
    assert(overflow == 0 || I(word) >= LIMIT);
    assert(mode == RUNS || (waiting == 0 && J(word) == 0))
  }
}
