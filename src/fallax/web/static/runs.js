// Runs: one line for each run folder, sorted and filtered here; those in progress are looked at again.
import { $, attempt, badge, get, h } from "./base.js";

const state = { runs: [], sort: "changed", down: true, chosen: new Set() };
const SAID = { done: "done", live: "in progress", stopped: "not finished" };

const measures = () => [...new Set(state.runs.flatMap((r) => Object.entries(r.scores ?? {}).flatMap(([name, s]) => Object.keys(s).map((m) => `${name} ${m}`))))];
function scoreOf(run) {
  const [name, measure] = ($("#measure").value || "").split(" ");
  return run.scores?.[name]?.[measure] ?? null;
}

const COLUMNS = [
  ["benchmark", "Benchmark", (r) => r.benchmark],
  ["system", "System", (r) => r.system],
  ["score", "Score", scoreOf],
  ["unscored", "Unscored", (r) => r.unscored],
  ["rows", "Rows", (r) => r.n_rows],
  ["cost", "US dollars", (r) => r.cost],
  ["status", "State", (r) => r.status],
  ["changed", "Changed", (r) => r.changed],
  ["id", "Folder", (r) => r.id],
];

function draw() {
  const find = $("#find").value.toLowerCase();
  const of = COLUMNS.find(([key]) => key === state.sort)[2];
  const rows = state.runs.filter((r) => `${r.benchmark} ${r.system} ${r.id}`.toLowerCase().includes(find)).sort((a, b) => {
    const [x, y] = [of(a), of(b)];
    if (x === y) return 0;
    if (x === null || x === undefined) return 1;
    if (y === null || y === undefined) return -1;
    return (x < y ? -1 : 1) * (state.down ? -1 : 1);
  });
  $("#runs thead").replaceChildren(h("tr", {}, h("td", {}, h("span", { class: "visually-hidden" }, "Compare")), COLUMNS.map(([key, title]) => h("th", { scope: "col", "aria-sort": state.sort === key ? (state.down ? "descending" : "ascending") : null },
    h("button", { type: "button", onclick: () => { state.down = state.sort === key ? !state.down : true; state.sort = key; draw(); } }, title)))));
  $("#runs tbody").replaceChildren(...rows.map(row));
  $("#state").textContent = `${rows.length} of ${state.runs.length} runs`;
  choose();
}

function row(run) {
  if (run.problem) return h("tr", {}, h("td", {}), h("td", { colspan: COLUMNS.length - 1, class: "dim" }, run.problem), h("td", {}, run.id));
  const score = scoreOf(run);
  const tick = h("input", { type: "checkbox", "aria-label": `Compare ${run.system}, ${run.id}`, checked: state.chosen.has(run.id), onchange: (e) => { if (e.target.checked) state.chosen.add(run.id); else state.chosen.delete(run.id); choose(); } });
  return h("tr", {}, h("td", {}, tick),
    h("td", {}, run.benchmark), h("td", {}, h("a", { href: `/runs/view?run=${encodeURIComponent(run.id)}` }, run.system)),
    h("td", { class: "number score" }, score === null ? "–" : score.toFixed(3)), h("td", { class: "number" }, run.unscored ?? "–"),
    h("td", { class: "number" }, run.status === "done" ? run.n_rows : [h("progress", { max: run.n_expected, value: run.n_rows, "aria-label": `${run.n_rows} of ${run.n_expected} rows` }), ` ${run.n_rows} / ${run.n_expected}`]),
    h("td", { class: "number" }, run.cost === null || run.cost === undefined ? "–" : run.cost.toFixed(2)),
    h("td", {}, badge(run.status === "done" ? "faithful" : run.status === "live" ? "ambiguous" : "unclear", SAID[run.status])),
    h("td", {}, new Date(1000 * run.changed).toISOString().slice(0, 16).replace("T", " ")), h("td", { class: "dim" }, run.id));
}

function choose() {
  const chosen = state.runs.filter((r) => state.chosen.has(r.id));
  const one = new Set(chosen.map((r) => r.benchmark)).size <= 1;
  $("#compare").disabled = chosen.length < 2 || !one;
  $("#compare").textContent = one ? (chosen.length ? `Compare ${chosen.length}` : "Compare") : "Only runs of one benchmark";
}

async function load() {
  const { runs } = await get("/v1/runs");
  state.runs = runs;
  const before = $("#measure").value;
  const names = measures();
  if (names.length !== $("#measure").options.length) {
    $("#measure").replaceChildren(...names.map((n) => h("option", { value: n }, n)));
    $("#measure").value = names.includes(before) ? before : (names.find((n) => /f1$/.test(n)) ?? names[0] ?? "");
  }
  draw();
  if (runs.some((r) => r.status === "live")) setTimeout(() => attempt(load), 3000);
}

if ($("#runs")) {
  $("#find").addEventListener("input", draw);
  $("#measure").addEventListener("change", draw);
  $("#compare").addEventListener("click", () => {
    location.href = `/runs/view?${state.runs.filter((r) => state.chosen.has(r.id)).map((r) => `run=${encodeURIComponent(r.id)}`).join("&")}`;
  });
  attempt(load);
}
