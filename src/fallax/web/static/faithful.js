// Faithful?: a document and a summary in, a verdict for each sentence out, and the debate as it happens.
import { $, attempt, badge, copy, download, dropTarget, events, get, h, keepTyped, meter, notice, percent, pointsOf, post, sentence } from "./base.js";

const DOCUMENT = `Minutes of the harbour board, 4 March. Present: Ms Okafor (chair), Mr Lind, Ms Reyes, Mr Tan, Ms Weil.

1. The board voted on raising the berth fees by four per cent from June. Four members were in favour, Mr Lind was against.

2. Ms Okafor said that the ferry would be back in service by Easter if the inspectors came in March as planned. No date has been set for the inspection.

3. Mr Tan asked about the night boat. Ms Okafor said that there was no money for it this year. The board will look at the matter again in autumn; nothing was decided.`;
const SUMMARY = "The board raised the berth fees by four per cent from June. Ms Okafor said the ferry will be back in service by Easter. The night boat was cancelled by the board.";
const SIGN = { faithful: "✓", unfaithful: "✗", ambiguous: "≈", unclear: "?" };
const STANCE = { supports: ["faithful", "✓ supports it"], contradicts: ["unfaithful", "✗ contradicts it"], nearest: ["unclear", "nearest"] };
/** What is shown first, if there is any. */
const WORST = ["unfaithful", "ambiguous", "unclear"];
const SAID = { faithful: "faithful", unfaithful: "unfaithful", ambiguous: "ambiguous", unclear: "cannot tell" };
const state = { stopper: null, verdict: null, document: "", summary: "", debates: new Map(), usage: null, on: -1 };

const statusOf = (unit) => (unit.ambiguity?.is_ambiguous ? "ambiguous" : (unit.label ?? "unclear"));
const outcome = (label) => badge(label ?? "unclear", `${SIGN[label ?? "unclear"]} ${SAID[label ?? "unclear"] ?? label}`);

async function settings() {
  const health = await get("/v1/health");
  $("#judge").replaceChildren(h("option", { value: "" }, "the local judge"), ...health.models.map((m) => h("option", { value: m }, m)));
  $("#method").replaceChildren(...health.methods.map((m) => h("option", { value: m, selected: m === "madisse" }, m)));
  $("#method").value = "madisse";
}

function request() {
  const body = { document: state.document, summary: state.summary };
  if (!$("#judge").value) return body;
  const asked = { ...body, model: $("#judge").value, method: $("#method").value, level: $("#level").value };
  if (!asked.method.startsWith("madisse")) return asked;
  const sessions = Number($("#sessions").value); // 1: as many as the method has
  return { ...asked, agents: Number($("#agents").value), rounds: Number($("#rounds").value), ...(sessions > 1 && { sessions }) };
}

async function judge() {
  state.document = $("#document").value;
  state.summary = $("#summary").value;
  if (!state.document.trim() || !state.summary.trim()) return notice("Give a document and a summary.");
  Object.assign(state, { verdict: null, debates: new Map(), usage: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost: null }, on: -1, stopper: new AbortController() });
  open();
  $("#stop").hidden = false;
  try {
    for await (const event of events("/v1/debate", request(), state.stopper.signal)) happened(event);
    if (!state.verdict && !$("#verdict").querySelector(".problem")) unfinished("The debate ended before its verdict.");
  } catch (error) {
    if (error.name !== "AbortError") {
      unfinished(sentence(error.message));
      throw error;
    }
    unfinished("Stopped.");
  } finally {
    $("#stop").hidden = true;
    state.stopper = null;
  }
}

const unfinished = (why) => $("#verdict").replaceChildren(badge("unclear", "no verdict"), h("span", { class: "dim small" }, ` ${why}${state.debates.size ? " What was said so far stands below." : ""}`));

function open() {
  $("#compose").hidden = true;
  $("#result").hidden = false;
  $("#link").hidden = $("#json").hidden = true;
  $("#why").hidden = true;
  $("#cost").textContent = "";
  $("#verdict").replaceChildren(h("span", { class: "busy" }, "Judging"));
  $("#units").replaceChildren(state.summary);
  $("#debates").replaceChildren();
  showSource([]);
  scrollTo(0, 0); // the form above it was taller, so a phone showed the result from its middle
}

const keyOf = (event) => `${event.unit[0]}-${event.unit[1]}-${event.session}`;

function happened(event) {
  if (event.event === "verdict") return showVerdict(event.verdict);
  if (event.event === "error") {
    notice(event.message, 9);
    return $("#verdict").replaceChildren(h("span", { class: "problem" }, event.message));
  }
  if (event.event === "session") {
    state.debates.set(keyOf(event), { start: event.unit[0], text: event.text, number: event.session, stances: event.stances, rounds: [], adjudications: [], ended: null });
  }
  const one = state.debates.get(keyOf(event));
  if (!one) return undefined;
  if (event.event === "round") one.rounds.push({ turns: [], intervened: event.intervened });
  if (event.event === "turn") one.rounds[event.round - 1].turns.push(event);
  if (event.event === "adjudicator") one.adjudications.push(event);
  if (event.event === "session_end") one.ended = event;
  if (event.usage) addCost(event.usage);
  return drawDebates();
}

function addCost(usage) {
  for (const name of ["calls", "prompt_tokens", "completion_tokens"]) state.usage[name] += usage[name];
  if (usage.cost !== null) state.usage.cost = (state.usage.cost ?? 0) + usage.cost;
  showCost(state.usage, "so far");
}

function showCost(usage, when) {
  if (!usage?.calls) return;
  const money = usage.cost ? `, ${usage.cost.toFixed(4)} US dollars` : "";
  $("#cost").textContent = `${usage.calls} calls, ${(usage.prompt_tokens + usage.completion_tokens).toLocaleString("en")} tokens${money} ${when}`.trim();
}

function showVerdict(verdict) {
  state.verdict = verdict;
  const sure = typeof verdict.probability === "number" ? h("span", { class: "dim small" }, ` ${percent(verdict.probability)} likely to be faithful`) : null;
  $("#verdict").replaceChildren("The summary is ", outcome(verdict.label), sure ?? "", h("span", { class: "dim small" }, ` · ${verdict.judge}`), ...(verdict.notes ?? []).map((note) => h("div", { class: "dim small" }, note)));
  showCost(verdict.usage, "");
  const points = pointsOf(state.summary);
  const parts = [];
  let at = 0;
  verdict.units.forEach((unit, i) => {
    const status = statusOf(unit);
    parts.push(points.slice(at, unit.start).join(""));
    parts.push(h("span", { role: "button", tabindex: "0", class: `unit ${status}`, "aria-pressed": "false", title: `${SAID[status]}: show why`, onclick: () => explain(i, true), onkeydown: (e) => [" ", "Enter"].includes(e.key) && (e.preventDefault(), explain(i, true)) },
      points.slice(unit.start, unit.end).join(""), h("span", { class: "sign", "aria-label": SAID[status] }, SIGN[status])));
    at = unit.end;
  });
  $("#units").replaceChildren(...parts, points.slice(at).join(""));
  $("#link").hidden = $("#json").hidden = false;
  if (verdict.transcript) fromTranscript(verdict.transcript);
  const statuses = verdict.units.map(statusOf);
  explain(Math.max(0, statuses.indexOf(WORST.find((one) => statuses.includes(one)))));
}

/** The sentences of the document that share most words with one of the summary; not what the judge went by. */
function nearest(text) {
  const words = (s) => new Set((s.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((w) => w.slice(0, 6)));
  const wanted = words(text);
  const found = [...state.document.matchAll(/[^.!?\n]+[.!?]*/gu)].map((m) => {
    const own = words(m[0]);
    const shared = [...own].filter((w) => wanted.has(w)).length;
    const from = pointsOf(state.document.slice(0, m.index + (m[0].length - m[0].trimStart().length))).length;
    return { start: from, end: from + pointsOf(m[0].trim()).length, text: m[0].trim(), score: shared / Math.sqrt(own.size || 1) };
  });
  const best = Math.max(0, ...found.map((f) => f.score));
  return found.filter((f) => f.score > 0 && f.score > best / 2).sort((a, b) => b.score - a.score).slice(0, 2);
}

function passagesOf(unit) {
  const given = (unit.evidence ?? []).filter((e) => Number.isInteger(e.start) && Number.isInteger(e.end));
  if (given.length) return { passages: given, own: true };
  return { passages: nearest(unit.text), own: false };
}

function showSource(passages, own = true) {
  const points = pointsOf(state.document);
  const parts = [];
  let at = 0;
  for (const one of [...passages].sort((a, b) => a.start - b.start)) {
    if (one.start < at) continue;
    parts.push(points.slice(at, one.start).join(""), h("mark", { class: own ? (one.stance ?? "") : "nearest" }, points.slice(one.start, one.end).join("")));
    at = one.end;
  }
  $("#source").replaceChildren(...parts, points.slice(at).join(""));
  const first = $("#source mark");
  if (first) $("#source").scrollTop = first.offsetTop - $("#source").offsetTop - 60;
}

/** Show why a sentence has its verdict; where somebody asked for it, where it can be seen. */
function explain(i, asked = false) {
  const unit = state.verdict.units[i];
  if (!unit) return;
  document.querySelectorAll(".unit").forEach((b, j) => b.setAttribute("aria-pressed", String(i === j)));
  const { passages, own } = passagesOf(unit);
  showSource(passages, own);
  const status = statusOf(unit);
  const row = (name, ...content) => [h("dt", {}, name), h("dd", {}, ...content)];
  const reasons = [unit.explanation, ...(unit.faults ?? []).map((f) => f.reason)].filter(Boolean).filter((r, j, all) => all.indexOf(r) === j);
  const unsupported = unit.unsupported ?? [];
  const amb = unit.ambiguity;
  const [low, high] = state.verdict.settings?.band ?? [1, 0];
  const between = unit.label === null && low < unit.probability && unit.probability < high;
  $("#why").hidden = false;
  $("#why").replaceChildren(
    h("h3", {}, outcome(status)), h("blockquote", { dir: "auto" }, unit.text),
    h("dl", {},
      typeof unit.probability === "number" ? row("How likely it is faithful", meter(unit.probability), ` ${percent(unit.probability)}${between ? `; ${percent(high)} or more is faithful, ${percent(low)} or less unfaithful` : ""}`) : null,
      unit.unscored ? row("Why there is no answer", unit.unscored) : null,
      reasons.length ? row("Reason", reasons.map((r) => h("p", {}, r))) : null,
      unsupported.length ? row("Not supported", unsupported.map((w) => [h("span", { class: "badge unfaithful", title: w.reason ?? "" }, w.text ?? w), " "])) : null,
      unit.votes && Object.keys(unit.votes).length ? row("Votes", Object.entries(unit.votes).map(([k, v]) => `${v} ${k}`).join(", ")) : null,
      amb?.is_ambiguous ? [row("Kind of ambiguity", (amb.types ?? []).join("; ") || amb.detector), (amb.readings ?? []).map((r) => row(`Reading${r.label ? `, ${r.label}` : ""}`, r.text)), amb.explanation ? row("Why it is ambiguous", amb.explanation) : null] : null,
      passages.length ? row(own ? "Evidence in the document" : "Nearest passages by shared words (not the judge's evidence)", passages.map((p) => h("blockquote", { dir: "auto" }, STANCE[p.stance] ? h("span", { class: `badge ${STANCE[p.stance][0]}` }, STANCE[p.stance][1]) : null, " ", p.text ?? pointsOf(state.document).slice(p.start, p.end).join("")))) : null));
  if (asked) $("#why").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function fromTranscript(transcript) {
  state.debates = new Map();
  transcript.debates.forEach((debate) => debate.sessions.forEach((session, i) => {
    state.debates.set(`${debate.start}-${debate.end}-${i + 1}`, { start: debate.start, text: debate.text, number: i + 1, stances: session.stances, rounds: session.rounds, adjudications: session.adjudications, ended: session });
  }));
  drawDebates();
}

/** What an agent that changed its mind had read before: the arguments for its new label in the round before. */
function mindOf(one, turn, r) {
  const before = r > 0 ? one.rounds[r - 1].turns.find((t) => t.agent === turn.agent)?.label : one.stances[turn.agent - 1];
  if (!before || !turn.label || before === turn.label) return null;
  const heard = r > 0 ? one.rounds[r - 1].turns.filter((t) => t.agent !== turn.agent && t.label === turn.label) : [];
  if (r === 0) return h("div", { class: "mind" }, `Left its stance (${before}) at once.`);
  const order = one.rounds[r - 1].order ?? [];
  heard.sort((a, b) => order.indexOf(b.agent) - order.indexOf(a.agent));
  return h("div", { class: "mind" }, `Changed its mind from ${before} to ${turn.label}`, heard.length ? [`, after agent${heard.length > 1 ? "s" : ""} ${heard.map((t) => t.agent).join(", ")} argued: “${heard[0].explanation}”`] : ".");
}

function turnOf(one, turn, r) {
  return h("li", { class: `turn t-${turn.label ?? "none"}` },
    h("div", { class: "who" }, h("b", {}, `Agent ${turn.agent}`), r === 0 && one.stances[turn.agent - 1] ? h("span", { class: "dim" }, ` starts ${one.stances[turn.agent - 1]}, says `) : " ", outcome(turn.label), turn.unreadable ? h("span", { class: "dim" }, ` ${turn.unreadable}`) : null),
    turn.explanation ? h("p", { dir: "auto" }, turn.explanation) : null, mindOf(one, turn, r));
}

function board(one) {
  const n = one.stances.length;
  const rows = one.stances.map((stance, a) => {
    const cells = one.rounds.map((round, r) => {
      const turn = round.turns.find((t) => t.agent === a + 1);
      if (!turn) return h("td", { class: "waiting" }, "…");
      const before = r ? one.rounds[r - 1].turns.find((t) => t.agent === a + 1)?.label : stance;
      return h("td", { class: `${turn.label ?? "unclear"}${before && turn.label && before !== turn.label ? " changed" : ""}` }, `${SIGN[turn.label ?? "unclear"]} ${SAID[turn.label ?? "unclear"]}`);
    });
    return h("tr", {}, h("th", { scope: "row" }, `Agent ${a + 1}`), h("td", { class: stance ?? "unclear" }, stance ?? "none"), cells);
  });
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Stances and rounds" }, h("table", { class: "board" }, h("caption", { class: "visually-hidden" }, `What ${n} agents said in each round`), h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "Stance"), one.rounds.map((_, r) => h("th", { scope: "col" }, `Round ${r + 1}`)))), h("tbody", {}, rows)));
}

const opened = new Set();
function drawDebates() {
  const all = [...state.debates.entries()].sort(([, a], [, b]) => a.start - b.start || a.number - b.number);
  const several = all.some(([, d]) => d.number > 1);
  $("#debates").replaceChildren(all.length ? h("h2", {}, "The debate") : "", ...all.map(([key, one]) => h("article", { class: "debate card" },
    h("h3", { dir: "auto" }, one.text, several ? h("span", { class: "dim small" }, ` session ${one.number}`) : null),
    board(one),
    h("details", { open: !one.ended || opened.has(key), ontoggle: (e) => (e.currentTarget.open ? opened.add(key) : opened.delete(key)) }, h("summary", {}, "What was said"),
      one.rounds.map((round, r) => [h("div", { class: "round" }, `Round ${r + 1}${round.intervened ? ": asked to be more open to each other" : ""}`), h("ol", { class: "turns" }, [...round.turns].sort((a, b) => a.agent - b.agent).map((t) => turnOf(one, t, r)))]),
      one.adjudications.length ? [h("div", { class: "round" }, "Adjudication"), h("ol", { class: "turns" }, one.adjudications.map((t) => h("li", { class: `turn t-${t.label ?? "none"}` }, h("div", { class: "who" }, h("b", {}, `Adjudicator ${t.agent} `), outcome(t.label)), t.explanation ? h("p", { dir: "auto" }, t.explanation) : null)))] : null),
    one.ended ? h("p", { class: "outcome" }, "Ends ", outcome(one.ended.label), one.ended.label ? ` by ${one.ended.decided}` : "") : null)));
}

async function linked() {
  const id = location.pathname.split("/")[2];
  if (!id) return;
  const { value } = await get(`/v1/kept/${encodeURIComponent(id)}`);
  Object.assign(state, { document: value.document, summary: value.summary });
  $("#document").value = value.document;
  $("#summary").value = value.summary;
  open();
  showVerdict(value.verdict);
}

$("#compose").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(judge, $("#compose .primary"));
});
$("#example").addEventListener("click", () => {
  $("#document").value = DOCUMENT;
  $("#summary").value = SUMMARY;
});
$("#stop").addEventListener("click", () => state.stopper?.abort());
$("#edit").addEventListener("click", () => {
  state.stopper?.abort();
  $("#compose").hidden = false;
  $("#result").hidden = true;
  history.replaceState(null, "", "/faithful");
  $("#document").focus();
});
$("#link").addEventListener("click", (event) => attempt(async () => {
  const { path } = await post("/v1/keep", { kind: "faithful", value: { document: state.document, summary: state.summary, verdict: state.verdict } });
  history.replaceState(null, "", path);
  await copy(location.origin + path, "The link is copied. It opens this result on this server.");
}, event.currentTarget));
$("#json").addEventListener("click", () => download("verdict.json", JSON.stringify(state.verdict, null, 1)));
dropTarget($("#document").closest(".drop"), $("#document"));
dropTarget($("#summary").closest(".drop"), $("#summary"));
keepTyped($("#document"), $("#summary"));
attempt(settings);
attempt(linked);
