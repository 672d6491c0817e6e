#!/usr/bin/env python3
"""Checks the links of the tree's pages, and writes the articles in the form that DocC reads.

usage: articles.py check ROOT            each link and picture of each *.md leads to a file, or to a heading of one
       articles.py copy CATALOG FOLDER   writes the catalog's files into FOLDER, with links and pictures as DocC has them

Pages are written as a code host shows them: `[Order](Order.md)`, `![A graph.](Resources/graph.svg)`. DocC knows neither.
A copy has `<doc:Order>` for a link whose text is the page's name, `[text](doc:Order)` for another text, and the path of
the site for a page of another catalog. Any other file is named by its path.
"""

import pathlib
import re
import subprocess
import sys

CODE = re.compile(r"^```.*?^```$|``.+?``|`[^`\n]+`", re.M | re.S)
LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<path>[^)\s]+)\)")


def links(text):
    """Returns the links and pictures outside of code."""
    blank = CODE.sub(lambda code: re.sub(r"[^\n]", "_", code[0]), text)
    return LINK.finditer(blank)


def headings(path):
    """The headings of a page, by the fragment that a code host gives them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)
    found = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-").lower(): heading for heading in found}


def target(page, link):
    """The file and the heading that a link leads to, or None for one that leaves the tree."""
    if re.match(r"[a-z]+:", link["path"]):
        return None
    path, _, fragment = link["path"].partition("#")
    file = (page.parent / path).resolve() if path else page.resolve()
    return file, headings(file).get(fragment, "") if fragment and file.suffix == ".md" and file.exists() else None


def check(root):
    listed = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    pages = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
    count = failures = 0
    for page in filter(pathlib.Path.exists, (root / name for name in pages)):
        text = page.read_text()
        bad = [(match.start(), match[0]) for match in re.finditer(r"<doc:|\(doc:", CODE.sub(lambda c: "_" * len(c[0]), text))]
        for link in links(text):
            count += 1
            found = target(page, link)
            if found and (not found[0].exists() or found[1] == ""):
                bad.append((link.start(), link["path"]))
        for position, what in bad:
            failures += 1
            line = text.count("\n", 0, position) + 1
            print(f"{page.relative_to(root)}:{line}: '{what}' leads to no file and no heading of the tree")
    print(f"{count} links and pictures of {len(pages)} pages")
    sys.exit(bool(failures))


def for_docc(page, link, text):
    """The link as DocC has it; `text` is the one on the page."""
    found = target(page, link)
    if not found:
        return None
    file, heading = found
    if link["picture"]:
        return f"![{text}]({file.name})"
    if file.suffix != ".md" or file.parent.suffix != ".docc":
        return f"{text} in `{file.relative_to(page.resolve().parents[3])}`"
    fragment = "#" + re.sub(r"\s", "-", heading) if heading else ""
    if file.parent != page.parent.resolve():
        catalog = file.parent.stem.lower()
        path = catalog if file.stem.lower() == catalog else f"{catalog}/{file.stem.lower()}"
        return f"[{text}](/documentation/{path}{fragment})"
    named = text.replace(" ", "").replace("\n", "").lower() == file.stem.lower() and not fragment
    return f"<doc:{file.stem}>" if named else f"[{text}](doc:{file.stem}{fragment})"


def copy(catalog, folder):
    for source in catalog.rglob("*"):
        if source.is_dir():
            continue
        copied = folder / source.relative_to(catalog)
        copied.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".md":
            copied.write_bytes(source.read_bytes())
            continue
        text, end, parts = source.read_text(), 0, []
        for link in links(text):
            shown = text[link.start("text") : link.end("text")]
            parts += [text[end : link.start()], for_docc(source, link, shown) or text[link.start() : link.end()]]
            end = link.end()
        copied.write_text("".join(parts) + text[end:])


if sys.argv[1] == "check":
    check(pathlib.Path(sys.argv[2]))
else:
    copy(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
