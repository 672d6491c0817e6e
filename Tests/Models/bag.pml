/* The bag: a FIFO linked list of rings.
 *
 * This is where one name's waiting molecules are. A segment is a ring of SLOTS slots after Vyukov's bounded queue. A
 * ring that is full, or in which a process has stalled, is closed, and a fresh one is linked behind it, after LCRQ
 * (Morrison and Afek, PPoPP 2013). The turn of a slot says which position it serves, and how far that position has
 * come:
 *
 *   FREE(p) -> FULL(p) -> TAKEN(p) -> FREE(p + SLOTS) -> ...
 *        \---> VOID(p)   a popper gave the position up when it left a closed segment: the end of this slot, unless the
 *            segment is used again
 *
 * push  Occupies the position at the tail by CAS, writes the payload, and publishes it by CAS FREE -> FULL. If the
 *       position was voided meanwhile, it pushes again. The molecule is counted (`available`) only after push has
 *       returned.
 * pop   Requires a reservation: the process took a count before. It scans its segment once for FULL. It leaves a closed
 *       segment without any: it voids what is occupied and unpublished, advances the bag's head, and retires the
 *       segment.
 * RCU   A segment is freed when every thread that was in a read section as it was retired has left that section.
 *
 * Bounds: rings of SLOTS (2), at most SEGMENTS segments (asserted to be enough). Pushers A and B push PUSH_A and PUSH_B
 * molecules one after the other; poppers C and D pop POP_C and POP_D (the sums are equal). Every interleaving of single
 * accesses.
 * Defaults: SLOTS=2 SEGMENTS=5 PUSH_A=4 PUSH_B=1 POP_C=5 POP_D=0
 *
 * Invariants, each an assertion below:
 *   BAG-M1  a value is popped at most once, and it was pushed: no duplicate, no torn or reused slot
 *   BAG-M2  every value pushed is popped: nothing is lost
 *   BAG-M3  a pop that scans an open segment in vain has been overtaken by another pop in the meantime (a pop always
 *       finds, and popping is lock-free)
 *   BAG-M4  a closed segment in which everything is taken or voided has a successor. The popper holds a reservation, so
 *       its molecule is further on. So a pop appends nothing. It may have to advance the bag's tail, because a late
 *       pusher occupies a position in a segment that was opened, without using the tail
 *   BAG-M5  no process touches a segment that was freed
 *   BAG-M6  each pusher's molecules are taken (TAKEN is set) in the order in which it pushed them, whichever process
 *       takes them
 *   BAG-M7  a push whose position has a later turn has been overtaken by another one (pushing is lock-free)
 *   BAG-M10  at rest the first segment is in the list or can be used again, whatever the processes did that tried to
 *       append it
 *
 * The first segment is never freed, and threads work on it without a read section. From there they never follow the
 * link: they move the bag's head or tail, enter a section, and begin again from there. It is used again. When processes
 * have left it, it rests until every read section that was open then has ended. Then it is idle, and still closed. A
 * process that needs a successor for a closed segment may use this one if every slot of it is free; only one process
 * may. The segment begins a lap after its tail, so that no position belongs to two lives, and is appended. A process
 * opens it by CAS of the old tail before it moves the bag's tail to it. If another segment is appended first, the tail
 * of this one goes to that beginning, closed. A pusher frees its own slot if it was voided. An empty segment may be
 * closed when the first is idle, so that the first is used again soon. A process that finds the bag's head or tail at
 * the first segment continues there without a section, however late, and otherwise in a section. A popper without a
 * section reads the hint, and then whether the bag's head is there. What is full at that hint later belongs to the life
 * in which the head was there, so BAG-M6 holds however late the popper is. The choice of a segment is left open: an
 * idle one may be passed over, and may follow a full one.
 *
 * -DASK: a thread that asks once whether the bag is empty.
 *   BAG-M8  yes means that all that was published before the question has been taken
 *
 * Not modelled: memory orderings (everything is sequentially consistent), the CAS on the state word (a count stands for
 * it), withdrawal, wrap-around of positions, allocation that fails, and the end of a bag. The first segment is idle as
 * soon as the last section has ended. Passing it over models that a process notices this later.
 */

#define VALUES (PUSH_A + PUSH_B)

#define FREE(p)  (4 * (p))
#define FULL(p)  (4 * (p) + 1)
#define TAKEN(p) (4 * (p) + 2)
#define VOID(p)  (4 * (p) + 3)

#define CLOSED 64 /* a bit in the tail */
#define POSITION(t) ((t) & 63)

#define SLOT(s, p) ((s) * SLOTS + (p) % SLOTS)

byte bagTail, bagHead;
byte turn[SEGMENTS * SLOTS], payload[SEGMENTS * SLOTS];
byte tail[SEGMENTS], head[SEGMENTS], next[SEGMENTS]; /* next 0: none yet */
byte allocated = 1;

#define BACK (SEGMENTS + 1) /* in `next`: the first segment, which is 0 */
#define RING(link) ((link) == BACK -> 0 : (link))
#define IN_LIST 0
#define RESTING 1
#define IDLE 2
byte use, begin; /* of the first segment */
#ifdef MUTATE_VOIDED_BY_POPPER
#define VOIDED(p) FREE(p + SLOTS)
#else
#define VOIDED(p) VOID(p)
#endif

byte available; /* the count in the state word */

/* Variables that only the proof uses. */
bool popped[VALUES + 1];
byte pops, latestOfA, latestOfB;
#ifdef ASK
byte waiting; /* the values that are published and not taken, a bit each */
#endif

/* RCU: `readers` is a bit for each thread in a read section; `waitsFor` those that a retired segment waits for. */
#define RETIRED 128
byte readers, waitsFor[SEGMENTS];

#define TOUCH(s) assert(waitsFor[s] != RETIRED) /* BAG-M5 */

inline enter() { d_step { inside = true; readers = readers | (1 << _pid) } }

hidden byte segment, slot; /* scratch of a d_step, no part of the state */

inline prepare(s) { /* slot i of a fresh segment serves position i */
  slot = 0;
  do
  :: slot < SLOTS -> turn[s * SLOTS + slot] = FREE(slot); slot++
  :: else -> break
  od
}

inline leaveSection() {
  d_step {
    if
    :: inside ->
      inside = false;
      readers = readers & ~(1 << _pid);
      segment = 0;
      do
      :: segment < SEGMENTS ->
        waitsFor[segment] = waitsFor[segment] & ~(1 << _pid);
        if
        :: segment == 0 && waitsFor[0] == RETIRED -> waitsFor[0] = 0; use = IDLE
        :: waitsFor[segment] == RETIRED -> /* freed: its content has no owner, and zeroes keep the state space small */
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
    :: else
    fi
  }
}

#define RETIRE(s) waitsFor[s] = RETIRED | readers; if :: (s) == 0 -> use = RESTING :: else fi

/* Read the bag's head or tail into s. Without a section only the first segment may be used. */
#define READ_END(end) if :: !inside -> enter() :: else fi; s = end

inline take() { /* the ghost part of FULL(p) -> TAKEN(p) */
  pops++;
#ifdef ASK
  waiting = waiting & ~(1 << payload[SLOT(s, p)]);
#endif
  if
  :: payload[SLOT(s, p)] <= PUSH_A -> assert(payload[SLOT(s, p)] > latestOfA) /* BAG-M6 */;
     latestOfA = payload[SLOT(s, p)]
  :: else -> assert(payload[SLOT(s, p)] > latestOfB) /* BAG-M6 */; latestOfB = payload[SLOT(s, p)]
  fi
}

/* Whether no process is in the middle of a slot of the first segment, all of whose positions below `tail` are
   consumed. */
#define UNUSED(p) (turn[SLOT(0, p)] == FREE(p))
#define FIRST_IS_UNUSED (UNUSED(POSITION(tail[0])) && UNUSED(POSITION(tail[0]) + SLOTS - 1))
#if SLOTS > 2
#error "FIRST_IS_UNUSED looks at two slots"
#endif

/* The number of positions between two lives. */
#ifdef MUTATE_LIVES_TOUCH
#define LAP 0
#else
#define LAP SLOTS
#endif

inline begin_again() {
  begin = POSITION(tail[0]) + LAP;
  assert(begin + 2 * SLOTS + VALUES < 63); /* positions do not wrap */
  slot = 0;
  do
  :: slot < SLOTS -> turn[SLOT(0, begin + slot)] = FREE(begin + slot); slot++
  :: else -> break
  od;
  head[0] = begin;
  next[0] = 0
}

/* Used by the process that is about to move the bag's tail to it; idempotent, because its tail is never there again. */
#define OPEN d_step { if :: tail[0] == ((begin - LAP) | CLOSED) -> tail[0] = begin :: else fi }

proctype Pusher(byte value; byte last) {
  byte s, t, n;
  bool ok, inside;
  do
  :: value > last -> break
  :: else ->
    if /* without a section, in the first segment */
    :: bagTail != s -> goto again
    :: else
    fi;
  occupy:
    t = tail[s];
    if
    :: (t & CLOSED) -> t = 0; goto again
    :: else
    fi;
    d_step { ok = (turn[SLOT(s, t)] == FREE(t)); if :: !ok -> t = 0 :: else fi }
    if
    :: !ok -> goto again
    :: else
    fi;
    d_step { ok = (tail[s] == t); if :: ok -> tail[s] = t + 1 :: else -> t = 0 fi }
    if
    :: !ok -> goto occupy
    :: else -> goto occupied
    fi;
  again:
    READ_END(bagTail);
    d_step { TOUCH(s); t = tail[s] }
    if
    :: (t & CLOSED) ->
      d_step { TOUCH(s); n = next[s] }
      if
      :: n == 0 ->
        if
        :: d_step { /* CAS use: IDLE -> IN_LIST; what was seen free stays so; a process that is late finds a slot free
                       before and after, and a hint below which all is consumed */
             use == IDLE && FIRST_IS_UNUSED ->
             use = IN_LIST; t = 0;
             begin_again();
#ifdef MUTATE_OPEN_AT_ONCE
             tail[0] = begin
#endif
           }
           d_step { /* CAS next: none -> first */
             TOUCH(s);
             if
             :: next[s] == 0 -> next[s] = BACK; ok = true
             :: else -> /* it stays closed, and its tail fits its slots again */
               tail[0] = begin | CLOSED;
               use = IDLE
             fi;
             n = next[s]
           }
           goto linked
        :: true
        fi;
        d_step { /* CAS next: none -> fresh segment */
          TOUCH(s);
          if
          :: next[s] == 0 -> assert(allocated < SEGMENTS); next[s] = allocated; prepare(allocated); allocated++
          :: else
          fi;
          n = next[s]
        }
      :: else
      fi;
  linked:
      if
      :: n == BACK ->
#ifdef MUTATE_NOT_OPENED_BY_HELPERS
        if :: ok -> OPEN :: else fi;
#else
        OPEN;
#endif
      :: else
      fi;
      ok = false;
      d_step { if :: bagTail == s -> bagTail = RING(n) :: else fi; n = 0; t = 0 }
      goto again
    :: else
    fi;
    d_step { TOUCH(s); n = turn[SLOT(s, t)] }
    if
    :: n == FREE(t) && s != 0 && t > 0 && use == IDLE && head[s] == t -> /* empty, and the first can be used again */
      d_step { TOUCH(s); if :: tail[s] == t -> tail[s] = t | CLOSED :: else fi; n = 0; t = 0 }
      goto again
    :: true
    fi;
    if
    :: n < FREE(t) -> /* an older position holds the slot: the ring is full, or a process stalled there */
      d_step { TOUCH(s); if :: tail[s] == t -> tail[s] = t | CLOSED :: else fi; n = 0; t = 0 }
      goto again
    :: n > FREE(t) ->
      d_step { assert(tail[s] != t) /* BAG-M7 */; n = 0; t = 0 }
      goto again
    :: else
    fi;
    d_step { TOUCH(s); n = 0; ok = (tail[s] == t); if :: ok -> tail[s] = t + 1 :: else -> t = 0 fi }
    if
    :: !ok -> goto again
    :: else
    fi;
  occupied:
    atomic { TOUCH(s); payload[SLOT(s, t)] = value }
    d_step {
      TOUCH(s);
#ifdef MUTATE_PUBLISH_WITHOUT_CAS
      ok = true;
#else
      ok = (turn[SLOT(s, t)] == FREE(t));
#ifndef MUTATE_VOIDED_BY_POPPER
      assert(ok || turn[SLOT(s, t)] == VOID(t));
#endif
#endif
#ifdef ASK
      if :: ok -> waiting = waiting | (1 << value) :: else fi;
#endif
      if :: ok -> turn[SLOT(s, t)] = FULL(t) :: else fi
    }
    if
    :: !ok ->
#ifndef MUTATE_VOIDED_BY_POPPER
      d_step { TOUCH(s); turn[SLOT(s, t)] = FREE(t + SLOTS) } /* no process writes to the slot any more */
#endif
      t = 0;
      goto again
    :: else
    fi;
    d_step { s = 0; t = 0; ok = false }
    leaveSection();
    d_step { available++; value++ }
  od
}

proctype Popper(byte left) {
  byte s, h, t, p, n, seen;
  bool ok, inside, whole;
  do
  :: left == 0 -> break
  :: else ->
    d_step { available > 0 -> available-- } /* the reservation */
    /* Without a section, in the first segment: what is published at the hint is the oldest there. */
#ifdef MUTATE_HEAD_BEFORE_HINT
    if
    :: bagHead != s -> goto again
    :: else
    fi;
    p = head[s];
#else
    p = head[s];
    if
    :: bagHead != s -> p = 0; goto again
    :: else
    fi;
#endif
    d_step { ok = (turn[SLOT(s, p)] == FULL(p)); if :: !ok -> p = 0 :: else fi }
    if
    :: !ok -> goto again
    :: else
    fi;
    d_step {
      ok = (turn[SLOT(s, p)] == FULL(p));
      if :: ok -> turn[SLOT(s, p)] = TAKEN(p); whole = true; take() :: else -> p = 0 fi
    }
    if
    :: ok -> goto taken
    :: else
    fi;
  again:
    READ_END(bagHead);
  scan:
    skip;
    d_step { TOUCH(s); h = head[s] }
    d_step {
      TOUCH(s);
      t = tail[s];
      seen = pops;
      p = (POSITION(t) > h + SLOTS -> POSITION(t) - SLOTS : h);
      h = p;
      whole = true
    }
    do
    :: p < POSITION(t) ->
      d_step { TOUCH(s); n = turn[SLOT(s, p)]; assert(n >= FREE(p)) }
      if
      :: n == FULL(p) ->
        d_step {
          TOUCH(s);
          n = 0;
          ok = (turn[SLOT(s, p)] == FULL(p));
          if :: ok -> turn[SLOT(s, p)] = TAKEN(p); take() :: else -> p++ fi
        }
        if
        :: ok -> goto taken
        :: else
        fi
      :: else ->
        d_step {
          if :: n == FREE(p) -> whole = false :: else fi;
          p++; n = 0
        }
      fi
    :: else -> break
    od;
    if
    :: (t & CLOSED) == 0 ->
      d_step { assert(pops > seen) /* BAG-M3 */; h = 0; t = 0; p = 0; seen = 0; whole = false }
      goto again
    :: else
    fi;

    /* Leave a closed segment. */
    d_step { p = h; whole = true; seen = 0 }
    do
    :: p < POSITION(t) ->
      d_step { TOUCH(s); n = turn[SLOT(s, p)] }
      if
      :: n == FREE(p) ->
        /* CAS FREE -> VOID; if it fails the position was published meanwhile, or another popper voided it: look
           again */
        d_step {
          TOUCH(s);
          n = 0;
          if :: turn[SLOT(s, p)] == FREE(p) -> turn[SLOT(s, p)] = VOIDED(p); p++
             :: else
          fi
        }
      :: n == FULL(p) ->
        d_step {
          TOUCH(s);
          n = 0;
          ok = (turn[SLOT(s, p)] == FULL(p));
          if :: ok -> turn[SLOT(s, p)] = TAKEN(p); take() :: else -> p++ fi
        }
        if
        :: ok -> goto taken
        :: else
        fi
      :: else -> d_step { n = 0; p++ }
      fi
    :: else -> break
    od;
    skip;
    d_step { TOUCH(s); n = next[s]; assert(n != 0) /* BAG-M4 */; h = 0; t = 0; p = 0; whole = false }
    if
#ifndef MUTATE_NOT_OPENED_BY_HELPERS
    :: n == BACK -> OPEN
#endif
    :: else
    fi;
    d_step { if :: bagTail == s -> bagTail = RING(n) :: else fi }
    d_step { if :: bagHead == s -> bagHead = RING(n); RETIRE(s) :: else fi; s = RING(n); n = 0 }
    goto scan;

  taken:
    skip;
    d_step { TOUCH(s); n = payload[SLOT(s, p)]; h = 0; t = 0; seen = 0; ok = false }
    d_step { TOUCH(s); turn[SLOT(s, p)] = FREE(p + SLOTS) }
    if
    :: whole -> d_step { TOUCH(s); head[s] = p + 1; whole = false }
    :: else
    fi;
    d_step {
      assert(n != 0 && !popped[n]); /* BAG-M1 */
      popped[n] = true;
      n = 0; s = 0; p = 0; left--
    }
    leaveSection()
  od
}

#ifdef ASK
proctype Asker() {
  byte s, h, before;
  bool ok, inside; /* ok: the answer */
  before = waiting;
#ifdef MUTATE_EMPTY_HEAD_FIRST
  if :: bagHead != s -> goto generic :: else fi;
  h = head[s];
  d_step { ok = (tail[s] == h); h = 0 }
#else
  h = head[s];
  d_step { ok = (tail[s] == h); h = 0 }
  if
  :: !ok
  :: ok && bagHead == s
  :: ok && bagHead != s -> ok = false
  fi;
#endif
  if
  :: ok -> goto answer
  :: else
  fi;
  if
  :: bagHead == s -> goto answer
  :: else
  fi;
generic:
  enter();
  s = bagHead;
  d_step { TOUCH(s); h = head[s] }
  d_step { TOUCH(s); ok = (tail[s] == h); h = 0 }
  d_step { s = 0; assert(!ok || (before & waiting) == 0) /* BAG-M8 */ }
  leaveSection();
  goto end;
answer:
  assert(!ok || (before & waiting) == 0) /* BAG-M8 */;
end:
  skip
}
#endif

init {
  byte v;
  atomic {
    prepare(0);
    run Pusher(1, PUSH_A);
    run Pusher(PUSH_A + 1, VALUES);
    run Popper(POP_C);
#if POP_D > 0
    run Popper(POP_D);
#endif
#ifdef ASK
    run Asker()
#endif
  }
  _nr_pr == 1;
  d_step {
    assert(available == 0);
    assert(use == IN_LIST || (use == IDLE && FIRST_IS_UNUSED)); /* B10 */
    v = 1;
    do
    :: v <= VALUES -> assert(popped[v]) /* BAG-M2 */; v++
    :: else -> break
    od
  }
}
