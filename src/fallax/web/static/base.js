// What every page shares. Text is only ever put into the page as text: nothing here makes HTML out of strings.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === "value" || name === "checked" || name === "selected" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(9)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** An element with properties and children; strings become text. */
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const svg = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);
export const $ = (selector, root = document) => root.querySelector(selector);

/** An answer of the server that says what was wrong. */
export class Problem extends Error {}

async function problemOf(response) {
  try {
    return Object.assign(new Problem((await response.json()).error.message), { status: response.status });
  } catch {
    return Object.assign(new Problem(`the server answered with status ${response.status}`), { status: response.status });
  }
}

/** What the server sends; if nothing more comes, that is said of the server. */
async function sent(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("the server does not answer; is fallax serve still running?");
  }
}

async function asked(path, options) {
  const response = await sent(() => fetch(path, options));
  if (!response.ok) throw await problemOf(response);
  return response;
}

const json = (response) => sent(() => response.json());

const JSON_HEAD = { "content-type": "application/json" };
const posted = (path, body, options) => asked(path, { method: "POST", headers: JSON_HEAD, body: JSON.stringify(body), ...options });
export const get = async (path, options) => json(await asked(path, options));
export const post = async (path, body, options) => json(await posted(path, body, options));
export const postFor = async (path, body) => {
  const response = await posted(path, body);
  return sent(() => response.blob());
};
export const remove = async (path) => json(await asked(path, { method: "DELETE" }));

/** Server-sent events of a POST request, one object each. */
export async function* events(path, body, signal) {
  const headers = { ...JSON_HEAD, accept: "text/event-stream" };
  const response = await asked(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { done, value } = await sent(() => reader.read());
    if (done) return;
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6)).join("");
      if (data) yield JSON.parse(data);
    }
  }
}

/** The text of a file: text files are read here, others by the server. */
export async function readFile(file) {
  return json(await asked(`/v1/read?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file }));
}

export function notice(text, seconds = 5) {
  const line = h("p", {}, text);
  $("#notices").append(line);
  setTimeout(() => line.remove(), 1000 * seconds);
}

/** A line of the server as a sentence. */
export const sentence = (line) => `${line[0].toUpperCase()}${line.slice(1)}${/[.?!]$/.test(line) ? "" : "."}`;

/** Run what a person asked for; what goes wrong is said, once, in words. */
export async function attempt(work, button) {
  const focused = button && document.activeElement === button;
  button?.classList.add("busy");
  button?.setAttribute("aria-busy", "true");
  if (button) button.disabled = true;
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") {
      notice(error instanceof Problem ? sentence(error.message) : `A fault of this page: ${error.message}`, 9);
      if (!(error instanceof Problem)) console.error(error);
    }
    return undefined;
  } finally {
    button?.classList.remove("busy");
    button?.removeAttribute("aria-busy");
    if (button) button.disabled = false;
    if (focused && document.activeElement === document.body) button.focus({ preventScroll: true }); // disabled, it lost the focus
  }
}

export function download(name, data, type = "application/json") {
  const link = h("a", { href: URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    notice(said);
  } catch {
    notice(text, 20);
  }
}

/** Code points before each UTF-16 unit matter: the server counts code points, the browser counts units. */
export const pointsOf = (text) => Array.from(text);

export const percent = (value) => `${Math.round(100 * value)} %`;
export const meter = (value) =>
  h("span", { class: "meter", "aria-hidden": "true" }, h("i", { style: { width: `${Math.round(100 * value)}%` } }));

/** Whether the label of a finding is likelier wrong than right. */
export const isUnsure = (span) => typeof span.label_confidence === "number" && span.label_confidence < Number(document.documentElement.dataset.labelUnsure);
/** The label as surely as it is known. */
export const saidLabel = (span) => (isUnsure(span) ? `perhaps ${span.label}` : span.label);
export const badge = (kind, text) => h("span", { class: `badge ${kind}` }, text);

/** A place to put a text: typed, pasted, dropped or chosen as a file. */
export function dropTarget(area, textarea, done = () => {}) {
  const take = (file) =>
    attempt(async () => {
      const found = await readFile(file);
      textarea.value = found.text;
      textarea.dispatchEvent(new Event("input"));
      found.notes.forEach((note) => notice(`${file.name}: ${note}.`));
      done(found, file);
    });
  area.addEventListener("dragover", (event) => {
    event.preventDefault();
    area.classList.add("dropping");
  });
  area.addEventListener("dragleave", () => area.classList.remove("dropping"));
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    area.classList.remove("dropping");
    if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
  });
  for (const input of area.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", () => input.files.length && take(input.files[0]).then(() => (input.value = "")));
  }
}

/** What was typed stays when the page is loaded again: in this tab alone, and until it is closed. A link has its own texts. */
export function keepTyped(...fields) {
  const [, page] = location.pathname.split("/");
  const isLink = () => Boolean(location.pathname.split("/")[2]);
  const kept = isLink() ? {} : JSON.parse(sessionStorage.getItem(`typed-${page}`) ?? "{}");
  for (const field of fields.filter((f) => !f.value && kept[f.id])) {
    field.value = kept[field.id];
    field.dispatchEvent(new Event("input"));
  }
  addEventListener("pagehide", () => {
    if (isLink()) return;
    try {
      sessionStorage.setItem(`typed-${page}`, JSON.stringify(Object.fromEntries(fields.map((f) => [f.id, f.value]))));
    } catch {
      sessionStorage.removeItem(`typed-${page}`); // more than a browser keeps
    }
  });
}

/** The colour scheme: of the system, light, dark; kept in this browser. */
const SCHEMES = [["", "as the system has it", "◐"], ["light", "light", "☀"], ["dark", "dark", "☾"]];
function scheme() {
  const button = $("#scheme");
  if (!button) return;
  let at = Math.max(0, SCHEMES.findIndex(([name]) => name === (localStorage.getItem("scheme") ?? "")));
  const show = () => {
    const [name, said, sign] = SCHEMES[at];
    if (name) document.documentElement.dataset.scheme = name;
    else delete document.documentElement.dataset.scheme;
    button.textContent = sign;
    button.setAttribute("aria-label", `Colour scheme: ${said}`);
    button.title = `Colour scheme: ${said}`;
  };
  button.addEventListener("click", () => {
    at = (at + 1) % SCHEMES.length;
    localStorage.setItem("scheme", SCHEMES[at][0]);
    show();
  });
  show();
}
scheme();

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target) || event.target.closest("details.menu > div")) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (menu.contains(document.activeElement)) $("summary", menu).focus();
      menu.open = false;
    }
  }
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") $("[data-go]:not([hidden])")?.click();
});
