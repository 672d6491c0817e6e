/* Origins: the data that each molecule has from its injector, from the injection to its end (soup/origins.c,
 * soup/select.c).
 *
 * A reaction consumes x, y and v. It runs elsewhere, by the origin of x. x and y are branches of two selects, and v is
 * a value. Another reaction consumes v alone.
 *
 * fire     Take x, y and v with their origins, and take the origin of x, to run by it. Then decide both selects, or
 *          none. If that succeeds, run the body. If not, drop the branches whose selects are decided, and put back the
 *          rest, each with its origin; a branch whose origin was taken gets another one of the same task. At last end
 *          the origin by which this ran, and those still among the inputs
 * decide   Decide a select elsewhere. Withdraw its branch here, if it waits, and end its origin
 * consume  take v, and end its origin
 * clear    Drop the waiting molecules, with their origins
 *
 * Invariants:
 *   ORIGIN-M1  an origin ends as often as it was made
 *   ORIGIN-M2  a molecule that waits has the origin of its injector
 *
 * Not modelled: one origin for several molecules, names without a value, the inside of bags, memory orderings.
 */

#define X 0
#define Y 1
#define V 2

#define WAITS 1
#define TAKEN 2
#define GONE 3

byte where[3];
/* the origin of a molecule that waits, and among the inputs of the firing: 1 + its injector */
byte waiting[3], among[3];
byte alive[4];              /* for each origin: made and not ended */
bool decided[2];
byte acting;

inline make(to, injector) { to = injector + 1; alive[injector + 1]++ }

inline end_origin(origin) {
  assert(origin > 0 && alive[origin] > 0); /* ORIGIN-M1 */
  alive[origin]--;
  origin = 0
}

/* Takes a molecule out of the soup for good. */
inline leave(m) {
  assert(waiting[m] == m + 1); /* ORIGIN-M2 */
  where[m] = GONE;
#ifdef MUTATE_LEAVES_ORIGIN
  waiting[m] = 0
#else
  end_origin(waiting[m])
#endif
}

inline go_back(m) {
  d_step {
#ifndef MUTATE_TAKEN_IS_MISSING
    if
    :: among[m] == 0 -> make(among[m], taken - 1)
    :: else
    fi;
#endif
    waiting[m] = among[m];
#ifndef MUTATE_PLACE_STAYS
    among[m] = 0;
#endif
    where[m] = WAITS
  }
}

inline drop(m) {
  d_step {
    where[m] = GONE;
#ifdef MUTATE_DROPPED_KEEPS
    among[m] = 0
#else
    if
    :: among[m] > 0 -> end_origin(among[m])
    :: else
    fi
#endif
  }
}

proctype Fire() {
  byte taken, m;
  bool won;
  atomic {
    if
    :: where[X] == WAITS && where[Y] == WAITS && where[V] == WAITS ->
       do
       :: m < 3 -> where[m] = TAKEN; among[m] = waiting[m]; waiting[m] = 0; m++
       :: else -> break
       od;
       m = 0
    :: else -> goto over
    fi
  }
  taken = among[X];
  among[X] = 0;
  d_step {
    won = !decided[X] && !decided[Y];
    if
    :: won -> decided[X] = true; decided[Y] = true
    :: else
    fi
  }
  if
  :: won -> d_step { where[X] = GONE; where[Y] = GONE; where[V] = GONE }
  :: else ->
     if
     :: decided[X] -> drop(X)
     :: else -> go_back(X)
     fi;
     if
     :: decided[Y] -> drop(Y)
     :: else -> go_back(Y)
     fi;
     go_back(V)
  fi;
  d_step {
    end_origin(taken);
    do
    :: m < 3 ->
       if
       :: among[m] > 0 -> end_origin(among[m])
       :: else
       fi;
       m++
    :: else -> break
    od
  }
over:
  acting--
}

proctype Decide(byte m) {
  decided[m] = true;
  d_step {
    if
    :: where[m] == WAITS -> leave(m)
    :: else
    fi
  }
  acting--
}

proctype Consume() {
  d_step {
    if
    :: where[V] == WAITS -> leave(V)
    :: else
    fi
  }
  acting--
}

proctype Clear() {
  byte m;
  d_step {
    do
    :: m < 3 ->
       if
       :: where[m] == WAITS -> leave(m)
       :: else
       fi;
       m++
    :: else -> break
    od
  }
  acting--
}

init {
  byte m;
  atomic {
    do
    :: m < 3 -> where[m] = WAITS; make(waiting[m], m); m++
    :: else -> break
    od;
    acting = 5;
    run Fire();
    run Decide(X);
    run Decide(Y);
    run Consume();
    run Clear()
  }
  (acting == 0);
  d_step {
    m = 0;
    do
    :: m < 3 ->
       if
       :: where[m] == WAITS -> leave(m)
       :: else
       fi;
       m++
    :: else -> break
    od;
    assert(alive[1] + alive[2] + alive[3] == 0) /* ORIGIN-M1 */
  }
}
