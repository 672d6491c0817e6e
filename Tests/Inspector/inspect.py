#!/usr/bin/env python3
"""Sends a running inspector all requests that it must answer or refuse; see run.

usage: inspect.py PROGRAM PICTURE
"""

import base64
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import websocket

PATIENCE = 30
failures = []


def expect(is_true, what):
    if not is_true:
        failures.append(what)


class Page:
    """A client of the inspector at an address."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path
        self.own = {"Host": parts.netloc}
        self.site = f"http://{parts.netloc}"

    def ask(self, method, rest, headers=None, path=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        connection.putrequest(method, (self.path if path is None else path) + rest, skip_host=True)
        for name, value in (self.own if headers is None else headers).items():
            connection.putheader(name, value)
        if method == "POST":
            connection.putheader("Content-Length", "0")
        connection.endheaders()
        response = connection.getresponse()
        return response, connection

    def status(self, *arguments, **named):
        response, connection = self.ask(*arguments, **named)
        connection.close()
        return response.status

    def looks(self):
        """Yields the looks as they arrive."""
        response, connection = self.ask("GET", "events")
        expect(response.getheader("Content-Type").startswith("text/event-stream"), "the type of events")
        try:
            while line := response.fp.readline():
                # The lengths of the chunks are on lines of their own.
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
        finally:
            connection.close()

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        for look in self.looks():
            if condition(look):
                return look
            if time.monotonic() > deadline:
                break
        raise AssertionError(f"not seen: {what}")


def soup(look, label):
    return next((s for s in look["soups"] if s["label"] == label), None)


def refusals(page):
    own, site = page.own, page.site
    expect(page.status("GET", "") == 200, "the page")
    expect(page.status("GET", "", path="/") == 404, "no token")
    expect(page.status("GET", "", path="/" + "0" * 32 + "/") == 404, "a wrong token")
    expect(page.status("GET", "", path=page.path[:-2] + "/") == 404, "a part of the token")
    other = {"Host": f"evil.example:{page.port}"}
    expect(page.status("GET", "", headers=other) == 403, "another name for this machine")
    expect(page.status("GET", "", headers={}) in (400, 403), "no name at all")
    expect(page.status("GET", "", headers={**own, "Origin": "http://evil.example"}) == 403, "another site")
    expect(page.status("POST", "do?what=pause&soup=1", headers=own) == 403, "a command without an origin")
    evil = {**own, "Origin": "http://evil.example"}
    expect(page.status("POST", "do?what=pause&soup=1", headers=evil) == 403, "a command of another site")
    expect(page.status("GET", "do?what=pause&soup=1") == 404, "a command by GET")
    expect(page.status("POST", "do?what=pause&soup=99999", headers={**own, "Origin": site}) == 404, "no such soup")
    expect(page.status("POST", "do?what=boom&soup=1", headers={**own, "Origin": site}) == 404, "no such command")
    endless(page, "/" + "0" * 32 + "/do?what=pause&soup=1", {**own, "Origin": site}, 404)
    endless(page, page.path + "do?what=pause&soup=1", evil, 403)
    response, connection = page.ask("GET", "")
    expect("default-src 'none'" in response.getheader("Content-Security-Policy"), "the policy of the page")
    connection.close()
    # Loopback alone: another address of this machine does not answer.
    for address in subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split():
        if ":" in address:
            continue
        try:
            http.client.HTTPConnection(address, page.port, timeout=2).connect()
            failures.append(f"it listens on {address}")
        except OSError:
            pass


def endless(page, path, headers, status):
    """A stranger is refused without the body that it announces."""
    connection = http.client.HTTPConnection(page.host, page.port, timeout=5)
    connection.putrequest("POST", path, skip_host=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(1 << 30))
    connection.endheaders()
    try:
        expect(connection.getresponse().status == status, f"what a stranger with a body gets: not {status}")
    except TimeoutError:
        failures.append("a stranger's body is read before its token is looked at")
    connection.close()


def crowded(program):
    """The inspector looks only at the soups that its page shows."""
    many = subprocess.Popen([program, "--many"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    look = Page(many.stdout.readline().strip()).until(lambda l: l["count"] == 200, "the number of all soups")
    expect(len(look["soups"]) == 50, f"{len(look['soups'])} soups are shown")
    many.stdin.close()
    expect(many.wait(PATIENCE) == 0, "the crowded program ends well")


def scraped(page):
    """A Prometheus scrapes the numbers, and answers a question; promtool finds nothing wrong with them."""
    expect(page.status("GET", "metrics", path="/" + "0" * 32 + "/") == 404, "metrics without the token")
    response, connection = page.ask("GET", "metrics")
    text = response.read().decode()
    connection.close()
    # The older format, which promtool checks, has the suffix of counters in the names of families too.
    older = re.sub(r"^# (TYPE (\w+) counter)$", r"# TYPE \2_total counter", text, flags=re.M)
    counters = re.findall(r"^# TYPE (\w+)_total counter$", older, flags=re.M)
    for name in counters:
        older = older.replace(f"# HELP {name} ", f"# HELP {name}_total ")
    check = subprocess.run(["promtool", "check", "metrics"], input=older, capture_output=True, text=True)
    expect(check.returncode == 0 and not check.stderr, f"promtool: {check.stdout}{check.stderr}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/prometheus.yml", "w") as config:
            config.write(
                "global: {scrape_interval: 1s}\n"
                f"scrape_configs: [{{job_name: demo, metrics_path: {page.path}metrics,"
                f" static_configs: [{{targets: ['127.0.0.1:{page.port}']}}]}}]\n"
            )
        server = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for question in ('sum(crucible_molecules_consumed_total{soup="table",name="eaten"}) > 0',
                             'crucible_molecules_waiting{soup="buffer",name="full"}',
                             'histogram_quantile(0.5, sum by (le) (crucible_body_seconds_bucket{soup="table"})) > 0'):
                expect(answer(port, question), f"Prometheus has no answer to {question}")
        finally:
            server.terminate()
            server.wait(PATIENCE)


def answer(port, question):
    """Asks until there is an answer, which needs a scrape."""
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": question})
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as response:
                if result := json.load(response)["data"]["result"]:
                    return result
        except OSError:
            pass  # it has not begun
        select.select([], [], [], 0.1)
    return None


def looking(page):
    look = page.until(lambda l: all(soup(l, s) for s in ("table", "buffer", "counter", "job")), "the four soups")
    table, buffer = soup(look, "table"), soup(look, "buffer")
    expect([n["label"] for n in table["names"]][:2] == ["fork[0]", "fork[1]"], "names in order")
    expect(sum(n["kind"] == "state" for n in table["names"]) == 1, "a state")
    expect(table["reactions"][0]["takes"] == [[5, 1], [0, 1], [1, 1]], "what a reaction takes")
    shop = soup(page.until(lambda l: soup(l, "shop"), "a soup with keys"), "shop")
    longest = [{"key": f"customer {i}", "count": 10 - i} for i in range(5)]
    keys = [{"name": 0, "keys": 10, "longest": longest}, {"name": 1, "keys": 0, "longest": []}]
    expect(shop["keys"] == keys, f"keys and their backlogs: {shop['keys']}")
    expect(buffer["keys"] == [], "names without keys")
    look = page.until(lambda l: len(soup(l, "buffer")["callers"]) == 3, "three producers that wait")
    caller = soup(look, "buffer")["callers"][0]
    expect(caller["molecule"] == "put" and caller["source"].startswith("inspector_demo/main.swift:"), "who waits")
    look = page.until(lambda l: soup(l, "counter")["reactions"][0]["rate"] > 1000, "the rate of the counter")
    look = page.until(lambda l: sum(r["rate"] for r in soup(l, "table")["reactions"]) > 1, "the rate of the table")
    expect(look["pool"]["threads"] > 0, "the pool")
    is_long = lambda t: (t.get("seconds") or 0) > 0.4
    look = page.until(lambda l: any(map(is_long, l["threads"])), "a thread that is in one body")
    thread = next(filter(is_long, look["threads"]))
    expect((thread["state"], thread["soup"], thread["pattern"]) == ("blocked", "job", "job"), f"what it does: {thread}")
    response, connection = page.ask("GET", f"explain?soup={buffer['id']}")
    expect(b"soup 'buffer'" in response.read(), "an explanation")
    connection.close()


def commanding(page):
    own = {**page.own, "Origin": page.site}
    look = next(page.looks())
    table, counter = soup(look, "table")["id"], soup(look, "counter")["id"]
    expect(page.status("POST", f"do?what=record&soup={table}", headers=own) == 204, "record")
    look = page.until(lambda l: soup(l, "table")["reactions"][0]["gives"], "arrows")
    gives = [name for name, _ in soup(look, "table")["reactions"][0]["gives"]]
    expect(gives == [0, 1, 5, 11], f"what a philosopher gives: {gives}")
    expect(page.status("POST", f"do?what=pause&soup={counter}", headers=own) == 204, "pause")
    look = page.until(lambda l: soup(l, "counter")["condition"] == "paused", "a pause")
    page.until(lambda l: soup(l, "counter")["names"][1]["count"] > 1000, "molecules that gather")
    steps(page, own)
    expect(page.status("POST", f"do?what=clear&soup={counter}", headers=own) == 204, "clear")
    page.until(lambda l: soup(l, "counter")["dropped"] > 1000, "what was dropped")
    expect(page.status("POST", f"do?what=resume&soup={counter}", headers=own) == 204, "resume")
    page.until(lambda l: soup(l, "counter")["condition"] == "running", "an end of the pause")


def steps(page, own):
    """A meal returns its forks. While the table is paused, this lets no hungry philosopher eat."""
    paused = next(page.looks())
    table = soup(paused, "table")["id"]
    step = lambda rest: page.status("POST", f"do?what=step&soup={table}{rest}", headers=own)
    expect(step("&reaction=99") == 404, "no such reaction")
    expect(page.status("POST", f"do?what=pause&soup={table}", headers=own) == 204, "pause")
    works = lambda l: any(r["bodies"] for r in soup(l, "table")["reactions"])
    rests = lambda l: soup(l, "table")["condition"] == "paused" and not works(l)
    forks = lambda l: [n["count"] for n in soup(l, "table")["names"][:5]]
    meals = lambda l: soup(l, "table")["names"][11]["count"]
    look = page.until(lambda l: rests(l) and forks(l) == [1] * 5, "all forks on the table")
    before = meals(look)
    expect(step("&reaction=0") == 204, "a step")
    page.until(lambda l: rests(l) and meals(l) == before + 1 and forks(l) == [1] * 5, "one meal more")
    expect(step("&reaction=5") == 204, "a step of another reaction")
    page.until(lambda l: rests(l) and meals(l) == before, "a meal that is counted")
    expect(page.status("POST", f"do?what=resume&soup={table}", headers=own) == 204, "resume")


class Browser:
    """A headless Chromium, driven by its debugging protocol."""

    def __init__(self, url):
        self.profile = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1060,1180",
             "--disable-background-networking", "--remote-debugging-port=0",
             f"--user-data-dir={self.profile.name}", url],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in self.process.stderr:
            if match := re.search(r"DevTools listening on ws://127.0.0.1:(\d+)/", line):
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{match[1]}/json", timeout=PATIENCE))
        page = next(p for p in pages if p["type"] == "page")
        self.socket = websocket.create_connection(
            page["webSocketDebuggerUrl"], timeout=PATIENCE, suppress_origin=True)
        self.number = 0

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                return answer["result"]

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def until(self, expression, what):
        deadline = time.monotonic() + PATIENCE
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise AssertionError(f"the page does not show {what}")
            time.sleep(0.05)

    def end(self):
        self.socket.close()
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(PATIENCE)
        self.profile.cleanup()


def browsing(url, picture):
    """Tests the page in a browser: its drawing and its buttons."""
    browser = Browser(url)
    try:
        soup = lambda label: f"document.querySelector('section[data-soup={label}]')"
        button = lambda label, what: browser.value(f"{soup(label)}.querySelector('button.{what}').click()")
        browser.until(f"{soup('buffer')}?.querySelectorAll('tr.caller').length === 3", "who waits")
        expect(browser.value("document.querySelectorAll('g.name').length") == 12 + 4 + 2 + 1 + 2, "all names")
        expect(browser.value("document.querySelectorAll('g.reaction').length") == 6 + 2 + 1 + 1 + 1, "all reactions")
        expect(browser.value("document.querySelectorAll('g.name.state').length") == 2, "the states")
        keys = f"[...{soup('shop')}.querySelectorAll('tr.keys')].map(row => row.textContent)"
        browser.until(f"{keys}[0]?.startsWith('order10customer 0: 10, customer 1: 9')", "the keys of a name")
        button("table", "record")
        browser.until(f"{soup('table')}.querySelectorAll('path.edge.out').length === 20", "what bodies inject")
        button("counter", "pause")
        browser.until(f"{soup('counter')}.dataset.condition === 'paused'", "a pause")
        button("counter", "resume")
        browser.until(f"{soup('counter')}.dataset.condition === 'running'", "an end of the pause")
        button("table", "pause")
        seats = " && ".join(f"{soup('table')}.querySelector('g.ready[data-index=\"{seat}\"]')" for seat in range(5))
        browser.until(f"!!({seats})", "that every philosopher can eat")
        meals = f"Number({soup('table')}.querySelectorAll('.count')[11].textContent)"
        before = browser.value(meals)
        click = "dispatchEvent(new Event('pointerdown', {bubbles: true}))"
        browser.value(f"{soup('table')}.querySelector('g.ready[data-index=\"0\"]').{click}")
        browser.until(f"{meals} === {before} + 1", "a meal to be counted")
        button("table", "step")
        button("table", "resume")
        browser.until(f"{soup('table')}.dataset.condition === 'running'", "an end of the pause of the table")
        button("buffer", "explain")
        explanation = f"{soup('buffer')}.querySelector('pre').textContent"
        browser.until(f"{explanation}.includes('put: 3 callers wait')", "an explanation")
        button("buffer", "explain")
        blocked = "document.querySelector('tr.thread.blocked')"
        browser.until(f"{blocked}?.textContent.includes('job')", "a thread that blocks")
        browser.until("[...histories.values()].every(h => h.length >= 20)", "histories")
        browser.until("document.querySelector('[data-soup=counter] .rate').textContent.includes('k/s')", "a rate")
        data = browser.call("Page.captureScreenshot", format="png")["data"]
        with open(picture, "wb") as file:
            file.write(base64.b64decode(data))
    finally:
        browser.end()


def stepping(page):
    """Tests the page of stories, which needs no server, with the story that a failed exploration has written."""
    expect(page.status("GET", "story.html") == 200 and page.status("GET", "story.js") == 200, "the page of stories")
    here = os.path.dirname(os.path.abspath(__file__))
    browser = Browser(f"file://{os.path.dirname(os.path.dirname(here))}/Sources/Inspector/Inspector/Page/story.html")
    try:
        browser.until("document.readyState === 'complete' && document.getElementById('file') !== null", "the page")
        root = browser.call("DOM.getDocument")["root"]["nodeId"]
        node = browser.call("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
        load = lambda name: browser.call("DOM.setFileInputFiles", nodeId=node, files=[f"{here}/{name}"])
        text = lambda selector: f"[...document.querySelectorAll('{selector}')].map(e => e.textContent).join('; ')"
        load("run")
        browser.until("document.getElementById('state').textContent === 'this file is not a story'", "a wrong file")
        load("story.json")
        browser.until(f"{text('li.now')} === 'test: injects free'", "the first step")
        press = lambda button: browser.value(
            f"document.dispatchEvent(new KeyboardEvent('keydown', {{key: '{button}'}}))" if button.startswith("Arrow")
            else f"document.getElementById('{button}').click()")
        seen = lambda: [browser.value(text(s)) for s in ("li.now", "tr.name", "tr.name .changed", ".caller")]
        put, take = ("waits: %s from CrucibleTests/BufferTests.swift:%d, limit 1.0 seconds" % call
                     for call in (("put", 5), ("take", 6)))
        for button, shown in [
            ("forward", ["producer: calls put(\"a\") (line 5)", "free0; full0; put0; take0", "0", put]),
            ("forward", ["consumer: calls take (line 6)", "free0; full0; put0; take1", "1", f"{put}; {take}"]),
            ("back", ["producer: calls put(\"a\") (line 5)", "free0; full0; put0; take0", "0", put]),
            ("ArrowDown", ["consumer: calls take (line 6)", "free0; full0; put0; take1", "1", f"{put}; {take}"]),
            ("ArrowUp", ["producer: calls put(\"a\") (line 5)", "free0; full0; put0; take0", "0", put]),
        ]:
            press(button)
            expect(seen() == shown, f"a step {button}: {seen()}")
        for _ in range(10):
            press("forward")
        expect(seen()[0] == "test: throws Lost()", f"the last step: {seen()}")
        browser.value("""
            const dropped = new DataTransfer();
            dropped.items.add(document.getElementById('file').files[0]);
            document.dispatchEvent(new DragEvent('drop', {dataTransfer: dropped}));""")
        browser.until(f"{text('li.now')} === 'test: injects free'", "the first step of the file that was dropped")
        expect(browser.value("document.getElementById('again').textContent") == 'explore(.replay("10=1/1-11"))', "again")
    finally:
        browser.end()


program = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
try:
    url = program.stdout.readline().strip()
    page = Page(url)
    refusals(page)
    scraped(page)
    looking(page)
    commanding(page)
    browsing(url, sys.argv[2])
    stepping(page)
    crowded(sys.argv[1])
except AssertionError as error:
    failures.append(str(error))
finally:
    program.stdin.close()
    try:
        expect(program.wait(PATIENCE) == 0, "the program ends well")
    except subprocess.TimeoutExpired:
        program.kill()
        failures.append("the program does not end")
for failure in failures:
    print("failed:", failure)
print("inspector:", "failed" if failures else "what it answers, refuses and shows is as it should be")
sys.exit(bool(failures))
