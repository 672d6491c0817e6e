/* States, and bounded batches of firings under a held state.
 *
 * Reactions i & s and f & s share the state s; i is slow, f fast. With -DOTHER there is a third, i & k, which shares i.
 * A firing has the state until its body has ended, reads the cell and writes it. Then the state returns in one of two
 * ways:
 *
 * add      Add s to the word. Then fire one reaction that is enabled
 * CAS      Choose among what the word and s enable, and replace the word, by CAS, by what remains when one is fired. If
 *          it is i & s and runs on this thread, reserve with it as many of i as there are, up to BATCH. The state stays
 *          here for all of them. Each of these firings pops its own molecule when it begins
 *
 * A process reserves ahead only what no other process can use while the state is held. So it does not reserve f, whose
 * caller may give up, nor i if some reaction takes it without s (-DOTHER). It reserves only where the firing runs. With
 * -DPOOL the firings of i & s belong to a worker, and another thread that reserves one hands over that one alone.
 *
 * inject   i: if its bag is empty and s is there, fire without storing it. Otherwise publish, add, fire one, run,
 *     return the state, and so on
 * call     f: claim a position, publish, add, fire one, run. It may give up: take a count of f and then the own
 *          molecule, as in withdraw.pml. Without a count the call is abandoned. A process that leaves, or returns the
 *          state and fires nothing, tries it again
 *
 * A CAS loop that one access decides is one step. The CAS that returns the state has a separate load.
 *
 * Bounds: two processes inject i (I_P and I_Q times), CALLERS call f, one pauses and resumes; with -DOTHER one injects
 * k; one worker runs what is handed over. Batches of up to BATCH (2). STUCK bodies (1) of other threads than the worker
 * never return.
 * Defaults: BATCH=2 I_P=2 I_Q=1 CALLERS=1 STUCK=1
 *
 * Invariants:
 *   BATCH-M1  one copy of the state: in the word or with one body, which alone has the cell; no write to it is lost
 *   BATCH-M2  a molecule is consumed at most once; a process that has reserved one finds one; at rest injected =
 *       consumed + waiting + withdrawn, and waiting = counted + reserved by a body that never returns
 *   BATCH-M3  molecules of i are consumed in the order in which each process injected them
 *   BATCH-M4  nothing is reserved while the component is paused
 *   BATCH-M5  at rest nothing is enabled, and nothing would be if a body that never returns gave back all that it has
 *       reserved except the state
 *   BATCH-M6  at rest no call waits whose caller gave up
 *
 * Not modelled: memory orderings, the inside of bags (bag.pml), full fields (spill.pml, together.pml), patterns with
 * several states, which have no batches.
 */

#define VALUES (I_P + I_Q)

/* The word: two bits of i and of f, one of k and of s, each with its guard, and PAUSED. */
#define ONE_I 1
#define ONE_F 8
#define ONE_K 64
#define ONE_S 256
#define PAUSED 1024
#define I(w) ((w) & 3)
#define F(w) (((w) >> 3) & 3)
#define K(w) (((w) >> 6) & 1)
#define S(w) (((w) >> 8) & 1)
#define G_I 4
#define G_F 32
#define G_K 128
#define G_S 512
#define ENABLED_BY(w, need, guards, mask) (((((w) | (guards)) - (need)) & (mask)) == (guards))
#define ENABLED(w, need, guards) ENABLED_BY(w, need, guards, (guards) + PAUSED)

#define NOTHING 0
#define IS 1
#define FS 2
#define IK 3
#define IS_ENABLED(w) ENABLED(w, ONE_I + ONE_S, G_I + G_S)
#define FS_ENABLED(w) ENABLED(w, ONE_F + ONE_S, G_F + G_S)
#ifdef OTHER
#define IK_ENABLED(w) ENABLED(w, ONE_I + ONE_K, G_I + G_K)
#else
#define IK_ENABLED(w) false
#endif
#define NEED(r) ((r) == IS -> ONE_I + ONE_S : ((r) == FS -> ONE_F + ONE_S : ONE_I + ONE_K))

#ifdef MUTATE_GIVE_BACK_WHILE_PAUSED
#define AFTER(w) ((w) & ~PAUSED) /* the mask test of the return does not check it */
#else
#define AFTER(w) (w)
#endif

/* component.c: longest_batch. */
#if defined(OTHER) && !defined(MUTATE_BATCH_SHARED)
#define MOST_I 1
#else
#define MOST_I BATCH
#endif
#ifdef MUTATE_BATCH_FAST
#define MOST_F BATCH
#else
#define MOST_F 1
#endif

#include "shared.pml"
short word = ONE_S;
byte cell;

/* The bags. */
mtype = { FREE, FULL, TAKEN, UNDECIDED, WITHDRAWN, CONSUMED };
byte bag[VALUES], waiting;
mtype slot[CALLERS + 1];    /* of each position of f */
byte molecule[CALLERS + 1], place[CALLERS + 1], tail;
bool attention;
byte abandoned;         /* a set of calls */
byte pending[4];        /* firings that wait for the worker */

/* Variables that only the proof uses. */
byte held, bodies, consumedI, takes, withdrawn, injectedI, injectedF, injectedK, consumedK;
byte stuck = STUCK, hiddenI, hiddenF, last[2];
bool paused, used[VALUES + 1], gaveUp[CALLERS + 1];
hidden byte i;

#define LOCALS \
  byte have, more, own, x, p, before; \
  short seen, left; \
  bool isWorker; \
  byte next; \
  mtype found; \
  bool ok

#define RESERVES assert(!paused) /* BATCH-M4 */

inline consume(value) {
  assert(!used[value]); /* BATCH-M2 */
  used[value] = true;
  consumedI++;
  assert(last[(value) > I_P] < (value)); /* BATCH-M3 */
  last[(value) > I_P] = value
}

inline popI() {
  d_step {
    assert(waiting > 0); /* BATCH-M2 */
    consume(bag[0]);
    SHIFT(bag, waiting)
  }
}

/* Reserves one firing of what is enabled, by CAS. */
inline reserve(r) {
  atomic {
    if
    :: IS_ENABLED(word) -> RESERVES; word = word - NEED(IS); r = IS; held++
    :: FS_ENABLED(word) -> RESERVES; word = word - NEED(FS); r = FS; held++
    :: IK_ENABLED(word) -> RESERVES; word = word - NEED(IK); r = IK
    :: else
    fi
  }
}

/* Makes one attempt to withdraw call x: sets `found`. The worker runs what a returned count enables. */
inline attempt() {
  if
  :: slot[place[x]] != FULL -> found = CONSUMED
  :: else ->
     d_step { if :: F(word) > 0 -> word = word - ONE_F; ok = true :: else -> found = UNDECIDED fi }
     if
     :: ok ->
        d_step { takeOwn(slot[place[x]] == FULL) }
        if
        :: found == CONSUMED ->
           word = word + ONE_F;
           reserve(next);
           d_step { if :: next != NOTHING -> pending[next]++; next = NOTHING :: else fi }
        :: else
        fi
     :: else
     fi
  fi
}

/* Ends the work of a process that has fired, or is about to leave. */
inline attend() {
  if
  :: attention -> retryFor(F(word))
  :: else
  fi
}

inline settle() {
  reserve(have);
  attend()
}

#if !defined(POOL) || defined(MUTATE_BATCH_ELSEWHERE)
#define STAYS true
#else
#define STAYS isWorker
#endif
/* Hands over a firing that does not run here. */
inline stay() {
#ifdef POOL
  if
  :: have == IS && !isWorker -> d_step { pending[IS]++; have = NOTHING; more = 0 }
  :: else
  fi
#else
  skip
#endif
}

inline giveBack() {
  if
  :: true -> /* add */
     d_step { word = word + ONE_S; held-- }
#ifndef MUTATE_ADD_BACK_WITHOUT_LOOK
     settle()
#endif
  :: true -> /* CAS */
     do
     :: seen = word;
        atomic {
          if
          :: IS_ENABLED(AFTER(seen + ONE_S)) -> next = IS
          :: FS_ENABLED(AFTER(seen + ONE_S)) -> next = FS
          :: IK_ENABLED(AFTER(seen + ONE_S)) -> next = IK
          :: else -> next = NOTHING
          fi;
#ifdef MUTATE_GIVE_BACK_WITHOUT_LOOK
          next = NOTHING;
#endif
          if
          :: next == NOTHING -> left = seen + ONE_S
          :: next == IS && MOST_I > 1 && STAYS ->
             i = (I(seen) < MOST_I -> I(seen) : MOST_I);
#ifdef MUTATE_BATCH_TOO_MANY
             i = MOST_I;
#endif
             left = seen - i * ONE_I;
             more = i - 1
#ifdef MUTATE_STATE_STAYS_TOO
             ; left = left + ONE_S
#endif
          :: next == FS && MOST_F > 1 ->
             i = (F(seen) < MOST_F -> F(seen) : MOST_F);
             left = seen - i * ONE_F;
             more = i - 1
          :: else -> left = seen + ONE_S - NEED(next)
          fi
        }
        d_step {
#ifdef MUTATE_GIVE_BACK_BLINDLY
          ok = true;
#else
          ok = (word == seen);
#endif
          if
          :: ok ->
             word = left;
             have = next;
             if
             :: next == NOTHING || next == IK -> held--
             :: else
             fi;
             if
             :: next != NOTHING -> RESERVES
             :: else
             fi
          :: else
#ifndef MUTATE_MORE_STAYS
             -> more = 0
#endif
          fi;
          seen = 0; left = 0; next = NOTHING
        }
        if
        :: ok -> ok = false; break
        :: else
#ifdef MUTATE_LEAVE_AFTER_FAILED_CAS
           -> d_step { word = word + ONE_S; held--; more = 0 }
           break
#endif
        fi
     od;
     attend()
  fi
}

/* Runs what is reserved, and what that enables. */
inline run_() {
  stay();
  do
  :: have == NOTHING -> break
  :: have == IK ->
     if
     :: own != 0 -> d_step { consume(own); own = 0 }
     :: else -> popI()
     fi;
     d_step { consumedK++; have = NOTHING }
  :: have == IS || have == FS ->
     do
     :: if
        :: have == FS -> takeOldest(); x = 0
        :: have == IS && own != 0 -> d_step { consume(own); own = 0 }
        :: have == IS && own == 0 -> popI()
        fi;
#ifdef MUTATE_POP_ONE_FOR_ALL
     again:
        skip;
#endif
        d_step { assert(held == 1); /* BATCH-M1 */ seen = cell; bodies++ }
#ifdef MUTATE_GIVE_BACK_FIRST
        if
        :: more == 0 -> word = word + ONE_S
        :: else
        fi;
#endif
        if
        :: d_step { stuck > 0 && !isWorker -> stuck-- } /* this body never returns */
           d_step {
             bodies--;
             if
             :: have == IS -> hiddenI = hiddenI + more
             :: else -> hiddenF = hiddenF + more
             fi
           }
           goto end
        :: true
        fi;
        d_step { assert(held == 1 && cell == seen); /* BATCH-M1 */ cell = seen + 1; seen = 0 }
        if
        :: more == 0 -> break
        :: else -> more--
#ifdef MUTATE_POP_ONE_FOR_ALL
           ; goto again
#endif
        fi
     od;
#ifdef MUTATE_GIVE_BACK_FIRST
     word = word - ONE_S;
#endif
     have = NOTHING;
     giveBack();
     stay()
  od;
  skip
}

proctype InjectI(byte value; byte to) {
  LOCALS;
  do
  :: value > to -> break
  :: else ->
#ifndef POOL
     if
     :: waiting == 0 -> /* CAS-first: everything that was ever in the bag is taken */
        d_step {
          if
          :: IS_ENABLED(word + ONE_I) -> RESERVES; word = word - ONE_S; have = IS; held++; own = value; injectedI++;
             ok = true
          :: else
          fi
        }
     :: true
     fi;
#endif
     if
     :: ok -> ok = false
     :: else ->
        d_step { bag[waiting] = value; waiting++; injectedI++ }
        word = word + ONE_I;
        settle()
     fi;
     value++;
     run_()
  od;
end:
  skip
}

#ifdef OTHER
proctype InjectK() {
  LOCALS;
  word = word + ONE_K;
  injectedK++;
  settle();
  run_();
end:
  skip
}
#endif

#if CALLERS > 0
proctype Caller(byte me) {
  LOCALS;
  d_step { p = tail; tail++; slot[p] = FREE }
  d_step { molecule[p] = me; place[me] = p; slot[p] = FULL; p = 0; injectedF++ }
  word = word + ONE_F;
  settle();
  run_();
  if
  :: true ->
     gaveUp[me] = true;
     x = me;
     attempt();
     if
     :: found == UNDECIDED ->
        abandoned = abandoned | (1 << me);
        attention = true;
        d_step { found = 0; x = 0 }
        retryFor(F(word))
     :: else ->
        d_step { found = 0; x = 0 }
#ifndef MUTATE_GIVE_BACK_WITHOUT_ATTENTION
        attend() /* if it gave a count back, or withdrew */
#else
        skip
#endif
     fi;
     run_()
  :: true
  fi;
end:
  skip
}
#endif

proctype Worker() {
  LOCALS;
  isWorker = true;
  do
  :: atomic {
       if
       :: pending[IS] > 0 -> have = IS
       :: pending[FS] > 0 -> have = FS
       :: pending[IK] > 0 -> have = IK
       :: _nr_pr == 2 && pending[IS] + pending[FS] + pending[IK] == 0 -> break
       fi;
       pending[have]--
     }
     run_()
  od;
end:
  skip
}

proctype Control() {
  LOCALS;
  d_step { word = word | PAUSED; paused = true }
  d_step { word = word & ~PAUSED; paused = false }
  settle();
  run_();
end:
  skip
}

init {
  atomic {
    run Worker(); /* the last one to end */
    run InjectI(1, I_P);
#if I_Q > 0
    run InjectI(I_P + 1, VALUES);
#endif
#ifdef OTHER
    run InjectK();
#endif
#if CALLERS > 0
    run Caller(0);
#endif
#if CALLERS > 1
    run Caller(1);
#endif
#ifdef PAUSE
    run Control();
#endif
    skip
  }
  _nr_pr == 1;
  d_step {
    assert(S(word) + held == 1 && held == STUCK - stuck); /* BATCH-M1 */
    assert(cell == bodies);
    assert(injectedI == consumedI + waiting && waiting == I(word) + hiddenI); /* BATCH-M2 */
    assert(injectedF == takes + F(word) + hiddenF);
    assert(injectedK == consumedK + K(word));
    word = word + hiddenI * ONE_I + hiddenF * ONE_F;
    assert(!IS_ENABLED(word) && !FS_ENABLED(word) && !IK_ENABLED(word)); /* BATCH-M5 */
    i = 0;
    do
    :: i < tail -> assert(slot[i] != FULL || !gaveUp[molecule[i]]); i++ /* BATCH-M6 */
    :: else -> break
    od
  }
}
