/* Spin-then-park: a caller waits for the outcome of its fast call, and misses no wake-up.
 *
 * The caller's waiter is one word, WAITING → SIGNALLED, or by way of PARKED (a thread sleeps on it) or SUSPENDED (a
 * task waits for `resume`). It is on the caller's stack. As soon as the wait is over it is gone, and the next call's
 * waiter is there.
 *
 * signal   Write the outcome, and exchange the word to SIGNALLED. If it was PARKED, wake all that sleep on this
 *          address. If it was SUSPENDED, call `resume` with the waiter, which is still there, because its owner waits
 *          for that
 * wait     Look. CAS WAITING → PARKED. If that finds SIGNALLED, it is over. If it finds PARKED, an earlier wait of the
 *          same thread ended at its deadline. Then, until the word is SIGNALLED, sleep in the kernel while it is
 *          PARKED. A sleep may end early, and ends at the deadline if there is one
 * suspend  Write the continuation, and CAS WAITING → SUSPENDED. If that finds SIGNALLED, the task goes on by itself
 * token    One CAS decides which process signals: the reply, the deadline or a cancellation. A process that comes
 *          second touches nothing. A caller whose deadline has passed, and that comes second, waits again, for the
 *          first process
 * note     A caller that sleeps is in a list, from before it sleeps until after. A process that reads the list looks at
 *          the caller's waiter. The list's lock orders this
 *
 * The futex is two steps, as in the kernel: one compares and sleeps, the other wakes, by address alone. So the wake of
 * a late signaller may reach the next call's waiter, as a sleep that ends early.
 *
 * Bounds: CALLS calls (2) one after the other in the same memory, by a thread that blocks, by one that blocks with a
 * deadline, or by a task that suspends. For each call one process replies, and another one may cancel it. One process
 * reads the list LOOKS times. EARLY sleeps end without a reason, at any moment.
 * Defaults: CALLS=2 EARLY=1 LOOKS=1
 *
 * Invariants:
 *   PARK-M1  no wake-up is missed: no process sleeps once its word is SIGNALLED and the signaller has done all, and
 *       every process ends
 *   PARK-M2  no process touches a waiter that is gone: not the signaller, not a late reply, not a reader of the list
 *   PARK-M3  every call ends once, with one outcome, which is there when the wait is over; no wait is over before
 *   PARK-M4  a task is resumed once
 *
 * Not modelled: memory orderings; how long a caller spins (a look is a look); the replacement of a thread that sleeps
 * (pool.pml); what happens to the molecule (withdraw.pml); serving an executor while waiting.
 */

mtype = { GONE, WAITING, PARKED, SUSPENDED, SIGNALLED, NONE, REPLIED, TIMED_OUT, CANCELLED };

/* The waiter, the token of the current call, the list. */
mtype state = GONE, outcome = NONE, token = NONE;
bool continuation, noted, locked;

/* The kernel, and the caller's task. */
bool asleep, resumed;
byte early = EARLY;

/* Variables that only the proof uses. */
byte call, ended, signals;

#define TOUCH(c) assert(call == (c) && state != GONE) /* PARK-M2 */

inline lock() { d_step { !locked -> locked = true } }
inline unlock() { locked = false }

/* FUTEX_WAIT: sleeps only while the word is what was expected. */
inline sleep() {
  d_step {
#ifdef MUTATE_FUTEX_WITHOUT_COMPARE
    asleep = true
#else
    if
    :: state == PARKED -> asleep = true
    :: else
    fi
#endif
  }
}

inline signal(c, what) {
  d_step { TOUCH(c); outcome = what }
  d_step {
    TOUCH(c);
    before = state;
    state = SIGNALLED;
    signals++;
    assert(signals == 1) /* PARK-M3 */
  }
  if
  :: before == PARKED -> asleep = false /* the process that sleeps there now */
  :: before == SUSPENDED ->
     d_step { TOUCH(c); assert(continuation) } /* resume reads it */
     d_step { assert(!resumed); /* PARK-M4 */ resumed = true }
  :: else
  fi;
  before = NONE
}

/* Ends call c unless it has ended. */
inline claim(c, what) {
  d_step {
#ifdef MUTATE_NO_CLAIM
    ok = (call == c)
#else
    ok = (call == c && token == NONE);
#endif
    if :: ok -> token = what :: else fi
  }
  if
  :: ok -> signal(c, what)
  :: else
  fi;
  ok = false
}

/* Parks; `over`: signalled. */
inline park(deadline) {
#ifdef MUTATE_PARK_BY_STORE
  d_step { over = (state == SIGNALLED) }
  d_step { if :: !over -> state = PARKED :: else fi }
#else
  d_step {
    if
    :: state == WAITING -> state = PARKED
    :: state == SIGNALLED -> over = true
    :: else
    fi
  }
#endif
  do
  :: over -> break
  :: else ->
     if
     :: state == SIGNALLED -> over = true
     :: state != SIGNALLED && deadline ->
        break
     :: state != SIGNALLED ->
        sleep();
        if
        :: !asleep
        :: d_step { asleep && (deadline) -> asleep = false }
        :: d_step { asleep && early > 0 -> early--; asleep = false }
        fi;
     fi
  od;
  skip
}

inline begin() { lock(); noted = true; unlock() }
inline end() {
  lock(); noted = false; unlock()
}

proctype Call() {
  mtype before = NONE;
  bool ok, over;
  do
  :: call == CALLS -> break
  :: else ->
     d_step { call++; state = WAITING; outcome = NONE; token = NONE; signals = 0; continuation = false;
       resumed = false }
     if
     :: state == SIGNALLED /* while it looked */
     :: true -> /* a thread */
        begin();
        park(false);
        end()
     :: true -> /* a thread, with a deadline */
        begin();
        park(true);
        end();
        if
        :: !over ->
           claim(call, TIMED_OUT);
#ifndef MUTATE_LEAVE_AT_DEADLINE
           park(false)
#endif
        :: else
        fi
     :: true -> /* a task */
        begin();
#ifndef MUTATE_SUSPEND_FIRST
        continuation = true;
#endif
        d_step {
          ok = (state == SIGNALLED);
          if :: state == WAITING -> state = SUSPENDED :: else fi
        }
#ifdef MUTATE_SUSPEND_FIRST
        continuation = true;
#endif
        if
        :: ok -> d_step { ok = false; assert(!resumed); /* PARK-M4 */ resumed = true }
        :: else
        fi;
        resumed;
        end()
     fi;
     d_step { /* the outcome is taken, and the waiter is gone */
       assert(state == SIGNALLED && outcome != NONE && outcome == token); /* PARK-M3 */
       state = GONE; outcome = NONE; ended++; over = false
     }
  od
}

/* Replies to call c, or cancels it, at any time. */
proctype Signal(byte c; mtype what) {
  mtype before = NONE;
  bool ok;
  call >= c;
  claim(c, what)
}

proctype Look(byte many) {
  do
  :: many == 0 -> break
  :: else ->
     many--;
     lock();
     if
     :: noted ->
        assert(state != GONE); /* PARK-M2 */
        skip
     :: else
     fi;
     unlock()
  od
}

hidden byte i;

init {
  atomic {
    run Call();
    run Look(LOOKS);
    i = 1;
    do
    :: i <= CALLS -> run Signal(i, REPLIED); run Signal(i, CANCELLED); i++
    :: else -> break
    od
  }
  if
  :: _nr_pr == 1
  :: timeout -> assert(ended == CALLS) /* PARK-M1 */
  fi;
  assert(ended == CALLS && !asleep)
}
