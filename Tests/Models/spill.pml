/* Full fields: counts that do not fit the state word wait in an overflow counter.
 *
 * Reaction i & a. Name i has a field with the soft limit LIMIT; above it there is room for one blind addition of every
 * thread. A molecule of i is published in its bag in any case; where its count does not fit, the count goes to `overflow`.
 *
 * narrow     a CAS adds to a field below the limit; else spill
 * wide       a fetch-and-add; if the old count was at the limit or above, take it back by a CAS that holds only while the
 *            count is above the limit, and spill; if that is no longer so, the addition stands
 * spill      overflow++, then bring over
 * bring over while overflow > 0 and the field is below the limit: take one off the overflow by CAS, add it to the field by
 *            CAS; if the field is full by now, put it back, and look again
 * fire       CAS; then bring over (room was made); whoever brought something fires until nothing is enabled. Bodies run last
 * CAS-first  as in inject.pml, by both names
 *
 * So who makes room and who spills look at each other after their own write (both sequentially consistent).
 *
 * Bounds: LIMIT 1; I_BEFORE molecules of i lie there already; two processes inject i (I_P and I_Q times), one or two inject a
 * (A_R and A_S times); each addition by any of the ways.
 * -DSTOP=n: up to n of them may stop for good, each before any step.
 *
 * Invariants, at rest:
 *   S1  conservation: injected = waiting + popped, waiting = counted + spilled + what stopped processes held
 *   S2  no reaction is enabled, except what stopped ones owe
 *   S3  no count waits in the overflow while the field is below the limit, except as many as stopped ones had spilled or made
 *       room for and not yet looked after. Without stops, together with S1: everything has reacted
 *   S4  with -DHELP, or LIMIT > STOP: if an a is left over and i has no count, the overflow and the hands of stopped processes
 *       hide at most one molecule of i for each of them
 *   and always: the field never exceeds LIMIT + threads; a pop finds a molecule.
 *
 * -DHELP: whoever is about to leave because i has no count looks at the overflow first, and brings over. Without, a process that
 * stops between its CAS and its bring over can hide the whole overflow until the next molecule of i is injected (spin
 * finds it: MUTATE_NO_HELP), if the field ran empty, so if LIMIT processes have stopped there.
 *
 * Not modelled: memory orderings, several full names at once, the inside of the bag (whole.pml).
 */

#ifndef LIMIT
#define LIMIT 1
#endif

/* Blind additions that the field has room for above its limit: one of each thread. Without that room the count would run into the guard. */
#ifdef MUTATE_ROOM_FOR_ONE
#define ROOM 1
#else
#define ROOM 4
#endif

#ifndef I_BEFORE
#define I_BEFORE 0
#endif
#ifndef I_P
#define I_P 2
#endif
#ifndef I_Q
#define I_Q 1
#endif
#ifndef A_R
#define A_R 3
#endif
#ifndef A_S
#define A_S 0
#endif

#define ONE_I 1
#define ONE_A 16
#define NEED (ONE_I + ONE_A)
#define I(w) ((w) & 7)
#define A(w) (((w) >> 4) & 7)
#define GUARDS 136
#define ENABLED(w) (((((w) | GUARDS) - NEED) & GUARDS) == GUARDS)

byte word, overflow;
byte waitingI, waitingA; /* in the bags */

/* What only the proof sees. */
byte injectedI, injectedA, poppedI, poppedA;
byte owedI, owedA;         /* added and not yet settled, by who stopped */
byte handI;                /* neither in the word nor in the overflow: in the hands of who stopped */
byte unpoppedI, unpoppedA; /* reserved by who stopped */
byte owedRooms;            /* rooms made, or counts spilled, and not yet looked after, by who stopped */

#ifndef STOP
#define STOP 0
#endif
byte stops = STOP;
#if STOP > 0
#define STEP if :: true :: d_step { stops > 0 -> stops-- } goto stopped fi
#else
#define STEP skip
#endif

inline bringOver() {
  do
  :: STEP;
     spilled = overflow;
     if
     :: spilled == 0 -> break
     :: else
     fi;
     STEP;
     seen = word;
     if
     :: I(seen) >= LIMIT -> break
     :: else
     fi;
     STEP;
     d_step { ok = (overflow == spilled); if :: ok -> overflow--; hand++ :: else fi }
     do
     :: hand == 0 -> break
     :: else ->
        STEP;
        seen = word;
        STEP;
        if
        :: I(seen) >= LIMIT -> d_step { overflow++; hand--; rooms = (rooms > 0 -> rooms : 1) }
#ifdef MUTATE_PUT_BACK_WITHOUT_RECHECK
           goto brought
#endif
        :: else -> d_step { if :: word == seen -> word = word + ONE_I; hand--; debtI++; any = true :: else fi }
        fi
     od
  od;
#ifdef MUTATE_PUT_BACK_WITHOUT_RECHECK
brought:
#endif
  skip;
  d_step { spilled = 0; seen = 0; ok = false; rooms = 0 }
}

/* Fire until nothing is enabled; look after the rooms that this makes. */
inline settle() {
#ifdef MUTATE_BRING_FIRES_ONE
  several = any;
#endif
  do
  :: STEP;
     seen = word;
     if
     :: ENABLED(seen) ->
        STEP;
        d_step {
          ok = (word == seen);
          if
          :: ok ->
            word = seen - NEED; haveI++; haveA++; rooms++;
            debtI = (debtI > 0 -> debtI - 1 : 0); debtA = (debtA > 0 -> debtA - 1 : 0)
          :: else
          fi;
          seen = 0
        }
        if
        :: ok ->
          ok = false;
#ifdef MUTATE_FIRE_WITHOUT_RECHECK
          rooms = 0
#else
          bringOver()
#endif
#ifdef MUTATE_BRING_FIRES_ONE
          ;
          if
          :: !several -> break
          :: else
          fi
#endif
        :: else
        fi
     :: else ->
#if defined(HELP) && !defined(MUTATE_NO_HELP)
        if
        :: I(seen) == 0 ->
           any = false;
           bringOver();
           if
           :: !any -> break
           :: else
           fi
        :: else -> break
        fi
#else
        break
#endif
     fi
  od;
  skip;
  d_step { seen = 0; ok = false; any = false; debtI = 0; debtA = 0 }
}

inline popI() { d_step { assert(waitingI > 0); waitingI--; poppedI++; haveI-- } }
inline popA() { d_step { assert(waitingA > 0); waitingA--; poppedA++; haveA-- } }

inline body() {
  do
  :: haveI > 0 -> STEP; popI()
  :: haveI == 0 && haveA > 0 -> STEP; popA()
  :: haveI == 0 && haveA == 0 -> break
  od;
  STEP
}

#define LOCALS \
  byte seen, spilled, hand, haveI, haveA, debtI, debtA, rooms; \
  bool ok, any, several

/* Stopped: what it had added and not settled it owes; what it holds is hidden with it. */
inline stop() {
  skip;
  d_step {
    owedI = owedI + debtI; owedA = owedA + debtA;
    handI = handI + hand; unpoppedI = unpoppedI + haveI; unpoppedA = unpoppedA + haveA;
    owedRooms = owedRooms + rooms
  }
}

proctype InjectI(byte many) {
  LOCALS;
  do
  :: many == 0 -> break
  :: else ->
     STEP;
     if
     :: waitingI == 0 -> /* CAS-first: i completes a reaction and is never stored */
        STEP;
        seen = word;
        if
        :: A(seen) > 0 ->
           STEP;
           d_step {
             ok = (word == seen);
             if :: ok -> word = seen - ONE_A; injectedI++; poppedI++; many--; haveA++ :: else fi;
             seen = 0
           }
           if
           :: ok -> ok = false; goto react
           :: else
           fi
        :: else
        fi
     :: true
     fi;
     STEP;
     d_step { waitingI++; injectedI++; hand++; many--; seen = 0 }
     if
     :: true -> /* narrow */
        do
        :: hand == 0 -> break
        :: else ->
           STEP;
           seen = word;
           STEP;
           if
           :: I(seen) < LIMIT -> d_step { if :: word == seen -> word = word + ONE_I; hand--; debtI++ :: else fi }
           :: else -> d_step { overflow++; hand--; rooms++; ok = true }
           fi
        od
     :: true -> /* wide */
        STEP;
        d_step { seen = word; word = word + ONE_I; hand--; debtI++; assert(I(word) <= LIMIT + ROOM) }
        do
        :: I(seen) < LIMIT -> break /* it was, at the addition */
        :: else ->
           STEP;
           seen = word;
           if
           :: I(seen) <= LIMIT -> break
           :: else
           fi;
           STEP;
           d_step {
             ok = (word == seen);
#ifdef MUTATE_TAKE_BACK_WITHOUT_CAS
             ok = true;
#endif
             if :: ok -> word = word - ONE_I; hand++; debtI = (debtI > 0 -> debtI - 1 : 0) :: else fi
           }
           if
           :: ok -> STEP; d_step { overflow++; hand--; rooms++ } break
           :: else
           fi
        od
     fi;
     if
     :: ok ->
        ok = false;
#ifdef MUTATE_SPILL_WITHOUT_RECHECK
        rooms = 0
#else
        bringOver()
#endif
     :: else
     fi;
     settle();
  react:
     body()
  od
#if STOP > 0
  ;
  goto end;
stopped:
  stop();
end:
  skip
#endif
}

proctype InjectA(byte many) {
  LOCALS;
  do
  :: many == 0 -> break
  :: else ->
     STEP;
     if
     :: true -> /* CAS-first */
        seen = word;
        if
        :: I(seen) > 0 ->
           STEP;
           d_step {
             ok = (word == seen);
             if :: ok -> word = seen - ONE_I; injectedA++; poppedA++; many--; haveI++; rooms++ :: else fi;
             seen = 0
           }
           if
           :: ok ->
              ok = false;
#ifdef MUTATE_FIRE_WITHOUT_RECHECK
              rooms = 0;
#else
              bringOver();
#endif
#ifdef MUTATE_UNSTORED_WITHOUT_OTHERS
              goto others;
#endif
              goto react
           :: else
           fi
        :: else
        fi
     :: true
     fi;
     STEP;
     d_step { word = word + ONE_A; waitingA++; injectedA++; debtA++; many--; seen = 0 }
  react:
     settle();
#ifdef MUTATE_UNSTORED_WITHOUT_OTHERS
  others:
     skip;
     d_step { any = false; debtI = 0 }
#endif
     body()
  od
#if STOP > 0
  ;
  goto end;
stopped:
  stop();
end:
  skip
#endif
}

#define LESS(n, debt) ((n) > (debt) -> (n) - (debt) : 0)

init {
  atomic {
    waitingI = I_BEFORE;
    injectedI = I_BEFORE;
    word = (I_BEFORE < LIMIT -> I_BEFORE : LIMIT) * ONE_I;
    overflow = I_BEFORE - I(word);
#if I_P > 0
    run InjectI(I_P);
#endif
#if I_Q > 0
    run InjectI(I_Q);
#endif
#if A_S > 0
    run InjectA(A_S);
#endif
    run InjectA(A_R)
  }
  _nr_pr == 1;
  d_step {
    assert(injectedI == waitingI + poppedI && injectedA == waitingA + poppedA); /* S1 */
    assert(waitingI == I(word) + overflow + handI + unpoppedI && waitingA == A(word) + unpoppedA);
    assert(LESS(I(word), owedI) == 0 || LESS(A(word), owedA) == 0); /* S2 */
    assert(overflow <= owedRooms || I(word) + owedRooms >= LIMIT); /* S3 */
#if defined(HELP) || LIMIT > STOP
    assert(LESS(A(word), owedA) == 0 || I(word) > 0 || overflow + handI <= STOP - stops) /* S4 */
#endif
  }
}
