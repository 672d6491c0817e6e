/* Combining: one thread at a time serves the requests of all (matcher/arrival/combiner.h).
 *
 * `pending` is the word of the combiner: IDLE, BUSY, or 2 + the thread whose request was enqueued last. Every thread
 * makes one request after another. A request is on the thread's stack, so each time in the same place.
 *
 * begin      CAS IDLE → BUSY: the thread combines, and serves its own request first
 * enqueue    Link the own request to `pending`, and CAS that to the own request. If it is idle meanwhile, do as in
 *            begin
 * wait       Look a few times (here: once). CAS the own answer NONE → ASLEEP, and sleep while it is ASLEEP
 * combine    Serve the list in hand: answer each request by an exchange, and wake its thread if it slept. CAS BUSY →
 *            IDLE. If that fails, exchange `pending` with BUSY, reverse the list, and go on. Or, after BOUND requests
 *            of others, hand the list over to the thread of the oldest, by its answer
 *
 * Bounds: THREADS (3) threads with REQUESTS (2) requests each; BOUND (1).
 * Defaults: THREADS=3 REQUESTS=2 BOUND=1
 *
 * Invariants:
 *   COMBINE-M1  every request is served once, before its thread goes on, and no thread waits for ever
 *   COMBINE-M2  one thread at a time serves
 *   COMBINE-M3  requests are served in the order in which they were enqueued
 *
 * Not modelled: memory orderings; what a request does.
 */

#define IDLE 0
#define BUSY 1
#define OF(t) ((t) + 2)
#define NOBODY 255

mtype = { none, asleep, served, handedOver };

byte pending = IDLE;
byte next[THREADS];
mtype reply[THREADS] = none;
bool sleeping[THREADS];
bool isServing;
/* Variables that only the proof uses. */
byte tickets, due, ticket[THREADS];
bool isDone[THREADS];

#define ENTER(t) ticket[t] = tickets; tickets++

inline serve(t) {
  d_step { assert(!isServing); isServing = true } /* COMBINE-M2 */
  d_step {
    assert(ticket[t] == due); /* COMBINE-M3 */
    due++;
    assert(!isDone[t]); /* COMBINE-M1 */
    isDone[t] = true;
    isServing = false
  }
}

inline answer(t, with) {
#ifdef MUTATE_WAKE_WITHOUT_EXCHANGE
  was = reply[t];
  reply[t] = with;
#else
  d_step { was = reply[t]; reply[t] = with }
#endif
  if
  :: was == asleep -> sleeping[t] = false
  :: else
  fi
}

inline takeAll() {
  d_step { at = pending; pending = BUSY }
  hand = NOBODY;
  do
  :: at == BUSY -> break
  :: else -> d_step { which = at - 2; at = next[which]; next[which] = (hand == NOBODY -> NOBODY : hand); hand = which }
  od
}

/* Serves `hand` and the requests after it. */
inline combine() {
  count = 0;
  do
  :: hand != NOBODY ->
#ifdef MUTATE_NEXT_AFTER_ANSWER
     which = hand;
     serve(which);
     answer(which, served);
     hand = next[which];
#else
     d_step { which = hand; hand = next[which] }
     serve(which);
     answer(which, served);
#endif
     if
     :: count < BOUND -> count++
     :: else
     fi
  :: else ->
#ifdef MUTATE_LEAVE_BY_STORE
     if
     :: pending == BUSY -> left = true; pending = IDLE
     :: else
     fi;
#else
     d_step { if :: pending == BUSY -> pending = IDLE; left = true :: else fi }
#endif
     if
     :: left -> left = false; break
     :: else ->
        takeAll();
        if
        :: count < BOUND
        :: else ->
#ifdef MUTATE_HAND_OVER_AND_LEAVE
           pending = IDLE;
#endif
           answer(hand, handedOver);
           hand = NOBODY;
           break
        fi
     fi
  od
}

proctype thread(byte me) {
  byte requests, at, which, count, hand;
  mtype was;
  bool left, combines;
  for (requests : 1 .. REQUESTS) {
    isDone[me] = false;
    reply[me] = none;
    at = pending;
    do
    :: next[me] = at;
       if
       :: d_step { at == IDLE && pending == IDLE -> pending = BUSY; ENTER(me); combines = true } -> break
       :: d_step { at != IDLE && pending == at -> pending = OF(me); ENTER(me) } -> break
       :: d_step { pending != at -> at = pending }
       fi
    od;
    hand = NOBODY;
    if
    :: combines
    :: else ->
       if
       :: reply[me] != none
       :: d_step { reply[me] == none -> reply[me] = asleep } ->
          do
          :: d_step { reply[me] == asleep -> sleeping[me] = true } -> (!sleeping[me])
          :: d_step { reply[me] != asleep -> sleeping[me] = false } -> break
          od
       fi;
       if
       :: reply[me] == handedOver -> combines = true; hand = next[me]
       :: else
       fi
    fi;
    if
    :: combines -> serve(me); combine(); combines = false
    :: else
    fi;
    /* COMBINE-M1 */
    d_step { assert(isDone[me]); at = 0; which = 0; count = 0; hand = 0; was = none; next[me] = 0; ticket[me] = 0 }
  }
}

init {
  byte t;
  atomic {
    for (t : 0 .. THREADS - 1) { run thread(t) }
  }
  (_nr_pr == 1);
  assert(pending == IDLE && due == THREADS * REQUESTS)
}
