/* The life of a soup: which references keep its contents and its shell, and what the last holder does.
 *
 * `holds` counts owners, and above them the firings that are reserved for the pool (PENDING each). `shell` counts the
 * references that may still ask the soup whether it lives: every handle has one, and the contents have one. Reaction a
 * & b, on the pool; its body may inject an a.
 *
 * own      An owner injects without a hold, because it outlives the call. Then it releases its hold, and its handle
 * unowned  hold_and_inject: take a hold (crucible_soup_hold: unless there is none, add one by CAS), inject, release.
 *          Refused: the soup is gone. A body that injects into its own soup takes none (crucible__runs_in), because its
 *          firing holds the soup
 * inject   Publish, add, fire by CAS. crucible__submit: count the firing as pending, and only then give it to the pool
 * run      crucible__run_pending: take the molecules, run the body, release PENDING
 * release  crucible__soup_release_holds: subtract. A process that reaches 0 destroys the contents: it takes the soup
 *          off the registry, under its lock, destroys the waiting molecules, and releases the contents' reference to
 *          the shell. The last reference frees the shell
 * all      crucible_all_soups: under the registry's lock, take a hold of the soup if it is there
 *
 * Bounds: one owner, which injects a and b; UNOWNED (1) processes that do not own, which inject b, or a, TIMES (2)
 * times; BODIES (1) bodies may inject; one process that asks for all soups, LISTS (1) times; a pool of two.
 * Defaults: UNOWNED=1 TIMES=2 BODIES=1 LISTS=1
 *
 * Invariants:
 *   LIFE-M1  no process touches contents that are gone, whichever process injects, fires or runs
 *   LIFE-M2  no process touches a shell that is freed
 *   LIFE-M3  the contents are destroyed once, the shell is freed once, when no holder is left; and not later
 *   LIFE-M4  a soup that is gone stays gone: an injector that was refused once is refused again
 *   LIFE-M5  every reserved firing runs; at the end injected = consumed + destroyed with the soup
 *
 * Not modelled: memory orderings; firings that are placed externally, which have holds as those of the pool do;
 * deferred ones (pool.pml); chains of soups that own each other, which one thread destroys one after the other.
 */

#define PENDING 16
#ifdef MUTATE_CONTENTS_WITHOUT_SHELL
byte shell = 1 + UNOWNED;
#else
byte shell = 1 + 1 + UNOWNED;
#endif
byte holds = 1;
bool isListed = true, locked;

byte word, waiting[2], queue; /* the word: two bits of each name; what the pool has to run */
#define ONE(n) (1 << (4 * (n)))
#define COUNT(w, n) (((w) >> (4 * (n))) & 15)
#define ENABLED(w) (COUNT(w, 0) > 0 && COUNT(w, 1) > 0)

/* Variables that only the proof uses. */
bool contents = true, memory = true;
byte destroyed, freed, injected, consumed, dropped, bodies = BODIES;

#define USE assert(contents && memory) /* LIFE-M1 */
#define ASK assert(memory) /* LIFE-M2 */

#define LOCALS byte seen; bool ok

/* `ok`: a hold was taken. */
inline hold() {
#ifdef MUTATE_HOLD_BY_ADDING
  d_step { ASK; seen = holds; holds++ }
  if
  :: seen == 0 -> d_step { ASK; holds-- }
  :: else -> ok = true
  fi;
  seen = 0
#else
  d_step { ASK; seen = holds }
  do
#ifndef MUTATE_HOLD_THE_DEAD
  :: seen == 0 -> break
  :: seen != 0 ->
#else
  :: true ->
#endif
     d_step { ASK; if :: holds == seen -> holds++; ok = true :: else -> seen = holds fi }
     if
     :: ok -> break
     :: else
     fi
  od;
  seen = 0
#endif
}

inline releaseShell() {
  d_step {
    ASK;
    shell--;
    if
    :: shell == 0 -> memory = false; freed++
    :: else
    fi
  }
}

inline delist() {
  d_step { !locked -> ASK; isListed = false }
}

inline destroy() {
#ifndef MUTATE_DELIST_LAST
  delist();
#endif
  d_step { USE; contents = false; destroyed++; dropped = waiting[0] + waiting[1]; waiting[0] = 0; waiting[1] = 0;
    word = 0 }
#ifndef MUTATE_CONTENTS_WITHOUT_SHELL
  releaseShell()
#endif
#ifdef MUTATE_DELIST_LAST
  ; delist()
#endif
}

inline letGo(n) {
#ifdef MUTATE_LET_GO_BY_LOAD
  d_step { ASK; seen = holds }
  d_step { ASK; holds = seen - n; ok = (holds == 0); seen = 0 }
#else
  d_step { ASK; holds = holds - n; ok = (holds == 0) }
#endif
  if
  :: ok -> ok = false; destroy()
  :: else
  fi
}

/* Injects one molecule of name n. */
inline inject(n) {
  d_step { USE; waiting[n]++; injected++ }
  d_step { USE; word = word + ONE(n) }
  d_step {
    USE;
    if
    :: ENABLED(word) -> word = word - ONE(0) - ONE(1); ok = true
    :: else
    fi
  }
  if
  :: ok ->
     ok = false;
#ifdef MUTATE_PENDING_LATE
     queue++;
#endif
#ifndef MUTATE_SUBMIT_WITHOUT_HOLD
     d_step { ASK; holds = holds + PENDING }
#endif
#ifndef MUTATE_PENDING_LATE
     queue++
#endif
  :: else
  fi;
  ASK /* leaves its stripe */
}

proctype Own() {
  LOCALS;
  inject(0);
  inject(1);
  letGo(1);
  releaseShell()
}

proctype Unowned(byte n) {
  LOCALS;
  byte many = TIMES;
  bool wasRefused;
  do
  :: many == 0 -> break
  :: else ->
     many--;
     hold();
     if
     :: ok ->
        ok = false;
        assert(!wasRefused); /* LIFE-M4 */
        inject(n);
        letGo(1)
     :: else -> wasRefused = true
     fi
  od;
  releaseShell()
}

/* Looks at the soups of the registry. */
proctype All() {
  LOCALS;
  byte many = LISTS;
  do
  :: many == 0 -> break
  :: else ->
     many--;
     d_step { !locked -> locked = true }
     if
     :: isListed -> hold()
     :: else
     fi;
     locked = false;
     if
     :: ok -> ok = false; d_step { USE } letGo(1)
     :: else
     fi
  od
}

/* The pool. It may run as long as another process is there. */
proctype Work() {
  LOCALS;
  do
  :: d_step { queue > 0 -> queue-- }
#ifdef MUTATE_LET_GO_FIRST
     letGo(PENDING);
#endif
     d_step { USE; waiting[0]--; waiting[1]--; consumed = consumed + 2 }
     if
     :: d_step { bodies > 0 -> bodies-- } inject(0)
     :: true
     fi;
#if !defined(MUTATE_SUBMIT_WITHOUT_HOLD) && !defined(MUTATE_LET_GO_FIRST)
     letGo(PENDING)
#endif
  :: queue == 0 && _nr_pr <= 3 -> break
  od
}

init {
  atomic {
    run Work();
    run Work();
    run Own();
    run Unowned(1);
#if UNOWNED > 1
    run Unowned(0);
#endif
#if LISTS > 0
    run All()
#endif
  }
  _nr_pr == 1;
  d_step {
    assert(!contents && destroyed == 1 && !memory && freed == 1 && holds == 0 && !isListed); /* LIFE-M3 */
    assert(queue == 0 && injected == consumed + dropped) /* LIFE-M5 */
  }
}
