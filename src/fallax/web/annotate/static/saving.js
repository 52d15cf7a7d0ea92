// Keeps every change at once. What cannot be sent is kept in this browser and sent again; a change made elsewhere in
// between is shown, and the person chooses.
import { $, h, notice } from "/static/base.js";

const { person, project } = $("#work").dataset;
/** Milliseconds of rest before typing is sent, and before the next try where the server does not answer. */
const PAUSE = 700;

/** The answer of the server to this page's person; it refuses where the browser has become somebody else's. */
export const request = async (path, options = {}) => {
  const response = await fetch(path, {
    ...options,
    headers: { "x-fallax-annotator": encodeURIComponent(person), ...(options.body ? { "content-type": "application/json" } : {}) },
  });
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(found.error?.message ?? found.error ?? `status ${response.status}`), { status: response.status, found });
  return found;
};

/** What a page begins with; what goes wrong is said where else "saved" stands. */
export const load = (path) =>
  request(path).catch((error) => {
    $("#saved").textContent = error.message;
    throw error;
  });

export class Saver {
  /** `address` takes GET and PUT; `adopt(answer)` shows an answer that came from elsewhere. */
  constructor(address, answer, adopt) {
    this.address = address;
    this.revision = answer?.revision ?? 0;
    this.done = answer?.done ?? false;
    this.adopt = adopt;
    this.waiting = null;
    this.sending = null;
    this.asking = false; // a notice waits for an answer; nothing is sent until then
    this.timer = null;
    this.key = `unsent ${project} ${person} ${address}`;
  }

  /** Sends a change that was not saved when the page was left. If the answer was changed since, the person chooses. */
  async resume() {
    const found = JSON.parse(sessionStorage.getItem(this.key) ?? localStorage.getItem(this.key) ?? "null");
    if (!found) return;
    this.revision = found.revision;
    this.adopt({ value: found.value, done: this.done });
    if (await this.settled(found)) notice("A change that was not saved last time is saved now.");
  }

  save(value, done, force = false) {
    this.keep(value, done, force);
    return this.send();
  }

  /** As save, but sent when the typing pauses. */
  soon(value, done) {
    this.keep(value, done, false);
    this.timer = setTimeout(() => this.send().catch(() => {}), PAUSE);
  }

  keep(value, done, force) {
    clearTimeout(this.timer);
    this.waiting = { value, done, force };
    this.remember(this.waiting);
    if (!this.asking) this.say("saving …");
  }

  /** The tab's own storage outlives a reload and is not overwritten by other tabs; the other outlives the tab. */
  remember({ value, done }) {
    for (const storage of [sessionStorage, localStorage]) storage.setItem(this.key, JSON.stringify({ value, done, revision: this.revision }));
  }

  forget() {
    for (const storage of [sessionStorage, localStorage]) storage.removeItem(this.key);
  }

  send() {
    if (this.asking) return Promise.resolve(null);
    this.sending ??= this.loop().finally(() => (this.sending = null));
    return this.sending;
  }

  async loop() {
    let found = null;
    while (this.waiting) {
      const { value, done, force } = this.waiting;
      this.waiting = null;
      try {
        const body = JSON.stringify({ value, done, force, revision: this.revision });
        found = await request(this.address, { method: "PUT", body });
        this.revision = found.revision;
        if (this.waiting) {
          this.remember(this.waiting);
          continue;
        }
        this.forget();
        this.say("saved");
      } catch (error) {
        if (error.status === 401 || error.status === 409) {
          this.waiting ??= { value, done, force };
          if (error.status === 401) this.refused(error.message);
          else this.conflict(error.found.current);
          return null;
        }
        if (error.status) {
          this.say(error.message);
          throw error;
        }
        this.waiting ??= { value, done, force };
        this.say("not saved yet: the server does not answer; trying again");
        await new Promise((go) => setTimeout(go, PAUSE));
      }
    }
    return found;
  }

  /** Saves, and shows what is saved then; null if it is not. */
  async settled(mine, force = false) {
    const found = await this.save(mine.value, mine.done, force).catch(() => null);
    if (found && !this.waiting) this.adopt(found);
    return found;
  }

  conflict(current) {
    const keepMine = () => {
      this.revision = current.revision;
      this.settled(this.waiting, true);
    };
    const takeOther = () => {
      this.revision = current.revision;
      this.waiting = null;
      this.forget();
      this.adopt(current);
      this.say("saved");
    };
    this.ask(
      [h("strong", {}, "This text was changed in another tab or window. "), "Both versions are kept in the log."],
      ["Keep what is here", keepMine],
      ["Take the other version", takeOther],
    );
    this.say("not saved: changed elsewhere");
  }

  refused(message) {
    const again = () => this.settled(this.waiting, this.waiting.force);
    this.ask([h("strong", {}, "Not saved: "), message], ["Save again", again]);
    this.say("not saved");
  }

  /** A notice that is there until one of its buttons is pressed, and not by a key that was meant for the text. */
  ask(words, ...answers) {
    const box = $("#conflict");
    const before = document.activeElement;
    this.asking = true;
    const close = (act) => {
      this.asking = false;
      clearTimeout(this.timer);
      box.hidden = true;
      act();
      before.focus({ preventScroll: true });
    };
    const buttons = answers.map(([title, act], i) => h("button", { type: "button", class: i ? null : "primary", onclick: () => close(act) }, title));
    box.replaceChildren(h("p", {}, words), h("p", { class: "row" }, buttons));
    box.hidden = false;
    if (!typing({ target: before })) box.focus(); // Tab reaches the buttons from there; a note is written on
  }

  say(text) {
    $("#saved").textContent = text;
  }
}

/** The button of the same words, or else the first: what held the focus before the buttons were drawn anew. */
export const buttonLike = (words, box) => [...box.querySelectorAll("button")].find((button) => button.textContent === words) ?? $("button", box);

export const typing = (event) => event.target.closest?.("textarea, input, select") !== null;

export function go(number) {
  location.assign(number ? `/annotate/text/${number}` : "/annotate");
}
