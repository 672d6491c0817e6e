/* Quiet: a process that asks whether a soup is quiet reads counters, words and pending firings one after the other,
 * while other processes go on.
 *
 * There are two components. One has the reaction i & s, s a state, inline; its body may inject a j. The other has the
 * reaction j, on the pool; its body may inject an i. Each thread has a stripe of its own, with the number of injections
 * that it has entered and left.
 *
 * plain    inject_plain: if s is there, take it by CAS, and run. Nothing is counted, because s is away meanwhile.
 *          Adding s returns it. If that may enable something, the injection is counted from then on (run_on_counted),
 *          before it takes anything. If s is away, or inside a body: counted
 * counted  word_inject: enter, add, fire what is enabled, leave. When the CAS of a short one has failed, it begins
 *          again and goes on as entered
 * submit   crucible__submit: count the firing as pending, and give it to the pool, before the injection that reserved
 *     it leaves
 * run      crucible__run_pending: run the body, and only then count it as pending no more
 * ask      crucible_soup_is_quiet: read all `left`; the words: every state there, nothing enabled; the pending firings;
 *          all `entered`. It is quiet if the words and the firings are, and the two sums are equal
 *
 * Bounds: two threads inject i, I_P (2) and I_Q (0) times, and one injects j J_R (1) times; NESTS (1) injections by
 * bodies; one worker; one question, at any time.
 * Defaults: I_P=2 I_Q=0 J_R=1 NESTS=1
 *
 * Invariants:
 *   QUIET-M1  when the answer is "quiet", nothing that was in progress when the question began still is, nor a firing
 *       that resulted from it. A plain injection is in progress while it has the state
 *   QUIET-M2  once all has ended, the soup is quiet
 *   QUIET-M3  one state: in the word or with one body; everything is consumed
 *
 * Not modelled: memory orderings (all reads are acquires, so no effect is seen without its cause); threads that share
 * the stripe of the crowd; firings deferred to the own thread, or placed externally (both are pending); whether others
 * begin meanwhile, which quiet does not promise.
 */

/* The words: i and s; j. The stripes of P, Q, R and the worker. */
#define ONE_I 1
#define ONE_S 16
#define I(w) ((w) & 7)
#define S(w) (((w) >> 4) & 1)
#define ENABLED(w) (I(w) > 0 && S(w) > 0)
#define THREADS 4
#define WORKER 3
byte word = ONE_S, other, pending, queue, entered[THREADS], left[THREADS];

/* Variables that only the proof uses. In progress: how deep each thread is, and whether it has been since before the
   question; the pool's firings. */
byte progress[THREADS], oldFirings, newFirings, held, nests = NESTS;
bool old[THREADS];
hidden byte t;

inline begins() {
  if
  :: progress[me] == 0 -> old[me] = false
  :: else
  fi;
  progress[me]++
}

inline enter() { d_step { entered[me]++; begins() } }
inline leave() { d_step { left[me]++; progress[me]-- } }

inline fireI() { word = word - ONE_I - ONE_S; ok = true }

inline submit() {
#ifdef MUTATE_LEAVE_FIRST
  leave();
#endif
  d_step {
    pending++;
    if
    :: old[me] -> oldFirings++
    :: else -> newFirings++
    fi
  }
  queue++
}

/* Counted, perhaps inside a body. */
inline injectJ() {
  enter();
  other++;
  d_step { /* the adder fires it, whatever it finds */
    if
    :: other > 0 -> other--; fires = true
    :: else
    fi
  }
  if
  :: fires ->
     fires = false;
     submit()
#ifndef MUTATE_LEAVE_FIRST
     ; leave()
#endif
  :: else -> leave()
  fi
}

/* Runs the body, with s. */
inline body() {
  d_step { held++; assert(held == 1); /* QUIET-M3 */ }
  if
  :: d_step { nests > 0 -> nests-- } injectJ()
  :: true
  fi;
  held--
}

/* Runs bodies, and what their states enable, until nothing is enabled. */
inline runOn() {
  do
  :: !ok -> break
  :: else ->
     ok = false;
     body();
     word = word + ONE_S;
     d_step { if :: ENABLED(word) -> fireI() :: else fi }
  od;
  skip
}

inline countedI() {
  enter();
  d_step { if :: S(word) > 0 -> word = word - ONE_S; ok = true :: else fi }
  if
  :: ok
  :: else ->
     word = word + ONE_I;
     d_step { if :: ENABLED(word) -> fireI() :: else fi }
  fi;
  runOn();
  leave()
}

proctype InjectI(byte me; byte many) {
  bool ok, fires;
  do
  :: many == 0 -> break
  :: else ->
     many--;
     if
     :: true ->
        d_step { if :: S(word) > 0 -> word = word - ONE_S; begins(); ok = true :: else fi }
     :: true /* it has met contention lately */
     fi;
     if
     :: ok ->
        ok = false;
        body();
        d_step { ok = (I(word) > 0); word = word + ONE_S; progress[me]-- }
        if
        :: ok ->
           ok = false;
           enter();
           d_step { if :: ENABLED(word) -> fireI() :: else fi }
           runOn();
           leave()
        :: else
        fi
     :: else -> countedI()
     fi
  od
}

proctype InjectJ(byte me; byte many) {
  bool fires;
  do
  :: many == 0 -> break
  :: else -> many--; injectJ()
  od
}

proctype Work() {
  byte me = WORKER;
  bool ok, fires;
  do
  :: d_step {
       queue > 0 ->
       queue--;
       progress[me]++;
       if
       :: oldFirings > 0 -> oldFirings--; old[me] = true
       :: else -> newFirings--; old[me] = false
       fi
     }
#ifdef MUTATE_RUN_AFTER_PENDING
     pending--;
#endif
     if
     :: d_step { nests > 0 -> nests-- } countedI()
     :: true
     fi;
     d_step {
#ifndef MUTATE_RUN_AFTER_PENDING
       pending--;
#endif
       progress[me]--
     }
  :: queue == 0 && _nr_pr == 2 -> break
  od
}



/* `sum`: entered, less left. */
inline sumLeft() {
  do
  :: at < THREADS -> d_step { sum = sum - left[at]; at++ }
  :: else -> at = 0; break
  od
}

inline sumEntered() {
  do
  :: at < THREADS -> d_step { sum = sum + entered[at]; at++ }
  :: else -> at = 0; break
  od
}

inline words() {
#ifndef MUTATE_WITHOUT_WORD
  if
  :: S(word) == 0 || I(word) > 0 && S(word) > 0 -> goto busy
  :: else
  fi;
  if
  :: other > 0 -> goto busy
  :: else
  fi
#else
  skip
#endif
}

inline firings() {
  if
  :: pending > 0 -> goto busy
  :: else
  fi
}

proctype Ask() {
  short sum;
  byte at;
  bool isQuiet;
  d_step {
    t = 0;
    do
    :: t < THREADS -> old[t] = (progress[t] > 0); t++
    :: else -> break
    od;
    oldFirings = oldFirings + newFirings; newFirings = 0
  }
#ifdef MUTATE_ENTERED_FIRST
  sumEntered();
  words();
  firings();
  sumLeft();
#else
#ifdef MUTATE_PENDING_FIRST
  firings();
#endif
  sumLeft();
  words();
#ifndef MUTATE_PENDING_FIRST
  firings();
#endif
  sumEntered();
#endif
  skip;
  d_step {
    isQuiet = (sum == 0);
    assert(!isQuiet || oldFirings == 0); /* QUIET-M1 */
    t = 0;
    do
    :: t < THREADS -> assert(!isQuiet || progress[t] == 0 || !old[t]); t++
    :: else -> break
    od
  }
busy:
  skip;
  d_step { /* the proof asks no more */
    isQuiet = false; sum = 0; at = 0;
    newFirings = newFirings + oldFirings; oldFirings = 0;
    t = 0;
    do
    :: t < THREADS -> old[t] = false; t++
    :: else -> break
    od
  }
}

init {
  atomic {
    run Work();
    run InjectI(0, I_P);
#if I_Q > 0
    run InjectI(1, I_Q);
#endif
#if J_R > 0
    run InjectJ(2, J_R);
#endif
    run Ask()
  }
  _nr_pr == 1;
  d_step {
    assert(word == ONE_S && other == 0 && pending == 0 && queue == 0); /* QUIET-M2 */
    t = 0;
    do
    :: t < THREADS -> assert(entered[t] == left[t]); t++
    :: else -> break
    od;
    assert(held == 0) /* QUIET-M3 */
  }
}
