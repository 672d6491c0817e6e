"""What is aimed at: nanoseconds for each case by the public Swift API with one and with two threads, and the best figures that
others were measured at on a machine of the same kind (two virtual cores, compare-and-swap 2.8 ns)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    case: str
    what: str
    peers: str
    one: float | None
    two: float | None
    eight: float | None = None

    def at(self, threads: int) -> float | None:
        return {1: self.one, 2: self.two, 8: self.eight}.get(threads)


GOALS = [
    Goal("counter-state", "a state that counts",
         "pthread mutex 9 / 28, Swift Mutex 5.5 / 30, Verona-rt 28 / 42, Swift actor 62 / 575", 9, 16, 16),
    Goal("counter", "a plain molecule that counts", "JoCaml 75; oneTBB 155 / 232; Chymyst 9,300", 16, 24),
    Goal("join2", "a & b", "Verona-rt 71; C# Joins 108; oneTBB 186; Scalable Joins 278", 20, 30),
    Goal("join3", "a & b & c", "Verona-rt 100; C# Joins 160; oneTBB 265; Scalable Joins 500", 28, 45),
    Goal("counter-value", "a call and its reply", "C# Joins 107 / 159; JoCaml 150; Swift actor 62 / 575", 22, 45),
    Goal("chain", "one after the other, on the pool", "Verona-rt 25; oneTBB 35; JoCaml 48; libdispatch 36-155", 15, 15),
    Goal("philosophers", "five, per meal, on the pool", "Verona-rt 67; C# Joins 160; Swift actors 276; oneTBB 500", 50, 45),
    Goal("producer-consumer", "one puts, one takes", "Scalable Joins 200; Swift actor 427; AsyncStream 1,517", None, 60),
    Goal("mapreduce", "per item, on the pool", "Swift TaskGroup 1,750; Chymyst 8,000", 100, 80),
    Goal("rendezvous", "2 threads, blocking, round trip",
         "spin-then-futex in C 286; AsyncStream 5,750; DispatchSemaphore 17,500", None, 320),
    Goal("rendezvous-async", "2 tasks, round trip", "AsyncStream 5,750; continuations 22,000", None, 1500),
]

# How many times as fast as `locked`, layer c, by threads.
RATIOS = {"counter": {1: 1.5, 2: 2.0, 8: 2.0}, "counter-state": {1: 2.5, 2: 2.5, 8: 2.5}}


@dataclass(frozen=True)
class Limit:
    """A figure of one row, `ns` or `bytes`, that is to stay at or below a limit; with `over`, as a multiple of another row's."""

    what: str
    case: str
    threads: int
    figure: str
    limit: float
    unit: str
    over: tuple[str, int] | None = None


LIMITS = [
    Limit("a molecule of Int that waits", "waiting-int", 1, "bytes", 16, "bytes"),
    Limit("a molecule of Void that waits", "waiting-void", 1, "bytes", 0, "bytes"),
    Limit("the counter's soup, a thousand alive", "slope-soups-1000", 1, "bytes", 1024, "bytes"),
    Limit("to define it", "slope-soups-1000-define", 1, "ns", 1000, "ns"),
    Limit("the counter's soup, a million alive", "slope-soups-1000000", 1, "bytes", 1024, "bytes"),
    Limit("to define it", "slope-soups-1000000-define", 1, "ns", 1000, "ns"),
    Limit("counter-state, 64 threads over 2", "slope-threads-counter-state-64", 64, "ns", 1.11, "times as long",
          ("slope-threads-counter-state-2", 2)),
    Limit("join2, 64 threads over 2", "slope-threads-join2-64", 64, "ns", 1.11, "times as long",
          ("slope-threads-join2-2", 2)),
]
