/* The pool: threads that run reserved firings, sleep, watch the slots, block, begin and end.
 *
 * Firings are in a queue, of which `ready` is the count (bag.pml has the queue), and in slots, one of each thread.
 * Threads do what those of pool.c do:
 *
 * add       Count the firing, then announce it: if no thread searches, make a thread if no thread sleeps and the crew
 *           is short, and wake one if one sleeps
 * wake      Unless `waking` was set already: advance the epoch, and wake one of the threads that sleep on it
 * put       Put the firing into the own slot, and add what was there. If no thread watches, announce
 * work      End if there are too many threads. Otherwise run what is in the own slot, or in the queue. Otherwise
 *           search, which is a look while counted as searching. Otherwise register as a sleeper. Until there is
 *           something: clear `waking`, read the epoch, look at the queue, end if there are too many threads, watch if
 *           no thread does, begin again if `waking` is set, and sleep while the epoch is the same
 * watch     Look at all slots, and take a firing that was not touched since the last look. If no slot was in use, stop
 *           watching, and look once more. A watcher sleeps only for a while
 * pass on   A process that was idle and found something, ends, or blocks. If there is more in the queue, announce it.
 *           Otherwise, if there are too many threads, wake one. Otherwise, if no thread watches and a slot is full, do
 *           as put
 * block     Count the thread in `blocked`, so that another one may replace it, and pass on. At the end count it no
 *     more, and if now there are too many threads, wake one
 * resize    Set `workers`, advance the epoch, wake all, and pass on
 *
 * `fresh` has a bit of each thread whose epoch is the one that it has read, so that the epoch needs no number.
 *
 * Bounds: THREADS threads (3) that may be made, of which WORKERS (1) should run at once. Two threads outside hand out
 * ADD_P and ADD_Q firings. Each goes into the queue, or with -DSLOTS into the own slot, from which the thread takes it
 * back at the end. A body runs to its end. BLOCKS of them block and declare it, and HIDES others wait undeclared (if
 * there are two workers), until all firings but such have ended. With -DSLOTS up to NESTS bodies of workers leave a
 * firing in their slot. With -DRESIZE `workers` is set to that number at any moment.
 * Defaults: THREADS=3 WORKERS=1 ADD_P=1 ADD_Q=1 BLOCKS=1 HIDES=0 NESTS=0
 *
 * Invariants:
 *   POOL-M1  once no process can go on, every firing has run: none is in the queue or in a slot while all threads sleep
 *       or block, and the processes that block have got all the help that is possible
 *   POOL-M2  a firing runs once; `ready` is never above what is in the queue
 *   POOL-M3  once no process can go on, no thread is surplus
 *
 * Not modelled: memory orderings; that the own slot comes second every so often; the limit, shortages and threads that
 * cannot be made; sleeps that end early; that a search looks often, not once; that a watcher wakes up by time alone.
 */

#ifdef SLOTS
#if ADD_Q > 0
#define OUTSIDE 2
#else
#define OUTSIDE 1
#endif
#if NESTS > 0
#define PLACES (OUTSIDE + THREADS) /* with slots: threads outside, then workers, if they use theirs */
#else
#define PLACES OUTSIDE
#endif
#endif

byte ready, sleepers, searching;
bool waking, watching;
byte threads, blocked, workers = WORKERS; /* the crew */
byte fresh, asleep, started;              /* sets of workers */
#ifdef SLOTS
/* sets of threads: those whose slot is full, and those whose slot was touched since the watcher's last look */
byte slots, moved;
#endif

/* Variables that only the proof uses. */
byte made, done, standing; /* firings; those of them that have ended; those whose bodies wait */
byte blocks = BLOCKS, hides = HIDES, nests = NESTS;

#define BIT(n) (1 << (n))
#define TOO_MANY(t) ((t) > workers + blocked)

/* Takes one off the queue: `got`. */
inline takeTask() { d_step { if :: ready > 0 -> ready--; got = true :: else fi } }

inline wakeOne() {
  if
  :: sleepers == 0
  :: else ->
#ifdef MUTATE_EPOCH_FIRST
     d_step { fresh = 0 }
#endif
     d_step { ok = !waking; waking = true }
     if
     :: ok ->
#ifndef MUTATE_EPOCH_FIRST
        fresh = 0;
#endif
        if /* any thread that the kernel chooses */
        :: d_step { (asleep & 1) -> asleep = asleep & ~1 }
        :: d_step { (asleep & 2) -> asleep = asleep & ~2 }
        :: d_step { (asleep & 4) -> asleep = asleep & ~4 }
        :: asleep == 0
        fi;
        ok = false
     :: else
     fi
  fi
}

/* The count of threads, then that of the processes that block. */
inline hireOne() {
  if
  :: sleepers > 0
  :: else ->
     d_step { t = threads }
     do
     :: t >= workers + blocked || t >= THREADS -> break
     :: else ->
        d_step {
          if
          :: threads == t ->
             threads++;
             t = 0;
             ok = true;
             do
             :: started & BIT(t) -> t++
             :: else -> break
             od;
             started = started | BIT(t)
          :: else -> t = threads
          fi
        }
        if
        :: ok -> ok = false; break
        :: else
        fi
     od;
     t = 0
  fi
}

inline announce() {
  if
  :: searching > 0
  :: else ->
     hireOne();
#ifndef MUTATE_ADD_WITHOUT_WAKE
     wakeOne()
#else
     skip
#endif
  fi
}

inline add() {
  ready++;
  announce()
}

#ifdef SLOTS
/* Puts a fresh firing into the slot of thread `place`. */
inline put(place) {
  d_step {
    moved = moved | BIT(place);
    made++
  }
  d_step { ok = (slots & BIT(place)) != 0; slots = slots | BIT(place) }
  if
  :: ok -> ok = false; add()
  :: else ->
#ifndef MUTATE_PUT_WITHOUT_WAKE
     if
     :: watching
     :: else -> hireOne(); wakeOne()
     fi
#else
     skip
#endif
  fi
}

/* Takes what is in the own slot: `got`. */
inline takeSlot(place) {
  if
  :: slots & BIT(place) ->
     moved = moved | BIT(place);
     d_step { if :: slots & BIT(place) -> slots = slots & ~BIT(place); got = true :: else fi }
  :: else
  fi
}

inline flush(place) {
  takeSlot(place);
  if
  :: got -> got = false; add()
  :: else
  fi
}

/* Looks at all slots: `got`, `inUse`. */
inline lookAtSlots() {
  k = 0;
  do
  :: k == PLACES || got -> break
  :: else ->
     d_step { ok = (moved & BIT(k)) != 0; moved = moved & ~BIT(k) } /* the beat, which is noted as seen */
     if
     :: slots & BIT(k) ->
        inUse = true;
        if
        :: !ok ->
           d_step { if :: slots & BIT(k) -> slots = slots & ~BIT(k); got = true :: else fi }
        :: else
        fi
     :: else -> d_step { if :: ok -> inUse = true :: else fi }
     fi;
     d_step { ok = false; k++ }
  od;
  k = 0
}
#endif

inline passOn() {
  if
  :: ready > 0 -> announce()
  :: else ->
     if
     :: TOO_MANY(threads) -> wakeOne()
     :: else ->
#ifdef SLOTS
        if
        :: !watching && slots != 0 -> hireOne(); wakeOne()
        :: else
        fi
#else
        skip
#endif
     fi
  fi
}

/* Waits for all firings but those whose bodies wait. */
inline stand() {
  standing++;
  made == done + standing;
  d_step { standing--; done++; assert(done <= made) } /* POOL-M2 */
}

/* Looks for something, and sleeps until there is: `got`, or there may be too many threads. */
inline sleepUntilNeeded() {
  sleepers++;
  do
  :: true ->
     waking = false;
     fresh = fresh | BIT(me);
     takeTask();
     if
     :: got -> break
     :: else
     fi;
     if
     :: TOO_MANY(threads) -> break
     :: else
     fi;
#ifdef SLOTS
     d_step { if :: !watcher && !watching -> watching = true; watcher = true :: else fi }
     if
     :: watcher ->
        lookAtSlots();
        if
        :: got -> break
        :: !got && inUse
        :: !got && !inUse ->
           watcher = false;
           watching = false;
           lookAtSlots();
           if
           :: got -> break
           :: else
           fi;
           if
           :: inUse -> inUse = false; goto again
           :: else
           fi
        fi;
        inUse = false
     :: else
     fi;
#endif
#ifndef MUTATE_SLEEP_WHILE_WAKING
     if
     :: waking -> goto again
     :: else
     fi;
#endif
#ifdef MUTATE_FUTEX_WITHOUT_COMPARE
     asleep = asleep | BIT(me);
#else
     d_step { if :: fresh & BIT(me) -> asleep = asleep | BIT(me) :: else fi }
#endif
  endAsleep:
     if
     :: (asleep & BIT(me)) == 0
#ifdef SLOTS
     :: d_step { watcher && (asleep & BIT(me)) -> asleep = asleep & ~BIT(me) }
#endif
     fi;
  again:
     skip
  od;
  skip;
  d_step {
    fresh = fresh & ~BIT(me)
#ifdef SLOTS
    ; inUse = false
#endif
  }
#ifdef SLOTS
  if
  :: watcher ->
     watcher = false;
     watching = false
  :: else
  fi;
#endif
  sleepers--;
  waking = false
}

proctype Worker(byte me) {
  bool got, ok, wasIdle;
  byte t;
#ifdef SLOTS
  byte k;
  bool watcher, inUse;
#endif
endNotMade:
  started & BIT(me);
  wasIdle = true;
  do
  :: t = threads;
     do
     :: !TOO_MANY(t) -> break
     :: else ->
        d_step {
          ok = (threads == t);
          if
          :: ok -> threads--; started = started & ~BIT(me) /* from here on the record can be used for a new thread */
          :: else -> t = threads
          fi
        }
        if :: ok -> break :: else fi
     od;
     if
     :: ok -> /* surplus: ends */
        d_step { ok = false; t = 0 }
#ifdef SLOTS
        flush(OUTSIDE + me);
#endif
#ifndef MUTATE_END_WITHOUT_LOOK
        passOn();
#endif
        wasIdle = false;
        goto endNotMade
     :: else -> t = 0
     fi;
#ifdef SLOTS
     takeSlot(OUTSIDE + me);
     if
     :: !got -> takeTask()
     :: else
     fi;
#else
     takeTask();
#endif
     if
     :: !got ->
        wasIdle = true;
        searching++;
        takeTask();
        searching--;
        if
        :: !got -> sleepUntilNeeded()
        :: else
        fi
     :: else
     fi;
     if
     :: got ->
        d_step { got = false }
        if
        :: wasIdle ->
           wasIdle = false;
           passOn()
        :: else
        fi;
        if
        :: d_step { blocks > 0 -> blocks-- }
#ifdef SLOTS
           flush(OUTSIDE + me);
#endif
           blocked++;
           passOn();
           stand();
           blocked--;
           if
           :: TOO_MANY(threads) -> wakeOne()
           :: else
           fi
#ifdef SLOTS
        :: d_step { nests > 0 -> nests-- }
           put(OUTSIDE + me);
           if
           :: done++
           :: d_step { blocks > 0 -> blocks-- }
              flush(OUTSIDE + me);
              blocked++;
              passOn();
              stand();
              blocked--;
              if
              :: TOO_MANY(threads) -> wakeOne()
              :: else
              fi
           :: d_step { hides > 0 && workers > 1 -> hides-- } stand()
           fi
#endif
        :: d_step { hides > 0 && workers > 1 -> hides-- } stand()
        :: d_step { done++; assert(done + standing <= made) } /* POOL-M2 */
        fi
     :: else
     fi
  od
}

proctype Inject(byte many; byte me) {
  bool got, ok;
  byte t;
  do
  :: many == 0 -> break
  :: else ->
     many--;
     if
     :: made++; add()
#ifdef SLOTS
     :: put(me);
        if
        :: true
        :: d_step { hides > 0 -> hides--; made++ } stand() /* in a body that waits, without declaring it */
        fi
#endif
     fi
  od;
#ifdef SLOTS
  takeSlot(me);
  if
  :: got -> done++
  :: else
  fi
#else
  skip
#endif
}

#ifdef RESIZE
proctype Resize() {
  bool ok;
  byte t;
  workers = RESIZE;
  fresh = 0;
  asleep = 0;
#ifndef MUTATE_RESIZE_WITHOUT_LOOK
  passOn()
#else
  skip
#endif
}
#endif

hidden byte i;

init {
  atomic {
    i = 0;
    do
    :: i < THREADS -> run Worker(i); i++
    :: else -> break
    od;
    run Inject(ADD_P, 0);
#if ADD_Q > 0
    run Inject(ADD_Q, 1);
#endif
#ifdef RESIZE
    run Resize()
#endif
  }
  timeout;
  assert(ready == 0 && standing == 0 && made == done); /* POOL-M1 */
#ifdef SLOTS
  assert(slots == 0);
#endif
  assert(!TOO_MANY(threads)) /* POOL-M3 */
}
