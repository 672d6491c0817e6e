#!/usr/bin/env python3
"""Checks what the doc comments of the public symbols say, and names each symbol that lacks something.

usage: symbols.py FOLDER…     each with the symbol graphs of one module, by swift symbolgraph-extract

- Every symbol has a summary. It ends with a full stop or a colon, and does not begin with Of, As, What or The same.
- A *function* is a function, a method, an initializer, a subscript or an operator. A property counts as one if it is a
  name of a soup, because that can be called, or if it is `async` or throws. A function has `- Complexity:`, and
  `- Throws:` if it throws. If it is `async` or belongs to the blocking functions, one of the words block, suspend or
  wait says what waits. Overloads share these. The documentation of a type also counts for its members.
- A function has a sample that contains its name: at itself, its overloads, its type, or its type's other members.
- A type has a sample: at itself or a member, or one that names it, or at a function whose declaration names it. A type
  without functions is data, so it is enough that a type with a sample has a property or a case of it.

Some symbols need the summary only: properties that are no functions, initializers without parameters, types without
members. An implementation of a protocol's requirement needs nothing, because its documentation is at the protocol. A
symbol whose name begins with an underscore is not public. `samples.py` checks that samples compile.
"""

import collections
import json
import pathlib
import re
import sys

TYPES = {"swift.struct", "swift.class", "swift.enum", "swift.protocol"}
FUNCTIONS = {
    "swift.func", "swift.method", "swift.type.method", "swift.init", "swift.subscript", "swift.type.subscript",
    "swift.func.op",
}  # fmt: skip
DATA = {"swift.property", "swift.type.property", "swift.var", "swift.enum.case"}
# Requirements of the standard library's protocols, which a declaration in an extension may not show.
STANDARD = {"description", "==(_:_:)", "<(_:_:)", "hash(into:)"}
SAMPLE = re.compile(r"^ *```swift\n(.*?)^ *```$", re.M | re.S)
NAMES = ("s:8Crucible8InjectorV", "s:8Crucible12FastInjectorV")


class Symbol:
    def __init__(self, graph):
        self.kind = graph["kind"]["identifier"]
        self.id = graph["identifier"]["precise"]
        self.path = tuple(graph["pathComponents"])
        self.base = self.path[-1].split("(")[0]
        fragments = graph["declarationFragments"]
        self.mentions = {fragment.get("preciseIdentifier") for fragment in fragments}
        self.effects = effects(fragments)
        self.doc = "\n".join(line["text"] for line in graph.get("docComment", {}).get("lines", []))
        self.samples = "".join(SAMPLE.findall(self.doc + "\n"))
        isName = self.kind in DATA and any(name in self.mentions for name in NAMES)
        self.isFunction = self.kind in FUNCTIONS or isName or self.kind in DATA and bool(self.effects)
        self.implements = self.base in STANDARD or self.path[-1] in STANDARD
        place = graph.get("location", {"uri": "", "position": {"line": 0}})
        self.place = f"{place['uri'].split('/Sources/')[-1]}:{place['position']['line'] + 1}"

    def stands_in(self, samples):
        """Whether samples use the symbol, as a program spells it."""
        if self.base == "callAsFunction":
            return bool(samples)
        if self.base == "subscript":
            return "[" in samples
        word = self.path[-2] if self.base == "init" else self.base
        spelled = rf"(?<!\w){re.escape(word)}(?!\w)" if word.isidentifier() else re.escape(word)
        return re.search(spelled, samples) is not None


def effects(fragments):
    """`async` and `throws` of the declaration itself, not of the closures that it takes or holds."""
    found, depth = set(), 0
    if fragments[0]["spelling"] == "let":
        return found
    for fragment in fragments:
        text = fragment["spelling"]
        if depth == 0 and text in ("async", "throws"):
            found.add(text)
        if depth == 0 and "->" in text and fragment["kind"] == "text":
            depth -= 1000
        depth += text.count("(") - text.count(")")
    return found


def load(folder):
    symbols, implements = [], set()
    for path in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        graph = json.loads(path.read_text())
        symbols += map(Symbol, graph["symbols"])
        implements |= {edge["source"] for edge in graph["relationships"] if "sourceOrigin" in edge}
    for symbol in symbols:
        symbol.implements |= symbol.id in implements
    return [symbol for symbol in symbols if not any(part.startswith("_") for part in symbol.path)]


class Module:
    def __init__(self, symbols):
        self.symbols = symbols
        self.members = collections.defaultdict(list)
        for symbol in symbols:
            self.members[symbol.path[:-1]].append(symbol)
        self.types = {symbol.path: symbol for symbol in symbols if symbol.kind in TYPES}
        self.sampled = {symbol.id for symbol in self.types.values() if self.has_sample(symbol)}
        while more := {symbol.id for symbol in self.types.values() if self.is_part(symbol)} - self.sampled:
            self.sampled |= more

    def has_sample(self, type):
        return any(
            other.samples
            and (other.path[: len(type.path)] == type.path or type.stands_in(other.samples) or type.id in other.mentions)
            for other in self.symbols
        )

    def is_part(self, type):
        """Whether it is data of a type that has a sample."""
        if any(member.isFunction and not member.implements and member.path[-1] != "init()" for member in self.members[type.path]):
            return False
        return any(
            other.kind in DATA and type.id in other.mentions and self.types[other.path[:-1]].id in self.sampled
            for other in self.symbols
            if other.path[:-1] in self.types
        )

    def lacks(self, symbol):
        """Yields what the symbol lacks."""
        if symbol.implements:
            return
        if not symbol.doc.strip():
            yield "documentation"
            return
        summary = re.split(r"\n *\n|```", symbol.doc.strip())[0].strip()
        if re.match(r"(Of|As|What|The same)\b|- ", summary) or not summary.endswith((".", ":")):
            yield "a summary"
        if symbol.kind in TYPES and symbol.id not in self.sampled and self.members[symbol.path]:
            yield "a sample"
        if not symbol.isFunction or symbol.path[-1] == "init()":
            return
        siblings = self.members[symbol.path[:-1]]
        owner = [self.types[symbol.path[:-1]]] if symbol.path[:-1] in self.types else []
        said = "\n".join(other.doc for other in siblings + owner if other.base == symbol.base or other in owner)
        if "- Complexity:" not in said:
            yield "- Complexity:"
        if "throws" in symbol.effects and "- Throws:" not in said:
            yield "- Throws:"
        waits = "async" in symbol.effects or re.search("blocking|Blocking", ".".join(symbol.path))
        if waits and not re.search(r"block|suspend|wait", said, re.I):
            yield "what blocks"
        if not symbol.stands_in("".join(other.samples for other in siblings + owner)):
            yield "a sample"


def main(folders):
    count = failures = 0
    for folder in folders:
        module = Module(load(folder))
        count += len(module.symbols)
        for symbol in module.symbols:
            for lack in module.lacks(symbol):
                failures += 1
                print(f"{symbol.place} {'.'.join(symbol.path)} lacks {lack}")
    print(f"{count} public symbols")
    sys.exit(bool(failures))


main(sys.argv[1:])
