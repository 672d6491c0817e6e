"""The file of figures: JSON, with one row a line, so that a change of one figure changes one line."""

import json
from dataclasses import dataclass
from pathlib import Path

KEY = ["case", "layer", "matcher"]
# A row has the figures of one of these lists: of a reaction, or of a thing in memory.
COUNTED = ["instructions", "atomics", "allocations", "runtime"]
MEMORY = ["bytes"]
# In addition, a row may have `called`: the calls of each function of Swift's runtime. They are not compared.
MADE_BY = ["machine", "swift", "liburcu", "glibc"]


class Foreign(Exception):
    """The file is not a file of figures."""


@dataclass
class Figures:
    made_by: dict[str, str]
    rows: list[dict]

    def by_key(self) -> dict[tuple, dict]:
        return {tuple(row[name] for name in KEY): row for row in self.rows}


def names_of(row: dict) -> list[str]:
    return MEMORY if "bytes" in row else COUNTED


def read(path: str) -> Figures:
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise Foreign(f"{path}: {problem.strerror}") from None
    except ValueError as problem:
        raise Foreign(f"{path}: no JSON: {problem}") from None
    is_ours = isinstance(content, dict) and isinstance(content.get("rows"), list) and isinstance(content.get("made by"), dict)
    if not is_ours:
        raise Foreign(f"{path}: not written by Benchmarks/costs")
    return Figures(content["made by"], content["rows"])


def text(figures: Figures) -> str:
    cells = [{name: json.dumps(row[name]) for name in KEY + names_of(row)} for row in figures.rows]
    names = KEY + COUNTED + MEMORY
    widths = {name: max((len(line[name]) for line in cells if name in line), default=0) for name in names}
    rows = []
    for row, line in zip(figures.rows, cells):
        key = [f'"{name}": ' + f"{line[name]},".ljust(widths[name] + 1) for name in KEY]
        counted = ", ".join(f'"{name}": ' + line[name].rjust(widths[name]) for name in names_of(row))
        called = f', "called": {json.dumps(row["called"])}' if row.get("called") else ""
        rows.append("    {" + " ".join([*key, counted]) + called + "}")
    return '{\n  "made by": ' + json.dumps(figures.made_by) + ',\n  "rows": [\n' + ",\n".join(rows) + "\n  ]\n}\n"
