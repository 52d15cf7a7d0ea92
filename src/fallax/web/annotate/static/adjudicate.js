// What several annotators said side by side; each passage is decided by one key.
import { $, h } from "/static/base.js";
import { Saver, buttonLike, load, typing } from "./saving.js";

const NONE = "no fallacy";
const number = Number($("#work").dataset.number);
const address = `/annotate/v1/decisions/${number}`;
const data = await load(address);
const points = Array.from(data.text);
const people = Object.keys(data.answers);
const copy = (value) => JSON.parse(JSON.stringify(value));
const textOf = (start, end) => points.slice(start, end).join("");
const REASONS = { a: "ambiguous", g: "guideline", s: "slip" };

// passages: chains of spans that overlap
const passages = [];
for (const [who, value] of Object.entries(data.answers)) for (const span of value.spans) passages.push({ who, ...span });
passages.sort((a, b) => a.start - b.start || a.end - b.end);
const chains = [];
for (const span of passages) {
  const last = chains.at(-1);
  if (last && span.start < last.end) {
    last.spans.push(span);
    last.end = Math.max(last.end, span.end);
  } else chains.push({ start: span.start, end: span.end, spans: [span] });
}
const keyOf = (chain) => `${chain.start}-${chain.end}`;
/** How a passage is decided; null while it is open, with a reason or without. */
const ruleOf = (chain) => decisions[keyOf(chain)]?.rule ?? null;

let decisions = copy(data.decision?.value?.decisions ?? {});
let done = (data.decision?.done ?? false) && !data.outdated;
let at = 0;
const past = [];

const saver = new Saver(address, data.decision, (answer) => {
  decisions = copy(answer.value.decisions ?? {});
  done = answer.done;
  show();
});

const labelsOf = (chain, who) => [...new Set(chain.spans.filter((s) => s.who === who).flatMap((s) => s.labels))].sort();
const agreed = (chain) => people.every((who) => labelsOf(chain, who).join("|") === labelsOf(chain, people[0]).join("|")) && new Set(chain.spans.map((s) => `${s.start}-${s.end}`)).size === 1;

/** The gold spans that a rule makes of a chain. */
function goldOf(chain, rule) {
  if (rule === "none") return [];
  if (people.includes(rule)) return chain.spans.filter((s) => s.who === rule).map(({ start, end, labels }) => ({ start, end, labels }));
  const counts = new Map();
  for (const s of chain.spans) counts.set(`${s.start}-${s.end}`, (counts.get(`${s.start}-${s.end}`) ?? 0) + 1);
  const places = chain.spans.map((s) => ({ start: s.start, end: s.end, n: counts.get(`${s.start}-${s.end}`) }));
  places.sort((a, b) => b.n - a.n || b.end - b.start - (a.end - a.start) || a.start - b.start);
  const labels = new Set(chain.spans.flatMap((s) => s.labels));
  if (rule === "both" && people.some((who) => !labelsOf(chain, who).length)) labels.add(NONE);
  if (rule === "union") labels.delete(NONE);
  return [{ start: places[0].start, end: places[0].end, labels: [...labels].sort() }];
}

function value() {
  const spans = new Map();
  for (const chain of chains) {
    const rule = ruleOf(chain);
    for (const s of rule ? goldOf(chain, rule) : []) {
      const key = `${s.start}-${s.end}`;
      const known = spans.get(key);
      spans.set(key, known ? { ...known, labels: [...new Set([...known.labels, ...s.labels])].sort() } : s);
    }
  }
  const found = [...spans.values()];
  return { spans: found, nothing: found.length === 0, decisions, made_on: data.made_on };
}

function keep() {
  if (!chains.every(ruleOf)) done = false;
  show();
  saver.save(value(), done).catch(() => {});
}

function decide(rule) {
  if (!chains.length) return;
  past.push(copy(decisions));
  const key = keyOf(chains[at]);
  decisions[key] = { rule, reason: decisions[key]?.reason ?? null };
  keep();
  $("#said").textContent = `decided: ${words(rule)}`;
}

function reason(kind) {
  if (!chains.length) return;
  past.push(copy(decisions));
  const key = keyOf(chains[at]);
  decisions[key] = { rule: decisions[key]?.rule ?? null, reason: kind };
  keep();
  $("#said").textContent = `reason: ${kind}`;
}

const words = (rule) => ({ both: "both stand", union: "all labels", none: "no fallacy" })[rule] ?? `as ${rule}`;

function move(step) {
  at = Math.min(chains.length - 1, Math.max(0, at + step));
  show();
}

async function finish() {
  const open = chains.findIndex((c) => !ruleOf(c));
  if (open >= 0) {
    at = open;
    show();
    $("#said").textContent = "this passage is not decided yet";
    return;
  }
  const found = await saver.save(value(), true).catch(() => null);
  done = found?.done ?? done;
  show();
  if (found) location.assign("/annotate/adjudicate");
}

function marks(who) {
  const spans = data.answers[who].spans;
  const cuts = [...new Set([0, points.length, ...spans.flatMap((s) => [s.start, s.end])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((from, i) => h("span", { class: spans.some((s) => s.start <= from && cuts[i + 1] <= s.end) ? "piece marked logic" : "piece" }, textOf(from, cuts[i + 1])));
}

/** Once: what is drawn anew loses its place. */
function showSides() {
  $("#sides").replaceChildren(...people.map((who, i) => h("section", { class: "card side" }, h("h3", {}, h("kbd", {}, String(i + 1)), " ", who), h("div", { class: "text" }, marks(who)))));
}

function show() {
  const held = $("#passages .now")?.contains(document.activeElement) && document.activeElement.textContent;
  $("#passages").replaceChildren(...chains.map((chain, i) => {
    const rule = ruleOf(chain);
    const why = decisions[keyOf(chain)]?.reason;
    return h("div", { class: `passage-row card${i === at ? " now" : ""}`, "aria-current": i === at ? "true" : null, onclick: () => { at = i; show(); } },
      h("blockquote", { dir: "auto" }, textOf(chain.start, chain.end)),
      h("ul", {}, people.map((who) => h("li", {}, h("strong", {}, who), ": ", labelsOf(chain, who).join(" or ") || h("em", {}, "nothing")))),
      h("p", {}, rule ? [h("span", { class: "state done" }, words(rule)), " ", goldOf(chain, rule).map((s) => `${s.labels.join(" or ")} `)] : [h("span", { class: "state unseen" }, agreed(chain) ? "they agree; b keeps it" : "open"), " "], why ? h("span", { class: "state open" }, why) : ""),
      i === at ? h("p", { class: "row" }, people.map((who, k) => h("button", { type: "button", onclick: () => decide(who) }, h("kbd", {}, String(k + 1)), who)),
        h("button", { type: "button", class: "primary", onclick: () => decide("both") }, h("kbd", {}, "b"), "both stand"),
        h("button", { type: "button", onclick: () => decide("union") }, h("kbd", {}, "u"), "all labels"),
        h("button", { type: "button", onclick: () => decide("none") }, h("kbd", {}, "n"), "no fallacy"),
        Object.entries(REASONS).map(([key, kind]) => h("button", { type: "button", class: "quiet", onclick: () => reason(kind) }, h("kbd", {}, key), kind))) : "");
  }));
  if (!chains.length) $("#passages").replaceChildren(h("p", { class: "dim" }, "Nobody marked a passage: there is no fallacy."));
  if (held) buttonLike(held, $("#passages .now")).focus({ preventScroll: true });
  $("#passages .now")?.scrollIntoView({ block: "nearest" });
  $("#state").textContent = done ? "decided" : data.outdated ? "open: answers changed since the decision" : "open";
  $("#state").className = `state ${done ? "done" : "open"}`;
}

document.addEventListener("keydown", (event) => {
  if (typing(event) || event.altKey || event.ctrlKey || event.metaKey || !$("#conflict").hidden) return;
  const person = /^[1-9]$/.test(event.key) ? people[event.key - 1] : null;
  const keys = {
    ArrowDown: () => move(1), ArrowUp: () => move(-1), b: () => decide("both"), u: () => decide("union"), n: () => decide("none"),
    a: () => reason("ambiguous"), g: () => reason("guideline"), s: () => reason("slip"), d: finish,
    z: () => { if (past.length) { decisions = past.pop(); keep(); } },
  };
  const act = person ? () => decide(person) : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

$("#done").addEventListener("click", finish);
$("#undo").addEventListener("click", () => { if (past.length) { decisions = past.pop(); keep(); } });
showSides();
show();
saver.resume();
$("#passages").focus({ preventScroll: true });
document.documentElement.dataset.ready = "yes";
