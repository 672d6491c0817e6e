#!/usr/bin/env python3
"""Prints which mutants that lack one guarantee of one ordered access the schedules of the weak memory find.

  orderings.py PROGRAM SEEDS [PATTERN]

PROGRAM is built from a numbered core (run --orderings builds it). The script tries a mutant in cases that reach its
site, until a run fails. First it uses up to 20 of them, spread over all, with SEEDS schedules each, then all of them
with 10 schedules each. It prints one line for each mutant: found or not, the place, and the failure. The last line has
the count. The output is for a person to read. The script exits with 0 whatever it finds.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

import sites

CASES = 20


def reached_by(program: str) -> dict:
    """Returns the cases that reach each site."""
    with tempfile.NamedTemporaryFile("r") as file:
        environment = dict(os.environ, CRUCIBLE_SITES=file.name)
        subprocess.run([program, "--seeds", "10"], env=environment, check=True, stdout=subprocess.DEVNULL)
        cases = defaultdict(set)
        for line in file:
            number, case = line.split()
            cases[int(number)].add(case)
    return cases


def spread(cases: set) -> list:
    """Returns up to CASES of them, evenly spread, those on `word` first."""
    cases = sorted(cases, key=lambda case: ("/word" not in case, case))
    step = max(1, len(cases) / CASES)
    return [cases[int(i * step)] for i in range(min(CASES, len(cases)))]


def find(program: str, number: int, lack: str, cases: set, seeds: str) -> str:
    for case, seeds in [(case, seeds) for case in spread(cases)] + [(case, "10") for case in sorted(cases)]:
        environment = dict(os.environ, CRUCIBLE_LACKING=f"{number} {lack}")
        run = subprocess.run([program, "--case", case, "--seeds", seeds], env=environment, text=True, capture_output=True)
        failure = re.search(r"^FAILED ([^,]*, seed [0-9]+)(.*)", run.stdout, re.MULTILINE)
        if failure:
            stale = os.environ.get("CRUCIBLE_STALE")
            return failure.group(1) + (f", stale {stale}" if stale else "") + failure.group(2)
        if run.returncode not in (0, 1):
            sys.exit(f"orderings.py: {case} ended with {run.returncode}: {run.stderr}")
    return ""


def main(program: str, seeds: str, pattern: str = "") -> None:
    cases = reached_by(program)
    numbers = {site: number for number, site in enumerate(sites.all_sites())}
    found = unreached = total = 0
    for site, lack in sites.all_mutants():
        name = sites.mutant_name(site, lack)
        if not re.search(pattern, name):
            continue
        total += 1
        number = numbers[site]
        failure = find(program, number, lack, cases[number], seeds) if cases[number] else ""
        found += failure != ""
        unreached += not cases[number]
        state = "found" if failure else "NOT FOUND" if cases[number] else "NOT REACHED"
        print(f"{state:12}{name:72}{failure}", flush=True)
    print(f"{total} mutants: {found} found, {total - found - unreached} not found, {unreached} not reached by any case")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
