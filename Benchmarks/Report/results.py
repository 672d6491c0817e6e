"""Reads and checks the JSON that Benchmarks/run writes."""

import json
from dataclasses import dataclass
from pathlib import Path


def number(value) -> str:
    return "–" if value is None else f"{value:.1f}" if abs(value) < 100 else f"{value:,.0f}"


def in_words(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def aligned(lines: list[list[str]], left) -> str:
    """A table for a terminal. `left` has the columns that begin at the left."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) if column in left else cell.rjust(width)
                               for column, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


class Foreign(Exception):
    """The file is not output of Benchmarks/run; the message has the mistake."""


@dataclass(frozen=True)
class Row:
    """One line of the results. `by` is the matcher, or the baseline's name."""

    json: dict

    case = property(lambda self: self.json["case"])
    layer = property(lambda self: self.json["layer"])
    matcher = property(lambda self: self.json["matcher"])
    by = property(lambda self: self.json["matcher"] or self.json["layer"])
    threads = property(lambda self: self.json["threads"])
    spread = property(lambda self: self.json["nsPerReaction"])
    latency = property(lambda self: self.json.get("latency"))
    key = property(lambda self: (self.case, self.layer, self.matcher or "", self.threads))

    @property
    def median(self):
        return self.spread["median"] if self.spread else None

    @property
    def title(self):
        by = f"{self.layer}, {self.matcher}" if self.matcher else self.layer
        return f"{self.case}, {by}, {in_words(self.threads)}"


@dataclass(frozen=True)
class Results:
    machine: dict
    rows: list
    slopes: list
    comparison: list

    @property
    def matchers(self):
        return list(dict.fromkeys(row.matcher for row in self.rows if row.matcher))

    def find(self, case, threads, layer, matcher):
        for row in self.rows:
            if (row.case, row.threads, row.layer, row.matcher) == (case, threads, layer, matcher):
                return row
        return None

    def was_apart(self, row) -> bool:
        """Whether the host had moved the processors apart beside the row: cache lines took more than twice as long."""
        lines = [one.json["lineNs"] for one in self.rows if one.json.get("lineNs")]
        return bool(row.json.get("lineNs")) and row.json["lineNs"]["median"] > 2 * min(line["min"] for line in lines)

    def baselines(self, case, threads):
        return [row for row in self.rows
                if row.case == case and row.threads == threads and not row.matcher and row.median]


def noise(run) -> str:
    """The noise of the machine."""
    rows = [row.json for row in run.rows if row.spread and row.json.get("paceNs")]
    if not rows:
        return "No row has a figure."
    count = sum(row["samples"] for row in rows)
    best = sum((row.get("atBest") or {}).get("samples", 0) for row in rows)
    paces = sorted(row["paceNs"]["median"] for row in rows)
    lines = sorted(row["lineNs"]["median"] for row in rows if row.get("lineNs"))
    text = f"The machine was slow beside {count - best:,} of {count:,} samples. 100 simple instructions took "
    text += f"{min(row['paceNs']['min'] for row in rows):.1f} ns at best and {paces[len(paces) // 2]:.1f} ns beside the median row"
    if lines:
        text += f". A cache line took {lines[len(lines) // 2]:.0f} ns from one processor to the other beside the median row"
    if run.machine.get("loadBefore") is not None:
        text += f". {run.machine['loadBefore']:.1f} threads wanted a processor in the minute before the run"
    missing = sum(1 for row in run.rows if not row.spread)
    return text + f". {missing} of {len(run.rows)} rows have no figure."


def read(path: str) -> Results:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Foreign(f"{path}: {getattr(error, 'strerror', None) or 'not a text file'}") from None
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise Foreign(f"{path}: no JSON: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("results"), list) or "machine" not in content:
        raise Foreign(f"{path}: not written by Benchmarks/run: it has no `machine` and `results`")
    rows = [Row(row) for row in content["results"]]
    return Results(content["machine"], rows, content.get("slopes") or [], content.get("comparison") or [])
