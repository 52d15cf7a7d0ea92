// Statements and the steps between them, drawn: boxes of text in layers, the conclusion on top, arrows between.
import { h, svg } from "./base.js";

/** Longest way to the bottom of each node; nodes on a cycle get the layer of where the way stops. */
function layers(nodes, links) {
  const premises = new Map(nodes.map((n) => [n.id, []]));
  for (const link of links) for (const target of link.targets) premises.get(target)?.push(...link.sources);
  const depth = new Map();
  const of = (id, path) => {
    if (depth.has(id)) return depth.get(id);
    if (path.has(id)) return 0;
    path.add(id);
    const found = Math.max(-1, ...premises.get(id).filter((p) => premises.has(p)).map((p) => of(p, path))) + 1;
    path.delete(id);
    depth.set(id, found);
    return found;
  };
  nodes.forEach((n) => of(n.id, new Set()));
  const top = Math.max(0, ...depth.values());
  const rows = Array.from({ length: top + 1 }, () => []);
  for (const n of nodes) {
    const own = n.kind === "claim" ? top : depth.get(n.id);
    const above = links.filter((l) => l.sources.includes(n.id)).flatMap((l) => l.targets).map((t) => (nodes.find((m) => m.id === t)?.kind === "claim" ? top : depth.get(t) ?? top));
    const at = premises.get(n.id).length || !above.length ? own : Math.max(0, Math.min(...above) - 1);
    rows[top - at].push(n);
  }
  return rows.filter((r) => r.length);
}

/**
 * Draw into a place. nodes: {id, text, kind, title}; links: {sources, targets, kind?: "weak", title}.
 * Premises joined in one link meet in a dot. Drawn again when the place changes its size.
 */
export function drawGraph(place, nodes, links, { onpick } = {}) {
  const boxes = new Map();
  const box = (n) => {
    const inner = [h("b", {}, n.title ?? n.id), n.text && n.text !== n.id ? h("span", { dir: "auto" }, n.text) : null];
    const one = onpick ? h("button", { type: "button", class: `node n-${n.kind}`, onclick: () => onpick(n.id) }, inner) : h("div", { class: `node n-${n.kind}` }, inner);
    boxes.set(n.id, one);
    return one;
  };
  const layered = layers(nodes, links);
  const layerOf = new Map(layered.flatMap((row, i) => row.map((n) => [n.id, i])));
  const rows = layered.map((row) => h("div", { class: "layer" }, row.map(box)));
  const canvas = svg("svg", { class: "arrows", "aria-hidden": "true" });
  const frame = h("div", { class: "graph", role: "group", "aria-label": "The structure; its steps are listed below" }, canvas, rows);
  place.replaceChildren(frame);
  const redraw = () => {
    const at = frame.getBoundingClientRect();
    if (!at.width) return;
    canvas.setAttribute("viewBox", `0 0 ${at.width} ${at.height}`);
    const rect = (id) => {
      const r = boxes.get(id).getBoundingClientRect();
      return { x: r.left - at.left + r.width / 2, top: r.top - at.top, bottom: r.bottom - at.top, left: r.left - at.left, width: r.width };
    };
    const parts = [];
    const line = (x1, y1, x2, y2, arrow, weak) => {
      const bend = Math.max(14, Math.abs(y1 - y2) / 2);
      parts.push(svg("path", { d: `M${x1} ${y1} C${x1} ${y1 - bend} ${x2} ${y2 + bend} ${x2} ${y2}`, class: weak ? "weak" : null, "marker-end": arrow ? "url(#tip)" : null }));
    };
    const around = (s, t, weak, skipped) => {
      const out = Math.max(2, Math.min(s.left, t.left) - 18 - 12 * skipped);
      const [from, to] = [(s.top + s.bottom) / 2, (t.top + t.bottom) / 2];
      parts.push(svg("path", { d: `M${s.left} ${from} C${out} ${from} ${out} ${to} ${t.left - 3} ${to}`, class: weak ? "weak" : null, "marker-end": "url(#tip)" }));
    };
    const tops = layered.map((row) => Math.min(...row.map((n) => rect(n.id).top)));
    const lefts = layered.map((row) => Math.min(...row.map((n) => rect(n.id).left)));
    /** From a box to a place above its layer: straight from the first row, else between the boxes, not behind them. */
    const lead = (id, x, y, weak) => {
      const s = rect(id);
      const layer = layerOf.get(id);
      if (s.top <= tops[layer] + 1) return line(s.x, s.top, x, y, false, weak);
      return parts.push(svg("path", { d: `M${s.x} ${s.top} V${s.top - 5} H${Math.max(3, lefts[layer] - 12)} V${y} H${x}`, class: weak ? "weak" : null }));
    };
    links.forEach((link) => {
      const weak = link.kind === "weak";
      for (const target of link.targets.filter((t) => boxes.has(t))) {
        const to = rect(target);
        const near = (id) => layerOf.get(id) - layerOf.get(target) === 1;
        const known = link.sources.filter((s) => boxes.has(s));
        known.filter((id) => !near(id)).forEach((id) => around(rect(id), to, weak, Math.abs(layerOf.get(id) - layerOf.get(target))));
        const sources = known.filter(near);
        const within = (x, margin) => Math.min(Math.max(x, to.left + margin), to.left + to.width - margin);
        if (sources.length === 1 && rect(sources[0]).top <= tops[layerOf.get(sources[0])] + 1) {
          const s = rect(sources[0]);
          line(s.x, s.top, within(s.x, 14), to.bottom + 3, true, weak);
        } else if (sources.length) {
          const joint = [within(sources.reduce((sum, id) => sum + rect(id).x, 0) / sources.length, 12), to.bottom + 20];
          sources.forEach((id) => lead(id, ...joint, weak));
          if (sources.length > 1) parts.push(svg("circle", { cx: joint[0], cy: joint[1], r: 3.5 }));
          line(...joint, joint[0], to.bottom + 3, true, weak);
        }
      }
    });
    canvas.replaceChildren(
      svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0 L8 4 L0 8 z", class: "tip" }))),
      ...parts);
  };
  new ResizeObserver(redraw).observe(frame);
  redraw();
}
