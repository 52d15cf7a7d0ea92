// One run, or several side by side: tables, curves, and every record with gold beside prediction beside raw reply.
import { $, attempt, badge, copy, get, h, pointsOf, post, saidLabel, svg } from "./base.js";

const GROUPS = ["logic", "emotion", "credibility"];
const query = new URLSearchParams(location.search);
const runs = query.getAll("run");
const one = query.get("record");
const state = { offset: 0, labels: new Map() };

const shown = (value) => (value === null ? "–" : typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : String(value));

function table(t) {
  const isConfusion = t.title.startsWith("Confusion");
  const most = isConfusion ? Math.max(1, ...t.rows.flatMap((r) => r.slice(1)).filter((v) => typeof v === "number")) : 1;
  const heat = t.heat || isConfusion;
  const cell = (value, i) => {
    const number = typeof value === "number";
    const shade = heat && number && i ? Math.min(1, Math.max(0, value / most)) : 0;
    return h(i ? "td" : "th", { scope: i ? null : "row", class: number ? "number" : null, style: shade ? { "--shade": shade.toFixed(3) } : null }, shown(value));
  };
  return h("section", { class: "table card" }, h("h2", {}, t.title),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t.title }, h("table", { class: heat ? "heat" : null }, h("thead", {}, h("tr", {}, t.columns.map((c) => h("th", { scope: "col" }, c)))), h("tbody", {}, t.rows.map((r) => h("tr", {}, r.map(cell)))))),
    t.title.startsWith("Calibration") ? curve(t) : null,
    t.note ? h("p", { class: "note" }, t.note) : null);
}

/** How often it was right beside how sure it was; on the dashed line both are the same. */
function curve(t) {
  const [w, top, left, size] = [330, 20, 40, 240];
  const at = (x, y) => [left + x * size, top + (1 - y) * size];
  const line = (column, name) => {
    const points = t.rows.map((r) => [r[1], r[column]]).filter(([x, y]) => typeof x === "number" && typeof y === "number").map(([x, y]) => at(x, y));
    return svg("g", { class: name }, svg("path", { d: points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join(" ") }), points.map(([x, y]) => svg("circle", { cx: x, cy: y, r: 3 })));
  };
  const [x0, y0] = at(0, 0);
  const [x1, y1] = at(1, 1);
  return svg("svg", { class: "chart", viewBox: `0 0 ${w} ${top + size + 44}`, role: "img", "aria-label": `${t.title}: how often right beside how sure; the table above has the numbers` },
    [0, 0.5, 1].map((v) => [svg("line", { class: "axis", x1: x0, x2: x1, y1: at(0, v)[1], y2: at(0, v)[1] }), svg("text", { x: x0 - 8, y: at(0, v)[1] + 4, "text-anchor": "end" }, v), svg("text", { x: at(v, 0)[0], y: y0 + 16, "text-anchor": "middle" }, v)]),
    svg("line", { class: "even", x1: x0, y1: y0, x2: x1, y2: y1 }), line(2, "a"), line(3, "b"),
    svg("text", { x: x0, y: top - 7, class: "key-a" }, `● ${t.columns[2]}`), svg("text", { x: x0 + 110, y: top - 7, class: "key-b" }, `● ${t.columns[3]}`),
    svg("text", { x: (x0 + x1) / 2, y: y0 + 34, "text-anchor": "middle" }, "confidence"));
}

const groupOf = (label) => [...(state.labels.get(label)?.groups ?? []), label].find((g) => GROUPS.includes(g)) ?? "other";

function marked(text, spans) {
  const points = pointsOf(text);
  const cuts = [...new Set([0, points.length, ...spans.flatMap((s) => [s.start, s.end])])].sort((a, b) => a - b);
  return h("div", { class: "text", dir: "auto" }, cuts.slice(0, -1).map((from, i) => {
    const to = cuts[i + 1];
    const by = spans.filter((s) => s.start <= from && s.end >= to);
    const words = points.slice(from, to).join("");
    const ends = by.filter((s) => s.end === to).map((s) => s.said).join("; ");
    return by.length ? [h("mark", { class: groupOf(by[by.length - 1].label), title: by.map((s) => s.said).join("; ") }, words), ends ? h("sup", {}, ends) : null] : words;
  }));
}

function answer(record, a) {
  const text = record.fields[0]?.[1] ?? "";
  const parts = [h("h4", {}, `${a.system}${runs.length > 1 ? ` (${a.run})` : ""}`)];
  if (a.status !== "ok") parts.push(h("p", { class: "problem" }, `${a.status.replace("_", " ")}: ${a.reason}`));
  if (a.predicted) parts.push(a.predicted.length ? null : h("p", { class: "dim small" }, "Nothing found."), marked(text, a.predicted.map((s) => ({ ...s, said: s.confidence === undefined ? saidLabel(s) : `${saidLabel(s)} ${Math.round(100 * s.confidence)} %` }))));
  if (a.predicted_label) parts.push(h("p", { class: `verdict${record.gold_label && record.gold_label !== a.predicted_label ? " differs" : ""}` }, a.predicted_label));
  for (const [name, value] of a.details) parts.push(h("p", { class: "field small" }, h("b", { class: "dim" }, `${name} `), value));
  if (a.replies.length) parts.push(h("details", { open: Boolean(one) }, h("summary", {}, a.replies.length === 1 ? "Raw reply" : `${a.replies.length} raw replies`), a.replies.map((r) => h("pre", {}, r.where ? h("b", {}, `${r.where}\n`) : null, r.reasoning ? h("i", {}, `${r.reasoning}\n`) : null, r.text))));
  return h("div", { class: "answer" }, parts);
}

function recordOf(record) {
  const link = `/runs/view?${runs.map((r) => `run=${encodeURIComponent(r)}`).join("&")}&record=${encodeURIComponent(record.id)}`;
  const text = record.fields[0]?.[1] ?? "";
  const gold = record.gold ? [record.gold.length ? null : h("p", { class: "dim small" }, "No fallacy."), marked(text, record.gold.map((g) => ({ ...g, label: g.labels[0], said: g.labels.join(" or ") })))] : null;
  const rest = record.gold || record.answers.some((a) => a?.predicted) ? record.fields.slice(1) : record.fields;
  return h("article", { class: "record card" },
    h("header", {}, h("h3", {}, record.id), h("a", { href: link, class: "small" }, "This record alone"), h("button", { type: "button", class: "quiet small", onclick: () => copy(location.origin + link, "The link is copied.") }, "Copy link")),
    rest.map(([name, value]) => h("p", { class: "field" }, h("b", { class: "dim small" }, `${name} `), h("span", { dir: "auto" }, value))),
    h("div", { class: "columns" }, h("div", {}, h("h4", {}, "Gold"), gold, record.gold_label ? h("p", { class: "verdict" }, record.gold_label) : null), record.answers.filter(Boolean).map((a) => answer(record, a))));
}

async function records(more = false) {
  state.offset = more ? state.offset : 0;
  const body = { runs, offset: state.offset, limit: 20, only: $("#only").value, find: $("#find").value };
  if (one) body.id = one;
  const found = await post("/v1/runs/records", body);
  const set = found.records[0]?.taxonomy;
  if (set && !state.labels.size) state.labels = new Map((await get(`/v1/taxonomies/${encodeURIComponent(set)}`)).labels.map((l) => [l.name, l]));
  const drawn = found.records.map(recordOf);
  if (more) $("#list").append(...drawn);
  else $("#list").replaceChildren(...drawn);
  state.offset += found.records.length;
  $("#count").textContent = one ? "One record" : `${found.n} record${found.n === 1 ? "" : "s"}`;
  $("#more").hidden = state.offset >= found.n;
}

async function report() {
  const found = await post("/v1/runs/report", { runs });
  $("#title").textContent = found.title;
  $("#about").replaceChildren(found.about, ...found.signatures.map((s) => h("code", { class: "signature" }, ` ${s}`)));
  document.title = `${found.title} · fallax`;
  $("#tables").replaceChildren(...found.tables.map(table));
}

/** A run in progress: how far it is, and its tables again whenever it has gone on. */
async function watch(before = -1) {
  const all = (await get("/v1/runs")).runs.filter((r) => runs.includes(r.id));
  const open = all.filter((r) => r.status !== "done");
  const live = open.filter((r) => r.status === "live");
  $("#live").hidden = !open.length;
  $("#live").replaceChildren(...open.map((r) => h("span", {}, badge(r.status === "live" ? "ambiguous" : "unclear", r.status === "live" ? "in progress" : "not finished"), " ", h("progress", { max: r.n_expected, value: r.n_rows, "aria-label": "rows" }), ` ${r.n_rows} of ${r.n_expected} rows `)));
  const rows = all.reduce((sum, r) => sum + (r.n_rows ?? 0), 0);
  if (before >= 0 && rows !== before) {
    await report();
    if (!$("#records").hidden) await records();
  }
  if (live.length) setTimeout(() => attempt(() => watch(rows)), 3000);
}

function tab(name) {
  for (const other of ["tables", "records"]) {
    const on = other === name;
    $(`#tab-${other}`).setAttribute("aria-selected", String(on));
    $(`#tab-${other}`).tabIndex = on ? 0 : -1;
    $(`#${other}`).hidden = !on;
  }
  if (name === "records" && !$("#list").childElementCount) attempt(() => records());
}

for (const name of ["tables", "records"]) {
  $(`#tab-${name}`).addEventListener("click", () => tab(name));
  $(`#tab-${name}`).addEventListener("keydown", (e) => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    const other = name === "tables" ? "records" : "tables";
    tab(other);
    $(`#tab-${other}`).focus();
  });
}
let waiting;
$("#find").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => attempt(() => records()), 300);
});
$("#only").addEventListener("change", () => attempt(() => records()));
$("#more").addEventListener("click", (e) => attempt(() => records(true), e.currentTarget));
if (!runs.length) location.replace("/runs");
else {
  attempt(report);
  attempt(watch);
  if (one || location.hash === "#records") tab("records");
}
