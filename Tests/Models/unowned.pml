/* A soup that has no owner, and that bodies keep: when it is closed (soup/unowned.c).
 *
 * `holds` counts owners, the firings that are in progress (PENDING each), and above them the mark CLOSED. `suspended`
 * counts the bodies that wait for a call of their own soup. The lock is the soup's.
 *
 * release  crucible__soup_release_holds of a watched soup: by CAS, if an owner is left or no hold is. Otherwise under
 *          the lock (crucible__leave_unowned), and then look: close, if only bodies whose calls wait are left
 * wait     crucible_waiting_begin: under the lock, count this body. Then, if there is no owner, look
 *          (crucible__look_unowned): close, if all holds are bodies whose calls wait. Then sleep until the call has
 *          ended. crucible_waiting_end: under the lock, count it no more
 * close    Mark by CAS, under the lock. Then, without it, end every call that waits
 * take     A firing takes a call out of its bag, and marks it as taken. It answers it, puts it back, or keeps it and
 *          answers when it has ended
 * give up  A deadline claims the call, takes it back if it waits, and signals its caller
 *
 * Bounds: one owner; BODIES (2) bodies, each with one call; a firing that is in progress, which may take one call;
 * OUTSIDERS (1) that do not own and may take a call while they hold the soup; a deadline of the first call, or none.
 * Defaults: BODIES=2 OUTSIDERS=1
 *
 * Invariants:
 *   UNOWNED-M1  when a soup is closed it has no owner, and each of its firings is a body whose call has not been
 *       answered and is not taken
 *   UNOWNED-M2  no process waits for ever: a call that no process can answer ends
 *   UNOWNED-M3  the contents are destroyed once, after the last hold; no process holds or marks them after that, and
 *       none holds a closed soup
 *
 * Not modelled: memory orderings; the shell, which a thread keeps while it has the lock; what a body does after its
 * call.
 */

#define PENDING 8
#define CLOSED 128
#define OWNERS(h) ((h) & 7)
#define FIRINGS(h) (((h) & 127) / PENDING)

byte holds = 1 + (BODIES + 1) * PENDING;
byte suspended;
bool locked, destroyed;

/* The state of each body. `waits`: its call is in the bag; `counted`: under the lock, as one that is suspended. */
mtype = { before, bagged, taken, signalled };
mtype call[BODIES] = before;
bool counted[BODIES], claimed[BODIES], isGone[BODIES];
bool isLate[BODIES]; /* given up at its deadline: it may count as waiting until its caller has continued */

#define TOUCH assert(!destroyed) /* UNOWNED-M3 */

inline acquire() { d_step { !locked -> TOUCH; locked = true } }
inline release() { locked = false }

/* Requires the lock. Answers as only_wait does. */
inline look() {
  atomic {
    onlyWait = (suspended == FIRINGS(seen));
    for (n : 0 .. BODIES - 1) {
      if
#ifdef MUTATE_SIGNALLED_WAITS
      :: counted[n] && call[n] == taken -> onlyWait = false
#elif defined(MUTATE_TAKEN_WAITS)
      :: counted[n] && call[n] == signalled -> onlyWait = false
#else
      :: counted[n] && (call[n] == signalled || call[n] == taken) -> onlyWait = false
#endif
      :: else
      fi
    }
    n = 0
  }
}

/* Checks for the proof that all firings in progress are bodies that wait. */
inline check() {
  assert(!(seen & CLOSED) && OWNERS(seen) == 0);
  waiting = 0;
  for (n : 0 .. BODIES - 1) {
    if
    :: counted[n] && (call[n] == bagged || isLate[n]) -> waiting++
    :: else
    fi
  }
  assert(waiting == FIRINGS(seen)); /* UNOWNED-M1 */
  waiting = 0;
  n = 0
}

/* Requires the lock. Marks, as long as the condition holds, and holds the soup once more. */
inline mark() {
  seen = holds;
  do
  :: OWNERS(seen) != 0 || (seen & CLOSED) || FIRINGS(seen) == 0 -> break
  :: else ->
     look();
     if
     :: !onlyWait -> break
     :: else
     fi;
#ifdef MUTATE_CLOSE_BY_STORE
     atomic { TOUCH; closes = true; seen = holds; check(); holds = (holds | CLOSED) + PENDING };
#else
     atomic {
       TOUCH;
       if
       :: holds == seen -> check(); holds = (holds | CLOSED) + PENDING; closes = true
       :: else -> seen = holds
       fi
     };
#endif
     if
     :: closes -> break
     :: else
     fi
  od
}

inline end(b, gone) {
  d_step {
    if
    :: call[b] != signalled && !claimed[b] -> claimed[b] = true; isGone[b] = gone; call[b] = signalled
    :: else
    fi
  }
}

/* Requires: the process does not have the lock. */
inline close() {
  for (m : 0 .. BODIES - 1) {
    atomic {
      if
      :: call[m] == bagged && !claimed[m] -> claimed[m] = true; isGone[m] = true; call[m] = signalled
      :: else
      fi
    }
  }
  m = 0
}

/* Tries to exchange `seen` for what is left. `left`: it did. */
inline exchange(units) {
  d_step {
    TOUCH;
    if
    :: holds == seen ->
       left = true;
       holds = seen - units;
       if :: (holds & 127) == 0 -> destroyed = true :: else fi
    :: else -> seen = holds
    fi
  }
}

/* Releases a soup that is watched. */
inline letGo(units) {
  d_step { TOUCH; seen = holds; left = false; closes = false };
  do
  :: left -> break
  :: else ->
     if
     :: OWNERS(seen - units) == 0 && FIRINGS(seen - units) != 0 && !(seen & CLOSED) ->
#ifdef MUTATE_RELEASE_WITHOUT_LOCK
        if
        :: suspended == 0 -> exchange(units)
        :: else
        fi;
        if
        :: left -> break
        :: else
        fi;
#endif
        acquire();
        seen = holds;
#ifdef MUTATE_LOOK_BEFORE_RELEASE
        if
        :: OWNERS(seen - units) == 0 && FIRINGS(seen - units) != 0 && !(seen & CLOSED) ->
           d_step { seen = seen - units }
           look();
           d_step { seen = seen + units }
        :: else -> onlyWait = true
        fi;
#endif
        do
        :: left -> break
        :: else -> exchange(units)
        od;
#ifdef MUTATE_LOOK_BEFORE_RELEASE
        if
        :: onlyWait -> mark()
        :: else
        fi;
#else
        if
        :: suspended > 0 -> mark()
        :: else
        fi;
#endif
        release();
        if
        :: closes -> close(); closes = false; left = false; closed()
        :: else
        fi
     :: else -> exchange(units)
     fi
  od;
  atomic { seen = 0; left = false; closes = false; onlyWait = false }
}

/* Ends the closing: takes back the hold of the process that closes. */
inline closed() {
  d_step {
    TOUCH; assert(holds & CLOSED); holds = holds - PENDING; left = true;
    if :: (holds & 127) == 0 -> destroyed = true :: else fi
  }
}

inline hold() {
  d_step { seen = holds; ok = false };
  do
#ifdef MUTATE_HOLD_THE_CLOSED
  :: (seen & 127) == 0 -> break
  :: (seen & 127) != 0 ->
#else
  :: (seen & 127) == 0 || (seen & CLOSED) -> break
  :: (seen & 127) != 0 && !(seen & CLOSED) ->
#endif
     d_step { if :: holds == seen -> TOUCH; assert(!(seen & CLOSED)); holds++; ok = true :: else -> seen = holds fi }
     if
     :: ok -> break
     :: else
     fi
  od;
  seen = 0
}

#define LOCALS byte seen, n, m, waiting; bool onlyWait, closes, left

/* Takes a call out of its bag, if one is there; answers it, puts it back, or does nothing. */
inline react() {
  if
  :: d_step { call[0] == bagged && !claimed[0] -> call[0] = taken }; which = 0; took = true
#if BODIES > 1
  :: d_step { call[1] == bagged && !claimed[1] -> call[1] = taken }; which = 1; took = true
#endif
  :: true
  fi;
  if
  :: took ->
     if
     :: end(which, false)
     :: d_step { if :: call[which] == taken -> call[which] = bagged :: else fi }
     :: keeps = true
     fi
  :: else
  fi;
  took = false
}

/* After the firing: the process that kept the call answers it. */
inline answer() {
  if
  :: keeps -> end(which, false)
  :: else
  fi
}

proctype owner() {
  LOCALS;
  letGo(1)
}

proctype body(byte me) {
  LOCALS;
  d_step { TOUCH; call[me] = bagged };
  acquire();
  d_step { suspended++; counted[me] = true };
  release();
#ifndef MUTATE_WAITS_WITHOUT_LOOK
  d_step { TOUCH; seen = holds };
  if
  :: OWNERS(seen) == 0 ->
     acquire();
     mark();
     release();
     if
     :: closes -> close(); closes = false; closed(); left = false
     :: else
     fi
  :: else
  fi;
#endif
  (call[me] == signalled); /* UNOWNED-M2: an end state that is not valid, if no process ends it */
  acquire();
  d_step { suspended--; counted[me] = false };
  release();
  assert(!isGone[me] || (holds & CLOSED));
  letGo(PENDING)
}

proctype firing() {
  LOCALS;
  byte which;
  bool took, keeps;
  react();
  letGo(PENDING);
  answer()
}

proctype outsider() {
  LOCALS;
  byte which;
  bool ok, took, keeps;
  hold();
  if
  :: ok -> react(); letGo(1); answer()
  :: else
  fi
}

#ifdef DEADLINE
proctype deadline() {
  if
  :: d_step { call[0] == bagged && !claimed[0] -> claimed[0] = true; isLate[0] = true } ->
     d_step { call[0] = signalled }
  :: (call[0] == signalled)
  :: true
  fi
}
#endif

init {
  atomic {
    run owner();
    run body(0);
#if BODIES > 1
    run body(1);
#endif
    run firing();
#if OUTSIDERS > 0
    run outsider();
#endif
#ifdef DEADLINE
    run deadline();
#endif
  }
  (_nr_pr == 1);
  assert(destroyed && suspended == 0)
}
