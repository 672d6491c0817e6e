"use strict";
// Draws what the server tells four times a second. All text is set as text: labels are the program's, and may be anything.

const histories = new Map();  // "soup/name" → the counts of the last seconds
const panels = new Map();     // soup → its elements
const rates = new Map();      // "soup/reaction" → its rate, smoothed
const steps = 40;  // ten seconds

function make(parent, tag, attributes = {}, text) {
  const isDrawing = parent.namespaceURI.endsWith("svg") || tag === "svg";
  const element = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return parent.appendChild(element);
}

function figures(number) {
  if (number >= 1e6) return (number / 1e6).toPrecision(3) + " M/s";
  if (number >= 1e3) return (number / 1e3).toPrecision(3) + " k/s";
  return (number < 10 ? Math.round(number * 10) / 10 : Math.round(number)) + " /s";
}

// White when it rests, red from a hundred thousand a second on.
function heat(rate) {
  const share = rate <= 0 ? 0 : Math.min(1, (Math.log10(rate) + 1) / 6);
  return `hsl(${30 - 25 * share} 95% ${97 - 40 * share}%)`;
}

function smooth(soup, index, rate) {
  const key = `${soup}/${index}`;
  const old = rates.get(key);
  const next = old === undefined || rate > 4 * old + 100 ? rate : 0.7 * old + 0.3 * rate;
  rates.set(key, next < 0.05 ? 0 : next);
  return rates.get(key);
}

// One after the other: a resume that overtook a step would leave the soup paused.
let commands = Promise.resolve();

function command(what, soup, reaction) {
  const only = reaction === undefined ? "" : `&reaction=${reaction}`;
  const send = () => fetch(`do?what=${what}&soup=${soup}${only}`, { method: "POST" });
  commands = commands.then(send, send);
}

function panel(soup) {
  const section = make(document.getElementById("soups"), "section", { "data-soup": soup.label });
  const buttons = make(section, "span", { class: "buttons" });
  const parts = { section };
  for (const [what, title] of [["pause", "Pause"], ["step", "Step"], ["resume", "Resume"], ["clear", "Clear"], ["record", "Learn arrows"]]) {
    make(buttons, "button", { class: what }, title).addEventListener("click", () => command(what, soup.id));
  }
  make(buttons, "button", { class: "explain" }, "Explain").addEventListener("click", async () => {
    parts.explanation.hidden = !parts.explanation.hidden;
    if (!parts.explanation.hidden) parts.explanation.textContent = await (await fetch(`explain?soup=${soup.id}`)).text();
  });
  make(section, "h2", {}, soup.label);
  make(section, "span", { class: "source" }, soup.source);
  parts.verdict = make(section, "span", { class: "verdict" });
  parts.drawing = make(section, "svg");
  // Not a click: between its two halves the reaction may be drawn anew.
  parts.drawing.addEventListener("pointerdown", event => {
    const ready = event.target.closest("g.ready");
    if (ready) command("step", soup.id, ready.dataset.index);
  });
  parts.keys = make(section, "table");
  parts.callers = make(section, "table");
  parts.warnings = make(section, "div", { class: "warning" });
  parts.explanation = make(section, "pre", { hidden: "" });
  return parts;
}

// Names stand on the left, reactions on the right, both component by component.
function draw(svg, soup) {
  svg.replaceChildren();
  const [left, right, nameWidth, reactionWidth, row] = [8, 420, 190, 300, 40];
  const numbers = [...new Set(soup.names.map(name => name.component))].sort((a, b) => a - b);
  const nameAt = [], reactionAt = [];
  let top = 6;
  for (const component of numbers) {
    const names = soup.names.keys().filter(i => soup.names[i].component === component).toArray();
    const reactions = soup.reactions.keys().filter(i => soup.reactions[i].component === component).toArray();
    const rows = Math.max(names.length, reactions.length);
    names.forEach((index, i) => nameAt[index] = top + (i + (rows - names.length) / 2) * row);
    reactions.forEach((index, i) => reactionAt[index] = top + (i + (rows - reactions.length) / 2) * row);
    top += rows * row + 8;
  }
  svg.setAttribute("viewBox", `0 0 980 ${top}`);
  svg.setAttribute("height", top);
  svg.setAttribute("preserveAspectRatio", "xMinYMin");
  const marker = make(make(svg, "defs"), "marker", { id: `tip${soup.id}`, viewBox: "0 0 6 6", refX: 6, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" });
  make(marker, "path", { d: "M0 0L6 3L0 6z", fill: "#667085" });
  const tip = `url(#tip${soup.id})`;
  soup.reactions.forEach((reaction, r) => {
    for (const [name, count] of reaction.takes) {
      const [x1, y1, x2, y2] = [left + nameWidth, nameAt[name] + 15, right, reactionAt[r] + 15];
      make(svg, "path", { class: "edge", d: `M${x1} ${y1}C${x1 + 90} ${y1} ${x2 - 90} ${y2} ${x2} ${y2}`, "marker-end": tip });
      if (count > 1) make(svg, "text", { class: "small", x: x1 + 6, y: y1 - 3 }, `× ${count}`);
    }
    for (const [name] of reaction.gives) {
      const [x1, y1, x2, y2] = [right, reactionAt[r] + 22, left + nameWidth, nameAt[name] + 22];
      make(svg, "path", { class: "edge out", d: `M${x1} ${y1}C${x1 - 90} ${y1 + 8} ${x2 + 90} ${y2 + 8} ${x2} ${y2}`, "marker-end": tip });
    }
  });
  soup.names.forEach((name, i) => {
    const group = make(svg, "g", { class: `name ${name.kind}`, transform: `translate(${left} ${nameAt[i]})` });
    make(group, "title", {}, `${name.kind} ${name.label}, ${name.source}, ${name.matcher}`);
    make(group, "rect", { width: nameWidth, height: 30, rx: 9 });
    make(group, "text", { x: 10, y: 19 }, name.label.length > 16 ? name.label.slice(0, 15) + "…" : name.label);
    make(group, "text", { class: "count", x: nameWidth - 10, y: 19, "text-anchor": "end" }, name.count);
    const history = histories.get(`${soup.id}/${i}`);
    const most = Math.max(1, ...history);
    const begin = 158 - history.length * 58 / steps;
    const points = history.map((count, at) => `${begin + at * 58 / steps} ${26 - 22 * count / most}`);
    make(group, "path", { d: "M" + points.join("L") });
  });
  soup.reactions.forEach((reaction, r) => {
    const ready = soup.condition === "paused" && !reaction.missing.length;
    const place = `translate(${right} ${reactionAt[r]})`;
    const group = make(svg, "g", { class: ready ? "reaction ready" : "reaction", "data-index": r, transform: place });
    const rate = smooth(soup.id, r, reaction.rate);
    const missing = reaction.missing.length ? `lacks ${reaction.missing.join(", ")}` : "has all that it needs";
    const hint = ready ? "\na click lets it react once" : "";
    make(group, "title", {}, `${reaction.pattern}\n${reaction.source}\n${missing}${hint}`);
    make(group, "rect", { width: reactionWidth, height: 30, fill: heat(rate) });
    make(group, "text", { x: 8, y: 13 }, reaction.pattern.length > 38 ? reaction.pattern.slice(0, 37) + "…" : reaction.pattern);
    make(group, "text", { class: "small inner", x: 8, y: 25 }, `${reaction.source.split("/").pop()} on ${reaction.placement}`);
    make(group, "text", { class: "rate", x: reactionWidth - 8, y: 19, "text-anchor": "end" }, figures(rate));
    make(group, "text", { class: "small", x: reactionWidth + 10, y: 19 },
      (reaction.bodies ? `${reaction.bodies} running; ` : "") + (reaction.missing.length ? missing : ready ? "can react" : ""));
  });
}

function keys(table, soup) {
  table.replaceChildren();
  if (!soup.keys.length) return;
  const head = make(table, "tr");
  for (const title of ["name with keys", "keys that wait", "the longest backlogs"]) make(head, "th", {}, title);
  for (const { name, keys, longest } of soup.keys) {
    const row = make(table, "tr", { class: "keys" });
    const backlogs = longest.map(({ key, count }) => `${key.length > 32 ? key.slice(0, 31) + "…" : key}: ${count}`);
    for (const text of [soup.names[name].label, keys, backlogs.join(", ")]) make(row, "td", {}, text);
  }
}

function callers(table, soup) {
  table.replaceChildren();
  if (!soup.callers.length) return;
  const head = make(table, "tr");
  for (const title of ["waits for", "since", "called from", "how", "limit"]) make(head, "th", {}, title);
  for (const call of soup.callers) {
    const row = make(table, "tr", { class: "caller" });
    const limit = call.limit === undefined || call.limit === null ? "" : `${call.limit} s`;
    for (const text of [call.molecule, `${call.seconds.toFixed(1)} s`, call.source, call.form, limit]) make(row, "td", {}, text);
  }
}

function threads(look) {
  const table = document.getElementById("threads");
  table.replaceChildren();
  const head = make(table, "tr");
  for (const title of ["thread", "does", "for", "reaction", "of soup", "at"]) make(head, "th", {}, title);
  for (const thread of look.threads) {
    const row = make(table, "tr", { class: `thread ${thread.state}` });
    const state = thread.state === "blocked" ? "blocked, a replacement runs" : thread.state;
    const time = thread.seconds === undefined || thread.seconds === null ? "" : `${thread.seconds.toFixed(1)} s`;
    for (const text of [thread.number, state, time, thread.pattern ?? "", thread.soup ?? "", thread.source ?? ""]) {
      make(row, "td", {}, text);
    }
  }
}

function show(look) {
  threads(look);
  document.getElementById("pool").textContent = `pool: ${look.pool.text}`;
  document.getElementById("state").textContent = `${look.count} soups` + (look.count > look.soups.length ? `, ${look.soups.length} of them shown` : "");
  const alive = new Set(look.soups.map(soup => soup.id));
  for (const [id, parts] of panels) {
    if (!alive.has(id)) { parts.section.remove(); panels.delete(id); }
  }
  for (const map of [histories, rates]) {
    for (const key of map.keys()) if (!alive.has(Number(key.split("/")[0]))) map.delete(key);
  }
  for (const soup of look.soups) {
    if (!panels.has(soup.id)) panels.set(soup.id, panel(soup));
    soup.names.forEach((name, i) => {
      const key = `${soup.id}/${i}`;
      const history = histories.get(key) ?? [];
      history.push(name.count);
      if (history.length > steps) history.shift();
      histories.set(key, history);
    });
    const parts = panels.get(soup.id);
    parts.section.dataset.condition = soup.condition;
    parts.verdict.textContent = soup.verdict;
    parts.warnings.textContent = soup.warnings.join("\n");
    draw(parts.drawing, soup);
    keys(parts.keys, soup);
    callers(parts.callers, soup);
  }
}

const events = new EventSource("events");
events.onmessage = event => show(JSON.parse(event.data));
events.onerror = () => document.getElementById("state").textContent = "the program does not answer";
