"use strict";
// Steps through the story of a failed exploration. Needs no server. All text is set as text: labels are the program's.

let steps = [];
let now = 0;
const part = id => document.getElementById(id);

function make(parent, tag, kind, text) {
  const element = document.createElement(tag);
  element.className = kind;
  element.textContent = text;
  return parent.appendChild(element);
}

// Shows what the soups have after a step.
function show(index) {
  if (steps.length === 0) return;
  now = Math.max(0, Math.min(index, steps.length - 1));
  [...part("steps").children].forEach((row, at) => row.classList.toggle("now", at === now));
  part("steps").children[now].scrollIntoView({ block: "nearest" });
  part("state").textContent = `step ${now + 1} of ${steps.length}`;
  part("soups").replaceChildren();
  const before = now > 0 ? steps[now - 1].args.soups : [];
  for (const soup of steps[now].args.soups) {
    const earlier = before.find(other => other.number === soup.number);
    const section = make(part("soups"), "section", "", "");
    make(section, "h2", "", soup.soup);
    const table = make(section, "table", "", "");
    soup.molecules.forEach(([name, count], place) => {
      const row = make(table, "tr", "name", "");
      make(row, "td", "", name);
      make(row, "td", earlier?.molecules[place]?.[1] === count ? "" : "changed", count);
    });
    for (const caller of soup.callers) make(section, "div", "caller", `waits: ${caller}`);
  }
}

function open(text) {
  const story = JSON.parse(text);
  const names = new Map();
  for (const event of story.traceEvents) if (event.ph === "M") names.set(event.tid, event.args.name);
  steps = story.traceEvents.filter(event => event.ph === "X");
  part("source").textContent = story.crucible.source;
  part("reason").textContent = story.crucible.reason;
  part("reason").hidden = false;
  part("again").textContent = story.crucible.again;
  part("steps").replaceChildren();
  steps.forEach((step, at) => {
    make(part("steps"), "li", "", `${names.get(step.tid)}: ${step.name}`).addEventListener("click", () => show(at));
  });
  show(0);
}

async function read(file) {
  try {
    open(await file.text());
  } catch {
    part("state").textContent = "this file is not a story";
  }
}

part("file").addEventListener("change", event => read(event.target.files[0]));
part("back").addEventListener("click", () => show(now - 1));
part("forward").addEventListener("click", () => show(now + 1));
document.addEventListener("keydown", event => {
  if (event.key === "ArrowUp" || event.key === "ArrowLeft") show(now - 1);
  if (event.key === "ArrowDown" || event.key === "ArrowRight") show(now + 1);
});
document.addEventListener("dragover", event => event.preventDefault());
document.addEventListener("drop", event => {
  event.preventDefault();
  read(event.dataTransfer.files[0]);
});
