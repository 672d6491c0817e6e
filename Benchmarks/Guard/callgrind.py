"""The instructions that a part of a program executed, from a file that callgrind wrote with --dump-instr=yes and
uncompressed names.

Callgrind counts how often each instruction ran. The instructions themselves are in the program's own files, at the
addresses that callgrind gives. Their bytes show which of them are atomic.
"""

import struct
from collections import defaultdict
from pathlib import Path


class Part:
    """The count of each instruction, and of the calls of each function by each caller."""

    def __init__(self, path: Path) -> None:
        self.executed: dict[tuple[str, int], int] = defaultdict(int)  # by object and address
        self.function: dict[tuple[str, int], str] = {}
        self.calls: dict[tuple[str, str, str, str], int] = defaultdict(int)  # by object and name of caller and callee
        self._read(path)

    def _read(self, path: Path) -> None:
        here = name = callee_object = callee = ""
        is_call = False  # the line tells what the callee cost, which is counted there
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("0x"):
                if not is_call:
                    address, _, count = line.split()
                    key = (here, int(address, 16))
                    self.executed[key] += int(count)
                    self.function[key] = name
                is_call = False
            elif line.startswith("fn="):
                name = line[3:]
            elif line.startswith("ob="):
                here = line[3:]
            elif line.startswith("cob="):
                callee_object = line[4:]
            elif line.startswith("cfn="):
                callee = line[4:]
            elif line.startswith("calls="):
                self.calls[here, name, callee_object or here, callee] += int(line[6:].split()[0])
                callee_object, is_call = "", True


class Program:
    """The bytes of a 64-bit ELF file, by their load addresses."""

    def __init__(self, path: str) -> None:
        self._bytes = Path(path).read_bytes()
        if self._bytes[:5] != b"\x7fELF\x02":
            raise ValueError(f"{path}: no ELF file of 64 bits")
        table, = struct.unpack_from("<Q", self._bytes, 32)
        size, count = struct.unpack_from("<HH", self._bytes, 54)
        self._loaded = []  # address, offset in the file, length
        for index in range(count):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", self._bytes, table + index * size)
            if kind == 1:
                self._loaded.append((address, offset, length))

    def at(self, address: int, length: int) -> bytes:
        for start, offset, size in self._loaded:
            if start <= address < start + size:
                begin = offset + address - start
                return self._bytes[begin:begin + length]
        return b""


LEGACY_PREFIXES = b"\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3"


def is_atomic(code: bytes) -> bool:
    """Whether the x86-64 instruction at the beginning of these bytes is a locked one or a full fence."""
    at = 0
    while at < len(code) and code[at] in LEGACY_PREFIXES:
        at += 1
    if code[at:at + 1] == b"\xf0":
        return True
    if 0x40 <= code[at] <= 0x4f:  # REX
        at += 1
    if code[at] in (0x86, 0x87):  # an exchange with memory is locked without saying so
        return code[at + 1] < 0xc0
    return code[at:at + 3] == b"\x0f\xae\xf0"  # mfence
