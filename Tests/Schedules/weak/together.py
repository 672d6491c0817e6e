#!/usr/bin/env python3
"""Finds groups of orderings that replace each other: mutants of the memory orderings, removed together.

  together.py PROGRAM SEEDS ALONE STATE [--backwards]
  together.py PROGRAM SEEDS --again STATE

PROGRAM is built from a numbered core (run --together builds it). ALONE names mutants, one in each line that begins with
"NOT FOUND"; orderings.py prints them. Most of them are not found alone because another access on the same path orders
as well. So the script removes all of them at once. As long as some case fails in SEEDS schedules, it searches for a group:
a few mutants that fail when they are removed together, and none of which may be omitted (as five times as many
schedules show). So each mutant of a group is needed if the others of the group are gone. A group of one is a mutant
that is found alone after all. The script then restores the mutant of the group that is last in the list, and continues.

The remainder are the mutants that the script never restores: all of them may be removed at once, and SEEDS schedules of
each case find nothing. Of mutants with the same effect, the first one remains. --backwards reads the list from its end,
so another search finds other groups.

--again searches for each group of STATE in the present core, because a seed names a schedule of one core. It runs the
case that the group names, then the tiny cases that reach all of the group. It removes and reports a group that is not
found. If fewer of its mutants suffice, it makes the group smaller.

STATE keeps the results, as JSON: {"groups": [{"mutants", "case", "seed", "text", "stale"}], "remainder": [...]}, where
"stale" is the value of CRUCIBLE_STALE (views.c). The script keeps the groups of STATE, lists their mutants first, and
restores the last one of each.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Orderings"))
import orderings  # noqa: E402
import sites  # noqa: E402

MORE = 5
NO_REPLAY = "the seed does not replay"
FAILURE = re.compile(r"^FAILED ([^,]*), seed ([0-9]+), step [0-9]+: (.*)", re.MULTILINE)


def stale(group: dict) -> dict:
    return {"CRUCIBLE_STALE": group["stale"]} if group["stale"] else {}


class Search:
    def __init__(self, program: str, seeds: int, names: list, state: Path, backwards: bool = False):
        self.program, self.seeds, self.state = program, seeds, state
        numbers = {site: number for number, site in enumerate(sites.all_sites())}
        self.lacks = {sites.mutant_name(site, lack): (numbers[site], lack) for site, lack in sites.all_mutants()}
        self.cases = orderings.reached_by(program)
        self.groups = json.loads(state.read_text())["groups"] if state.exists() else []
        grouped = {name for group in self.groups for name in group["mutants"]}
        alone = {group["mutants"][0] for group in self.groups if len(group["mutants"]) == 1}
        names = [name for name in names if self.cases[self.lacks[name][0]] and name not in alone]
        back = {group["mutants"][0 if backwards else -1] for group in self.groups}
        names = [name for name in names if name not in back]
        self.remainder = [name for name in names if name in grouped] + [name for name in names if name not in grouped]

    def run(self, names: list, case: str, times: int = 1, first: int = 0):
        """Returns the first seed that fails, and how, or None if `times` as many pass. A seed that does not replay is
        no failure: something outlasts a run, as reported shortages of the pool do."""
        lacking = ", ".join(f"{number} {lack}" for number, lack in (self.lacks[name] for name in names))
        run = subprocess.run(
            [self.program, "--case", case, "--first", str(first), "--seeds", str(times * self.seeds)],
            env=dict(os.environ, CRUCIBLE_LACKING=lacking), text=True, capture_output=True)
        failure = FAILURE.search(run.stdout)
        if failure is None and run.returncode != 0:
            sys.exit(f"together.py: {case} ended with {run.returncode}: {run.stdout}{run.stderr}")
        if failure and failure.group(3) == NO_REPLAY:
            next_one = int(failure.group(2)) + 1
            return self.run(names, case, times, next_one) if next_one < times * self.seeds else None
        return failure and (int(failure.group(2)), failure.group(3))

    def shortest(self, names: list, besides: list, case: str) -> list:
        """Returns as many of the list as it takes to fail together with `besides`, by halves."""
        passes, fails = 0, len(names)
        while fails - passes > 1:
            middle = (passes + fails) // 2
            if self.run(names[:middle] + besides, case):
                fails = middle
            else:
                passes = middle
        return names[:fails]

    def group(self, case: str) -> None:
        names, group = self.remainder, []
        while not group or not self.run(group, case):
            names = self.shortest(names, group, case)
            group, names = [names[-1]] + group, names[:-1]
        # A name that was found later may replace an earlier one, and so may a rarer schedule.
        for name in list(group):
            others = [other for other in group if other != name]
            if others and self.run(others, case, MORE):
                group = others
        seed, text = self.run(group, case, MORE)
        stale = os.environ.get("CRUCIBLE_STALE", "")
        self.groups.append({"mutants": group, "case": case, "seed": seed, "text": text, "stale": stale})
        self.remainder.remove(group[-1])
        print(f"{case}, seed {seed}: {text}", *group, sep="\n  ", flush=True)

    def again(self) -> None:
        known, self.groups = self.groups, []
        for group in known:
            os.environ.pop("CRUCIBLE_STALE", None)
            os.environ.update(stale(group))
            names = [name for name in group["mutants"] if name in self.lacks]
            if len(names) < len(group["mutants"]) or not self.find(names, group):
                print("not found again:", *group["mutants"], sep="\n  ", flush=True)
            self.keep()

    def find(self, names: list, group: dict) -> bool:
        reached = set.intersection(*(self.cases[self.lacks[name][0]] for name in names))
        for case in [group["case"]] + sorted(case for case in reached if case.startswith("tiny") and case != group["case"]):
            if not self.run(names, case, MORE):
                continue
            for name in list(names):
                others = [other for other in names if other != name]
                if others and self.run(others, case, MORE):
                    names = others
            seed, text = self.run(names, case, MORE)
            self.groups.append({"mutants": names, "case": case, "seed": seed, "text": text, "stale": group["stale"]})
            print(f"{case}, seed {seed}: {text}", *names, sep="\n  ", flush=True)
            return True
        return False

    def keep(self) -> None:
        self.state.write_text(json.dumps({"groups": self.groups, "remainder": self.remainder}, indent=1) + "\n")

    def search(self) -> None:
        cases = set().union(*(self.cases[self.lacks[name][0]] for name in self.remainder))
        for case in sorted(cases, key=lambda case: ("/word" not in case, not case.startswith("tiny"), case)):
            while self.run(self.remainder, case):
                self.group(case)
                self.keep()
        self.keep()


def main(program: str, seeds: str, alone: str, state: str, *backwards: str) -> None:
    if alone == "--again":
        Search(program, int(seeds), [], Path(state)).again()
        return
    names = re.findall(r"^NOT FOUND +(\S+)", Path(alone).read_text(), re.MULTILINE)
    search = Search(program, int(seeds), names[::-1] if backwards else names, Path(state), bool(backwards))
    search.search()
    grouped = {name for group in search.groups for name in group["mutants"]}
    without = [name for name in search.remainder if name not in grouped]
    print(f"{len(grouped)} in {len(search.groups)} groups, {len(search.remainder)} may be gone at once, {len(without)} of them in no group")


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6) or sys.argv[5:] not in ([], ["--backwards"]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
