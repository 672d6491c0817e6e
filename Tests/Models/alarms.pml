/* Alarms: one thread calls functions at set moments (pool/alarms.c), and loses or doubles none.
 *
 * set      With the lock, put the alarm into the wheel, and lower `earliest` to its time. Then read `until`. If the
 *          alarm comes before it, exchange `until` for 0. If that was not 0, advance the epoch and wake the thread
 * cancel   With the lock, take the alarm out, if it is there
 * thread   While `earliest` is due: with the lock, take one alarm out, and advance `earliest`; without it, call the
 *          alarm's function. Otherwise note the epoch, store "for ever" in `until`, read `earliest` with the lock, and
 *          store it in `until`. Then sleep while the epoch is the same, at most until `earliest`
 *
 * Time is a number, which advances only while the thread sleeps with a limit. The futex is two steps, as in the kernel:
 * one compares and sleeps, the other wakes.
 *
 * Bounds: ALARMS alarms (2) in one wheel, each set by a process of its own, at times 1, 2, …; the first is cancelled.
 * Defaults: ALARMS=2
 *
 * Invariants:
 *   of ALARM-2: no alarm of the wheel comes before `earliest`
 *   of ALARM-3: no thread sleeps past an alarm; at the end each has gone off or was cancelled
 *   ONCE: an alarm goes off once or is cancelled, and not before its time
 *
 * Not modelled: memory orderings; levels and slots of a wheel; several wheels; fork.
 */

#define FOR_EVER 100

bool locked, asleep;
bool is_set[ALARMS], is_put[ALARMS], went_off[ALARMS], was_cancelled[ALARMS];
byte earliest = FOR_EVER, until = 0, epoch = 0, now = 0;

/* Alarm i goes off at i + 1. */
#define TIME(i) ((i) + 1)

inline lock() { d_step { !locked -> locked = true } }
inline unlock() { locked = false }

/* The first alarm in the wheel; ALARMS: none. */
inline find_first() {
  d_step {
    i = 0;
    do
    :: i < ALARMS && !is_set[i] -> i++
    :: else -> break
    od
  }
}

proctype Thread() {
  byte i, first, noted;
  do
  :: earliest <= now ->
     lock();
     find_first();
     if
     :: i < ALARMS && TIME(i) <= now ->
#ifndef MUTATE_TAKE_WITHOUT_LOCK
        is_set[i] = false;
#endif
        skip
     :: else -> d_step { earliest = (i < ALARMS -> TIME(i) : FOR_EVER); i = ALARMS }
     fi;
     unlock();
     if
     :: i < ALARMS ->
        is_set[i] = false;
        d_step { assert(!went_off[i] && !was_cancelled[i] && TIME(i) <= now); /* ONCE */ went_off[i] = true }
     :: else
     fi
  :: earliest > now ->
#if !defined(MUTATE_NOTE_EPOCH_LATE) && !defined(MUTATE_NOTE_EPOCH_SECOND)
     noted = epoch;
#endif
     until = FOR_EVER;
#ifdef MUTATE_NOTE_EPOCH_SECOND
     noted = epoch;
#endif
     lock();
     first = earliest;
     unlock();
#ifdef MUTATE_NOTE_EPOCH_LATE
     noted = epoch;
#endif
     until = first;
     if
     :: first > now ->
        d_step { if :: epoch == noted -> asleep = true :: else fi };
end_asleep:
        if
        :: !asleep
        :: d_step { asleep && first != FOR_EVER -> asleep = false; now = first }
        fi
     :: else
     fi;
     until = 0
  od
}

proctype Set(byte i) {
  byte before;
  lock();
  d_step { is_set[i] = true; is_put[i] = true }
#ifndef MUTATE_EARLIEST_STAYS
  d_step { if :: TIME(i) < earliest -> earliest = TIME(i) :: else fi };
#endif
  unlock();
  if
  :: TIME(i) < until ->
     d_step { before = until; until = 0 };
     if
#ifndef MUTATE_SET_WITHOUT_WAKE
     :: before != 0 ->
        epoch++;
        asleep = false
#endif
     :: else
     fi
  :: else
  fi
}

proctype Cancel(byte i) {
  bool was;
  is_put[i];
  lock();
  d_step { was = is_set[i]; is_set[i] = false };
  unlock();
  if
  :: was -> d_step { assert(!went_off[i]); /* ONCE */ was_cancelled[i] = true }
  :: else
  fi
}

init {
  byte i;
  atomic {
    run Thread();
    i = 0;
    do
    :: i < ALARMS -> run Set(i); i++
    :: else -> break
    od;
    run Cancel(0);
    i = 0
  }
  timeout;
  do
  :: i < ALARMS ->
     assert(went_off[i] != was_cancelled[i] && !is_set[i]); /* ALARM-3, ONCE */
     i++
  :: else -> break
  od
}
