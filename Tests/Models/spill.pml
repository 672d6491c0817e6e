/* Full fields: counts that do not fit the state word wait in an overflow counter.
 *
 * Reaction i & a. Name i has a field with the soft limit LIMIT; above it there is room for one blind addition of every
 * thread. A molecule of i is always published in its bag. A count that does not fit goes to `overflow`.
 *
 * narrow     A CAS adds to a field below the limit. Otherwise spill
 * wide       A fetch-and-add. If the old count was at the limit or above, take it back by a CAS that holds only while
 *            the count is above the limit, and spill. If the count is no longer above it, the addition stands
 * spill      overflow++, then bring over
 * bring over while overflow > 0 and the field is below the limit: take one off the overflow by CAS, and add it to the
 *            field by CAS. If the field is full by now, put it back, and look again
 * fire       CAS. Then bring over (there is room now). A process that brought something over fires until nothing is
 *            enabled. Bodies run last
 * CAS-first  A CAS that takes the other molecule of a reaction. Then the own molecule is never stored. By both names
 *
 * So a process that makes room and one that spills each look, after their own write, at what the other writes (both
 * sequentially consistent).
 *
 * -DOTHER: a second reaction, i & b. A process that added one molecule fires one reaction over its name, and leaves;
 * only a process that brought counts over fires until nothing is enabled, and then of both reactions. Without OTHER
 * every process fires until nothing is enabled.
 *
 * Bounds: LIMIT 1; I_BEFORE molecules of i wait already; two processes inject i (I_P and I_Q times), one or two inject
 * a (A_R and A_S times), with OTHER one b (B_R times); each addition by any of the ways.
 * -DSTOP=n: up to n of the processes may stop for good, each before any step.
 * Defaults: LIMIT=1 I_BEFORE=0 I_P=2 I_Q=1 A_R=3 A_S=0 B_R=1 STOP=0
 *
 * Invariants, at rest:
 *   SPILL-M1  conservation: injected = waiting + popped, waiting = counted + spilled + what stopped processes held
 *   SPILL-M2  no reaction is enabled, except those that stopped processes still had to fire
 *   SPILL-M3  no count waits in the overflow while the field is below the limit, except as many as stopped processes
 *       had spilled or made room for and not yet followed up. Without stops, together with SPILL-M1: everything has
 *       reacted
 *   SPILL-M4  with -DHELP, or LIMIT > STOP: if an a is left over and i has no count, the overflow and the hands of
 *       stopped processes hide at most one molecule of i for each of them
 *   and always: the field never exceeds LIMIT + threads; a pop finds a molecule.
 *
 * -DHELP: a process that is about to leave because i has no count looks at the overflow first, and brings over. Without
 * it, a process that stops between its CAS and its bring over can hide the whole overflow until the next molecule of i
 * is injected (spin finds it: MUTATE_NO_HELP). This needs an empty field, so LIMIT processes that have stopped there.
 *
 * Not modelled: memory orderings, several full names at once, the inside of the bag (bag.pml).
 */

/* Blind additions that the field has room for above its limit: one of each thread. Without that room the count would
   run into the guard. */
#define ROOM 4

/* Reaction 0 takes i and a, reaction 1 i and b. */
#define ONE_I 1
#define ONE(r) (16 << (4 * (r)))
#define NEED(r) (ONE_I + ONE(r))
#define I(w) ((w) & 7)
#define COUNT(w, r) (((w) >> (4 + 4 * (r))) & 7)
#define GUARDS(r) (8 + (128 << (4 * (r))))
#define ENABLED(w, r) (((((w) | GUARDS(r)) - NEED(r)) & GUARDS(r)) == GUARDS(r))

#ifdef OTHER
#define REACTIONS 2
#define WORD short
#else
#define REACTIONS 1
#define WORD byte
#endif
WORD word;
byte overflow, waitingI, waiting[REACTIONS]; /* in the bags */

/* Variables that only the proof uses. */
byte injectedI, poppedI, injected[REACTIONS], popped[REACTIONS];
byte owedI, owed[REACTIONS];         /* added and not yet settled, by stopped processes */
byte handI;                          /* neither in the word nor in the overflow: in the hands of stopped processes */
byte unpoppedI, unpopped[REACTIONS]; /* reserved by stopped processes */
byte owedRooms;            /* room made, or counts spilled, and not yet followed up, by stopped processes */

byte stops = STOP;
#if STOP > 0
#define STEP if :: true :: d_step { stops > 0 -> stops-- } goto stopped fi
#define END ; goto end; stopped: stop(); end: skip
#else
#define STEP skip
#define END
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
        :: else -> d_step { if :: word == seen -> word = word + ONE_I; hand--; debtI++; any = true :: else fi }
        fi
     od
  od;
  skip;
  d_step { spilled = 0; seen = 0; ok = false; rooms = 0 }
}

/* Whether the process looks for reaction r. `own` is the only one over the name that it injects, or BOTH. */
#define BOTH 2
#if defined(OTHER) && defined(MUTATE_BRING_LOOKS_AT_OWN)
#define OVER(r) (own == BOTH || own == (r))
#elif defined(OTHER)
#define OVER(r) (own == BOTH || own == (r) || any)
#else
#define OVER(r) true
#endif

/* Loads the word, and chooses among the enabled reactions that it looks for: r, or REACTIONS if none is. */
inline choose(first, second) {
  atomic {
    seen = word;
    if
    :: (first) && ENABLED(seen, 0) -> r = 0
#ifdef OTHER
    :: (second) && ENABLED(seen, 1) -> r = 1
#endif
    :: else -> r = REACTIONS
    fi
  }
}

/* Fire until nothing is enabled, with OTHER only if counts were brought over; look after the rooms that this makes. */
inline settle() {
  do
  :: STEP;
     choose(OVER(0), OVER(1));
     if
     :: r < REACTIONS ->
        STEP;
        d_step {
          ok = (word == seen);
          if
          :: ok ->
            word = seen - NEED(r); haveI++; have[r]++; rooms++;
            debtI = (debtI > 0 -> debtI - 1 : 0);
            debt = (debt > 0 && own == r -> debt - 1 : debt)
          :: else
          fi;
          seen = 0; r = 0
        }
        if
        :: ok ->
          ok = false;
#ifdef MUTATE_FIRE_WITHOUT_RECHECK
          rooms = 0
#else
          bringOver()
#endif
#ifdef OTHER
          ;
          if
          :: !any -> break
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
  d_step { seen = 0; ok = false; any = false; debtI = 0; debt = 0; r = 0 }
}

inline popI() { d_step { assert(waitingI > 0); waitingI--; poppedI++; haveI-- } }
inline pop(r) { d_step { assert(waiting[r] > 0); waiting[r]--; popped[r]++; have[r]-- } }

inline body() {
  do
  :: haveI > 0 -> STEP; popI()
  :: haveI == 0 && have[0] > 0 -> STEP; pop(0)
#ifdef OTHER
  :: haveI == 0 && have[0] == 0 && have[1] > 0 -> STEP; pop(1)
  :: haveI == 0 && have[0] + have[1] == 0 -> break
#else
  :: haveI == 0 && have[0] == 0 -> break
#endif
  od;
  STEP
}

#define LOCALS \
  WORD seen; \
  byte spilled, hand, haveI, debtI, debt, rooms, r; \
  byte have[REACTIONS]; \
  bool ok, any, several

/* Stopped: what it had added and not settled it owes; what it holds is hidden with it. */
inline stop() {
  skip;
  d_step {
    owedI = owedI + debtI;
    if
    :: own < REACTIONS -> owed[own] = owed[own] + debt
    :: else
    fi;
    handI = handI + hand; unpoppedI = unpoppedI + haveI; unpopped[0] = unpopped[0] + have[0];
#ifdef OTHER
    unpopped[1] = unpopped[1] + have[1];
#endif
    owedRooms = owedRooms + rooms
  }
}

proctype InjectI(byte many) {
  LOCALS;
  byte own = BOTH;
  do
  :: many == 0 -> break
  :: else ->
     STEP;
     if
     :: waitingI == 0 -> /* CAS-first: i completes a reaction and is never stored */
        STEP;
        atomic {
          seen = word;
          if
          :: COUNT(seen, 0) > 0 -> r = 0
#ifdef OTHER
          :: COUNT(seen, 1) > 0 -> r = 1
#endif
          :: else -> r = REACTIONS
          fi
        }
        if
        :: r < REACTIONS ->
           STEP;
           d_step {
             ok = (word == seen);
             if :: ok -> word = seen - ONE(r); injectedI++; poppedI++; many--; have[r]++ :: else fi;
             seen = 0; r = 0
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
     d_step { waitingI++; injectedI++; hand++; many--; seen = 0; r = 0 }
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
        bringOver()
     :: else
     fi;
     settle();
  react:
     body()
  od
  END
}

proctype InjectOther(byte own; byte many) {
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
             if :: ok -> word = seen - ONE_I; injected[own]++; popped[own]++; many--; haveI++; rooms++ :: else fi;
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
#ifdef OTHER
              if
              :: !any -> goto bodies
              :: else
              fi;
#endif
              goto react
           :: else
           fi
        :: else
        fi
     :: true
     fi;
     STEP;
     d_step { word = word + ONE(own); waiting[own]++; injected[own]++; debt++; many--; seen = 0 }
  react:
     settle();
#ifdef MUTATE_UNSTORED_WITHOUT_OTHERS
  others:
     skip;
     d_step { any = false; debtI = 0 }
#endif
#ifdef OTHER
  bodies:
#endif
     body()
  od
  END
}

#define LESS(n, debt) ((n) > (debt) -> (n) - (debt) : 0)

inline atRest(n) {
  assert(injected[n] == waiting[n] + popped[n] && waiting[n] == COUNT(word, n) + unpopped[n]); /* SPILL-M1 */
  assert(LESS(I(word), owedI) == 0 || LESS(COUNT(word, n), owed[n]) == 0); /* SPILL-M2 */
#if defined(HELP) || LIMIT > STOP
  assert(LESS(COUNT(word, n), owed[n]) == 0 || I(word) > 0 || overflow + handI <= STOP - stops) /* SPILL-M4 */
#endif
}

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
    run InjectOther(0, A_S);
#endif
#ifdef OTHER
    run InjectOther(1, B_R);
#endif
    run InjectOther(0, A_R)
  }
  _nr_pr == 1;
  d_step {
    assert(injectedI == waitingI + poppedI && waitingI == I(word) + overflow + handI + unpoppedI); /* SPILL-M1 */
    atRest(0);
#ifdef OTHER
    atRest(1);
#endif
    assert(overflow <= owedRooms || I(word) + owedRooms >= LIMIT) /* SPILL-M3 */
  }
}
