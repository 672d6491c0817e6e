#!/usr/bin/env python3
"""Watches the window of the dining philosophers on a separate display; see run.

usage: watch.py PROGRAM PICTURE
"""

import os
import subprocess
import sys
import threading
import time

PATIENCE = 60
program, picture = sys.argv[1:]


class Table:
    """The state of the program as it reports."""

    def __init__(self, lines):
        self.lines = lines
        self.moods, self.meals, self.others = {}, {}, []
        self.mistakes = []

    def read(self):
        line = self.lines.readline()
        if not line:
            raise AssertionError("the program has ended")
        words = line.split()
        if words[0] != "seat":
            self.others.append(line.strip())
            if words[0] == "table":
                self.moods = dict.fromkeys(range(int(words[2])), "thinking")
                self.meals = dict.fromkeys(self.moods, 0)
            return
        seat, mood = int(words[1]), words[2]
        self.moods[seat] = mood
        if mood == "eating":
            self.meals[seat] += 1
            for other in ((seat - 1) % len(self.moods), (seat + 1) % len(self.moods)):
                if self.moods[other] == "eating":
                    self.mistakes.append(f"{seat} and {other} eat at once")

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"not seen: {what}")
            self.read()


def everybody_eats(table, times):
    return bool(table.meals) and min(table.meals.values()) >= times


server = subprocess.Popen(
    ["Xvfb", "-displayfd", "1", "-screen", "0", "740x760x24", "-nolisten", "tcp"],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
window = None
failures = []
try:
    environment = os.environ | {
        "DISPLAY": ":" + server.stdout.readline().strip(), "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
        "LIBGL_ALWAYS_SOFTWARE": "1", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1"}
    display = dict(env=environment, check=True, timeout=PATIENCE, capture_output=True, text=True)
    window = subprocess.Popen([program, "--report"], env=environment, stdout=subprocess.PIPE, text=True)
    # A reader waits for lines: if none comes, the program ends, and so does the wait.
    guard = threading.Timer(3 * PATIENCE, window.kill)
    guard.daemon = True
    guard.start()
    table = Table(window.stdout)
    table.until(lambda: everybody_eats(table, 1), "a meal of everybody")
    table.until(lambda: list(table.moods.values()).count("eating") == 2, "two who eat")
    subprocess.run(["import", "-window", "root", picture], **display)
    colours = int(subprocess.run(["identify", "-format", "%k", picture], **display).stdout)
    if colours < 20:
        failures.append(f"the picture has {colours} colours: the window is not drawn")
    identifier = subprocess.run(["xdotool", "search", "--name", "Dining philosophers"], **display).stdout.split()[0]
    subprocess.run(["xdotool", "windowfocus", "--sync", identifier, "key", "alt+r"], **display)
    table.until(lambda: "stopping" in table.others, "a restart by the keyboard")
    table.until(lambda: table.others[-1].startswith("table of 5") and len(table.others) > 2, "a new table")
    if "quiet" not in table.others:
        table.until(lambda: "quiet" in table.others, "quiet")
    table.until(lambda: everybody_eats(table, 1), "a meal of everybody after the restart")
    failures += table.mistakes
except AssertionError as error:
    failures.append(str(error))
finally:
    if window:
        window.terminate()
        window.wait(PATIENCE)
    server.terminate()
    server.wait(PATIENCE)
for failure in failures:
    print("failed:", failure)
print("window:", "failed" if failures else "philosophers eat, no neighbours at once, and restart")
sys.exit(bool(failures))
