"""The costs of this machine, what a case needs of them, and so what a reaction takes on other numbers of cores. README.md explains."""

import statistics
from dataclasses import dataclass

import programs
from programs import Wrong

CASES = {  # and the baselines that do them beside the matchers
    "counter-state": ["pthread-mutex"],
    "counter": [],
    "join2": [],
    "join3": [],
    "counter-value": [],
}
CORES = [1, 2, 4, 8, 16, 32, 64]
ROUNDS = 100000       # of a sample on this machine
SEEDS = 3             # simulated runs that a prediction is the median of
KERNEL_WORK = 0.3     # ns of instructions before an access in a kernel's loop: one cycle


def simulated_rounds(cores: int) -> int:
    return 4000 + 500 * cores


# ---------------------------------------------------------------------------------------------------------------------
# Costs
# ---------------------------------------------------------------------------------------------------------------------


def measure_kernels() -> dict:
    """Name and threads, as "add 2": median ns per round."""
    rounds = {("add", 1): 200000, ("cas", 1): 200000, ("visit", 1): 50000, ("pause", 1): 50000, ("call", 1): 20000,
              ("add", 2): 100000, ("cas", 2): 100000, ("visit", 2): 50000, ("turns", 2): 20000, ("futex", 2): 200}
    found = {}
    for (name, threads), count in rounds.items():
        figures = programs.measured(name, "-", threads, count)
        if figures is None:
            raise Wrong(f"kernel {name}, {threads} threads: they hardly ran at the same time: something else keeps this machine "
                        "busy. Try again, or take the costs of an earlier run by --costs FILE")
        if name == "futex":
            found["wake"], found["awake"] = figures[1:]
        else:
            found[f"{name} {threads}"] = figures[0]
    return found


def bisect(function, wanted: float, low: float, high: float) -> float:
    """Where the function, which rises, is as much as is wanted; an end of the range, if it is there nowhere."""
    for _ in range(12):
        middle = (low + high) / 2
        if function(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def costs_of(kernels: dict) -> dict:
    """The costs with which the kernels take as long on the simulated machine as on this one."""
    costs = {
        "exchange": max(0.0, kernels["add 1"] - KERNEL_WORK), "cas": max(0.0, kernels["cas 1"] - 2 * KERNEL_WORK),
        "pause": kernels["pause 1"], "call": kernels["call 1"],
        "wake": max(0.0, kernels["wake"] - kernels["call 1"]), "sleep": max(0.0, kernels["awake"] - kernels["call 1"]),
        "transfer": kernels["turns 2"] / 2, "hold": 0.0,
    }
    count = programs.simulated("visit", "-", 1, 2000, costs | {"work": KERNEL_WORK})["accesses"]
    visit_work = max(0.0, (kernels["visit 1"] - costs["exchange"]) / count)

    def visits(transfer):
        return programs.simulated("visit", "-", 2, 4000, costs | {"work": visit_work, "transfer": transfer})["ns"]

    def adds(hold):  # the longer a line is held, the less an addition takes
        return -programs.simulated("add", "-", 2, 20000, costs | {"work": KERNEL_WORK, "hold": hold})["ns"]

    for _ in range(3):  # each depends on the other, but not much
        costs["transfer"] = bisect(visits, kernels["visit 2"], 0, 1000)
        costs["hold"] = bisect(adds, -kernels["add 2"], 0, 1000)
    return costs


# ---------------------------------------------------------------------------------------------------------------------
# Predictions
# ---------------------------------------------------------------------------------------------------------------------


@dataclass
class Subject:
    """A case, and who does it."""

    case: str
    by: str
    instructions: float       # per reaction on one thread
    accesses: float           # to memory, likewise
    locked: float             # ns in locked instructions, likewise
    measured: dict            # cores → ns per reaction, or None


def examine(case: str, by: str, costs: dict) -> Subject:
    once = programs.simulated(case, by, 1, simulated_rounds(1), costs | {"work": KERNEL_WORK})
    measured = {}
    for cores in (1, 2):
        found = programs.measured(case, by, cores, ROUNDS)
        measured[cores] = found[0] if found else None
    return Subject(case, by, programs.instructions(case, by), once["accesses"],
                   once["exchanges"] * costs["exchange"] + once["cas"] * costs["cas"], measured)


def instruction_costs(subjects: list) -> dict:
    """ns per instruction, one figure for all cases of a matcher: where its predictions for one core are too high as often as too low."""
    rates = {}
    for subject in subjects:
        if subject.measured[1]:
            rates.setdefault(subject.by, []).append((subject.measured[1] - subject.locked) / subject.instructions)
    missing = {subject.by for subject in subjects} - set(rates)
    if missing:
        raise Wrong(f"no case of {', '.join(sorted(missing))} could be measured on one thread")
    return {by: max(0.001, statistics.median(found)) for by, found in rates.items()}


def predict(subject: Subject, cores: int, costs: dict, instruction: dict) -> dict:
    work = instruction[subject.by] * subject.instructions / subject.accesses
    runs = [programs.simulated(subject.case, subject.by, cores, simulated_rounds(cores), costs | {"work": work, "seed": seed})
            for seed in range(1, SEEDS + 1)]
    middle = sorted(runs, key=lambda found: found["ns"])[len(runs) // 2]
    return {"case": subject.case, "matcher": subject.by, "cores": cores, "predictedNs": middle["ns"],
            "measuredNs": subject.measured.get(cores), "instructionsAt1": subject.instructions,
            "atomics": middle["exchanges"] + middle["cas"], "failedCas": middle["failed"], "transfers": middle["transfers"],
            "hottestLine": middle["hottest"], "hottestLineNs": middle["hottest"] * costs["transfer"],
            "sleeps": middle["sleeps"]}
