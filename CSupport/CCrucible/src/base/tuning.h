// The tuning parameters of the core.
//
// The second value of CRUCIBLE_TUNED serves tests (`-DCRUCIBLE_SMALL`): every rare path is then a few steps away. A
// build may set each of the four guarded numbers separately.

#ifndef CRUCIBLE_TUNING_H
#define CRUCIBLE_TUNING_H

#if defined(CRUCIBLE_SMALL)
#define CRUCIBLE_TUNED(usual, small) small
#else
#define CRUCIBLE_TUNED(usual, small) usual
#endif

/// Bytes of a cache line. All layouts are made for lines of this size, and so are CRUCIBLE_CELL_BYTES and the bytes of
/// arenas and chemistries. Some arm64 processors have lines of 128 bytes. There, two structures that different threads
/// write may share a line, which costs time and breaks nothing.
#define CRUCIBLE_LINE 64

/// Pauses after a CAS that failed because of another thread. The winner continues undisturbed, with all lines in its
/// cache.
#define CRUCIBLE_PAUSES CRUCIBLE_TUNED(256, 1)

/// Bytes of a bag's cell: the rest of the line that the other members of the bag use. Tests put every value into it.
#define CRUCIBLE_CELL_BYTES CRUCIBLE_TUNED(16, 32)
/// Bytes of a bag's first ring. Tests use rings of two slots.
#ifndef CRUCIBLE_FIRST_BYTES
#define CRUCIBLE_FIRST_BYTES CRUCIBLE_TUNED(1024, 1)
#endif
/// Bytes of the further rings. They are made for a backlog, over which their allocation is amortised.
#ifndef CRUCIBLE_NEXT_BYTES
#define CRUCIBLE_NEXT_BYTES CRUCIBLE_TUNED(16384, 1)
#endif
/// The least number of slots of a ring, and of nodes that a shelf of `arrival` allocates at once.
#define CRUCIBLE_LEAST_SLOTS CRUCIBLE_TUNED(8, 2)
/// The waiting molecules of a name without a capacity from which on the binding is told. Few programs mean to keep so
/// many.
#define CRUCIBLE_BACKLOG 100000

/// The shards of a component whose names have keys: at most 64.
#define CRUCIBLE_SHARDS CRUCIBLE_TUNED(32, 2)

/// The most bytes of a key's part that has room for a molecule.
#define CRUCIBLE_MOST_PART 256

/// The most molecules that expire under one lock of a shard.
#define CRUCIBLE_EXPIRY_BATCH CRUCIBLE_TUNED(256, 1)

/// Threads that may add to a field of the word by fetch-and-add. Above its limit the field has room for one addition by
/// each of them. Wide fields have room for all threads that have a stripe.
#define CRUCIBLE_BLIND_THREADS CRUCIBLE_TUNED(16, 2)
/// The most firings that a thread reserves at once while it holds a state.
#define CRUCIBLE_BATCH CRUCIBLE_TUNED(16, 3)
/// Additions after a failed CAS for which a thread does not try CAS-first again. The number is large enough that
/// failures cost little while contention lasts, and small enough that the thread soon returns when it ends.
#define CRUCIBLE_HEAT CRUCIBLE_TUNED(32, 2)
/// The bodies that must be short in a row before a reaction visits callers, the nanoseconds of processor time that are
/// short, and the long bodies after which it never does.
#define CRUCIBLE_SHORT_BODIES CRUCIBLE_TUNED(16, 1)
#define CRUCIBLE_SHORT_BODY CRUCIBLE_TUNED(50000, UINT64_MAX)
#define CRUCIBLE_LONG_BODIES 128
/// Nanoseconds for which a caller that blocks lets other threads run before its call joins a queue of stored ones. A
/// thread that sleeps takes about a twentieth of that to wake up. Shorter, locks for readers and writers with more
/// threads than processors were slower.
#define CRUCIBLE_GIVING_WAY 1000000
/// Checks by a call for what another thread has taken, before the call is stored. A caller that blocks lets other
/// threads run after each check, and begins anew when it sees that other calls were served. An awaited call pauses
/// instead, in total about as long as before its first check, and does not disturb the other thread.
#define CRUCIBLE_LOOKS CRUCIBLE_TUNED(32, 2)
#define CRUCIBLE_LOOK_PAUSES CRUCIBLE_TUNED(8, 1)
/// The patience of a thread (patience.h): the pauses of a probe, what a miss takes, the waits without pauses before the
/// next probe, and the answers after which a wait does not pause.
#define CRUCIBLE_PROBE CRUCIBLE_TUNED(1024, 2)
#define CRUCIBLE_MISS CRUCIBLE_TUNED(8, 1)
#define CRUCIBLE_COLD CRUCIBLE_TUNED(256, 1)
#define CRUCIBLE_HOT CRUCIBLE_TUNED(1024, 4)
/// Attempts of a body's injection to complete a reaction without storing its molecule. Storing costs four more
/// read-modify-writes, and molecules that other threads add meanwhile wait for this thread.
#define CRUCIBLE_FAILURES CRUCIBLE_TUNED(4, 1)
/// Bits for counts in a word of a wide component, and the number of these bits that a name should get. In half of the
/// soups, tests put one name into a word, so that every reaction of several names uses several words. In the other half
/// they put two.
#define CRUCIBLE_WIDE_BITS(seed) CRUCIBLE_TUNED(60, ((seed) & 2) == 0 ? 3 : 5)
#define CRUCIBLE_WIDE_FIELD CRUCIBLE_TUNED(6, 2)
/// Checks of another thread's claim before it is aborted. A thread that runs ends its claim within far less.
#define CRUCIBLE_CLAIM_LOOKS CRUCIBLE_TUNED(256, 1)
/// Claims of one change that other threads may abort, before it makes claims that have help.
#define CRUCIBLE_CLAIM_TRIES CRUCIBLE_TUNED(8, 1)
/// Checks by a withdrawing caller before it abandons its call. A firing pops its molecules within far less, unless it
/// waits for the pool or its thread does not run.
#define CRUCIBLE_PATIENCE CRUCIBLE_TUNED(100, 0)

/// Reads by a snapshot until two agree, while counts move between a word and its overflow. Counts that never rest must
/// not keep it forever.
#define CRUCIBLE_SNAPSHOTS 100

/// Threads of index < OWN_STRIPES have their stripes in the soup, where each takes a line of every soup. Those up to
/// STRIPES have them beside it, and those up to MOST_STRIPES in further blocks of STRIPES. All others share one line.
enum { OWN_STRIPES = CRUCIBLE_TUNED(4, 1), STRIPES = 8, MOST_STRIPES = 64 };

/// Inputs, and bytes of values, of a firing that has its room in the frame of the function that runs it. Nearly all
/// firings fit. Each injection would pay for a larger frame.
#define CRUCIBLE_SMALL_INPUTS 8
#define CRUCIBLE_SMALL_STORAGE 128
/// Bytes of a firing's values that are taken from the stack. Larger values are taken from the heap, because stacks of
/// threads are small.
#define CRUCIBLE_STACK_STORAGE 4096

/// Firings that may nest on the stack of one thread, if it has room. Further ones are deferred. Chains that nested as
/// deep as the stack allows were slower than chains whose frames stay in the cache.
#define CRUCIBLE_DEPTH CRUCIBLE_TUNED(16, 2)
/// Firings that may nest without a check of the stack; and the same number for large values. In a build without
/// optimization the frames of the core and of the bodies are several times as large.
#if defined(__OPTIMIZE__)
#define CRUCIBLE_UNCHECKED CRUCIBLE_TUNED(8, 1)
#define CRUCIBLE_UNCHECKED_LARGE CRUCIBLE_TUNED(2, 1)
#else
#define CRUCIBLE_UNCHECKED CRUCIBLE_TUNED(2, 1)
#define CRUCIBLE_UNCHECKED_LARGE 1
#endif
/// The stack that a further nested firing leaves free: the larger of this number of bytes, and one part of this many.
#define CRUCIBLE_STACK_ROOM ((size_t)64 << 10)
#define CRUCIBLE_STACK_PART 4
/// Checks by a waiting caller before it sleeps. A wake-up by the kernel takes far longer than a reply by a running
/// thread.
#ifndef CRUCIBLE_SPINS
#define CRUCIBLE_SPINS 500
#endif

/// Checks of a lock of the binding before a thread sleeps. Sections are shorter than that, unless their thread does not
/// run.
#define CRUCIBLE_LOCK_LOOKS CRUCIBLE_TUNED(100, 1)

/// Lists of bodies that tasks run. There are enough that bodies on different threads seldom share one. A power of two.
#define CRUCIBLE_BODY_LISTS CRUCIBLE_TUNED(1024, 1)

/// Searches of an idle worker before it sleeps.
#define CRUCIBLE_SEARCHES CRUCIBLE_TUNED(400, 2)
/// The first number of the pool's eventcount, which wraps. Tests begin near the end.
#ifndef CRUCIBLE_FIRST_EPOCH
#define CRUCIBLE_FIRST_EPOCH 0
#endif
/// Rounds of a worker after which it checks the queue before its slot. A prime, so that no chain of bodies keeps step
/// with it.
#define CRUCIBLE_FAIRNESS CRUCIBLE_TUNED(61, 3)
/// Nanoseconds between two checks by a watcher of slots and queues that are in use. A body that takes longer probably
/// blocks, and the checks cost next to nothing.
#define CRUCIBLE_WATCH 5000000
/// Processor time after which a body counts as stuck, in ticks of the kernel. One tick may pass within a moment.
#define CRUCIBLE_STUCK 2
/// The first limit of the pool's threads. It is more than the processors of most machines, because bodies block, and
/// small enough for any system.
#define CRUCIBLE_FIRST_LIMIT 256

/// The binary logarithm of a tick of alarms, in nanoseconds. The rounding to a tick is negligible beside a wake-up.
#define CRUCIBLE_TICK 14
/// Wheels of alarms. Each has a lock that few threads share, and the thread of the alarms checks all of them.
#define CRUCIBLE_WHEELS 8
/// Steps that a wheel advances with its lock held, before the threads that set alarms get the lock.
#define CRUCIBLE_WHEEL_STEPS 64

/// Nanoseconds between checks for quiet: the first interval, and the longest, as it doubles. So short waits end soon,
/// and long ones cost little.
#define CRUCIBLE_QUIET_SHORTEST 20000
#define CRUCIBLE_QUIET_LONGEST 1000000

/// Bytes of the first block of an arena, and of the further ones. The first one has room for what the block of the soup
/// leaves of three names and two reactions. The others have room for ten names and hardly more.
#define CRUCIBLE_FIRST_ARENA 704
#define CRUCIBLE_NEXT_ARENA 2624
/// Bytes of the first block of a chemistry: room for three names, two reactions and their component.
#define CRUCIBLE_CHEMISTRY_BYTES 2048
/// The binary logarithm of the number of lists of places. Most programs define soups at fewer places.
#define CRUCIBLE_PLACE_BITS 8
/// The most chemistries of one place. A place where definitions differ more often shares only the first ones.
#define CRUCIBLE_CHEMISTRIES 8
/// Blocks that a chemistry keeps for later soups: about as many as threads define such soups at once.
#define CRUCIBLE_SPARES 8
/// The most bytes of a soup that later soups may repeat. Larger ones are rare, and what soups share is never freed.
#define CRUCIBLE_REPEAT_BYTES (1 << 16)

/// Values that the language binding keeps with a thread for later calls. They belong to the thread until it ends.
#define CRUCIBLE_SAVED 16
/// Nanoseconds for which retired memory gathers before a grace period. A shorter time frees less memory at once.
#define CRUCIBLE_GRACE_INTERVAL 10000000

/// Bytes that must be free when a thread begins to read under liburcu. liburcu maps a page for its first readers,
/// doubles it, and aborts without memory.
#define CRUCIBLE_READER_ROOM 65536

#endif
