/* Injection, bag, matching and spill together, at the smallest bounds that show anything.
 *
 * Reaction i & a. Molecules of i carry a value and lie in the ring bag of bag.pml; a is a Void name: its count is the
 * molecule. The word is that of spill.pml: the field of i has the soft limit LIMIT, what does not fit is in `overflow`.
 * Here the pop follows a real reservation, which may use the count of another molecule than the one that is popped.
 *
 * P and Q inject i (I_P and I_Q times) add-first, with -DCAS_FIRST also CAS-first; R injects a (A_R times). A process
 * that fires pops.
 *
 * CAS-first asks the bag: head hint and tail of the segment at the bag's head are equal, and it is not closed. Then
 * every molecule whose push had returned before was taken. It does not ask the counts: zero counted and zero spilled do
 * not mean that nothing older waits (MUTATE_CAS_FIRST_BY_COUNT), for a pop may have taken another's molecule that is
 * published and not counted yet, or a process is carrying the count over from the overflow.
 *
 * Invariants: BAG-M1 to BAG-M5 of bag.pml, and
 *   WHOLE-M4  nothing overtakes an older molecule of its own injector, stored or not
 * and at the end
 *   WHOLE-M1  every value was consumed exactly as often as a reaction fired with it, and not twice
 *   WHOLE-M2  i or a is used up, the overflow is empty while the field has room: no reaction is left enabled or hidden
 *   WHOLE-M3  counted + spilled = waiting in the bag
 *
 * Not modelled: what the two models do not, stops, and the blind addition with its taking back (spill.pml has both).
 */

#ifndef LIMIT
#define LIMIT 1
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef SEGMENTS
#define SEGMENTS 4
#endif
#ifndef I_P
#define I_P 2
#endif
#ifndef I_Q
#define I_Q 1
#endif
#ifndef A_R
#define A_R 2
#endif
#define VALUES (I_P + I_Q)

/* The word. */
#define ONE_I 1
#define ONE_A 16
#define NEED (ONE_I + ONE_A)
#define I(w) ((w) & 7)
#define A(w) (((w) >> 4) & 7)
#define GUARDS 136
#define ENABLED(w) (((((w) | GUARDS) - NEED) & GUARDS) == GUARDS)
byte word, overflow;

/* The bag. */
#define FREE(p)  (4 * (p))
#define FULL(p)  (4 * (p) + 1)
#define TAKEN(p) (4 * (p) + 2)
#define VOID(p)  (4 * (p) + 3)
#define CLOSED 64
#define POSITION(t) ((t) & 63)
#define SLOT(s, p) ((s) * SLOTS + (p) % SLOTS)
byte turn[SEGMENTS * SLOTS], payload[SEGMENTS * SLOTS];
byte tail[SEGMENTS], head[SEGMENTS], next[SEGMENTS];
byte bagTail, bagHead, allocated = 1;

/* What only the proof sees. */
bool used[VALUES + 1];
byte takes, latestOfP, latestOfQ, uses;

/* RCU, as in bag.pml. */
#define RETIRED 128
byte readers, waitsFor[SEGMENTS];
#define TOUCH(s) assert(waitsFor[s] != RETIRED)
hidden byte segment, slot;

inline prepare(s) {
  slot = 0;
  do
  :: slot < SLOTS -> turn[s * SLOTS + slot] = FREE(slot); slot++
  :: else -> break
  od
}

inline enter() { d_step { readers = readers | (1 << _pid) } }

inline leaveSection() {
  d_step {
    readers = readers & ~(1 << _pid);
    segment = 0;
    do
    :: segment < SEGMENTS ->
      waitsFor[segment] = waitsFor[segment] & ~(1 << _pid);
      if
      :: waitsFor[segment] == RETIRED ->
        tail[segment] = 0; head[segment] = 0; next[segment] = 0;
        slot = segment * SLOTS;
        do
        :: slot < (segment + 1) * SLOTS -> turn[slot] = 0; payload[slot] = 0; slot++
        :: else -> break
        od
      :: else
      fi;
      segment++
    :: else -> break
    od
  }
}

inline inOrder(v) { /* WHOLE-M4, at the moment at which v is taken, or used without ever being stored */
  if
  :: (v) <= I_P -> assert((v) > latestOfP); latestOfP = v
  :: else -> assert((v) > latestOfQ); latestOfQ = v
  fi
}

inline push(v) {
  enter();
  do
  :: d_step { s = bagTail; TOUCH(s) }
     d_step { TOUCH(s); t = tail[s] }
     if
     :: (t & CLOSED) ->
        d_step {
          TOUCH(s);
          if
          :: next[s] == 0 -> assert(allocated < SEGMENTS); next[s] = allocated; prepare(allocated); allocated++
          :: else
          fi;
          n = next[s]
        }
        d_step { if :: bagTail == s -> bagTail = n :: else fi; n = 0; t = 0 }
     :: else ->
        d_step { TOUCH(s); n = turn[SLOT(s, t)] }
        if
        :: n < FREE(t) -> d_step { TOUCH(s); if :: tail[s] == t -> tail[s] = t | CLOSED :: else fi; n = 0; t = 0 }
        :: n > FREE(t) -> d_step { n = 0; t = 0 }
        :: else ->
           d_step { TOUCH(s); n = 0; ok = (tail[s] == t); if :: ok -> tail[s] = t + 1 :: else -> t = 0 fi }
           if
           :: ok ->
              d_step { TOUCH(s); payload[SLOT(s, t)] = v }
              d_step {
                TOUCH(s);
                ok = (turn[SLOT(s, t)] == FREE(t));
                if :: ok -> turn[SLOT(s, t)] = FULL(t) :: else fi;
                t = 0
              }
              if
              :: ok -> break
              :: else
              fi
           :: else
           fi
        fi
     fi
  od;
  skip;
  d_step { s = 0; ok = false }
  leaveSection()
}

inline tryTake() { /* CAS FULL -> TAKEN */
  d_step {
    TOUCH(s);
    n = 0;
    ok = (turn[SLOT(s, p)] == FULL(p));
    if :: ok -> turn[SLOT(s, p)] = TAKEN(p); takes++; inOrder(payload[SLOT(s, p)]) :: else -> p++ fi
  }
}

inline pop() {
  enter();
  d_step { s = bagHead; TOUCH(s) }
  do
  :: ok -> break
  :: else ->
     d_step { TOUCH(s); h = head[s] }
     d_step {
       TOUCH(s);
       t = tail[s]; before = takes;
       p = (POSITION(t) > h + SLOTS -> POSITION(t) - SLOTS : h);
       h = p; inRow = true
     }
     do
     :: !ok && p < POSITION(t) ->
        d_step { TOUCH(s); n = turn[SLOT(s, p)] }
        if
        :: n == FULL(p) -> tryTake()
        :: else -> d_step { if :: n == FREE(p) -> inRow = false :: else fi; p++; n = 0 }
        fi
     :: else -> break
     od;
     if
     :: ok
     :: !ok && (t & CLOSED) == 0 ->
        d_step { assert(takes > before); h = 0; t = 0; p = 0; before = 0; inRow = false; s = bagHead; TOUCH(s) }
     :: !ok && (t & CLOSED) ->
        d_step { p = h; inRow = true; before = 0 }
        do
        :: !ok && p < POSITION(t) ->
           d_step { TOUCH(s); n = turn[SLOT(s, p)] }
           if
           :: n == FREE(p) -> d_step { TOUCH(s); n = 0; if :: turn[SLOT(s, p)] == FREE(p) -> turn[SLOT(s, p)] = VOID(p); p++ :: else fi }
           :: n == FULL(p) -> tryTake()
           :: else -> d_step { n = 0; p++ }
           fi
        :: else -> break
        od;
        if
        :: ok
        :: else ->
           d_step { TOUCH(s); n = next[s]; assert(n != 0 && bagTail != s); h = 0; t = 0; p = 0; inRow = false }
           d_step { if :: bagHead == s -> bagHead = n; waitsFor[s] = RETIRED | readers :: else fi; s = n; n = 0 }
        fi
     fi
  od;
  skip;
  d_step { TOUCH(s); n = payload[SLOT(s, p)]; h = 0; t = 0; before = 0; ok = false }
  d_step { TOUCH(s); turn[SLOT(s, p)] = FREE(p + SLOTS) }
  if
  :: inRow -> d_step { TOUCH(s); head[s] = p + 1; inRow = false }
  :: else
  fi;
  d_step { assert(n != 0 && !used[n]) /* WHOLE-M1 */; used[n] = true; uses++; n = 0; s = 0; p = 0 }
  leaveSection()
}

#ifdef MUTATE_CAS_FIRST_BY_COUNT
#define COUNTED_NONE(w) I(w) == 0
#else
#define COUNTED_NONE(w) true
#endif

inline bringOver() {
  do
  :: spilled = overflow;
     if
     :: spilled == 0 -> break
     :: else
     fi;
     seen = word;
     if
     :: I(seen) >= LIMIT -> break
     :: else
     fi;
     d_step { ok = (overflow == spilled); if :: ok -> overflow-- :: else fi }
     do
     :: !ok -> break
     :: else ->
        seen = word;
        if
        :: I(seen) >= LIMIT -> d_step { overflow++; ok = false }
        :: else -> d_step { if :: word == seen -> word = word + ONE_I; ok = false :: else fi }
        fi
     od
  od;
  skip;
  d_step { spilled = 0; seen = 0; ok = false }
}

inline settle() {
  do
  :: seen = word;
     if
     :: ENABLED(seen) ->
        d_step { ok = (word == seen); if :: ok -> word = seen - NEED; have++ :: else fi; seen = 0 }
        if
        :: ok ->
          ok = false;
#ifndef MUTATE_FIRE_WITHOUT_RECHECK
          bringOver()
#endif
        :: else
        fi
     :: else -> break
     fi
  od;
  skip;
  d_step { seen = 0; ok = false }
}

inline body() {
  do
  :: have > 0 -> pop(); have--
  :: else -> break
  od
}

inline add() {
  do
  :: seen = word;
     if
     :: I(seen) < LIMIT -> d_step { if :: word == seen -> word = word + ONE_I; n = 1 :: else fi }
     :: else -> d_step { overflow++; ok = true; n = 1 }
     fi;
     if
     :: n == 1 -> break
     :: else
     fi
  od;
  skip;
  d_step { n = 0; seen = 0 }
}

proctype InjectI(byte value; byte last) {
  byte s, h, t, p, n, before, seen, spilled, have;
  bool ok, inRow;
  do
  :: value > last -> break
  :: else ->
#ifdef CAS_FIRST
     if
     :: true -> /* CAS-first */
#ifndef MUTATE_CAS_FIRST_BY_COUNT
        enter();
        d_step { s = bagHead; TOUCH(s) }
        d_step { TOUCH(s); h = head[s] }
        d_step { TOUCH(s); ok = (tail[s] == h); s = 0; h = 0 }
        leaveSection();
#else
        d_step { seen = word; ok = (I(seen) == 0) }
        d_step { ok = ok && (overflow == 0); seen = 0 }
#endif
        if
        :: ok ->
           ok = false;
           seen = word;
           if
           :: A(seen) > 0 && COUNTED_NONE(seen) ->
              d_step {
                ok = (word == seen);
                seen = 0;
                if :: ok -> word = word - ONE_A; inOrder(value); assert(!used[value]); used[value] = true; uses++; value++ :: else fi
              }
              if
              :: ok -> ok = false; goto done
              :: else
              fi
           :: else
           fi
        :: else
        fi
     :: true
     fi;
     d_step { seen = 0; ok = false }
#endif
#ifdef MUTATE_COUNT_BEFORE_PUBLISHING
     add();
     push(value);
#else
     push(value);
     add();
#endif
     value++;
     if
     :: ok -> ok = false; bringOver()
     :: else
     fi;
     settle();
     body();
  done:
     skip
  od
}

proctype InjectA(byte many) {
  byte s, h, t, p, n, before, seen, spilled, have;
  bool ok, inRow;
  do
  :: many == 0 -> break
  :: else ->
     d_step { word = word + ONE_A; many-- }
     settle();
     body()
  od
}

init {
  atomic {
    prepare(0);
    run InjectI(1, I_P);
    run InjectI(I_P + 1, VALUES);
    run InjectA(A_R)
  }
  _nr_pr == 1;
  d_step {
    assert(I(word) + overflow + uses == VALUES && A(word) + uses == A_R); /* WHOLE-M1, WHOLE-M3 */
    assert(I(word) == 0 || A(word) == 0); /* WHOLE-M2 */
    assert(overflow == 0 || I(word) >= LIMIT)
  }
}
