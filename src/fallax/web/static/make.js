// Make: pairs of a fallacy and its sound twin, with their proofs; and a quiz over them.
import { $, attempt, badge, download, get, h, notice, percent, post } from "./base.js";
import { drawGraph } from "./graph.js";

const state = { labels: [], items: [], round: null };
const KEY = "fallax-quiz";

async function settings() {
  const set = await get("/v1/taxonomies/smartypat");
  state.labels = set.labels;
  $("#fallacy").replaceChildren(h("option", { value: "" }, "all 14"), ...set.labels.map((l) => h("option", { value: l.name }, l.name)));
}

function request(more = {}) {
  const body = { n: Number($("#n").value) || 1, seed: Number($("#seed").value) || 0, style: $("#style").value, ...more };
  if ($("#fallacy").value) body.fallacy = $("#fallacy").value;
  if ($("#model")?.value) body.model = $("#model").value;
  return body;
}

const definition = (name) => state.labels.find((l) => l.name === name)?.definition ?? "";

/** Facts below, the rule between, the conclusion on top; the step of a fallacy is dashed. */
function proof(derivation) {
  const place = h("div", { class: "proof" });
  const readings = derivation.readings.length ? derivation.readings : derivation.facts.map((f) => `${f.predicate}(${f.args.map((a) => (typeof a === "object" ? JSON.stringify(a) : a)).join(", ")})`);
  const weak = derivation.kind === "fallacy";
  const nodes = [
    { id: "conclusion", title: weak ? "Concluded, not proved" : "Proved", text: derivation.conclusion_reading || derivation.conclusion.predicate, kind: "claim" },
    { id: "rule", title: weak ? "Rule of the fallacy" : "Rule", text: derivation.rule.replaceAll("_", " "), kind: "rule" },
    ...readings.map((text, i) => ({ id: `f${i}`, title: `Fact ${i + 1}`, text, kind: "leaf" })),
  ];
  drawGraph(place, nodes, [...readings.map((_, i) => ({ sources: [`f${i}`], targets: ["rule"] })), { sources: ["rule"], targets: ["conclusion"], kind: weak ? "weak" : "" }]);
  return place;
}

function proofs(item) {
  const inside = h("div", { class: "two" });
  return h("details", { class: "small", ontoggle: (event) => {
    if (!event.currentTarget.open || inside.childElementCount) return;
    for (const [title, derivation] of [["Why it is not valid", item.derivation], ["Why its twin is", item.twin?.derivation]]) {
      if (derivation) inside.append(h("section", {}, h("h3", {}, title), proof(derivation)));
    }
  } }, h("summary", {}, "Show the proof"), inside);
}

function pair(item) {
  return h("article", { class: "pair card" },
    h("header", {}, h("h2", {}, item.labels.join(", ")), h("span", { class: "dim small" }, definition(item.labels[0]))),
    h("div", { class: "two" },
      h("section", { class: "side wrong" }, h("h3", {}, badge("unfaithful", "✗ fallacy")), h("div", { class: "text", dir: "auto" }, item.text)),
      item.twin ? h("section", { class: "side" }, h("h3", {}, badge("faithful", "✓ sound twin")), h("div", { class: "text", dir: "auto" }, item.twin.text)) : h("p", { class: "dim" }, "There is no sound twin of this one.")),
    item.derivation ? proofs(item) : null);
}

async function make() {
  const { items, n_missing, evaluator } = await post("/v1/generate", request());
  state.items = items;
  $("#asked").hidden = true;
  $("#made").hidden = false;
  $("#count").textContent = `${items.length} made, proved by ${evaluator === "swipl" ? "SWI-Prolog" : "the built-in evaluator"}${n_missing ? `; ${n_missing} could not be made from the facts there are` : ""}`;
  $("#pairs").replaceChildren(...items.map(pair));
}

const results = () => JSON.parse(localStorage.getItem(KEY) ?? "{}");

function keep(label, sound, named) {
  const all = results();
  const one = all[label] ?? { asked: 0, sound: 0, named: 0 };
  all[label] = { asked: one.asked + 1, sound: one.sound + Number(sound), named: one.named + Number(named) };
  localStorage.setItem(KEY, JSON.stringify(all));
  showResults();
}

function showResults() {
  const rows = Object.entries(results()).sort();
  const share = (a, b) => (b ? percent(a / b) : "–");
  $("#scores").replaceChildren(rows.length
    ? h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Fallacy", "Asked", "Sound one found", "Fallacy named"].map((n, i) => h("th", { scope: "col", class: i ? "number" : null }, n)))),
        h("tbody", {}, rows.map(([label, r]) => h("tr", {}, h("th", { scope: "row" }, label), h("td", { class: "number" }, r.asked), h("td", { class: "number" }, share(r.sound, r.asked)), h("td", { class: "number" }, share(r.named, r.asked)))))),
      h("button", { type: "button", class: "quiet", onclick: () => { localStorage.removeItem(KEY); showResults(); } }, "Forget my results"))
    : h("p", { class: "dim" }, "Nothing yet."));
}

const shuffled = (list) => list.map((value) => [Math.random(), value]).sort((a, b) => a[0] - b[0]).map(([, value]) => value);

async function quiz() {
  const labels = $("#fallacy").value ? [$("#fallacy").value] : [shuffled(state.labels)[0].name];
  const { items } = await post("/v1/generate", request({ fallacy: labels, n: 5, seed: Math.floor(Math.random() * 1e9) }));
  const item = shuffled(items.filter((i) => i.twin))[0];
  if (!item) return notice("No pair could be made; try another fallacy.");
  $("#made").hidden = true;
  $("#asked").hidden = false;
  ask(item);
}

function ask(item) {
  const sides = shuffled([{ text: item.text, sound: false }, { text: item.twin.text, sound: true }]);
  const second = h("div", {});
  const buttons = sides.map((side, i) => h("button", { type: "button", class: "choice", onclick: () => chosen(side) }, h("b", { class: "small dim" }, `Argument ${i + 1}`), h("div", { class: "text", dir: "auto" }, side.text)));
  const chosen = (side) => {
    buttons.forEach((b, i) => {
      b.disabled = true;
      b.classList.toggle("right", sides[i].sound);
      b.classList.toggle("wrong", sides[i] === side && !side.sound);
    });
    which(item, side.sound, second);
  };
  $("#question").replaceChildren(h("h2", {}, "Which of the two is sound?"), h("div", { class: "two" }, buttons), second);
  buttons[0].focus();
}

function which(item, sound, place) {
  const right = item.labels[0];
  const offered = shuffled([right, ...shuffled(state.labels.map((l) => l.name).filter((n) => !item.labels.includes(n))).slice(0, 3)]);
  const after = h("div", {});
  const answers = offered.map((name) => h("button", { type: "button", onclick: () => {
    answers.forEach((b, i) => {
      b.disabled = true;
      b.classList.toggle("right", offered[i] === right);
      b.classList.toggle("wrong", offered[i] === name && name !== right);
    });
    keep(right, sound, name === right);
    after.replaceChildren(h("p", { class: "said" }, name === right ? `Yes: ${right}.` : `It is ${right}.`), h("p", {}, definition(right)), item.derivation ? proofs(item) : "", h("p", {}, h("button", { type: "button", class: "primary", onclick: (e) => attempt(quiz, e.currentTarget) }, "Next question")));
    after.querySelector(".primary").focus();
  } }, name));
  place.replaceChildren(h("p", { class: "said", role: "status" }, sound ? "Yes, that one is sound." : "No, the other one is sound."), h("h2", {}, "Which fallacy is the other one?"), h("div", { class: "answers" }, answers), after);
  answers[0].focus();
}

$("#compose").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(make, $("#compose .primary"));
});
$("#quiz").addEventListener("click", (event) => attempt(quiz, event.currentTarget));
$("#json").addEventListener("click", () => download("generated.jsonl", state.items.map((i) => `${JSON.stringify(i)}\n`).join(""), "application/jsonl"));
showResults();
attempt(settings);
