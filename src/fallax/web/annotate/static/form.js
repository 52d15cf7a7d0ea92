// One item with questions: faithfulness and ambiguity, ratings, argument structures.
import { $, h } from "/static/base.js";
import { drawGraph } from "/static/graph.js";
import { Saver, buttonLike, go, load, typing } from "./saving.js";
import { selectedIn } from "./selected.js";
import { readStructure } from "./structure.js";

const number = Number($("#work").dataset.number);
const data = await load(`/annotate/v1/items/${number}`);
const { job } = data;
const copy = (value) => JSON.parse(JSON.stringify(value));
let state = copy(data.answer?.value ?? {});
let done = data.answer?.done ?? false;
let noting = false; // the note has been changed since the cursor came into it
const past = [];
const drawn = data.payload.structure ? readStructure(data.payload.structure, data.payload.claim) : null;
const drawing = drawn ? h("div", { class: "drawing" }) : null;

const saver = new Saver(`/annotate/v1/items/${number}`, data.answer, (answer) => {
  state = copy(answer.value);
  done = answer.done;
  show();
});

function change(next) {
  past.push(copy(state));
  state = next;
  done = false;
  show();
  saver.save(state, done).catch(() => {});
}

/** Each change of the note is kept; undo takes back all since the cursor came into it. */
function writeNote() {
  if (!noting) past.push(copy(state));
  noting = true;
  state = { ...copy(state), note: $("#note").value };
  done = false;
  showState();
  saver.soon(state, done);
}

function leaveNote() {
  if (noting) saver.save(state, done).catch(() => {});
  noting = false;
}

function answer(question, value) {
  const next = copy(state);
  if (question.many) {
    const known = new Set(next[question.name] ?? []);
    if (!known.delete(value)) known.add(value);
    next[question.name] = [...known].sort();
  } else next[question.name] = next[question.name] === value ? null : value;
  change(next);
}

function marked(text) {
  const points = Array.from(text);
  const spans = state.spans ?? [];
  const cuts = [...new Set([0, points.length, ...spans.flatMap((s) => [s.start, s.end])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((from, i) =>
    h("span", { class: spans.some((s) => s.start <= from && cuts[i + 1] <= s.end) ? "piece marked logic" : "piece" }, points.slice(from, cuts[i + 1]).join("")));
}

/** Once: what is drawn anew loses its place. */
function showTexts() {
  $("#shown").replaceChildren(...job.shows.filter(([name]) => data.payload[name]).map(([name, title]) =>
    h("div", { class: `field ${name}` }, h("h2", {}, title), name === "structure" ? drawing : null,
      h("div", { class: "text", id: name === job.marks ? "text" : null, tabindex: "0" }, name === job.marks ? null : data.payload[name]))));
}

function show() {
  const held = $("#questions").contains(document.activeElement) && document.activeElement.textContent;
  $("#text")?.replaceChildren(...marked(data.payload[job.marks]));
  $("#questions").replaceChildren(...job.questions.map((q) =>
    h("fieldset", {}, h("legend", {}, q.title, q.many ? h("span", { class: "dim small" }, " any number") : ""),
      h("div", { class: "options" }, q.choices.map((c) => {
        const on = q.many ? (state[q.name] ?? []).includes(c.value) : state[q.name] === c.value;
        return h("button", { type: "button", class: "option", "aria-pressed": String(on), "aria-keyshortcuts": c.key, onclick: () => answer(q, c.value) }, h("kbd", {}, c.key), c.title);
      })))));
  if (held) buttonLike(held, $("#questions")).focus({ preventScroll: true });
  if (document.activeElement !== $("#note")) $("#note").value = state.note ?? "";
  showState();
}

function showState() {
  const word = done ? "done" : Object.values(state).some((v) => v && v.length !== 0) ? "open" : "not seen";
  $("#unmark").disabled = !state.spans?.length;
  $("#state").textContent = word;
  $("#state").className = `state ${done ? "done" : word === "open" ? "open" : "unseen"}`;
}

function mark() {
  const [start, end] = selectedIn($("#text")) ?? [0, 0];
  if (start >= end || (state.spans ?? []).some((s) => s.start === start && s.end === end)) return;
  getSelection().removeAllRanges();
  change({ ...copy(state), spans: [...(state.spans ?? []), { start, end }] });
}

function unmark() {
  if (state.spans?.length) change({ ...copy(state), spans: state.spans.slice(0, -1) });
}

function undo() {
  if (!past.length) return;
  state = past.pop();
  show();
  saver.save(state, false).catch(() => {});
}

async function finish() {
  const found = await saver.save(state, true).catch(() => null);
  if (!found) return;
  done = true;
  show();
  go(found.next);
}

document.addEventListener("keydown", (event) => {
  if (typing(event) || event.altKey || !$("#conflict").hidden) return;
  let act = null;
  if ((event.ctrlKey || event.metaKey) && event.key === "z") act = undo;
  else if (event.ctrlKey || event.metaKey) return;
  else if (event.key === "Enter" && !event.target.closest("button, a, summary")) act = finish;
  else if (event.key === "PageDown") act = () => go(Math.min(data.n_items, number + 1));
  else if (event.key === "PageUp") act = () => go(Math.max(1, number - 1));
  else {
    const question = job.questions.find((q) => q.choices.some((c) => c.key === event.key));
    if (question) act = () => answer(question, question.choices.find((c) => c.key === event.key).value);
    else if (event.key === "m") act = mark;
    else if (event.key === "x" && state.spans?.length) act = unmark;
  }
  if (!act) return;
  event.preventDefault();
  act();
});

$("#done").addEventListener("click", finish);
$("#marks").hidden = !job.marks;
$("#mark").addEventListener("pointerdown", (event) => event.preventDefault()); // what is selected stays so
$("#mark").addEventListener("click", mark);
$("#unmark").addEventListener("click", unmark);
$("#undo").addEventListener("click", undo);
$("#before").addEventListener("click", () => go(Math.max(1, number - 1)));
$("#after").addEventListener("click", () => go(Math.min(data.n_items, number + 1)));
$("#note").addEventListener("input", writeNote);
$("#note").addEventListener("blur", leaveNote);
$("#questions").addEventListener("submit", (event) => event.preventDefault());

showTexts();
show();
saver.resume();
if (drawn) drawGraph(drawing, drawn.nodes, drawn.links);
document.documentElement.dataset.ready = "yes";
