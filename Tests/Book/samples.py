#!/usr/bin/env python3
"""Collects every Swift sample of the documentation, so that the compiler can check it.

usage: samples.py ROOT FOLDER             those of the library
       samples.py ROOT FOLDER PACKAGE     those of Sources/PACKAGE, a package with a Tests/PACKAGE/given.swift

Samples are in the articles of a `.docc` folder, in README.md and in doc comments. Those of one file become a function
in a file of FOLDER, and each sees the declarations of the samples before it. `given.swift` in this folder declares the
other names that samples use: those for all samples, and below a line `//: FILE` those for the samples of that file
only. `…` stands for omitted code. A sample in Package.swift's language begins with `.package`, and is skipped.
"""

import pathlib
import re
import sys

FENCE = re.compile(r"^(?P<indent>\s*(?:///)? *)```swift$")


def samples(path):
    """Returns the first line's number and the lines of each sample of a file."""
    lines = path.read_text().split("\n")
    index = 0
    while index < len(lines):
        opening = FENCE.match(lines[index])
        index += 1
        if not opening:
            continue
        begin, indent = index, opening["indent"]
        while lines[index].rstrip() != indent + "```":
            index += 1
        yield begin + 1, [line[len(indent) :] for line in lines[begin:index]]


def compilable(line):
    line = re.sub(r"^import \w+$", "", line)
    line = line.replace("#expect(", "expect(")
    return line.replace("…", "fatalError()") if "//" not in line or "…" not in line.split("//")[1] else line


def main(root, folder, package="Book"):
    given = root / "Tests" / package / "given.swift"
    common, *sections = re.split(r"^//: (\S+)\n", given.read_text(), flags=re.M)
    given = dict(zip(sections[::2], sections[1::2]))
    (folder / "given.swift").write_text(common)
    sources = sorted([*root.glob("Sources/*/*.docc/*.md"), *root.glob("Sources/*/**/*.swift"), root / "README.md"])
    if package == "Book":
        packages = [root / "Sources" / given.parent.name for given in root.glob("Tests/*/given.swift")]
        sources = [path for path in sources if not any(path.is_relative_to(other) for other in packages)]
        imports = "import Compounds\nimport Crucible\nimport CrucibleTesting\nimport Dispatch\nimport Foundation\n"
    else:
        sources = [*sorted(root.glob(f"Sources/{package}/**/*.swift")), root / "Sources" / package / "README.md"]
        imports = f"import Crucible\nimport Foundation\nimport {package}\n"
    count, used = 0, set()
    for path in sources:
        found = [(number, lines) for number, lines in samples(path) if not lines[0].startswith(".package")]
        if not found:
            continue
        count += len(found)
        used.add(path.name)
        # A blocking call must not stand in an async function.
        effects = "async throws" if any("await" in line for _, lines in found for line in lines) else "throws"
        text = f"{imports}\nfunc sample() {effects} {{\n"
        text += given.get(path.name, "")
        nested = 1
        for number, lines in found:
            # So it gets a function of its own where others are `async`.
            blocks = effects.startswith("async") and any(re.search(r"\.blocking\b|\bblocking\.", line) for line in lines)
            blocks = blocks and not any("await explore" in line for line in lines)  # its threads may block
            text += f"func blocks{number}() throws {{" if blocks else "do {"
            text += f'\n#sourceLocation(file: "{path.relative_to(root)}", line: {number})\n'
            text += "\n".join(map(compilable, lines)) + "\n"
            text += "}\n" if blocks else ""
            nested += not blocks
        text += "}\n" * nested
        (folder / f"sample{count}.swift").write_text(text.replace("func sample()", f"func sample{count}()"))
    if unused := given.keys() - used:
        sys.exit(f"given.swift: no sample in {', '.join(sorted(unused))}")
    print(f"{count} samples")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:])
