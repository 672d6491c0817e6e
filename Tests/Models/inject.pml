/* Injection and matching on the state word.
 *
 * The word holds for each name the count of its available molecules, two bits here, under a guard bit. Reaction r needs
 * NEED(r). It is enabled exactly when ((w | GUARDS(r)) - NEED(r)) & GUARDS(r) == GUARDS(r). One CAS from w to w -
 * NEED(r) reserves one molecule of each of its inputs. Names a, b, s; reactions a & s (0) and b & s (1), which compete
 * for s.
 *
 * add-first  Publish the molecule in its bag, add its count to the word, then follow the rule of adding: leave only
 *            after reading a word, later than the addition, in which no reaction over the added name is enabled. Until
 *            then try to fire one.
 * CAS-first  If the word shows that the molecule completes a reaction, and then the name's bag is empty, CAS the other
 *            inputs away. The own molecule is never stored. Otherwise add-first.
 *
 * The process must ask the bag whether it is empty. A count of zero does not show it (MUTATE_CAS_FIRST_BY_COUNT). A pop
 * takes the oldest published molecule, which may be another process's that is not counted yet. Then the own older
 * molecule still waits although its count is gone. Bags are first-in first-out queues here, whose push and pop are one
 * step each (bag.pml).
 *
 * Bounds: three processes, seven molecules: P injects a, a; Q injects a, b; R injects s, then two s with one addition.
 * With -DREPEAT reaction 0 takes two of a, and P injects a three times, Q once, R s twice. Each injection goes either
 * way. Any number of the processes may stop for good before any step, also in a body (a body may never return).
 *
 * Invariants:
 *   INJECT-M1  a pop, which comes only after a reservation, finds a molecule; each molecule is consumed at most once
 *   INJECT-M2  conservation at rest, for each name: injected = waiting + consumed, and waiting = counted + published
 *       but not counted by stopped processes + reserved but not popped by stopped processes
 *   INJECT-M3  at rest no reaction is enabled, once the counts are deducted that stopped processes had added and not
 *       yet followed up. A process that stops in a body has no such counts
 *   INJECT-M4  nothing overtakes an older molecule of the same name from the same injector
 *
 * Not modelled: memory orderings, full fields (spill.pml), the inside of bags, states, pause and stop, withdrawal.
 */

#define A 0
#define B 1
#define S 2

#define ONE(n) (1 << (4 * (n)))
#define GUARD(n) (8 << (4 * (n)))
#define COUNT(w, n) (((w) >> (4 * (n))) & 7)

/* Reaction r takes one of name r and one of name S; with -DREPEAT two of name A. */
#ifdef REPEAT
#define TIMES(n) ((n) == A -> 2 : 1)
#else
#define TIMES(n) 1
#endif
#define NEED(r) (TIMES(r) * ONE(r) + ONE(S))
#define GUARDS(r) (GUARD(r) + GUARD(S))
#define ENABLED(w, r) (((((w) | GUARDS(r)) - NEED(r)) & GUARDS(r)) == GUARDS(r))
#define OVER(n, r) ((n) == (r) || (n) == S)

short word;

/* Bags: values wait[4n], wait[4n + 1], … in the order of publication. Process _pid injects values from 4 _pid on. */
byte wait[12], waiting[3];

/* Variables that only the proof uses. */
byte injected[3], consumed[3], owed[3], uncounted[3], unpopped[3];
bool wasConsumed[16];
hidden short rest;

/* The process may stop here for good. */
#ifdef MUTATE_COUNT_BEFORE_PUBLISHING
#define STEP skip
#else
#define STEP if :: true :: goto stopped fi
#endif

inline injectedBy(n, k) { injected[n] = injected[n] + k; missing = k }

inline publish(n, value) {
  d_step { wait[4 * n + waiting[n]] = value; waiting[n]++ }
}

inline pop(n) {
  d_step {
    assert(waiting[n] > 0); /* INJECT-M1 */
    assert(!wasConsumed[wait[4 * n]]);
    wasConsumed[wait[4 * n]] = true;
    consumed[n]++;
    wait[4 * n] = wait[4 * n + 1]; wait[4 * n + 1] = wait[4 * n + 2]; wait[4 * n + 2] = wait[4 * n + 3];
    wait[4 * n + 3] = 0;
    waiting[n]--
  }
}

/* Whether an older value of this process waits under name n. */
#define OLDER(i) (waiting[name] > (i) && wait[4 * name + (i)] / 4 == _pid)

/* Fires while a reaction over `name` is enabled. The reserved molecules stay in have[]; bodies run later. */
inline settle() {
  do
  :: STEP;
     seen = word;
     if
     :: OVER(name, 0) && ENABLED(seen, 0) -> r = 0
     :: OVER(name, 1) && ENABLED(seen, 1) -> r = 1
     :: !(OVER(name, 0) && ENABLED(seen, 0)) && !(OVER(name, 1) && ENABLED(seen, 1)) -> break
     fi;
     STEP;
     d_step {
#ifdef MUTATE_FIRE_WITHOUT_CAS
       ok = true; word = word - NEED(r);
#else
       ok = (word == seen);
       if :: ok -> word = seen - NEED(r) :: else fi;
#endif
       if :: ok -> have[r] = have[r] + TIMES(r); have[S]++; debt = (debt > 0 -> debt - 1 : 0) :: else fi;
       seen = 0; r = 0
     }
#ifdef MUTATE_LEAVE_AFTER_FAILED_CAS
     if :: !ok -> break :: else fi;
#endif
#ifdef MUTATE_FIRES_ONE
     if :: ok -> break :: else fi;
#endif
#ifdef MUTATE_BODY_BEFORE_SETTLED
     if :: ok -> d_step { late = debt; debt = 0 } body(); d_step { debt = late; late = 0 } :: else fi;
#endif
     ok = false
  od;
  skip;
  d_step { seen = 0; ok = false; debt = 0 }
}

/* Pops the reserved molecules and runs the bodies. */
inline body() {
  do
  :: have[A] > 0 -> STEP; pop(A); have[A]--
  :: have[A] == 0 && have[B] > 0 -> STEP; pop(B); have[B]--
  :: have[A] == 0 && have[B] == 0 && have[S] > 0 -> STEP; pop(S); have[S]--
  :: have[A] == 0 && have[B] == 0 && have[S] == 0 -> break
  od;
  STEP
}

/* one of `name`, then `many` of `second` with one addition */
proctype Injector(byte name; byte second; byte many; byte count) {
  byte value, last, r, debt, missing, late;
  byte have[3];
  short seen;
  bool ok, bare;

  value = 4 * _pid;
  last = value + count;
  d_step { injectedBy(name, 1) }
  do
  :: STEP;
     if
     :: true -> goto addFirst
     :: value == 4 * _pid || many == 1
     fi;

     /* CAS-first */
  tryAgain:
     STEP;
     seen = word;
     if
     :: OVER(name, 0) && ENABLED(seen + ONE(name), 0) -> r = 0
     :: OVER(name, 1) && ENABLED(seen + ONE(name), 1) -> r = 1
     :: !(OVER(name, 0) && ENABLED(seen + ONE(name), 0)) && !(OVER(name, 1) && ENABLED(seen + ONE(name), 1)) ->
        goto addFirst
     fi;
#ifdef MUTATE_CAS_FIRST_BY_COUNT
     if
     :: COUNT(seen, name) > 0 -> goto addFirst
     :: else
     fi;
#else
     STEP;
     bare = (waiting[name] == 0);
     if
     :: !bare -> goto addFirst
     :: else
     fi;
#endif
     STEP;
     d_step {
       ok = (word == seen);
       if
       :: ok ->
         word = seen + ONE(name) - NEED(r);
         assert(!OLDER(0) && !OLDER(1) && !OLDER(2) && !OLDER(3)); /* INJECT-M4 */
         assert(!wasConsumed[value]);
         wasConsumed[value] = true;
         consumed[name]++; missing--;
         have[r] = have[r] + TIMES(r); have[S]++;
#ifdef MUTATE_OWN_FOR_EACH
         have[name] = have[name] - TIMES(name);
#else
         have[name]--;
#endif
         value++
       :: else
       fi;
       r = 0; seen = 0
     }
     if
     :: !ok -> goto tryAgain
     :: else
     fi;
     d_step { ok = false; bare = false }
     goto react;

  addFirst:
     skip;
     d_step { r = 0; seen = 0; ok = false; bare = false }
#ifdef MUTATE_COUNT_BEFORE_PUBLISHING
     word = word + missing * ONE(name);
#endif
     do
     :: debt < missing -> STEP; publish(name, value); d_step { value++; debt++ }
     :: else -> break
     od;
     STEP;
#ifdef MUTATE_DECIDE_BEFORE_ADDING
     ok = ENABLED(word, 0) || ENABLED(word, 1);
     STEP;
#endif
#ifdef MUTATE_COUNT_BEFORE_PUBLISHING
     missing = 0;
#else
     d_step { word = word + missing * ONE(name); missing = 0 }
#endif
#ifdef MUTATE_DECIDE_BEFORE_ADDING
     if
     :: !ok -> debt = 0; goto react
     :: else
     fi;
#endif
     settle();

  react:
     body();
     if
     :: value == last -> break
     :: else -> d_step { name = second; injectedBy(name, many) }
     fi
  od;
  goto end;

stopped:
  /* A process that stops before the addition leaves published molecules uncounted. After it, until the rule of adding
   * is met, it owes the firings that its addition may have enabled. From a reservation on, what it has reserved is its
   * own. */
  skip;
  d_step {
    if
    :: missing > 0 -> injected[name] = injected[name] - (missing - debt); uncounted[name] = uncounted[name] + debt
    :: else -> owed[name] = owed[name] + debt
    fi;
    unpopped[A] = unpopped[A] + have[A]; unpopped[B] = unpopped[B] + have[B]; unpopped[S] = unpopped[S] + have[S]
  }
end:
  skip
}

#define LESS(n) (COUNT(word, n) > owed[n] -> COUNT(word, n) - owed[n] : 0)

inline conserved(n) {
  assert(injected[n] == waiting[n] + consumed[n]); /* INJECT-M2 */
  assert(waiting[n] == COUNT(word, n) + uncounted[n] + unpopped[n])
}

init {
  atomic {
#ifdef REPEAT
    run Injector(A, A, 1, 3);
    run Injector(A, A, 1, 1);
    run Injector(S, S, 1, 2)
#else
    run Injector(A, A, 1, 2);
    run Injector(A, B, 1, 2);
    run Injector(S, S, 2, 3)
#endif
  }
  _nr_pr == 1;
  d_step {
    conserved(A); conserved(B); conserved(S);
    rest = LESS(A) * ONE(A) + LESS(B) * ONE(B) + LESS(S) * ONE(S);
    assert(!ENABLED(rest, 0) && !ENABLED(rest, 1)) /* INJECT-M3 */
  }
}
