/* Selects: calls on several names, of which at most one branch reacts (soup/select.c).
 *
 * Select 0 has a branch on name x of each of two soups, select 1 a branch on name y of each. f is an ordinary molecule.
 * Each soup has the reactions x & y, x & f and y & f: selects meet each other, and molecules in no select.
 *
 * call     For each branch, unless the select is decided: store an instance, count it, and fire what that enables. Note
 *          where the instance is, then look at the cell. If it is decided, this process or the one that decided
 *          withdraws the instance, as `stage` says
 * fire     Pop one molecule of every input. Then decide the cells of all selects among them, or none. If that succeeds,
 *          run the body, and withdraw the other instances. If not, drop the branches whose cells are decided, and put
 *          back the rest: a branch as a new instance
 * give up  Decide the cell for the caller, and withdraw all instances
 * stop     Drop the waiting molecules of a soup, and refuse new ones. A branch that is dropped leaves its select, and
 *          the last branch ends it
 *
 * The decision of several cells is one step here (see Tests/Schedules/changes.c). So is the withdrawal of a counted
 * instance (see withdraw.pml). An instance that is reserved stays: its firing finds the select decided.
 *
 * Bounds: two selects of two branches; two soups; F ordinary molecules in each; RUNNERS processes that run reserved
 * firings; select 0 may give up with -DGIVE_UP; soup 1 stops with -DSTOP, and soup 0 with -DSTOP=2.
 * Defaults: F=1 RUNNERS=1
 *
 * Invariants:
 *   SELECT-M1  a cell changes once; a body runs with a branch only if its cell is decided for that branch, and once
 *   SELECT-M2  at rest nothing is enabled in a soup that is not stopped
 *   SELECT-M3  at rest no instance of a decided select waits
 *   SELECT-M4  conservation: ordinary molecules are counted, consumed or dropped; what is counted is in the bag
 *   SELECT-M5  at rest an open select has a branch that waits, or that could not be injected any more
 *   SELECT-M6  a body ran with the branch for which a cell is decided
 *   SELECT-M7  no process spins: a branch is put back at most as often as it meets a decided one
 *
 * Not modelled: memory orderings, states, where a firing runs, the inside of bags, the end of memory.
 */

#define OPEN 0
#define GIVEN_UP 1
#define ENDED 2
#define DECIDED_FOR 3 /* and the soup */

#define NOT_STORED 0
#define STORED 1
#define TAKEN 2

#define UNKNOWN 0
#define KNOWN 1
#define LEFT 2

#define INSTANCES 3
/* Instance n of select s in soup k. */
#define AT(s, k, n) (((s) * 2 + (k)) * INSTANCES + (n))
#define BRANCH(s, k) ((s) * 2 + (k))

byte cell[2];
byte remaining[2] = 2;       /* branches that may still react */
byte bodies[4], used[4];     /* for each branch; instances that were made */
byte slot[12], stage[12];    /* for each instance */
byte counted[6];             /* by soup * 3 + name: x is select 0, y is select 1, f is 2 */
byte pending[6];             /* by soup * 3 + reaction: x & y, x & f, y & f */
byte done[2], dropped[2];    /* of f */
bool stopped[2], refused[4];

#define COUNT(k, name) counted[(k) * 3 + (name)]
#define LOCALS byte k, n, i; bool won, first, second

/* Reserves one enabled reaction, if any; any one of them. */
inline reserve(k) {
  if
  :: COUNT(k, 0) > 0 && COUNT(k, 1) > 0 && !stopped[k] -> COUNT(k, 0)--; COUNT(k, 1)--; pending[(k) * 3]++
  :: COUNT(k, 0) > 0 && COUNT(k, 2) > 0 && !stopped[k] -> COUNT(k, 0)--; COUNT(k, 2)--; pending[(k) * 3 + 1]++
  :: COUNT(k, 1) > 0 && COUNT(k, 2) > 0 && !stopped[k] -> COUNT(k, 1)--; COUNT(k, 2)--; pending[(k) * 3 + 2]++
  :: else
  fi
}

#ifdef MUTATE_PUT_BACK_WITHOUT_SETTLING
#define SETTLE_AFTER_PUT_BACK(k) skip
#else
#define SETTLE_AFTER_PUT_BACK(k) reserve(k)
#endif

inline leave(s) {
  d_step {
    remaining[s]--;
    if
    :: remaining[s] == 0 && cell[s] == OPEN -> cell[s] = ENDED
    :: else
    fi
  }
}

/* Takes an instance that is counted. */
inline withdraw(s, k, n) {
  d_step {
    if
    :: slot[AT(s, k, n)] == STORED && COUNT(k, s) > 0 -> slot[AT(s, k, n)] = TAKEN; COUNT(k, s)--
    :: else
    fi
  }
}

/* Withdraws, after a decision, every instance except the consumed one. */
inline endAll(s) {
  i = 0;
  do
  :: i < 2 * INSTANCES ->
     first = false;
     d_step {
       if
       :: (i % INSTANCES) < used[BRANCH(s, i / INSTANCES)] ->
          first = (stage[AT(s, i / INSTANCES, i % INSTANCES)] == KNOWN);
          stage[AT(s, i / INSTANCES, i % INSTANCES)] = LEFT
       :: else
       fi
     }
     if
     :: first -> withdraw(s, i / INSTANCES, i % INSTANCES)
     :: else
     fi;
     i++
  :: else -> break
  od;
  skip;
  d_step { i = 0; first = false }
}

inline note(s, k, n) {
  d_step {
    first = (stage[AT(s, k, n)] == UNKNOWN);
    if :: first -> stage[AT(s, k, n)] = KNOWN :: else fi
  }
  if
  :: !first -> withdraw(s, k, n)
  :: first && cell[s] != OPEN ->
     d_step { second = (stage[AT(s, k, n)] == KNOWN); stage[AT(s, k, n)] = LEFT }
     if
     :: second -> withdraw(s, k, n)
     :: else
     fi
  :: else
  fi;
  d_step { first = false; second = false }
}

/* Drops or puts back what a firing took of a name whose select is s. */
inline back(s, k) {
  if
  :: cell[s] == OPEN ->
     d_step {
       assert(used[BRANCH(s, k)] < INSTANCES); /* SELECT-M7 */
       n = used[BRANCH(s, k)];
       used[BRANCH(s, k)]++
     }
     atomic {
       if
       :: stopped[k] -> slot[AT(s, k, n)] = TAKEN; leave(s)
       :: else ->
          slot[AT(s, k, n)] = STORED;
          COUNT(k, s)++;
          SETTLE_AFTER_PUT_BACK(k)
       fi
     }
     note(s, k, n)
  :: else
  fi;
  n = 0
}

/* Takes any stored instance: the reservation promises one. */
inline pop(s, k) {
  d_step {
    n = 0;
    do
    :: n < INSTANCES && slot[AT(s, k, n)] != STORED -> n++
    :: else -> break
    od;
    assert(n < INSTANCES); /* SELECT-M4 */
    slot[AT(s, k, n)] = TAKEN;
    n = 0
  }
}

inline body(s, k) {
  d_step {
    assert(cell[s] == DECIDED_FOR + k && bodies[BRANCH(s, k)] == 0 && bodies[BRANCH(s, 1 - k)] == 0); /* SELECT-M1 */
    bodies[BRANCH(s, k)]++
  }
}

/* x & y */
inline fireBoth(k) {
  pop(0, k);
  pop(1, k);
  d_step {
    if
    :: cell[0] == OPEN && cell[1] == OPEN -> cell[0] = DECIDED_FOR + k; cell[1] = DECIDED_FOR + k; won = true
    :: else
    fi
  }
  if
  :: won -> won = false; body(0, k); body(1, k); endAll(0); endAll(1)
  :: else -> back(0, k); back(1, k)
  fi
}

/* Runs a reaction with f. */
inline fireOne(s, k) {
  pop(s, k);
#ifdef MUTATE_DECIDE_BY_STORE
  d_step { cell[s] = DECIDED_FOR + k; won = true }
#else
  d_step { if :: cell[s] == OPEN -> cell[s] = DECIDED_FOR + k; won = true :: else fi }
#endif
  if
  :: won -> won = false; done[k]++; body(s, k); endAll(s)
  :: else ->
     back(s, k);
     atomic {
       if
       :: stopped[k] -> dropped[k]++
       :: else -> COUNT(k, 2)++; SETTLE_AFTER_PUT_BACK(k)
       fi
     }
  fi
}

#define FIRINGS (pending[0] + pending[1] + pending[2] + pending[3] + pending[4] + pending[5])

byte running = 0, acting;

proctype Runner() {
  LOCALS;
end:
  do
  :: atomic { pending[0] > 0 -> pending[0]--; running++ } fireBoth(0); running--
  :: atomic { pending[3] > 0 -> pending[3]--; running++ } fireBoth(1); running--
  :: atomic { pending[1] > 0 -> pending[1]--; running++ } fireOne(0, 0); running--
  :: atomic { pending[4] > 0 -> pending[4]--; running++ } fireOne(0, 1); running--
  :: atomic { pending[2] > 0 -> pending[2]--; running++ } fireOne(1, 0); running--
  :: atomic { pending[5] > 0 -> pending[5]--; running++ } fireOne(1, 1); running--
  :: FIRINGS + running + acting == 0 -> break
  od
}

proctype Caller(byte me) {
  LOCALS;
  do
  :: k == 2 || cell[me] != OPEN -> break
  :: else ->
     used[BRANCH(me, k)] = 1;
     atomic {
       if
       :: stopped[k] -> refused[BRANCH(me, k)] = true; slot[AT(me, k, 0)] = TAKEN; leave(me)
       :: else -> slot[AT(me, k, 0)] = STORED; COUNT(k, me)++; reserve(k)
       fi
     }
     note(me, k, 0);
     k++
  od;
#ifdef GIVE_UP
  if
  :: me == 0 ->
     d_step { if :: cell[0] == OPEN -> cell[0] = GIVEN_UP; won = true :: else fi }
     if
     :: won -> endAll(0)
     :: else
     fi
  :: else
  fi;
#endif
  acting--
}

proctype Inject(byte k) {
  byte i;
  do
  :: i < F ->
     i++;
     atomic {
       if
       :: stopped[k] -> dropped[k]++
       :: else -> COUNT(k, 2)++; reserve(k)
       fi
     }
  :: else -> break
  od;
  acting--
}

#ifdef STOP
proctype Stop(byte k) {
  byte n;
  bool first, second;
  atomic {
    stopped[k] = true;
    dropped[k] = dropped[k] + COUNT(k, 2);
    COUNT(k, 2) = 0;
    first = (COUNT(k, 0) > 0);
    second = (COUNT(k, 1) > 0);
    COUNT(k, 0) = 0;
    COUNT(k, 1) = 0;
    if :: first -> pop(0, k) :: else fi;
    if :: second -> pop(1, k) :: else fi
  }
  if :: first -> leave(0) :: else fi;
  if :: second -> leave(1) :: else fi;
  acting--
}
#endif

#define WAITS(s, k) (slot[AT(s, k, 0)] == STORED || slot[AT(s, k, 1)] == STORED || slot[AT(s, k, 2)] == STORED)

init {
  byte s, k;
  atomic {
    acting = 4;
#ifdef STOP
    acting++;
    run Stop(1);
#if STOP > 1
    acting++;
    run Stop(0);
#endif
#endif
    run Caller(0);
    run Caller(1);
    run Inject(0);
    run Inject(1);
    run Runner();
#if RUNNERS > 1
    run Runner();
#endif
  }
  (_nr_pr == 1);
  d_step {
    s = 0; k = 0;
    do
    :: k < 2 ->
       assert(stopped[k] || (COUNT(k, 0) > 0) + (COUNT(k, 1) > 0) + (COUNT(k, 2) > 0) < 2); /* SELECT-M2 */
       assert(COUNT(k, 2) + done[k] + dropped[k] == F); /* SELECT-M4 */
       k++
    :: else -> break
    od;
    do
    :: s < 2 ->
       k = 0;
       do
       :: k < 2 ->
          assert(COUNT(k, s) == WAITS(s, k)); /* SELECT-M4 */
          assert(cell[s] == OPEN || !WAITS(s, k)); /* SELECT-M3 */
          assert(cell[s] != OPEN || WAITS(s, k) || stopped[k]); /* SELECT-M5 */
          assert((cell[s] == DECIDED_FOR + k) == bodies[BRANCH(s, k)]); /* SELECT-M6 */
          k++
       :: else -> break
       od;
       s++
    :: else -> break
    od
  }
}
