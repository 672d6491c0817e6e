#!/usr/bin/env python3
"""The comparison of the matchers in a run with --compare: the winner of each region, and its lead.

  comparison.py RESULTS.json      prints it, and the cells that have no figure; Benchmarks/run --compare calls it
"""

import math
import sys
from dataclasses import dataclass

sys.dont_write_bytecode = True

from results import aligned, in_words, number, read  # noqa: E402


def mean(values: list) -> float:
    """The geometric mean: no cell weighs more because its figures are greater."""
    return math.exp(sum(map(math.log, values)) / len(values))


def value(run, region: dict, cell: dict, matcher: str):
    """The figure, or None if there is none."""
    row = run.find(cell["case"], cell["threads"], "swift", matcher)
    if row is None or row.median is None:
        return None
    if region["figure"] == "p999":
        return (row.latency or {}).get("p999")
    return row.json.get("bytesPerReaction") if region["figure"] == "bytes" else row.median


@dataclass(frozen=True)
class Summary:
    """A region. `means` cover the `compared` cells in which every matcher has a figure. A matcher without a figure
    in any cell does not serve the region, and is omitted."""

    name: str
    cells: int
    compared: int
    means: dict
    best: str | None
    ahead: float | None

    @property
    def verdict(self) -> str:
        if self.best is None:
            return "–"
        if self.ahead is None:
            return self.best
        return f"{self.best}, {self.ahead:.2f} ×" if self.ahead >= 1.05 else f"{self.best}, hardly"


def summary(run, region: dict) -> Summary:
    columns = {matcher: [value(run, region, cell, matcher) for cell in region["cells"]] for matcher in run.matchers}
    columns = {matcher: column for matcher, column in columns.items() if any(column)}
    complete = [index for index in range(len(region["cells"])) if columns and all(column[index] for column in columns.values())]
    if not complete:
        return Summary(region["region"], len(region["cells"]), 0, {}, None, None)
    means = {matcher: mean([column[index] for index in complete]) for matcher, column in columns.items()}
    ranked = sorted(means, key=means.get)
    ahead = means[ranked[1]] / means[ranked[0]] if len(ranked) > 1 else None
    return Summary(region["region"], len(region["cells"]), len(complete), means, ranked[0] if ranked else None, ahead)


def missing(run) -> list:
    """The reasons for which cells have no figure."""
    return [f"{row.title}: {row.json.get('failure') or 'not measured'}" for row in run.rows if row.median is None] + [
        f"{case}, {in_words(threads)}: not run" for case, threads in not_run(run)]


def not_run(run) -> list:
    there = {(row.case, row.threads) for row in run.rows}
    cells = dict.fromkeys((cell["case"], cell["threads"]) for region in run.comparison for cell in region["cells"])
    return [cell for cell in cells if cell not in there]


HEADINGS = ("region", "cells", "fastest, ahead of the next by")


def lines(run, mark, emphasised) -> list:
    """The main table, headings first. `mark` formats a matcher's name, `emphasised` the lowest figure of a line."""
    table = [[HEADINGS[0], HEADINGS[1], *map(mark, run.matchers), HEADINGS[2]]]
    for one in (summary(run, region) for region in run.comparison):
        cells = [number(one.means.get(matcher)) for matcher in run.matchers]
        cells = [emphasised(cell) if matcher == one.best else cell for matcher, cell in zip(run.matchers, cells)]
        count = str(one.cells) if one.compared == one.cells else f"{one.compared} of {one.cells}"
        table.append([one.name, count, *cells, one.verdict])
    return table


def text(run) -> str:
    """The table for a terminal, and the cells that have no figure."""
    table = lines(run, str, str)
    return "\n".join([aligned(table, (0, len(table[0]) - 1)), *missing(run)])


if __name__ == "__main__":
    print(text(read(sys.argv[1])))
