#!/usr/bin/env python3
"""What finds each mutation of the core: the table of README.md, made of the patches' own headers.

  table.py          writes README.md anew
  table.py --check  fails if README.md is not what the headers say, if one kind of evidence alone finds a mutation, or if Tests/Models/run does
                    not have the one that a header names

A patch opens with one sentence, and then says what finds it: `case:` and `seeds:` (Tests/Schedules, random priorities),
`exhaustive:` (Tests/Schedules, case, preemptions, schedules), `model:` (Tests/Models, model and mutation), `histories:`
(Tests/Histories, seconds), `storms:` (Tests/Storms, seconds). Each is a promise that its command keeps.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
KINDS = ("schedules", "model", "histories", "storms")


def row_of(patch: Path):
    head = patch.read_text().split("\n---", 1)[0]
    sentence = head.split("\n", 1)[0]
    if head.startswith("---") or not sentence:
        sys.exit(f"{patch.name} has no sentence")
    field = {key: value for key, value in re.findall(r"^([a-z]+): (.+)$", head, re.MULTILINE)}
    schedules = f"`{field['case']}`, {field['seeds']}" if "case" in field else ""
    if "exhaustive" in field:
        case, preemptions, count = field["exhaustive"].split()
        schedules += f"{'; ' if schedules else ''}all of `{case}` with {preemptions}, {count}"
    cells = {
        "schedules": schedules,
        "model": f"`{field['model']}`" if "model" in field else "",
        "histories": f"{field['histories']} s" if "histories" in field else "",
        "storms": f"{field['storms']} s" if "storms" in field else "",
    }
    return patch.stem, sentence, cells


def main(check: bool) -> None:
    rows = [row_of(patch) for patch in sorted(HERE.glob("*.patch"))]
    lines = ["| mutation | what is wrong with it | schedules | model | histories | storms |", "|---|---|---|---|---|---|"]
    for name, sentence, cells in rows:
        lines.append(f"| `{name}` | {sentence.rstrip('.')} | " + " | ".join(cells[kind] or "–" for kind in KINDS) + " |")
    once = [name for name, _, cells in rows if sum(cells[kind] != "" for kind in KINDS) < 2]
    if once:
        sys.exit("found by one kind of evidence alone: " + ", ".join(once))
    models = (HERE.parent / "Models" / "models.tsv").read_text()
    for name, _, cells in rows:
        model = cells["model"].strip("`").split()
        if model and "\t".join(model) + "\t" not in models:
            sys.exit(f"{name}: Tests/Models/models.tsv does not have {' '.join(model)}")
    lines += ["", f"{len(rows)} mutations, each found by at least two kinds of evidence."]
    readme = HERE / "README.md"
    text = readme.read_text()
    new = text[: text.index(BEGIN) + len(BEGIN)] + "\n".join(lines) + "\n" + text[text.index(END) :]
    if not check:
        readme.write_text(new)
    elif new != text:
        sys.exit("Tests/Mutations/README.md is not what the patches say: run Tests/Mutations/table.py")


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    main(bool(sys.argv[1:]))
