// Examine: a text in, highlights and findings out.
import { $, attempt, copy, download, dropTarget, get, h, isUnsure, keepTyped, meter, notice, percent, pointsOf, post, postFor, remove, saidLabel } from "./base.js";

const EXAMPLE = `Keep Harbour Street open

On Tuesday the council of Merrow Bay will vote on closing Harbour Street to cars on summer weekends.

Look first at who is behind this plan. Councillor Dunn, who drafted it, was fined twice last year for late library books. Why should anyone believe a word she says about what is good for trade?

But think of where this leads. Close the street on weekends, and next they will close it on weekdays. Then the car parks will go, then the bridge, and before long nobody will be able to reach the town at all.

The choice is simple: either we keep Harbour Street open, or we hand the town over to people who hate cars. There is no third way.

Everybody in town knows that the closure is a mistake; you can hear it in every queue. When that many people agree, they cannot be wrong.

The fire brigade has raised a separate matter. Its chief told the council that an engine needs four metres of clear width. That can be put right by moving the planters, and it should be, whatever is decided on Tuesday.`;
const GROUPS = ["logic", "emotion", "credibility"];
const state = { all: null, found: null, points: [], labels: new Map(), on: -1, corrected: new Map(), turn: 0, body: null, stopper: null };
const text = $("#text");
const WIDE = matchMedia("(min-width: 60rem)");

const groupOf = (label) => {
  const known = state.labels.get(label);
  return [...(known?.groups ?? []), label].find((g) => GROUPS.includes(g)) ?? "other";
};

async function settings() {
  const [health, sets] = await Promise.all([get("/v1/health"), get("/v1/taxonomies")]);
  const systems = [...health.detectors.map((d) => [`system:${d}`, d]), ...health.models.map((m) => [`model:${m}`, m])];
  $("#system").replaceChildren(...systems.map(([value, name]) => h("option", { value }, name)));
  $("#taxonomy").replaceChildren(h("option", { value: "" }, "the detector's own"), ...sets.taxonomies.filter((t) => t.has_crosswalk).map((t) => h("option", { value: t.name, title: t.title }, t.name)));
  const levels = () => {
    const one = sets.taxonomies.find((t) => t.name === ($("#taxonomy").value || "mafalda"));
    $("#level").replaceChildren(h("option", { value: "" }, "finest"), ...Array.from({ length: one.n_levels - 1 }, (_, i) => h("option", { value: i }, i ? String(i) : "0, coarsest")));
  };
  $("#taxonomy").addEventListener("change", levels);
  levels();
}

function request() {
  const [kind, ...name] = ($("#system").value || "system:encoder").split(":");
  const body = { text: text.value, [kind]: name.join(":") };
  if ($("#taxonomy").value) body.taxonomy = $("#taxonomy").value;
  if ($("#level").value !== "") body.level = Number($("#level").value);
  return body;
}

/** A new turn: what the turn before asked for is not wanted any more, and the server stops it. */
function begin() {
  state.stopper?.abort();
  state.stopper = new AbortController();
  return ++state.turn;
}

/** Examine the text of the form or, from another confidence on, the one that is shown, with its settings. */
async function examine(sure = null, own = false) {
  const body = sure === null ? request() : state.body;
  if (!body.text.trim()) return notice("Paste a text first, or drop a file.");
  const turn = begin();
  const { signal } = state.stopper;
  const least = sure !== null && !own ? { min_confidence: sure } : {};
  const found = await post("/v1/detect", { ...body, ...least }, { signal });
  const corrected = await stored(found.record.text);
  if (turn !== state.turn) return;
  state.body = body;
  if (sure === null) {
    state.lowered = false;
    setSure(found);
  }
  await show(found, { corrected });
  $("#compose").hidden = true;
  $("#result").hidden = false;
  if (!found.prediction.spans.length || body.model) return;
  attempt(async () => { // the words that moved it take longer to find, and nobody need wait for them
    const explained = await post("/v1/detect", { ...body, ...least, explain: true }, { signal });
    if (turn === state.turn && same(explained, state.all)) await show(explained, { on: state.on });
  });
}

const same = (a, b) => JSON.stringify(a.prediction.spans.map((s) => [s.start, s.end, s.label])) === JSON.stringify(b.prediction.spans.map((s) => [s.start, s.end, s.label]));

function setSure(found) {
  const least = Math.min(...found.prediction.spans.map((s) => s.confidence ?? 1), 0.5);
  state.least = Math.max(0.05, Math.floor(least * 20) / 20);
  $("#sure").min = 0.05;
  $("#sure").value = state.least;
  $("#sure-said").textContent = percent($("#sure").value);
}

/** The corrections of a text, by the finding that they are about. */
async function stored(text) {
  const { corrections } = await post("/v1/corrections/find", { text });
  return new Map(corrections.map((one) => [key(one), { label: one.corrected, number: one.number }]));
}

async function show(found, { corrected = state.corrected, on = -1 } = {}) {
  if (!state.labels.size || state.taxonomy !== found.taxonomy) {
    const set = await get(`/v1/taxonomies/${encodeURIComponent(found.taxonomy)}`);
    state.labels = new Map(set.labels.map((l) => [l.name, l]));
    state.taxonomy = found.taxonomy;
  }
  if (state.all?.record.text !== found.record.text) $("#findings").replaceChildren();
  state.all = found;
  state.points = pointsOf(found.record.text);
  state.corrected = corrected;
  state.on = on;
  filter();
}

/** How a note ends that says why nothing of a text was examined. */
const LEFT_OUT = /, so nothing was (examined|flagged)$/;

/** The number of passages of findings: labels of one passage are one. */
function passageCount(spans) {
  return new Set(spans.map(({ start, end }) => `${start}-${end}`)).size;
}

/** How many replies of a chat model could not be read; "" if all could. */
function unreadable() {
  const { unreadable: bad = [], n_replies: n } = state.all.prediction;
  return bad.length ? `${bad.length} of ${n} replies or parts of them could not be read` : "";
}

/** What is shown, in a few words; where it is nothing, why. */
function headline() {
  const { prediction, notes = [] } = state.all;
  const unread = prediction.unscored || notes.find((note) => LEFT_OUT.test(note))?.replace(LEFT_OUT, "");
  const [shown, all] = [state.found.prediction.spans, prediction.spans].map(passageCount);
  if (unread) return `This text was not examined: ${unread}`;
  if (shown) return shown === 1 ? "1 passage" : `${shown} passages`;
  if (all) return `${all === 1 ? "One passage is" : `${all} passages are`} less sure than ${percent($("#sure").value)}`;
  return unreadable() ? "Nothing found in what could be read" : "Nothing found";
}

/** What stands in place of findings. */
function none() {
  const { notes = [], prediction } = state.all;
  if (headline().endsWith("could be read")) return `${headline()}: ${unreadable()} (${prediction.unreadable[0].reason}). This does not say that the text is sound.`;
  if (headline() !== "Nothing found") return `${headline()}.`;
  if (notes.length) return `There is nothing to show. ${notes.map((note) => `${note[0].toUpperCase()}${note.slice(1)}.`).join(" ")}`;
  return "No passage of this text looks fallacious to this system. It may still be wrong: a machine's finding is a place to look, not a verdict.";
}

/** Show of what was found what is sure enough. */
function filter() {
  const sure = Number($("#sure").value);
  const found = state.all;
  state.sure = sure;
  const spans = found.prediction.spans.filter((s) => (s.confidence ?? 1) >= sure);
  state.found = { ...found, prediction: { ...found.prediction, spans } };
  const notes = (found.notes ?? []).filter((note) => !LEFT_OUT.test(note));
  $("#summary").textContent = [headline(), unreadable(), found.system, ...notes].filter(Boolean).join(" · ");
  drawText();
  drawFindings();
}

/** The text cut where findings begin and end; each piece knows all findings that cover it. */
function pieces(spans, length) {
  const cuts = [...new Set([0, length, ...spans.flatMap((s) => [s.start, s.end])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((from, i) => ({ from, to: cuts[i + 1], by: spans.flatMap((s, j) => (s.start <= from && s.end >= cuts[i + 1] ? [j] : [])) }));
}

function paint(mark, groups) {
  const lines = groups.map((g) => `linear-gradient(var(--${g}-edge), var(--${g}-edge))`);
  const last = groups[groups.length - 1];
  mark.style.setProperty("background-image", [...lines, `linear-gradient(var(--${last}), var(--${last}))`].join(", "));
  mark.style.setProperty("background-size", [...groups.map(() => "100% 2px"), "100% 100%"].join(", "));
  mark.style.setProperty("background-position", [...groups.map((_, i) => `0 calc(100% - ${3 * i}px)`), "0 0"].join(", "));
}

function drawText() {
  const spans = state.found.prediction.spans;
  const labelled = $("#labels").getAttribute("aria-pressed") === "true";
  const parts = [];
  for (const piece of pieces(spans, state.points.length)) {
    const words = state.points.slice(piece.from, piece.to).join("");
    if (!piece.by.length) {
      parts.push(words);
      continue;
    }
    const mark = h("mark", { title: piece.by.map((i) => saidLabel(spans[i])).join("; "), dataset: { by: piece.by.join(" ") }, onclick: () => select(piece.by[piece.by.length - 1], "card") }, words);
    paint(mark, piece.by.map((i) => groupOf(spans[i].label)));
    parts.push(mark);
    if (labelled) {
      for (const i of piece.by.filter((j) => spans[j].end === piece.to)) {
        parts.push(h("wbr"), h("span", { class: `tag ${groupOf(spans[i].label)}`, "aria-hidden": "true", onclick: () => select(i, "card") }, saidLabel(spans[i])));
      }
    }
  }
  $("#shown").replaceChildren(...parts);
  emphasise();
}

/** A template with its slots: what could be filled is bold, what could not stands in brackets. */
function template(shown, slots) {
  const words = Object.values(slots ?? {}).filter(Boolean).sort((a, b) => b.length - a.length);
  const escaped = words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const cut = new RegExp(`(\\[[^\\]]+\\]${escaped.length ? `|${escaped.join("|")}` : ""})`, "u");
  return shown.split(cut).map((part) => (part.startsWith("[") ? h("span", { class: "slot" }, part.slice(1, -1)) : words.includes(part) ? h("span", { class: "filled" }, part) : part));
}

/** The form of a fallacy, with what its slots stand for in brackets. */
const formOf = ({ forms = [], slots = {} }) => (forms[0] ?? "").replace(/\{(\w+)\}/g, (_, slot) => `[${slots[slot] ?? slot}]`);

function confidences(span) {
  const both = typeof span.label_confidence === "number";
  const known = [[span.confidence, both ? "sure that it is a fallacy" : "sure"], [span.label_confidence, "sure of the label"]];
  return known.filter(([value]) => typeof value === "number").map(([value, said]) => h("span", {}, meter(value), " ", h("b", {}, percent(value)), ` ${said}`));
}

function finding(span, i, open) {
  const label = state.labels.get(span.label);
  const why = span.explanation ?? {};
  const form = why.template ?? (isUnsure(span) || !label?.template ? "" : formOf(label.template));
  const corrected = state.corrected.get(key(span));
  const row = (name, ...content) => [h("dt", {}, name), h("dd", {}, ...content)];
  const slots = Object.entries(why.slots ?? {});
  return h("article", { class: `finding ${groupOf(span.label)}-edge${corrected ? " corrected" : ""}`, dataset: { i, key: key(span) }, "aria-label": `Finding ${i + 1}: ${saidLabel(span)}` },
    h("h3", {}, h("span", { class: `badge ${groupOf(span.label)}` }, i + 1), h("button", { type: "button", onclick: () => select(i, "text"), title: "Show it in the text" }, saidLabel(span))),
    label?.groups?.length ? h("div", { class: "dim small" }, [...label.groups, span.label].join(" › ")) : null,
    h("div", { class: "sures" }, confidences(span)),
    span.reported ? h("p", { class: "small" }, "Said by somebody the text reports, not by the text itself.") : null,
    h("blockquote", { dir: "auto" }, span.text),
    h("details", { class: "why", open: WIDE.matches || (open ?? i === state.on) }, h("summary", {}, "Why"), h("dl", {},
      label?.definition || why.definition ? row("What it is", why.definition ?? label.definition) : null,
      form ? row("Its form", template(form, why.slots)) : null,
      slots.length ? row("Filled from the text", slots.map(([name, said]) => h("div", {}, h("span", { class: "dim" }, `${name}: `), said))) : null,
      label?.sound_when || why.sound_when ? row("Sound when", why.sound_when || label.sound_when) : null,
      why.evidence?.length ? row("Words that moved it", h("span", { class: "words" }, why.evidence.map((e) => h("span", { title: `${e.effect >= 0 ? "+" : ""}${e.effect.toFixed(2)} confidence` }, e.words)))) : null)),
    h("div", { class: "row no-print" }, corrected
      ? [h("span", { class: "small" }, corrected.label ? `Corrected: ${corrected.label}` : "Corrected: no fallacy here"), h("button", { type: "button", class: "quiet", onclick: () => undo(span) }, "Undo")]
      : [h("button", { type: "button", onclick: (e) => correct(span, null, e.currentTarget) }, "Not a fallacy here"), h("button", { type: "button", onclick: () => relabel(span) }, "Another label")]));
}

/** What the keyboard reaches in a card, in order. */
const stops = (card) => [...card.querySelectorAll("button, summary")];

/** Put the findings on the page; what is open there stays open, and the focus stays at its place in its card. */
function drawFindings() {
  const spans = state.found.prediction.spans;
  const list = $("#findings");
  const cards = () => [...list.querySelectorAll(".finding")];
  const open = new Map(cards().map((card) => [card.dataset.key, $("details", card).open]));
  const left = cards().find((card) => card.contains(document.activeElement));
  const at = left && stops(left).indexOf(document.activeElement);
  list.replaceChildren(...(spans.length ? spans.map((span, i) => finding(span, i, open.get(key(span)))) : [h("p", { class: "card dim" }, none())]));
  emphasise();
  const again = left && cards().find((card) => card.dataset.key === left.dataset.key);
  if (again) stops(again).slice(0, at + 1).pop()?.focus({ preventScroll: true });
}

function emphasise() {
  for (const mark of $("#shown").querySelectorAll("mark")) mark.classList.toggle("on", mark.dataset.by.split(" ").includes(String(state.on)));
  for (const card of $("#findings").querySelectorAll(".finding")) card.classList.toggle("on", Number(card.dataset.i) === state.on);
}

function select(i, scroll) {
  state.on = i;
  emphasise();
  const why = $(`.finding[data-i="${i}"] details`);
  if (why) why.open = true;
  const target = scroll === "card" ? $(`.finding[data-i="${i}"]`) : $("#shown mark.on");
  target?.scrollIntoView({ block: scroll === "card" ? "nearest" : "center", behavior: "smooth" });
}

const key = (span) => `${span.start} ${span.end} ${span.label}`;

/** Store or undo a correction. Where another page was first (the server refuses with `late`), what is stored is shown. */
async function change(work, done, late, button) {
  const { corrected } = state; // of this text, also if another one is shown meanwhile
  const { text } = state.found.record;
  await attempt(async () => {
    try {
      done(corrected, await work(corrected));
    } catch (error) {
      if (error.status !== late) throw error;
      const now = await stored(text);
      corrected.clear();
      now.forEach((one, at) => corrected.set(at, one));
      notice("Not stored: this finding was corrected, or its correction undone, in another window. What is stored is shown now.", 9);
    }
  }, button);
  drawFindings();
}

function correct(span, label, button) {
  const asked = {
    text: state.found.record.text, start: span.start, end: span.end, label: span.label, corrected: label,
    taxonomy: state.found.taxonomy, system: state.found.system, replace: false,
  };
  return change(() => post("/v1/corrections", asked), (corrected, { number }) => {
    corrected.set(key(span), { label, number });
    notice("Stored. All corrections can be exported as annotated records.");
  }, 409, button);
}

const undo = (span) =>
  change((corrected) => remove(`/v1/corrections/${corrected.get(key(span)).number}`), (corrected) => corrected.delete(key(span)), 422);

function relabel(span) {
  const choice = $("#relabel-label");
  choice.replaceChildren(...[...state.labels.keys()].filter((l) => l !== span.label).map((l) => h("option", { value: l }, l)));
  $("#relabel-said").textContent = `“${span.text.slice(0, 160)}${span.text.length > 160 ? "…" : ""}” was called ${saidLabel(span)}.`;
  const define = () => ($("#relabel-definition").textContent = state.labels.get(choice.value)?.definition ?? "");
  choice.onchange = define;
  define();
  const dialog = $("#relabel");
  dialog.onclose = () => dialog.returnValue === "ok" && correct(span, choice.value);
  dialog.returnValue = "";
  dialog.showModal();
}

const cell = (value) => {
  const said = String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(said) ? `'${said}` : said; // a spreadsheet must not take a text for a formula
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

async function exported(kind) {
  const found = state.found;
  if (kind !== "corrections" && found.prediction.spans.some((span) => state.corrected.has(key(span)))) {
    notice("The file has the findings as the system made them. Corrections are in “All corrections”.", 9);
  }
  if (kind === "json") return download("fallax.json", JSON.stringify(found, null, 1));
  if (kind === "csv") {
    const rows = [["start", "end", "label", "confidence", "label_confidence", "text"], ...found.prediction.spans.map((s) => [s.start, s.end, s.label, s.confidence, s.label_confidence, s.text])];
    return download("fallax.csv", `\ufeff${rows.map((r) => r.map(cell).join(",")).join("\r\n")}\r\n`, "text/csv");
  }
  if (kind === "corrections") {
    const { records } = await get("/v1/corrections");
    if (!records.length) return notice("There are no corrections yet.");
    return download("corrections.jsonl", records.map((r) => `${JSON.stringify(r)}\n`).join(""), "application/jsonl");
  }
  return download(`fallax.${kind}`, await postFor(`/v1/export/${kind}`, { detection: found }));
}

/** Choose the settings that a result was made with; false if this server does not offer them. */
function choose(found) {
  const detector = found.system.match(/^detector:(.+)@[^@]+$/)?.[1];
  $("#system").value = detector ? `system:${detector}` : `model:${found.system.replace(/^[^:]+:/, "")}`;
  $("#taxonomy").value = found.taxonomy;
  $("#taxonomy").dispatchEvent(new Event("change"));
  if ($(`#level option[value="${Number(found.level)}"]`)) $("#level").value = found.level; // else the finest
  return $("#system").selectedIndex >= 0 && $("#taxonomy").selectedIndex >= 0;
}

async function opened() {
  const id = location.pathname.split("/")[2];
  if (!id) return;
  const kept = await get(`/v1/kept/${encodeURIComponent(id)}`);
  await ready;
  text.value = kept.value.record.text;
  setSure(kept.value);
  if (!choose(kept.value)) {
    $("#sure").min = state.least; // less sure findings could only come from another system
    for (const one of [$("#system"), $("#taxonomy")]) one.selectedIndex = 0;
  }
  state.body = request();
  await show(kept.value, { corrected: await stored(kept.value.record.text) });
  $("#compose").hidden = true;
  $("#result").hidden = false;
}

$("#compose").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(() => examine(), $("#compose .primary"));
});
text.addEventListener("input", () => {
  const words = text.value.trim().split(/\s+/).filter(Boolean).length;
  $("#count").textContent = words ? `${words.toLocaleString("en")} words` : "";
});
$("#example").addEventListener("click", () => {
  text.value = EXAMPLE;
  text.dispatchEvent(new Event("input"));
  text.focus();
});
$("#fetch")?.addEventListener("click", (event) => attempt(async () => {
  if (!$("#url").value.trim()) return notice("Type the address of a page first.");
  const found = await post("/v1/fetch", { url: $("#url").value.trim() });
  text.value = found.text;
  text.dispatchEvent(new Event("input"));
  found.notes.forEach((note) => notice(`${note}.`));
}, event.currentTarget));
let waiting;
$("#sure").addEventListener("input", () => {
  $("#sure-said").textContent = percent($("#sure").value);
  clearTimeout(waiting);
  const sure = Number($("#sure").value);
  const own = state.all && !state.lowered && sure >= state.least; // above the system's own threshold nothing need be asked
  state.on = -1;
  if (own) return filter();
  state.lowered = sure < state.least;
  waiting = setTimeout(() => attempt(() => examine(state.lowered ? sure : state.least, !state.lowered).catch((error) => {
    if (error.name === "AbortError") throw error; // the slider was moved on
    $("#sure").value = state.sure; // what is shown is still from there
    $("#sure-said").textContent = percent(state.sure);
    state.lowered = state.sure < state.least;
    throw error;
  })), 250);
  return undefined;
});
$("#labels").addEventListener("click", (event) => {
  const on = event.currentTarget.getAttribute("aria-pressed") !== "true";
  event.currentTarget.setAttribute("aria-pressed", String(on));
  drawText();
});
$("#edit").addEventListener("click", () => {
  begin();
  $("#compose").hidden = false;
  $("#result").hidden = true;
  history.replaceState(null, "", "/examine");
  text.focus();
});
$("#link").addEventListener("click", (event) => attempt(async () => {
  const { path } = await post("/v1/keep", { kind: "examine", value: state.found });
  history.replaceState(null, "", path);
  await copy(location.origin + path, "The link is copied. It opens this result on this server.");
}, event.currentTarget));
for (const button of document.querySelectorAll("[data-export]")) button.addEventListener("click", () => attempt(() => exported(button.dataset.export)));
document.addEventListener("keydown", (event) => {
  if ($("#result").hidden || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const n = state.found.prediction.spans.length;
  if (n && (event.key === "j" || event.key === "k")) {
    const step = event.key === "j" ? 1 : -1;
    select(state.on < 0 ? (step > 0 ? 0 : n - 1) : (state.on + step + n) % n, "text");
    $(`.finding[data-i="${state.on}"]`)?.scrollIntoView({ block: "nearest" });
  }
});
dropTarget($("#compose"), text);
keepTyped(text);
const ready = attempt(settings);
attempt(opened);
