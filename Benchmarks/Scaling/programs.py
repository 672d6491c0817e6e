"""The program of the cases, built for this machine and for the simulated one, and what it says when it is run."""

import platform
import shutil
import statistics
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORE = HERE.parent.parent / "CSupport" / "CCrucible"
HARNESS = HERE.parent / "Sources" / "CHarness"
CASES = HERE.parent / "Sources" / "CCases"
BUILD = HERE.parent / ".build" / "scaling"
PREREQUISITES = HERE.parent.parent / ".ci" / "prerequisites.sh"

LEAST_OVERLAP = 0.7   # of a sample that counts: threads that do not run at the same time do not disturb each other
SAMPLES = 11          # that a figure is the median of
ATTEMPTS = 8          # to get them, of as many samples each

FLAGS = ["-std=gnu17", "-O2", "-DNDEBUG", "-Wall", "-Wextra"]
# -fsanitize=thread puts calls in front of all accesses, which accesses.c answers; of the names that system.h exchanges some leave
# variables unused.
SIMULATED = ["-DSCALING_SIMULATED", "-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0", "-Wno-unused",
             "-include", str(HERE / "Simulated" / "system.h")]


class Wrong(Exception):
    """Something could not be built, run or measured; the message says what."""


def run(command, what: str) -> subprocess.CompletedProcess:
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=500)
    except OSError as error:
        raise Wrong(f"{what}: {command[0]}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Wrong(f"{what}: not finished after 500 s") from None
    if done.returncode != 0:
        raise Wrong(f"{what}: code {done.returncode}\n{done.stderr.strip()}")
    return done


def clang() -> Path:
    """The toolchain's own, whatever else is on the PATH."""
    swift = shutil.which("swift")
    beside = Path(swift).resolve().parent / "clang" if swift else None
    if beside and beside.exists():
        return beside
    if shutil.which("clang"):
        return Path(shutil.which("clang"))
    raise Wrong("there is no clang: install a Swift toolchain from https://www.swift.org/install first")


def build() -> None:
    """Both programs, unless nothing has changed since."""
    if platform.machine() != "x86_64":
        raise Wrong("the simulated machine is an x86-64: stores wait in a buffer, and pauses are that processor's")
    install = 'source "$0"; require_packages "$@"'
    run(["bash", "-c", install, PREREQUISITES, "liburcu-dev", "pkg-config", "valgrind"], "installing what is missing")
    sources = [path for folder in (CORE, HARNESS, CASES, HERE) for path in folder.rglob("*.[ch]")]
    newest = max(path.stat().st_mtime for path in [*sources, Path(__file__)])
    if all(path.exists() and path.stat().st_mtime > newest for path in (BUILD / "real", BUILD / "simulated")):
        return
    BUILD.mkdir(parents=True, exist_ok=True)
    compiler = clang()

    def flags(option):
        return run(["pkg-config", option, "liburcu-bp"], "liburcu").stdout.split()

    include = [f"-I{folder}" for folder in (CORE / "include", CORE / "src", HARNESS / "include", CASES / "include", HERE,
                                            HERE / "Simulated")] + flags("--cflags")
    libraries = flags("--libs") + ["-lpthread"]
    both = [HERE / "main.c", HERE / "kernels.c", *sorted(CASES.glob("*.c")), *sorted((CORE / "src").rglob("*.c"))]
    harness = sorted(HARNESS.glob("*.c"))
    run([compiler, *FLAGS, *include, *both, *harness, *libraries, "-o", BUILD / "real"], "building for this machine")
    objects = []
    for source in [*both, *(path for path in harness if path.name != "crew.c"), HERE / "Simulated" / "crew.c"]:
        objects.append(BUILD / f"{source.parent.name}-{source.stem}.o")
        run([compiler, *FLAGS, *SIMULATED, *include, "-c", source, "-o", objects[-1]], "building for the simulated machine")
    machine = [HERE / "Simulated" / name for name in ("machine.c", "accesses.c", "system.c")]
    run([compiler, *FLAGS, *include, *machine, *objects, *libraries, "-o", BUILD / "simulated"], "building the simulated machine")


def matchers() -> list:
    """The names of the core's matchers."""
    return run([BUILD / "real", "matchers"], "listing the matchers").stdout.split()


def measured(case: str, by: str, threads: int, rounds: int):
    """Medians on this machine: ns per round; and of kernel futex ns in calls that wake, and until awake. None: the threads hardly ever ran
    at the same time."""
    found = []
    for _ in range(ATTEMPTS):
        text = run([BUILD / "real", case, by, threads, rounds, SAMPLES], f"{case}, {by}, {threads} threads").stdout
        samples = [[float(word) for word in line.split()] for line in text.splitlines()]
        found += [(ns, *of_futex) for ns, overlap, *of_futex in samples if overlap >= LEAST_OVERLAP]
        if len(found) >= SAMPLES:
            return [statistics.median(column) for column in zip(*found)]
    return None


def simulated(case: str, by: str, threads: int, rounds: int, costs: dict) -> dict:
    """What a round took on the simulated machine, as `ns`, and what was counted."""
    words = [f"{name}={value:.6f}" for name, value in costs.items()]
    text = run([BUILD / "simulated", case, by, threads, rounds, 1, *words], f"simulating {case}, {by}, {threads} threads").stdout
    first, *lines = text.splitlines()
    return {"ns": float(first.split()[0])} | {name: float(value) for name, value in (line.split() for line in lines)}


def instructions(case: str, by: str) -> float:
    """Per reaction on one thread, by callgrind: the difference of two runs, so that what happens once does not show."""
    def collected(rounds):
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", BUILD / "real", case, by, 1, rounds, 1]
        text = run(command, f"callgrind, {case}, {by}").stderr
        lines = [line for line in text.splitlines() if "Collected" in line]
        if not lines:
            raise Wrong(f"callgrind, {case}, {by}: says nothing of instructions")
        return int(lines[-1].split(":")[-1])

    few, many = 10000, 40000
    # A tenth of the rounds comes before them, to warm up.
    return (collected(many) - collected(few)) / ((many - few) * 1.1)
