/* The waiting list of a component: calls that bodies put back (matcher/waitlist.c).
 *
 * A call is served from a stock, which a state counts. A body that finds the stock empty puts its call back.
 *
 * serve    Take the oldest call that is in the bag or offered, and the state. Look at the stock. At the end, park the
 *          call, or count an event. Offer the parked calls that have not seen the last event. Return the state
 * fill     Take a molecule that fills the stock, and the state. Fill the stock. End in the same way
 * inject   Add a molecule that fills the stock, or, with BELL, fill it and add one that no reaction consumes. Count an
 *          event, and offer
 *
 * Invariants:
 *   WAITLIST-M1  at rest no call waits while there is something in stock (WAITLIST-3)
 *   WAITLIST-M2  a call is attempted at most once more than there are events (WAITLIST-4)
 *   WAITLIST-M3  calls are served in their order (WAITLIST-5); not with BELL, where the stock fills before the event
 *
 * Not modelled: tokens and their places, callers that give up, control, memory orderings.
 * Defaults: CALLS=2 FILLS=2 THREADS=2
 */

#define BAG 0
#define OUT 1
#define PARKED 2
#define OFFERED 3
#define SERVED 4

byte where[CALLS], seen[CALLS], attempts[CALLS];
byte events, fills, injected, served, stock, ended;
bool state = true, done;

inline offer(i) {
  i = 0;
  do
  :: i < CALLS ->
     if
     :: where[i] == PARKED && seen[i] != events -> where[i] = OFFERED
     :: else
     fi;
     i++
  :: else -> break
  od;
  i = 0
}

#define ready(c) (where[c] == BAG || where[c] == OFFERED)
#define over (done && fills == 0 && state && !ready(0) && !ready(CALLS - 1) && (CALLS < 3 || !ready(1)))

active [THREADS] proctype Thread() {
  byte c, i;
  bool back;
  do
  :: atomic {
       state && (ready(0) || ready(CALLS - 1) || (CALLS > 2 && ready(1))) ->
       state = false;
#ifdef MUTATE_NEWEST_FIRST
       c = CALLS - 1;
       do
       :: !ready(c) -> c--
       :: else -> break
       od;
#else
       c = 0;
       do
       :: !ready(c) -> c++
       :: else -> break
       od;
#endif
       where[c] = OUT;
       seen[c] = events;
       attempts[c]++;
       assert(attempts[c] <= 1 + 2 * FILLS + CALLS) /* WAITLIST-M2 */
     }
     back = stock == 0;
     if
     :: back
#ifdef BELL
     :: else -> stock--
#else
     :: else -> stock--; assert(served == c); served++ /* WAITLIST-M3 */
#endif
     fi;
     d_step {
#ifdef MUTATE_SEEN_AT_THE_END
       seen[c] = events;
#endif
       if
       :: back -> where[c] = PARKED
       :: else -> where[c] = SERVED
       fi;
#ifdef MUTATE_RETURN_IS_EVENT
       events++;
#else
       if
       :: back
       :: else -> events++
       fi;
#endif
       offer(i)
     }
     state = true
  :: atomic { state && fills > 0 -> state = false; fills-- }
     stock++;
     d_step {
#ifndef MUTATE_END_IS_NO_EVENT
       events++;
#endif
       offer(i)
     }
     state = true
  :: atomic { over -> break }
  od;
  ended++
}

active proctype Inject() {
  byte i;
  do
  :: injected < FILLS ->
#ifdef BELL
     atomic { stock++; injected++ }
#else
     atomic { fills++; injected++ }
#endif
     d_step {
       events++;
       offer(i)
     }
  :: else -> break
  od;
  done = true;
  atomic {
    ended == THREADS ->
    i = 0;
    do
    :: i < CALLS -> assert(where[i] == SERVED || stock == 0); i++ /* WAITLIST-M1 */
    :: else -> break
    od
  }
}
