#!/usr/bin/env python3
"""The places where the core requires a memory ordering, and the mutants that each lack one of them.

  sites.py list [PATTERN]       every mutant: its number, its name, and where it is; with PATTERN, a regular expression,
                                those in whose name it occurs
  sites.py lacking A[+B...]     the mutants by the numbers of their sites, for CRUCIBLE_LACKING: 17 acquire, 31 order
  sites.py number DIR           a copy in which every site says its number: load_acquire(p) reads load_acquire_at(17, p)

A site is a call of an atomics.h wrapper whose name carries more than relaxed, and the load in crucible_inject. Its name
is function/wrapper/ordinal. The ordinal counts from 1 within the function, so that a name survives edits elsewhere and
a move to another file. A function whose name several files share is named file:function. A mutant is a site without one
of its guarantees, as in claim/cas_acq_rel/1-release:

  acquire   the writes before the other thread's release may not be visible yet
  release   the earlier writes of this thread may become visible later
  order     the access is in no total order with other seq_cst accesses; acquire and release are kept

A CAS without acquire does not acquire when it fails either. Numbers change whenever a site is added or removed, so data
uses names.
"""

import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

CORE = Path(__file__).resolve().parents[3] / "CSupport" / "CCrucible"
OPERATIONS = {
    "load": {"acquire": ["acquire"], "seq_cst": ["order", "acquire"]},
    "store": {"release": ["release"], "seq_cst": ["order", "release"]},
    "rmw": {
        "acquire": ["acquire"],
        "release": ["release"],
        "acq_rel": ["acquire", "release"],
        "seq_cst": ["order", "acquire", "release"],
    },
}
CALL = re.compile(r"\b(load|store|exchange|fetch_(?:add|sub|or|and)|cas)_(acquire|release|acq_rel|seq_cst)\(")
BUILTIN = re.compile(r"\b(__atomic_load)\((?=.*__ATOMIC_ACQUIRE)")
DEFINITION = re.compile(r"^(?!typedef|extern|_Static_assert|#)[A-Za-z_].*?\b(?!_Atomic\b)(\w+)\(")


class Site(NamedTuple):
    file: str      # relative to the core
    function: str
    operation: str
    ordering: str
    ordinal: int
    line: int      # from 0
    column: int
    is_shared: bool = False  # whether another file has a function of this name

    @property
    def wrapper(self) -> str:
        return self.operation if self.operation == "__atomic_load" else f"{self.operation}_{self.ordering}"

    @property
    def name(self) -> str:
        function = f"{Path(self.file).stem}:{self.function}" if self.is_shared else self.function
        return f"{function}/{self.wrapper}/{self.ordinal}"

    @property
    def lacks(self) -> list:
        kind = {"load": "load", "__atomic_load": "load", "store": "store"}.get(self.operation, "rmw")
        return OPERATIONS[kind][self.ordering]


def code_of(line: str) -> str:
    """The line without its comment. No string of the core contains two slashes next to a site."""
    return line.split("//", 1)[0]


def sites_of(file: Path) -> Iterator[Site]:
    function, ordinals = None, {}
    lines = file.read_text().splitlines()
    for number, line in enumerate(lines):
        code = code_of(line)
        definition = DEFINITION.match(re.sub(r"__attribute__\(\(.*?\)\)\s*", "", code))
        if definition:
            function, ordinals = definition.group(1), {}
        for call in list(CALL.finditer(code)) + list(BUILTIN.finditer(code)):
            if function is None:
                sys.exit(f"sites.py: {file.name}:{number + 1}: an access outside of any function")
            operation = call.group(1)
            ordering = call.group(2) if call.re is CALL else "acquire"
            key = (operation, ordering)
            ordinals[key] = ordinals.get(key, 0) + 1
            yield Site(
                str(file.relative_to(CORE)), function, operation, ordering, ordinals[key], number, call.start()
            )


def all_sites() -> list:
    files = sorted((CORE / "include").glob("*.h")) + sorted((CORE / "src").rglob("*.[ch]"))
    sites = [site for file in files if file.name != "atomics.h" for site in sites_of(file)]
    files_of = {}
    for site in sites:
        files_of.setdefault(site.function, set()).add(site.file)
    sites = [site._replace(is_shared=len(files_of[site.function]) > 1) for site in sites]
    names = [site.name for site in sites]
    for name in names:
        if names.count(name) > 1:
            sys.exit(f"sites.py: two accesses are called {name}: rename one of the two functions")
    return sites


def all_mutants() -> list:
    return [(site, lack) for site in all_sites() for lack in site.lacks]


def mutant_name(site: Site, lack: str) -> str:
    return f"{site.name}-{lack}"


def find_mutant(wanted: str):
    for number, (site, lack) in enumerate(all_mutants()):
        if wanted in (str(number), mutant_name(site, lack)):
            return site, lack
    sys.exit(f"sites.py: no mutant {wanted}; sites.py list names them")


def number_sites(directory: Path) -> None:
    for part in ("src", "include"):
        shutil.copytree(CORE / part, directory / part)
    numbered = {}
    for number, site in enumerate(all_sites()):
        numbered.setdefault(site.file, []).append((site, number))
    for file, sites in numbered.items():
        lines = (directory / file).read_text().splitlines(keepends=True)
        for site, number in sorted(sites, key=lambda entry: (entry[0].line, entry[0].column), reverse=True):
            line = lines[site.line]
            if site.operation == "__atomic_load":
                line = line.replace("__ATOMIC_ACQUIRE", f"CRUCIBLE_ORDER_AT({number}, __ATOMIC_ACQUIRE)")
            else:
                end = site.column + len(site.wrapper)
                line = line[:end] + f"_at({number}, " + line[end + 1 :]
            lines[site.line] = line
        (directory / file).write_text("".join(lines))


def main(arguments: list) -> None:
    match arguments:
        case ["list", *pattern] if len(pattern) <= 1:
            for number, (site, lack) in enumerate(all_mutants()):
                name = mutant_name(site, lack)
                if not pattern or re.search(pattern[0], name):
                    print(f"{number:4} {name:70} {site.file}:{site.line + 1}")
        case ["lacking", wanted]:
            sites = all_sites()
            mutants = [find_mutant(mutant) for mutant in wanted.split("+")]
            print(", ".join(f"{sites.index(site)} {lack}" for site, lack in mutants))
        case ["number", directory]:
            number_sites(Path(directory))
        case _:
            sys.exit(__doc__.split("\n\n")[1])


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(sys.argv[1:])
