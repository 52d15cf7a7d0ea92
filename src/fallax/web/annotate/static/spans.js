// One text: choose a passage, label it, undo, next. Offsets count code points, as in the files.
import { $, h, saidLabel } from "/static/base.js";
import { Saver, buttonLike, go, load, request, typing } from "./saving.js";
import { selectedIn } from "./selected.js";

const NONE = "no fallacy";
const number = Number($("#work").dataset.number);
const data = await load(`/annotate/v1/items/${number}`);
const points = Array.from(data.payload.text);
const groups = data.labels;
const byName = new Map(groups.flatMap((g) => g.labels.map((l) => [l.name, l])));
const copy = (value) => JSON.parse(JSON.stringify(value));
const empty = { spans: [], nothing: false, note: "" };

let state = { ...empty, ...copy(data.answer?.value ?? empty) };
let done = data.answer?.done ?? false;
let chosen = null; // the passage that keys act on
let mode = "text"; // or "picker", or "slot"
let picker = null;
let noting = false; // the note has been changed since the cursor came into it
const past = [];
const future = [];

const saver = new Saver(`/annotate/v1/items/${number}`, data.answer, (answer) => {
  state = { ...empty, ...copy(answer.value) };
  done = answer.done;
  if (picker) closePicker();
  show();
});

const textOf = (start, end) => points.slice(start, end).join("");
const say = (words) => ($("#said").textContent = words);
const short = (words) => (words.length > 70 ? `${words.slice(0, 69)}…` : words);

// state

function change(next) {
  past.push(copy(state));
  future.length = 0;
  state = next;
  keep();
}

function keep() {
  if (!state.spans.length && !state.nothing) done = false;
  show();
  return saver.save(state, done).catch(() => {});
}

/** Back or forward in what was changed; open labels follow. */
function travel(from, to, word) {
  if (!from.length) return say(`nothing to ${word}`);
  to.push(copy(state));
  state = from.pop();
  keep();
  refreshPicker();
  say(`${word}ne`);
}

const undo = () => travel(past, future, "undo");
const redo = () => travel(future, past, "redo");

/** Each change of the note is kept; undo takes back all since the cursor came into it. */
function writeNote() {
  if (!noting) past.push(copy(state));
  noting = true;
  future.length = 0;
  state = { ...copy(state), note: $("#note").value };
  showState();
  saver.soon(state, done);
}

function leaveNote() {
  if (noting) keep();
  noting = false;
}

const spanAt = (place) => place && state.spans.find((s) => s.start === place.start && s.end === place.end);

// what is seen

function colour(span) {
  const first = span.labels.find((l) => l !== NONE);
  return byName.get(first)?.group ?? "other";
}

function showText() {
  const cuts = new Set([0, points.length]);
  for (const s of [...state.spans, ...(chosen ? [chosen] : [])]) cuts.add(s.start).add(s.end);
  for (const s of Object.values(picker?.slots ?? {})) for (const [a, b] of Object.values(s)) cuts.add(a).add(b);
  const places = [...cuts].sort((a, b) => a - b);
  const slots = Object.values(picker?.slots ?? {}).flatMap((s) => Object.values(s));
  const parts = [];
  for (let i = 0; i + 1 < places.length; i++) {
    const [from, to] = [places[i], places[i + 1]];
    const over = state.spans.filter((s) => s.start <= from && to <= s.end);
    const names = ["piece"];
    if (over.length) names.push("marked", colour(over[over.length - 1]));
    if (over.length > 1) names.push("double");
    if (chosen && chosen.start <= from && to <= chosen.end) names.push("chosen");
    if (slots.some(([a, b]) => a <= from && to <= b)) names.push("slot");
    parts.push(h("span", { class: names.join(" "), dataset: { start: from } }, textOf(from, to)));
    state.spans.forEach((s, n) => {
      if (s.end === to) parts.push(h("sup", { class: "count", "aria-hidden": "true" }, String(n + 1)));
    });
  }
  $("#text").replaceChildren(...parts);
  $("#text .chosen")?.scrollIntoView({ block: "nearest" });
}

function show() {
  state.spans.sort((a, b) => a.start - b.start || a.end - b.end);
  showText();
  $("#spans").replaceChildren(
    ...state.spans.map((s) =>
      h("li", { class: spanAt(chosen) === s ? "now" : "" },
        h("button", { type: "button", class: "quiet passage", dir: "auto", onclick: () => { choose(s.start, s.end); openPicker(); } }, short(textOf(s.start, s.end))),
        h("span", { class: "labels" }, s.labels.map((l, i) => [i ? h("em", {}, " or ") : "", h("span", { class: `label ${l === NONE ? "none" : byName.get(l)?.group ?? "other"}` }, l)])),
        h("button", { type: "button", class: "quiet", "aria-label": `remove the mark on ${short(textOf(s.start, s.end))}`, onclick: () => remove(s) }, "×"),
      )),
  );
  $("#none").hidden = state.spans.length > 0;
  $("#none").textContent = state.nothing ? "You said that there is no fallacy here." : "No passage is marked yet. “Nothing here” (o) says that there is none.";
  $("#nothing").setAttribute("aria-pressed", String(state.nothing));
  $("#suggest").hidden = !(data.suggestions && done);
  if (document.activeElement !== $("#note")) $("#note").value = state.note ?? "";
  showState();
}

function showState() {
  const word = done ? "done" : state.spans.length || state.nothing || state.note ? "open" : "not seen";
  $("#state").textContent = word;
  $("#state").className = `state ${done ? "done" : word === "open" ? "open" : "unseen"}`;
}

function choose(start, end) {
  chosen = start < end ? { start, end } : null;
  showText();
  const marked = spanAt(chosen);
  if (chosen) say(`${marked ? marked.labels.join(" or ") : "chosen"}: “${short(textOf(start, end))}”`);
}

// the passage by keys

function sentence(step) {
  if (!data.sentences.length) return;
  const at = data.sentences.findIndex(([s, e]) => chosen && s <= chosen.start && chosen.start < e);
  const next = !chosen ? (step > 0 ? 0 : data.sentences.length - 1) : Math.min(data.sentences.length - 1, Math.max(0, at + step));
  choose(...data.sentences[next]);
}

function word(step, atStart) {
  if (!data.words.length) return;
  if (!chosen) return choose(...data.words[0]);
  let { start, end } = chosen;
  if (atStart) {
    const starts = data.words.map(([s]) => s);
    start = step > 0 ? starts.find((s) => s > start && s < end) ?? start : starts.findLast((s) => s < start) ?? start;
  } else {
    const ends = data.words.map(([, e]) => e);
    end = step > 0 ? ends.find((e) => e > end) ?? end : ends.findLast((e) => e < end && e > start) ?? end;
  }
  choose(start, end);
}

function marked(step) {
  if (!state.spans.length) return say("no passage is marked");
  const at = state.spans.findIndex((s) => spanAt(chosen) === s);
  const next = state.spans[(at + step + state.spans.length + (at < 0 && step < 0 ? 1 : 0)) % state.spans.length];
  choose(next.start, next.end);
}

function remove(span = spanAt(chosen)) {
  if (!span) return say("no marked passage is chosen");
  change({ ...copy(state), spans: state.spans.filter((s) => s !== span).map(copy) });
  refreshPicker();
  say("mark removed");
}

// the passage by mouse or touch

function pickSelected() {
  let [start, end] = selectedIn($("#text")) ?? [0, 0];
  while (start < end && /\s/.test(points[start])) start++;
  while (end > start && /\s/.test(points[end - 1])) end--;
  if (start >= end) return;
  getSelection().removeAllRanges();
  pick(start, end);
}

document.addEventListener("mouseup", pickSelected);
$("#label").addEventListener("pointerdown", (event) => {
  event.preventDefault(); // what is selected stays so
  pickSelected(); // a touch selects without a mouseup
});

/** Choose a passage; open labels move to it. */
function pick(start, end) {
  choose(start, end);
  if (mode === "picker") openPicker();
}

// labels

function openPicker() {
  if (!chosen) return say("choose a passage first: arrow keys, or the mouse");
  const known = spanAt(chosen);
  picker = { start: chosen.start, end: chosen.end, labels: new Set(known?.labels ?? []), slots: copy(known?.slots ?? {}), group: groups.length === 1 ? groups[0] : null, active: known?.labels.find((l) => l !== NONE) ?? null };
  mode = "picker";
  showPicker();
  $("#picker").scrollIntoView({ block: "nearest" });
}

/** Shows the labels that the passage has now; closes them if it is marked no more. */
function refreshPicker() {
  const known = picker && spanAt(picker);
  if (!known) return picker && closePicker();
  const { group, active } = picker;
  chosen = { start: picker.start, end: picker.end };
  openPicker();
  picker.group = group;
  if (picker.labels.has(active)) picker.active = active;
  showText();
  showPicker();
}

function closePicker() {
  const only = picker && picker.labels.size === 1 && picker.labels.has(NONE);
  mode = "text";
  picker = null;
  $("#picker").hidden = true;
  $("#picker").replaceChildren();
  showText();
  $("#text").focus({ preventScroll: true });
  if (only) say("“no fallacy” needs a fallacy beside it; nothing was marked");
}

function toggle(label) {
  if (picker.labels.has(label)) picker.labels.delete(label);
  else picker.labels.add(label);
  if (label !== NONE && picker.labels.has(label)) picker.active = label;
  if (!picker.labels.has(picker.active)) picker.active = [...picker.labels].find((l) => l !== NONE) ?? null;
  store();
}

function store() {
  const next = copy(state);
  next.spans = next.spans.filter((s) => s.start !== picker.start || s.end !== picker.end);
  const labels = [...picker.labels].sort();
  if (labels.some((l) => l !== NONE)) {
    const slots = Object.fromEntries(Object.entries(copy(picker.slots)).filter(([l]) => picker.labels.has(l)));
    next.spans.push({ start: picker.start, end: picker.end, labels, slots });
    next.nothing = false;
  }
  change(next);
  showPicker();
  say(labels.length ? `labels: ${labels.join(" or ")}` : "no label");
}

function option(key, title, pressed, act, kind) {
  return h("button", { type: "button", class: `option ${kind}`, "aria-pressed": pressed === null ? null : String(pressed), "aria-keyshortcuts": key, onclick: act }, h("kbd", {}, key), title);
}

function showPicker() {
  const box = $("#picker");
  const { group, labels, active } = picker;
  const held = box.contains(document.activeElement) && document.activeElement.textContent;
  const list = group
    ? group.labels.map((l) => option(l.key, l.name, labels.has(l.name), () => toggle(l.name), l.group))
    : groups.map((g) => option(g.key, g.name, null, () => { picker.group = g; showPicker(); }, g.name));
  box.replaceChildren(
    h("h3", { id: "picker-title" }, "Any of these, for “", h("bdi", {}, short(textOf(picker.start, picker.end))), "”"),
    h("p", { class: "labels" }, labels.size ? [...labels].sort().map((l, i) => [i ? h("em", {}, " or ") : "", h("span", { class: `label ${l === NONE ? "none" : byName.get(l)?.group ?? "other"}` }, l)]) : h("span", { class: "dim" }, "no label yet")),
    h("div", { class: "options", role: "group", "aria-label": group ? group.name : "groups of labels" }, list,
      option("0", NONE, labels.has(NONE), () => toggle(NONE), "none")),
    active ? about(byName.get(active)) : "",
    h("p", { class: "row" },
      group && groups.length > 1 ? h("button", { type: "button", class: "quiet", onclick: () => { picker.group = null; showPicker(); } }, "← groups ", h("kbd", {}, "Backspace")) : "",
      h("button", { type: "button", class: "primary", onclick: closePicker }, "Close ", h("kbd", {}, "Enter"))),
  );
  box.hidden = false;
  if (held) buttonLike(held, box).focus({ preventScroll: true });
}

function about(label) {
  const slots = Object.keys(label.template?.slots ?? {});
  const filled = picker.slots[label.name] ?? {};
  const form = label.template?.forms[0] ?? "";
  return h("div", { class: "about" },
    h("p", {}, h("strong", {}, label.name), ": ", label.definition),
    form ? h("p", { class: "form" }, form.split(/(\{\w+\})/).map((part) => {
      const slot = part.match(/^\{(\w+)\}$/)?.[1];
      if (!slot) return part;
      const place = filled[slot];
      return h("button", { type: "button", class: `slotbutton${place ? " filled" : ""}`, title: label.template.slots[slot], onclick: () => startSlot(slot) },
        h("kbd", {}, String(slots.indexOf(slot) + 1)), place ? ["“", h("bdi", {}, short(textOf(...place))), "”"] : `[${label.template.slots[slot]}]`);
    })) : "",
    label.sound_when ? h("p", { class: "dim small" }, "Sound when: ", label.sound_when) : "");
}

function startSlot(slot) {
  picker.slot = slot;
  mode = "slot";
  choose(picker.start, picker.end);
  say(`choose the words for “${byName.get(picker.active).template.slots[slot]}”, then Enter; Escape leaves it`);
  $("#text").focus({ preventScroll: true });
}

function endSlot(keepIt) {
  if (keepIt && chosen) {
    (picker.slots[picker.active] ??= {})[picker.slot] = [chosen.start, chosen.end];
  }
  mode = "picker";
  chosen = { start: picker.start, end: picker.end };
  if (keepIt) store();
  else showPicker();
}

// the rest

function nothing() {
  if (state.spans.length) return say("passages are marked; remove them first, or leave them");
  change({ ...copy(state), nothing: !state.nothing });
  say(state.nothing ? "nothing here" : "taken back");
}

async function finish() {
  if (!state.spans.length && !state.nothing) return say("mark a passage, or press o if there is no fallacy here");
  const again = done;
  done = true;
  const found = await saver.save(state, true).catch(() => null);
  if (!found) done = again;
  show();
  if (!found) return;
  if (data.suggestions && !again) say("done; s shows suggestions, d goes on");
  else go(found.next);
}

async function suggest() {
  if (!done || !data.suggestions) return say("suggestions are shown after your own pass");
  const { suggestions } = await request(`/annotate/v1/items/${number}/suggestions`, { method: "POST" }).catch((error) => {
    say(error.message);
    return {};
  });
  if (!suggestions) return;
  $("#suggestions").hidden = false;
  $("#suggestions").replaceChildren(
    h("h2", {}, "A machine suggests"),
    suggestions.length ? h("ol", { class: "spans" }, suggestions.map((s) => h("li", {},
      h("button", { type: "button", class: "quiet passage", dir: "auto", onclick: () => pick(s.start, s.end) }, short(textOf(s.start, s.end))),
      h("span", { class: "label other" }, saidLabel(s), s.confidence ? ` ${Math.round(100 * s.confidence)} %` : "")))) : h("p", { class: "dim" }, "Nothing."));
}

const KEYS = {
  ArrowDown: () => sentence(1),
  ArrowUp: () => sentence(-1),
  ArrowRight: (event) => word(1, event.shiftKey),
  ArrowLeft: (event) => word(-1, event.shiftKey),
  Enter: openPicker,
  n: () => marked(1),
  p: () => marked(-1),
  x: () => remove(),
  Delete: () => remove(),
  z: undo,
  y: redo,
  o: nothing,
  d: finish,
  s: suggest,
  PageDown: () => go(Math.min(data.n_items, number + 1)),
  PageUp: () => go(Math.max(1, number - 1)),
};

document.addEventListener("keydown", (event) => {
  if (typing(event) || event.altKey || !$("#conflict").hidden) return;
  const command = event.ctrlKey || event.metaKey;
  if (command && !["z", "y"].includes(event.key)) return;
  const button = event.target.closest?.("button, a, summary");
  if (button && event.key === "Enter" && !button.closest("#picker")) return;
  let act = null;
  if (command) act = KEYS[event.key];
  else if (mode === "picker") {
    const slots = Object.keys(byName.get(picker.active)?.template?.slots ?? {});
    const group = picker.group ?? null;
    const label = group?.labels.find((l) => l.key === event.key);
    const opened = !group && groups.find((g) => g.key === event.key);
    if (event.key === "Enter" || event.key === "Escape") act = closePicker;
    else if (event.key === "Backspace" && groups.length > 1) act = () => { picker.group = null; showPicker(); };
    else if (event.key === "0") act = () => toggle(NONE);
    else if (label) act = () => toggle(label.name);
    else if (opened) act = () => { picker.group = opened; showPicker(); };
    else if (/^[1-9]$/.test(event.key) && slots[event.key - 1]) act = () => startSlot(slots[event.key - 1]);
    else if (["z", "y"].includes(event.key)) act = KEYS[event.key];
  } else if (mode === "slot") {
    if (event.key === "Enter") act = () => endSlot(true);
    else if (event.key === "Escape") act = () => endSlot(false);
    else if (event.key.startsWith("Arrow") || ["z", "y"].includes(event.key)) act = KEYS[event.key];
  } else act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act(event);
});

$("#label").addEventListener("click", () => (mode === "slot" ? endSlot(true) : openPicker()));
$("#nothing").addEventListener("click", nothing);
$("#done").addEventListener("click", finish);
$("#undo").addEventListener("click", undo);
$("#redo").addEventListener("click", redo);
$("#suggest").addEventListener("click", suggest);
$("#before").addEventListener("click", KEYS.PageUp);
$("#after").addEventListener("click", KEYS.PageDown);
$("#note").addEventListener("input", writeNote);
$("#note").addEventListener("blur", leaveNote);

show();
saver.resume();
$("#text").focus({ preventScroll: true });
document.documentElement.dataset.ready = "yes";
