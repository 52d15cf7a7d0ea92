// An argument structure as somebody wrote it, read for drawing: JSON with links, or lines such as "E1 + E2 -> Claim".

const CLAIM = /^(claim|hypothesis|conclusion)$/i;
const NAME = /^[\w.-]{1,40}$/;

function drawable(nodes, links) {
  const leads = new Set(links.flatMap((l) => l.sources));
  const led = new Set(links.flatMap((l) => l.targets));
  const kind = (n) => (n.kind === "claim" || CLAIM.test(n.id) ? "claim" : led.has(n.id) ? "intermediate" : leads.has(n.id) ? "leaf" : "unused");
  return links.length ? { nodes: nodes.map((n) => ({ ...n, kind: kind(n) })), links } : null;
}

function fromJson(value) {
  if (!Array.isArray(value?.links) || !Array.isArray(value.evidence ?? [])) return null;
  const nodes = [...(value.claim ? [{ ...value.claim, kind: "claim" }] : []), ...(value.evidence ?? [])]
    .filter((n) => typeof n?.id === "string").map(({ id, text, kind }) => ({ id, text: String(text ?? ""), kind }));
  const known = new Set(nodes.map((n) => n.id));
  const ids = (x) => (Array.isArray(x) ? x : [x]).filter((id) => known.has(id));
  return drawable(nodes, value.links.map((l) => ({ sources: ids(l?.sources), targets: ids(l?.targets) })).filter((l) => l.sources.length && l.targets.length));
}

function fromLines(text, claim) {
  const texts = new Map();
  const links = [];
  const named = (part) => {
    const [, id, said] = part.trim().match(/^([^:\s]+)\s*(?::\s*(.*))?$/s) ?? [];
    if (!id || !NAME.test(id)) return null;
    if (said || !texts.has(id)) texts.set(id, said ?? texts.get(id) ?? "");
    return id;
  };
  for (const line of text.split(/[\n;]+/)) {
    const [from, to, more] = line.split(/\s*(?:->|→|⇒|=>)\s*/);
    if (to === undefined) {
      if (/^\s*[\w.-]{1,40}\s*:/.test(line)) named(line);
      continue;
    }
    const sources = from.split(/\s*[+,&]\s*|\s+and\s+/).map(named);
    const target = named(to);
    if (more !== undefined || target === null || sources.includes(null)) return null; // not written so: leave it as text
    links.push({ sources, targets: [target] });
  }
  return drawable([...texts].map(([id, said]) => ({ id, text: said || (CLAIM.test(id) ? claim : "") })), links);
}

/** Nodes and links for drawGraph, or null where the text is written in no way that can be read. */
export function readStructure(text, claim = "") {
  try {
    return fromJson(JSON.parse(text));
  } catch {
    return fromLines(text, claim);
  }
}
