// Why?: a claim and its evidence in; the verdict, the structure and what is missing out; the structure edited by hand.
import { $, attempt, badge, copy, download, dropTarget, get, h, keepTyped, notice, percent, post } from "./base.js";
import { drawGraph } from "./graph.js";

const CLAIM = "The valley was flooded because nobody inspected the dam.";
const EVIDENCE = `The dam above the valley had not been inspected for twenty years.
Cracks that nobody inspects grow until a dam leaks.
The valley grows plums.
The leaking dam flooded the valley after the heavy rain.`;
const SAID = { supports: "supports the claim", refutes: "refutes the claim", nei: "is not enough to tell" };
const state = { found: null, structure: null, before: [], formats: [], steps: [] };

async function settings() {
  const health = await get("/v1/health");
  $("#system").replaceChildren(...health.baselines.map((b) => h("option", { value: `system:${b}` }, `${b} (no model)`)), ...health.models.map((m) => h("option", { value: `model:${m}` }, m)));
  $("#system").value = "system:entailment";
}

async function verify() {
  const claim = $("#claim").value.trim();
  const given = $("#evidence").value;
  if (!claim || !given.trim()) return notice("Give a claim, and evidence or a document.");
  const [kind, ...name] = $("#system").value.split(":");
  const body = { claim, [kind]: name.join(":") };
  if ($("[name=kind]:checked").value === "evidence") body.evidence = given.split("\n").map((l) => l.trim()).filter(Boolean);
  else body.documents = [{ id: state.file ?? "document", text: given }];
  await show(await post("/v1/verify", body));
}

async function show(found) {
  state.found = found;
  const [likeliest] = (found.notes ?? []).flatMap((note) => [...note.matchAll(/\b(supports|refutes|not enough information) (\d\.\d\d)/g)]).sort((a, b) => b[2] - a[2]);
  const against = found.label === "refutes" || (!found.label && likeliest?.[1] === "refutes");
  state.structure = against && !found.drawn ? attacking(found.structure, found.concluded) : found.structure;
  state.before = [];
  state.steps = [];
  $("#compose").hidden = true;
  $("#result").hidden = false;
  editing(false);
  const of = found.label ? `${percent(found.probability)} sure` : likeliest ? `likeliest: ${likeliest[1]} ${percent(Number(likeliest[2]))}` : "";
  const sure = typeof found.probability === "number" ? h("span", { class: "dim small" }, ` ${of}`) : "";
  $("#verdict").replaceChildren("The evidence ", badge(found.label ?? "unclear", found.label ? SAID[found.label] : "gives no verdict"), sure);
  $("#said").textContent = `“${found.claim}” · ${found.system}${found.no_label ? ` · ${found.no_label}` : ""}`;
  draw();
  await check();
}

/** The structure as it is drawn if the evidence speaks against the claim: what leads to the claim attacks it. A chain with
 *  conclusions keeps its steps; pieces of evidence alone need not follow from each other, so each is an attack of its own. */
function attacking(structure, concluded) {
  if (!structure) return structure;
  const claim = structure.claim?.id;
  if (concluded?.length) return { ...structure, links: structure.links.map((l) => (l.targets.includes(claim) && !l.relation ? { ...l, relation: "attacks" } : l)) };
  return { ...structure, links: [...new Set(structure.links.flatMap((l) => l.sources))].map((id) => ({ sources: [id], targets: [claim], relation: "attacks" })) };
}

const attacks = (link) => (link.relation ?? "").startsWith("attacks");

function nodesOf(structure) {
  const led = new Set(structure.links.flatMap((l) => l.targets));
  const leads = new Set(structure.links.flatMap((l) => l.sources));
  const kind = (id) => (led.has(id) ? "intermediate" : leads.has(id) ? "leaf" : "unused");
  return [...(structure.claim ? [{ ...structure.claim, kind: "claim" }] : []), ...structure.evidence.map((n) => ({ ...n, kind: kind(n.id) }))];
}

const textOf = (id) => [state.structure.claim, ...state.structure.evidence].find((n) => n?.id === id)?.text || id;

function draw() {
  drawStructure();
  drawSteps();
  drawRest();
}

function drawStructure() {
  if (!state.structure) {
    $("#drawing").replaceChildren(h("p", { class: "dim" }, state.found.no_structure || "There is no structure to draw."));
  } else {
    drawGraph($("#drawing"), nodesOf(state.structure), state.structure.links.map((l) => ({ ...l, kind: attacks(l) ? "weak" : "" })));
  }
}

function drawSteps() {
  const edit = $("#change").getAttribute("aria-pressed") === "true";
  const links = state.structure?.links ?? [];
  const scores = new Map(state.steps.map((s) => [`${s.premises.join()}>${s.conclusion}`, s.score]));
  const scoreOf = (link) => (attacks(link) ? undefined : scores.get(`${link.sources.join()}>${link.targets[0]}`));
  const known = links.map(scoreOf).filter((score) => score !== undefined);
  const least = Math.min(...known) < Math.max(...known) ? Math.min(...known) : null; // scores rank steps: alone, one says nothing
  const steps = links.map((link, i) => h("div", { class: "step" }, h("b", {}, `${link.sources.join(" + ")} → ${link.targets.join(", ")}`), link.relation ? h("span", { class: "dim" }, link.relation) : null,
      scoreOf(link) === least ? h("span", { class: "badge ambiguous", title: "Of these steps, its conclusion is the least likely to follow from its premises alone, as the entailment model reads them" }, "check this step first") : null,
      edit ? h("button", { type: "button", class: "push quiet", onclick: () => changed((s) => s.links.splice(i, 1)) }, "Remove") : h("span", { class: "dim small" }, `${link.sources.map(textOf).join(" + ")} → ${link.targets.map(textOf).join(", ")}`)));
  const held = $("#steps").contains(document.activeElement) && nameOf(document.activeElement);
  $("#steps").replaceChildren(h("h2", {}, "Steps"), ...(steps.length ? steps : [h("p", { class: "dim" }, "No step leads to the claim.")]), ...(edit ? [editor()] : []));
  if (held && edit) ([...$("#steps").querySelectorAll("button:not(:disabled)")].find((one) => nameOf(one) === held) ?? $("#add")).focus({ preventScroll: true });
}

const nameOf = (element) => element.ariaLabel ?? element.textContent;

/** The evidence that the structure has not; a step may take it in. */
const unused = (structure) => (state.found.evidence ?? []).filter(({ id }) => ![structure.claim, ...structure.evidence].some((n) => n?.id === id));

function editor() {
  const all = [state.structure.claim, ...state.structure.evidence, ...unused(state.structure)].filter(Boolean);
  const premises = all.map((n) => h("label", { class: "tick", title: n.text }, h("input", { type: "checkbox", value: n.id }), n.id));
  const conclusion = h("select", { "aria-label": "Conclusion" }, all.map((n) => h("option", { value: n.id }, n.id)));
  const text = h("textarea", { rows: 2, "aria-label": "A new statement", placeholder: "A new statement" });
  return h("div", { class: "editing" },
    h("h3", {}, "Add a step"), h("div", { class: "choices", role: "group", "aria-label": "Premises" }, premises), h("div", { class: "row" }, h("span", {}, "lead to"), conclusion,
      h("button", { type: "button", id: "add", onclick: () => {
        const sources = premises.map((p) => p.querySelector("input")).filter((i) => i.checked).map((i) => i.value).filter((i) => i !== conclusion.value);
        if (!sources.length) return notice("Choose at least one premise that is not the conclusion.");
        return changed((s) => {
          s.evidence.push(...unused(s).filter(({ id }) => [...sources, conclusion.value].includes(id)).map(({ id, text }) => ({ id, text })));
          s.links.push({ sources, targets: [conclusion.value] });
        });
      } }, "Add the step")),
    h("h3", {}, "Statements"),
    state.structure.evidence.map((n, i) => h("div", { class: "row" }, h("label", {}, n.id, h("textarea", { rows: 2, value: n.text, onchange: (e) => changed((s) => (s.evidence[i].text = e.target.value), () => { // the editor stays: a click in it may be under way
        $("#undo").disabled = false;
        drawStructure();
      }) })),
      h("button", { type: "button", class: "quiet", "aria-label": `Remove ${n.id}`, onclick: () => changed((s) => removeNode(s, n.id)) }, "Remove"))),
    text, h("div", { class: "row" }, h("button", { type: "button", onclick: () => text.value.trim() && changed((s) => s.evidence.push({ id: freeName(s), text: text.value.trim() })) }, "Add the statement"),
      h("button", { type: "button", id: "undo", disabled: !state.before.length, onclick: undo }, "Undo")));
}

function freeName(structure) {
  const taken = new Set([structure.claim?.id, ...structure.evidence.map((n) => n.id)]);
  let n = 1;
  while (taken.has(`N${n}`)) n++;
  return `N${n}`;
}

function removeNode(structure, id) {
  structure.evidence = structure.evidence.filter((n) => n.id !== id);
  structure.links = structure.links
    .map((l) => ({ ...l, sources: l.sources.filter((x) => x !== id), targets: l.targets.filter((x) => x !== id) }))
    .filter((l) => l.sources.length && l.targets.length);
}

function changed(how, drawn = draw) {
  state.before.push(structuredClone(state.structure));
  const next = structuredClone(state.structure);
  how(next);
  const seen = new Set();
  next.links = next.links.filter((l) => {
    const name = `${l.sources.join()}>${l.targets.join()}>${l.relation ?? ""}`;
    return !seen.has(name) && seen.add(name);
  });
  state.structure = next;
  drawn();
  attempt(check);
}

function undo() {
  state.structure = state.before.pop();
  draw();
  attempt(check);
}

async function check() {
  if (!state.structure) return;
  const { problems, formats, steps } = await post("/v1/structure", { structure: state.structure, scores: true });
  state.formats = formats;
  state.steps = steps;
  if ($("#change").getAttribute("aria-pressed") !== "true") drawSteps(); // while editing, it would take the focus away
  $("#formats").replaceChildren(...formats.map((f) => h("button", { type: "button", onclick: () => attempt(() => exported(f)) }, f)));
  $("#problems").replaceChildren(...problems.map((p) => h("p", { class: "problem" }, p)));
}

async function exported(format) {
  const { text, losses } = await post("/v1/structure", { structure: state.structure, label: state.found.label ?? "", to: format });
  losses.forEach((l) => notice(`Not in this format: ${l}.`));
  download(format === "svg" ? "structure.svg" : `structure.${format}.txt`, text, format === "svg" ? "image/svg+xml" : "text/plain");
}

function drawRest() {
  const found = state.found;
  const byId = new Map(found.evidence.map((e) => [e.id, e.text]));
  const taken = new Set((state.structure?.links ?? []).flatMap((l) => [...l.sources, ...l.targets]));
  const idle = state.before.length || found.drawn ? found.evidence.map((e) => e.id).filter((id) => !taken.has(id)) : (found.unused_evidence ?? []); // by hand, others are used
  const list = (title, items) => (items.length ? [h("h2", {}, title), h("ul", {}, items.map((i) => h("li", { dir: "auto" }, i)))] : []);
  const parts = [
    ...list("Missing", found.missing ?? []),
    ...list("Concluded, not given", (found.concluded ?? []).map((id) => textOf(id))),
    ...list("Not used", idle.map((id) => `${id}: ${byId.get(id) ?? ""}`)),
    ...list("Where it stands", (found.citations ?? []).map((c) => `${c.evidence}: ${c.document}, characters ${c.start} to ${c.end}: ${byId.get(c.evidence) ?? ""}`)),
    ...list("Notes", found.notes ?? []),
  ];
  $("#rest").replaceChildren(...(parts.length ? parts : [h("h2", {}, "Missing"), h("p", { class: "dim" }, found.label === "nei" ? "This verifier cannot say what is missing." : "Nothing was named.")]));
}

function editing(on) {
  $("#change").setAttribute("aria-pressed", String(on));
  $("#change").textContent = on ? "Done" : "Edit the structure";
}

async function linked() {
  const id = location.pathname.split("/")[2];
  if (!id) return;
  const { value } = await get(`/v1/kept/${encodeURIComponent(id)}`);
  $("#claim").value = value.claim;
  $("#evidence").value = (value.evidence ?? []).map(({ text }) => text.replace(/\s*\n\s*/g, " ")).join("\n");
  await show(value);
}

$("#compose").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(verify, $("#compose .primary"));
});
$("#example").addEventListener("click", () => {
  $("#claim").value = CLAIM;
  $("#evidence").value = EVIDENCE;
  $("[name=kind][value=evidence]").checked = true;
});
$("#change").addEventListener("click", () => {
  if (!state.structure) state.structure = { claim: { id: "Claim", text: state.found.claim }, evidence: state.found.evidence.map(({ id, text }) => ({ id, text })), links: [] };
  editing($("#change").getAttribute("aria-pressed") !== "true");
  draw();
});
$("#again").addEventListener("click", () => {
  $("#compose").hidden = false;
  $("#result").hidden = true;
  history.replaceState(null, "", "/why");
  $("#claim").focus();
});
$("#link").addEventListener("click", (event) => attempt(async () => {
  const { path } = await post("/v1/keep", { kind: "why", value: { ...state.found, structure: state.structure, drawn: true } });
  history.replaceState(null, "", path);
  await copy(location.origin + path, "The link is copied. It opens this result on this server.");
}, event.currentTarget));
dropTarget($("#compose"), $("#evidence"), (_, file) => {
  state.file = file.name;
  $("[name=kind][value=documents]").checked = true;
});
keepTyped($("#claim"), $("#evidence"));
attempt(settings);
attempt(linked);
