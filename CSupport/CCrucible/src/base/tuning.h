// The numbers that the core is tuned by.
//
// The second column serves tests (`-DCRUCIBLE_SMALL`): it puts every rare path within a few steps. A build may set each
// of the four guarded numbers by itself.

#ifndef CRUCIBLE_TUNING_H
#define CRUCIBLE_TUNING_H

#if defined(CRUCIBLE_SMALL)
#define CRUCIBLE_TUNED(usual, small) small
#else
#define CRUCIBLE_TUNED(usual, small) usual
#endif

/// Pauses after another thread's CAS made this one's fail. The winner goes on undisturbed, with all lines in its cache.
#define CRUCIBLE_PAUSES CRUCIBLE_TUNED(256, 1)

/// Bytes of a bag's cell: what is left of the line that the rest of the bag has. Tests put every value into it.
#define CRUCIBLE_CELL_BYTES CRUCIBLE_TUNED(16, 32)
/// Bytes of a bag's first ring. Tests use rings of two slots.
#ifndef CRUCIBLE_FIRST_BYTES
#define CRUCIBLE_FIRST_BYTES CRUCIBLE_TUNED(1024, 1)
#endif
/// Bytes of the further rings. They come with a backlog, over which their allocation is amortised.
#ifndef CRUCIBLE_NEXT_BYTES
#define CRUCIBLE_NEXT_BYTES CRUCIBLE_TUNED(16384, 1)
#endif
/// Slots that a ring has at least, and nodes that come at a time.
#define CRUCIBLE_LEAST_SLOTS CRUCIBLE_TUNED(8, 2)

/// Threads that may add to a field of the word by fetch-and-add. Above its limit the field has room for one addition of
/// each. Wide fields have room for all threads that have a stripe.
#define CRUCIBLE_BLIND_THREADS CRUCIBLE_TUNED(16, 2)
/// Firings that a thread reserves at most at once while it holds a state.
#define CRUCIBLE_BATCH CRUCIBLE_TUNED(16, 3)
/// Additions after a failed CAS for which a thread does not try CAS-first again. Long enough that failures cost little
/// while contention lasts, short enough to return within a microsecond when it ends.
#define CRUCIBLE_HEAT CRUCIBLE_TUNED(32, 2)
/// Looks of a call for what another thread has, before the call is stored. A caller that blocks gives way after each,
/// and begins anew when it sees that others were served, for so many ns: about two slices of the kernel's scheduler. An
/// awaited call pauses, together about as long as before its first look, while the other thread is not disturbed.
#define CRUCIBLE_LOOKS CRUCIBLE_TUNED(32, 2)
#define CRUCIBLE_GIVING_WAY 5000000
#define CRUCIBLE_LOOK_PAUSES CRUCIBLE_TUNED(8, 1)
/// Attempts of a body's injection to complete a reaction without storing its molecule. Storing costs four more
/// read-modify-writes, and what the other threads add meanwhile waits for this thread.
#define CRUCIBLE_FAILURES CRUCIBLE_TUNED(4, 1)
/// Requests of others that a combiner of `arrival` serves before it hands over. A hand-over may wait for a thread to
/// wake.
#define CRUCIBLE_COMBINED CRUCIBLE_TUNED(64, 1)
/// Firings that `arrival` reserves at once when several molecules arrive, or a pause ends.
#define CRUCIBLE_SETTLED CRUCIBLE_TUNED(64, 2)
/// Bits for counts in a word of a wide component, and how many of them a name should get. Tests put one name into a
/// word in half of the soups, so that every reaction of several names goes over several words; in the other half, two.
#define CRUCIBLE_WIDE_BITS(seed) CRUCIBLE_TUNED(60, ((seed) & 2) == 0 ? 3 : 5)
#define CRUCIBLE_WIDE_FIELD CRUCIBLE_TUNED(6, 2)
/// Looks at a claim of another thread before it is aborted. A thread that runs ends its claim within far less.
#define CRUCIBLE_CLAIM_PATIENCE CRUCIBLE_TUNED(256, 1)
/// Claims of one operation that others may abort before it changes its words with their help instead.
#define CRUCIBLE_CLAIM_TURNS CRUCIBLE_TUNED(8, 1)
/// Looks of a withdrawing caller before it abandons its call. A firing pops its molecules within far less, unless it
/// waits for the pool or its thread does not run.
#define CRUCIBLE_PATIENCE CRUCIBLE_TUNED(100, 0)

/// Looks of a snapshot for two that agree, while counts move between a word and what it does not count. Counts that
/// never rest must not keep it for ever.
#define CRUCIBLE_SNAPSHOTS 100
/// Looks for a moment at which no token is on its way into a bag. A snapshot by a body that runs in the middle of a
/// push never sees that moment.
#define CRUCIBLE_TOKEN_LOOKS 1000

/// Threads of index < OWN_STRIPES have their stripes in the soup: a line of every soup for each. Those up to STRIPES
/// have them beside it, and those up to MOST_STRIPES in further blocks of STRIPES. All others share one line.
enum { OWN_STRIPES = CRUCIBLE_TUNED(4, 1), STRIPES = 8, MOST_STRIPES = 64 };

/// Inputs, and bytes of values, of a firing that has its room in the frame of the function that runs it: nearly all. A
/// larger frame would be paid by each injection.
#define CRUCIBLE_SMALL_INPUTS 8
#define CRUCIBLE_SMALL_STORAGE 128
/// Bytes of a firing's values that are taken from the stack. More comes from the heap, as stacks of threads are small.
#define CRUCIBLE_STACK_STORAGE 4096

/// Firings that may nest on the stack of one thread, if it has room. What comes on top is deferred. Chains that nested
/// as deep as the stack allows were slower than those whose frames stay in the cache.
#define CRUCIBLE_DEPTH CRUCIBLE_TUNED(16, 2)
/// Firings that may nest without a look at what is left of the stack, and the same where values are large.
#define CRUCIBLE_UNCHECKED CRUCIBLE_TUNED(8, 1)
#define CRUCIBLE_UNCHECKED_LARGE CRUCIBLE_TUNED(2, 1)
/// The stack that a further nested firing leaves free: so many bytes, or one part of so many, whichever is more.
#define CRUCIBLE_STACK_ROOM ((size_t)64 << 10)
#define CRUCIBLE_STACK_PART 4
/// Looks of a waiting caller before it sleeps. A wake-up by the kernel takes far longer than a reply by a running
/// thread.
#ifndef CRUCIBLE_SPINS
#define CRUCIBLE_SPINS 500
#endif

/// Lists of bodies that tasks run: as many as let the bodies on different threads seldom meet in one. A power of two.
#define CRUCIBLE_BODY_LISTS CRUCIBLE_TUNED(1024, 1)

/// Looks of an idle worker before it sleeps.
#define CRUCIBLE_SEARCHES CRUCIBLE_TUNED(400, 2)
/// The first number of the pool's eventcount, which wraps. Tests begin it near its end.
#ifndef CRUCIBLE_FIRST_EPOCH
#define CRUCIBLE_FIRST_EPOCH 0
#endif
/// Turns of a worker from one look at the queue before its slot to the next. A prime, so that no chain of bodies keeps
/// step with it.
#define CRUCIBLE_FAIRNESS CRUCIBLE_TUNED(61, 3)
/// Nanoseconds between two looks of a watcher at slots and queues that are in use. A body that takes longer probably
/// blocks, and the looks cost next to nothing.
#define CRUCIBLE_WATCH 5000000
/// Processor time after which a body counts as stuck, in the kernel's ticks, which mostly are 10 ms. One tick may pass
/// within a moment.
#define CRUCIBLE_STUCK 2
/// The first limit of the pool's threads: more than most machines have processors, because bodies block, and few enough
/// for any system.
#define CRUCIBLE_FIRST_LIMIT 256

/// The binary logarithm of a tick of alarms, in nanoseconds. Rounding up to one does not show beside a wake-up.
#define CRUCIBLE_TICK 14
/// Wheels of alarms. Each has a lock that few threads share, and the thread of the alarms looks at all of them.
#define CRUCIBLE_WHEELS 8
/// Steps that a wheel advances with its lock held, before the threads that set alarms get their turn.
#define CRUCIBLE_WHEEL_STEPS 64

/// Nanoseconds between looks for quiet: the first, and the most, as it doubles. Short waits end soon, long ones cost
/// little.
#define CRUCIBLE_QUIET_SHORTEST 20000
#define CRUCIBLE_QUIET_LONGEST 1000000

/// Bytes of the first block of an arena, and of the further ones. What three names, a reaction and the soup have left
/// of two reactions and their component fits into the first one. The others have room for ten names and hardly more.
#define CRUCIBLE_FIRST_ARENA 704
#define CRUCIBLE_NEXT_ARENA 2624
/// The binary logarithm of the number of lists of sites: a program defines soups at fewer places, mostly.
#define CRUCIBLE_SITE_BITS 8
/// Blocks that a site keeps for soups to come: about as many as threads define soups there at once.
#define CRUCIBLE_SPARES 8
/// Bytes of a soup that may be repeated. Larger ones are rare, and an image is never freed.
#define CRUCIBLE_REPEAT_BYTES (1 << 16)

/// Values that the language binding keeps with a thread for later calls. They are the thread's until it ends.
#define CRUCIBLE_SAVED 16
/// Bytes that have to be free when a thread begins to read under liburcu, which maps a page for its first readers,
/// doubles it, and aborts without memory.
#define CRUCIBLE_READER_ROOM 65536

#endif
