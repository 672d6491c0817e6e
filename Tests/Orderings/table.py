#!/usr/bin/env python3
"""Writes what was found into the tables of README.md.

  table.py [--anew] [--weak FILE]... [--together STATE]... [--tsan FILE]...
  table.py --check    changes nothing: whether each mutant has a row that says what finds it or why nothing does, and each row a mutant

FILE of --weak is what Tests/Schedules/weak/run --orderings printed, of --tsan what Tests/Orderings/run --table wrote, STATE what
Tests/Schedules/weak/run --together keeps. What a file does not say stays as it is, unless all was run --anew, and so do the letters of those
that are not caught, which are somebody's reading: for the total order they are in REASONS here. A mutant that sites.py does not
list any more loses its row, a new one gets one. Prints the counts, for the text above the tables; a mutant without a letter is an error.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import sites  # noqa: E402

README = Path(__file__).with_name("README.md")
ROW = re.compile(r"^\| `([^` ]+-(?:acquire|release|order))` \| (.*) \|$")
HEADS = {
    False: "| mutant | ThreadSanitizer | weak memory |\n|---|---|---|\n",
    True: "| mutant | weak memory |\n|---|---|\n",
}
GROUPS = "| | together | weak memory |\n|---|---|---|\n"
# The letters of mutants of the total order, and of those that no storm was tried with: the first that matches.
REASONS = [
    (r"_begin/|_inherit/|_after_fork/|has_work/|hire/fetch_sub|hire/load_seq_cst/2", "U"),
    (r"add_pending/", "H"),
    (r"have_it_watched", "D"),
    (r"(pool_set_workers|pool_set_limit|crew_hire|crew_leave)/load", "R"),
    (r"(crew_hire|crew_leave)/cas", "J"),
    (r"crew_limit/|word_fire.c/give_back/cas", "G"),
    (r"try_to_withdraw/load|take_counts/load|run_on/load|settle_all/load|crucible__word_settle/load|word_settle_whole/load", "R"),
    (r"help_and_stay|gives_back_more/load|settle_stored|inject_plain/load|store/load_|word_withdraw/load|word_drop/load|drop_stopped/load_seq_cst/2", "F"),
    (r"make_room/load|is_dropping|tend/load|fired/load|spill_rest/fetch_or|control/fetch_or", "F"),
    (r"is_at_rest", "Q"),
    (r"word_counts", "S"),
    (r"word_add(ed)?/load|bring/load|bring_all/load|has_counts/load|retry_abandoned/load", "G"),
    (r"pool.*/(sleep_until_needed/(load|store)|wake_one/|crucible__pool_resized/)|crew_(exceeds|has_too_many)/", "Z"),
    (r"search/|fetch_sub|reopen|blocking_end|start/store|shortage_tell/store_seq_cst/2", "A"),
    (r"pass_on/|some_slot_is_full|look_at_slots|hire_one|crew_", "W"),
    (r"tell_all/store|retiring_after_fork/store", "V"),
    (r"/(cas|exchange|fetch_add|fetch_or|fetch_and)_", "J"),
    (r"postpone/load", "J"),
]


# The pairs that rest on the total order: each side does something, then looks for what the other does.
PAIRS = [
    ("W3: spilling", ["word_overflow.c/crucible__word_spill/fetch_add_seq_cst/1", "word_together.c/spill_rest/fetch_add_seq_cst/1"],
     ["word_overflow.c/crucible__word_bring/load_seq_cst/2", "word.h/crucible__word_add/load_seq_cst/1",
      "word.h/crucible__word_added/load_seq_cst/1"]),
    ("W3: making room", ["word.h/crucible__word_settle/cas_seq_cst/1", "word_inject.c/complete/cas_seq_cst/1",
     "word_short.c/complete/cas_seq_cst/1", "word_short.c/store_and_fire/cas_seq_cst/1", "word_short.c/inject_plain/cas_seq_cst/1",
     "word_withdraw.c/try_to_withdraw/cas_seq_cst/1", "word_stop.c/take_counts/cas_seq_cst/1"],
     ["word.h/crucible__word_fired/load_seq_cst/1", "word_short.c/inject_plain/load_seq_cst/1",
      "word_overflow.c/crucible__word_bring/load_seq_cst/1",
      "word_withdraw.c/crucible__word_withdraw/load_seq_cst/1", "word_stop.c/crucible__word_drop/load_seq_cst/2"]),
    ("S1: abandoning", ["word_withdraw.c/push_abandoned/cas_seq_cst/1", "word_withdraw.c/abandon/fetch_or_seq_cst/1"],
     ["word_withdraw.c/has_counts/load_seq_cst/1"]),
    ("S1: adding", ["word.h/crucible__word_add/fetch_add_seq_cst/1", "word.h/crucible__word_add/cas_seq_cst/1",
     "word_short.c/store/fetch_add_seq_cst/1", "word_short.c/store_and_fire/fetch_add_seq_cst/1"],
     ["word_inject.c/settle_stored/load_seq_cst/1", "word_short.c/store/load_seq_cst/1", "word_withdraw.c/crucible__word_give_count_back/load_seq_cst/1"]),
    ("S4: dropping", ["word_stop.c/crucible__word_drop_stopped/fetch_add_seq_cst/1"],
     ["word_stop.c/crucible__word_drop_stopped/load_seq_cst/1"]),
    ("S4: restarting", ["word_stop.c/crucible__word_control/cas_seq_cst/1"],
     ["word_stop.c/crucible__word_is_dropping/load_seq_cst/1"]),
    ("P1: adding work", ["pool.c/crucible__pool_add/fetch_add_seq_cst/1"],
     ["pool.c/announce/load_seq_cst/1", "pool.c/wake_one/load_seq_cst/1", "pool.c/hire_one/load_seq_cst/1"]),
    ("P1: going to sleep", ["pool.c/search/fetch_sub_seq_cst/1", "pool.c/sleep_until_needed/fetch_add_seq_cst/1"],
     ["pool.c/take_task/load_seq_cst/1"]),
    ("watching: filling a slot", ["pool.c/crucible__slot_put/exchange_seq_cst/1"], ["pool.c/crucible__slot_put/load_seq_cst/1"]),
    ("watching: ending it", ["pool.c/sleep_until_needed/store_seq_cst/2"], ["pool.c/look_at_slots/load_seq_cst/1"]),
    ("T1: adding work", ["pool.c/crucible__pool_add/fetch_add_seq_cst/1"],
     ["crew.h/crucible__crew_workers/load_seq_cst/1", "crew.h/crucible__crew_is_short_of/load_seq_cst/1",
      "crew.h/crucible__crew_limit/load_seq_cst/1"]),
    ("T1: making the crew short", ["crew.c/crucible_pool_set_workers/cas_seq_cst/1", "crew.c/crucible_pool_set_limit/cas_seq_cst/1",
     "pool.c/crucible__blocking_begin/fetch_add_seq_cst/1"], ["pool.c/pass_on/load_seq_cst/1"]),
    ("fork: retiring", ["reclamation.c/crucible__retire/fetch_add_seq_cst/1"], ["reclamation.c/crucible__retire/load_seq_cst/1"]),
    ("fork: forking", ["reclamation.c/crucible__retiring_before_fork/store_seq_cst/1"],
     ["reclamation.c/crucible__retiring_before_fork/load_seq_cst/1"]),
    ("shortage: telling", ["shortage.c/crucible__shortage_tell/store_seq_cst/1"], ["shortage.c/start/exchange_seq_cst/1"]),
    ("shortage: ending", ["shortage.c/tell_all/store_seq_cst/1"], ["shortage.c/tell_all/load_seq_cst/1"]),
]
PAIRS_HEAD = "| pair | does, then looks | without the total order |\n|---|---|---|\n"


def cells_of(text: str) -> dict:
    """The cells of each mutant's row."""
    return {found[1]: found[2].split(" | ") for found in map(ROW.match, text.splitlines()) if found}


def replay_of(case: str, seed: str, stale: str) -> str:
    return f"`{case}`, seed {seed}" + (f", stale {stale}" if stale else "")


def read_weak(path: str) -> dict:
    cells = {}
    for line in Path(path).read_text().splitlines():
        found = re.match(r"^found +(\S+) +([^,]+), seed (\d+)(?:, stale (\d+))?,", line)
        missed = re.match(r"^(NOT FOUND|NOT REACHED) +(\S+)", line)
        if found:
            cells[found[1]] = replay_of(found[2], found[3], found[4])
        elif missed:
            cells[missed[2]] = "–" if missed[1] == "NOT FOUND" else "not reached"
    return cells


def read_tsan(path: str) -> dict:
    cells = {}
    for line in Path(path).read_text().splitlines():
        state, name, where, seed, seconds = line.split("\t")
        cells[name] = f"caught: {where}, {seed}, {seconds} s" if state == "caught" else "not: ?"
    return cells


def read_groups(paths: list) -> list:
    groups = {}
    for path in paths:
        for group in json.loads(Path(path).read_text())["groups"]:
            groups.setdefault(tuple(sorted(group["mutants"])), group)
    return sorted(groups.values(), key=lambda group: (group["case"], group["seed"], group["mutants"]))


def between(text: str, head: str) -> tuple:
    """The text before a table's rows, and that after them."""
    begin = text.index(head) + len(head)
    end = re.compile(r"^(?!\|)", re.MULTILINE).search(text, begin).start()
    return text[:begin], text[end:]


def reason_of(name: str) -> str:
    return next((letter for pattern, letter in REASONS if re.search(pattern, name)), "")


def explained(tsan: str, weak: str) -> bool:
    """Whether what finds it stands in its row, or the letter of why nothing does."""
    said = weak.startswith(("`", "with others")) or tsan.startswith("caught")
    return said or re.search(r": [A-Z]$", tsan) is not None or re.search(r": [A-Z]$", weak) is not None


def check() -> None:
    text = README.read_text()
    known = cells_of(text)
    names = [sites.mutant_name(site, lack) for site, lack in sites.all_mutants()]
    letters = set(re.findall(r"^\| ([A-Z]) \| ", text, re.MULTILINE))
    wrong = [f"{name} has no row: the core has this site, and nobody has said what finds it" for name in names if name not in known]
    for name, cells in known.items():
        letter = re.search(r": ([A-Z])$", " | ".join(cells))
        if name not in names:
            wrong.append(f"{name} has a row, and the core has no such site any more")
        elif not explained(cells[0] if len(cells) == 2 else "", cells[-1]):
            wrong.append(f"{name} is not found, and its row has no letter that says why")
        elif letter and letter[1] not in letters:
            wrong.append(f"{name} has the letter {letter[1]}, which is not explained")
    before, after = between(text, GROUPS)
    for name in re.findall(r"`([^` ]+-(?:acquire|release|order))`", text[len(before) : len(text) - len(after)]):
        if name not in names:
            wrong.append(f"{name} is in a group, and the core has no such site any more")
    if wrong:
        sys.exit("\n  ".join(["the tables of Tests/Orderings/README.md are not of this core:", *wrong, ADVICE]))
    print(f"{len(names)} mutants, each with a row")


ADVICE = """New ones: Tests/Orderings/run --only PATTERN --table T; Tests/Schedules/weak/run --orderings PATTERN >W; table.py --tsan T --weak W."""


def main(arguments: list) -> None:
    if arguments == ["--check"]:
        check()
        return
    anew = arguments[:1] == ["--anew"]
    arguments = arguments[anew:]
    options = list(zip(arguments[::2], arguments[1::2]))
    if len(arguments) % 2 or any(option not in ("--weak", "--together", "--tsan") for option, _ in options):
        sys.exit(__doc__)
    text = README.read_text()
    known = cells_of(text)
    names = [sites.mutant_name(site, lack) for site, lack in sites.all_mutants()]
    weak = {name: re.sub(r": [A-Z]$", "", cells[-1]) for name, cells in known.items()}
    tsan = {name: cells[0] for name, cells in known.items() if len(cells) == 2}
    if anew:
        weak, tsan = {}, {name: cell for name, cell in tsan.items() if not cell.startswith("caught")}
    for option, path in options:
        if option == "--weak":
            said = read_weak(path)
            known_better = {name for name, cell in weak.items() if cell.startswith(("`", "with others"))}
            weak.update({name: cell for name, cell in said.items() if cell[0] == "`" or name not in known_better})
        elif option == "--tsan":
            tsan.update({name: cell for name, cell in read_tsan(path).items() if cell != "not: ?" or name not in tsan})

    groups = read_groups([path for option, path in options if option == "--together"])
    for group in groups:
        if len(group["mutants"]) == 1 and not weak.get(group["mutants"][0], "–").startswith("`"):
            weak[group["mutants"][0]] = replay_of(group["case"], group["seed"], group["stale"])
    if groups:
        groups = [group for group in groups if len(group["mutants"]) > 1]
        before, after = between(text, GROUPS)
        rows = [
            f"| {number} | {' and '.join(f'`{name}`' for name in group['mutants'])} "
            f"| {replay_of(group['case'], group['seed'], group['stale'])}: {group['text']} |\n"
            for number, group in enumerate(groups, 1)
        ]
        text = before + "".join(rows) + after
        for name in names:
            if not weak.get(name, "–").startswith("`"):
                numbers = [str(number) for number, group in enumerate(groups, 1) if name in group["mutants"]]
                if numbers:
                    weak[name] = "with others: " + ", ".join(numbers[:3])
                elif weak.get(name, "–").startswith("with others"):
                    weak[name] = "–"

    counts, missing = Counter(), []
    for order in (False, True):
        rows = []
        for name in (name for name in names if name.endswith("-order") == order):
            cell = weak.get(name, "–")
            kind = "order" if order else "race"
            by_weak, by_tsan = cell.startswith("`"), tsan.get(name, "").startswith("caught")
            counts[kind, "all"] += 1
            counts[kind, "weak"] += by_weak
            counts[kind, "tsan"] += by_tsan
            counts[kind, "both"] += by_weak and by_tsan
            counts[kind, "either"] += by_weak or by_tsan
            counts[kind, "with others"] += not (by_weak or by_tsan) and cell.startswith("with")
            counts[kind, "not reached"] += cell == "not reached"
            counts[kind, "reading alone"] += not (by_weak or by_tsan or cell.startswith("with"))
            if order:
                letter = "" if by_weak or cell.startswith("with") else reason_of(name)
                if not (by_weak or cell.startswith("with") or letter):
                    missing.append(name)
                rows.append(f"| `{name}` | {cell}{': ' + letter if letter else ''} |\n")
            else:
                storm = tsan.get(name, "not tried")
                if storm == "not tried" and not by_weak and not cell.startswith("with"):
                    storm = f"not tried: {reason_of(name)}"
                if not explained(storm, cell):
                    missing.append(name)
                rows.append(f"| `{name}` | {storm} | {cell} |\n")
        before, after = between(text, HEADS[order])
        text = before + "".join(rows) + after
    cells = cells_of(text)
    rows = []
    for title, does, looks in PAIRS:
        for verb, sites_of_it in (("does", does), ("looks", looks)):
            rows += [f"| {title} | {verb}: `{site}` | {cells[f'{site}-order'][0]} |\n" for site in sites_of_it]
    before, after = between(text, PAIRS_HEAD)
    README.write_text(before + "".join(rows) + after)
    for (kind, what), count in counts.items():
        print(f"{kind:6}{what:16}{count}")
    if groups:
        print(f"{len(groups)} groups of several")
    if missing:
        sys.exit("no letter says why these are not caught:\n  " + "\n  ".join(missing))


if __name__ == "__main__":
    main(sys.argv[1:])
