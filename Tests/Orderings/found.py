#!/usr/bin/env python3
"""The findings about weakened orderings: the rows of found.tsv.

  found.py check           fails at each access of the core that has neither a finding nor a reason in its comment;
                           warns of stale findings
  found.py counts          how many mutants each kind finds
  found.py table           every mutant with the run that finds it, or the reason why none does
  found.py groups          the mutants that are found when they are removed together
  found.py pairs           both sides of each pair that relies on the total order, with the findings that show the need
  found.py add KIND FILE   adds the findings of a run: storms takes the lines of `run`, weak the output of
                           Tests/Schedules/weak/run --orderings, together the state of its --together

A mutant is explained when a row of found.tsv has it, alone or with others, or when the comment at its access gives the
reason (`unseen:`, see sites.py). A row has the mutants with + between them, the kind of evidence, the case (for storms
the size of the rings), the seed, the staleness of the memory, the failure, and a hash of the core's sources. A seed
names a schedule of one core. In another core it may name another schedule. Then --lacking with more seeds searches for
the finding again.
"""

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import sites  # noqa: E402

HERE = Path(__file__).resolve().parent
FOUND = HERE / "found.tsv"
PAIRS = HERE / "pairs.tsv"
ADVICE = "New ones: Tests/Orderings/run --only NAME, and Tests/Schedules/weak/run --orderings NAME, add what they find."
HEAD = "mutants\tkind\tcase\tseed\tstale\tfailure\tcore\n"


class Finding(NamedTuple):
    mutants: str
    kind: str
    case: str
    seed: str
    stale: str
    failure: str
    core: str

    @property
    def names(self) -> list:
        return self.mutants.split("+")

    @property
    def replay(self) -> str:
        case = f"{self.case} rings" if self.kind == "storms" else self.case
        return f"{case}, seed {self.seed}" + (f", stale {self.stale}" if self.stale else "")


def rows_of(file: Path) -> list:
    return [line.split("\t") for line in file.read_text().splitlines()[1:]]


def findings() -> list:
    return [Finding(*row) for row in rows_of(FOUND)]


def core_hash() -> str:
    """Returns a hash of the core's code without its comments: findings say in which core they were made."""
    files = sorted(file for file in sites.CORE.rglob("*") if file.suffix in (".c", ".h"))
    lines = [sites.code_of(line).strip() for file in files for line in file.read_text().splitlines()]
    return hashlib.sha256("\n".join(filter(None, lines)).encode()).hexdigest()[:8]


def mutants() -> dict:
    """Each mutant's name, with its access and what that lacks."""
    return {sites.mutant_name(site, lack): (site, lack) for site, lack in sites.all_mutants()}


def check() -> None:
    known, found = mutants(), findings()
    explained = {name for finding in found for name in finding.names}
    wrong = [
        f"CSupport/CCrucible/{site.file}:{site.line + 1}: error: no run finds {name}, and no comment says why (unseen:)"
        for name, (site, lack) in known.items()
        if name not in explained and not site.reason(lack)
    ]
    accesses = {site.name for site, _ in known.values()}
    wrong += [f"{PAIRS.name}: the core has no access {row[2]}" for row in rows_of(PAIRS) if row[2] not in accesses]
    gone = [finding.mutants for finding in found if not set(finding.names) <= set(known)]
    for name in gone:
        print(f"warning: found.tsv has {name}, and the core has no such access any more")
    current = core_hash()
    stale = sum(finding.core != current for finding in found)
    if stale:
        print(f"warning: {stale} of {len(found)} findings are of another core, where a seed may name another schedule")
    if wrong:
        sys.exit("\n".join([*wrong, ADVICE]))
    print(f"{len(known)} passed, 0 failed: every mutant is found, or its access says why not")


def counts() -> None:
    singles = [finding for finding in findings() if "+" not in finding.mutants]
    alone = {kind: {finding.mutants for finding in singles if finding.kind == kind} for kind in ("storms", "weak")}
    together = {name for finding in findings() for name in finding.names if "+" in finding.mutants}
    for title, kind in (("acquire or release", False), ("total order", True)):
        names = {name for name in mutants() if name.endswith("-order") == kind}
        storms, weak = alone["storms"] & names, alone["weak"] & names
        others = (together & names) - storms - weak
        print(
            f"{title}: {len(names)} mutants; storms find {len(storms)}, weak memory {len(weak)}, "
            f"both {len(storms & weak)}, either {len(storms | weak)}; {len(others)} more with others; "
            f"{len(names - storms - weak - others)} rest on reading"
        )


def table() -> None:
    by_name = {}
    for finding in findings():
        for name in finding.names:
            others = " with others" if "+" in finding.mutants else ""
            by_name.setdefault(name, []).append(f"{finding.kind}{others}: {finding.replay}")
    for name, (site, lack) in mutants().items():
        said = "; ".join(by_name.get(name, [])) or f"unseen: {site.reason(lack)}"
        print(f"{name:64} {said}")


def groups() -> None:
    for finding in findings():
        if "+" in finding.mutants:
            print(f"{finding.kind}: {finding.replay}: {finding.failure}", *finding.names, sep="\n  ")


def pairs() -> None:
    by_name = {}
    for finding in findings():
        by_name.setdefault(finding.mutants, finding.replay)
    together = {name for finding in findings() for name in finding.names}
    known = mutants()
    for pair, side, access in rows_of(PAIRS):
        name = f"{access}-order"
        site, lack = known[name]
        shown = by_name.get(name) or ("found with others" if name in together else f"unseen: {site.reason(lack)}")
        print(f"{pair:26} {side:6} {access:58} {shown}")


def read_storms(text: str) -> list:
    rows = [line.split("\t") for line in text.splitlines()]
    found = []
    for state, name, failure, seed, _ in rows:
        drawn = re.fullmatch(r"(\w+) rings, seed (\d+)", seed)
        if state == "caught" and drawn:
            found.append((name, "storms", drawn[1], drawn[2], "", re.sub(r" at \S+$", "", failure)))
    return found


def read_weak(text: str) -> list:
    lines = re.findall(r"^found +(\S+) +([^,]+), seed (\d+)(?:, stale (\d+))?, step \d+: (.*)", text, re.MULTILINE)
    return [(name, "weak", case, seed, stale, failure) for name, case, seed, stale, failure in lines]


def read_together(text: str) -> list:
    return [
        ("+".join(sorted(group["mutants"])), "weak", group["case"], str(group["seed"]), group["stale"], group["text"])
        for group in json.loads(text)["groups"]
    ]


def add(kind: str, file: str) -> None:
    read = {"storms": read_storms, "weak": read_weak, "together": read_together}[kind]
    known, core = mutants(), core_hash()
    rows = {("+".join(sorted(f.names)), f.kind): f for f in findings() if set(f.names) <= set(known)}
    new = [Finding(*row, core) for row in read(Path(file).read_text())]
    rows.update({("+".join(sorted(f.names)), f.kind): f for f in new})
    ordered = sorted(rows.values(), key=lambda f: ("+" in f.mutants, f.mutants, f.kind))
    FOUND.write_text(HEAD + "".join("\t".join(finding) + "\n" for finding in ordered))
    print(f"{len(new)} findings added to {FOUND.name}")


def main(arguments: list) -> None:
    match arguments:
        case ["check"]:
            check()
        case ["counts"]:
            counts()
        case ["table"]:
            table()
        case ["groups"]:
            groups()
        case ["pairs"]:
            pairs()
        case ["add", ("storms" | "weak" | "together") as kind, file]:
            add(kind, file)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
