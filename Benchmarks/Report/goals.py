"""The goals, from goals.tsv, which describes its own format."""

from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).resolve().parent.parent / "goals.tsv"
COUNTED = ("instructions", "atomics")


class Unreadable(Exception):
    """goals.tsv does not have its format; the message has the place."""


@dataclass(frozen=True)
class Goal:
    case: str
    layer: str
    threads: int
    figure: str  # ns, bytes, speedup, instructions, atomics, "over CASE THREADS", "over best", "over ALTERNATIVE"
    limit: float

    def value(self, run, matcher: str):
        """The figure of the run, or None. A time is the one at the machine's best, if the run has it."""
        row = run.find(self.case, self.threads, self.layer, matcher)
        if not row:
            return None
        if self.figure == "ns":
            return (row.json.get("atBest") or {}).get("median") or row.median
        if self.figure == "bytes":
            return row.json.get("bytesPerReaction")
        if self.figure == "speedup":
            return row.json.get("timesAsFastAsLocked")
        if self.figure in COUNTED:
            return None
        if self.is_over_another:
            least = run.least_of_others(self.case, self.threads, self.figure.split()[1])
            return row.median / least if row.median and least else None
        _, case, threads = self.figure.split()
        other = run.find(case, int(threads), self.layer, matcher)
        return row.median / other.median if row.median and other and other.median else None

    @property
    def is_over_another(self) -> bool:
        """Whether the figure is a multiple of an alternative's time."""
        return len(self.figure.split()) == 2

    def is_met(self, value: float) -> bool:
        if self.figure == "speedup":
            return value >= self.limit
        # The heap's blocks need up to a twentieth more than their contents.
        return value <= (self.limit * 1.05 if self.figure == "bytes" else self.limit) + 0.005

    def counted(self, rows: list[dict], matcher: str):
        """The figure in these rows of Benchmarks/costs. None if there is none, or if the goal has another kind."""
        for row in rows:
            if (row["case"], row["layer"], row["matcher"]) == (self.case, self.layer, matcher):
                return row.get(self.figure)
        return None


def read(path: Path = PATH) -> tuple[list[Goal], dict[str, str], dict[str, str]]:
    """The goals, and for each case the figures of other projects and the obstacles to its goal."""
    goals, elsewhere, why = [], {}, {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if line.startswith("#"):
            continue
        try:
            if cells[0] == "elsewhere":
                _, case, elsewhere[case] = cells
            elif cells[0] == "why":
                _, case, why[case] = cells
            elif cells[0] == "goal":
                _, case, layer, threads, figure, limit = cells
                if figure not in ("ns", "bytes", "speedup", *COUNTED) and not figure.startswith("over "):
                    raise ValueError
                goals.append(Goal(case, layer, int(threads), figure, float(limit)))
            else:
                raise ValueError
        except ValueError:
            raise Unreadable(f"{path}: line {number} is no goal: {line}") from None
    return goals, elsewhere, why
