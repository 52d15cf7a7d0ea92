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
    this.say("saving …");
  }

  /** The tab's own storage outlives a reload and is not overwritten by other tabs; the other outlives the tab. */
  remember({ value, done }) {
    for (const storage of [sessionStorage, localStorage]) storage.setItem(this.key, JSON.stringify({ value, done, revision: this.revision }));
  }

  forget() {
    for (const storage of [sessionStorage, localStorage]) storage.removeItem(this.key);
  }

  send() {
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
          const mine = this.waiting ?? { value, done, force };
          this.waiting = null;
          if (error.status === 401) this.refused(error.message, mine);
          else this.conflict(error.found.current, mine);
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

  conflict(current, mine) {
    const keepMine = () => {
      this.revision = current.revision;
      this.settled(mine, true);
    };
    const takeOther = () => {
      this.revision = current.revision;
      this.forget();
      this.adopt(current);
      this.say("saved");
    };
    this.ask(
      [h("strong", {}, "This text was changed in another tab or window. "), "Both versions are kept in the log."],
      h("button", { type: "button", class: "primary", onclick: keepMine }, "Keep what is here"),
      h("button", { type: "button", onclick: takeOther }, "Take the other version"),
    );
    this.say("not saved: changed elsewhere");
  }

  refused(message, mine) {
    const again = () => this.settled(mine, mine.force);
    this.ask([h("strong", {}, "Not saved: "), message], h("button", { type: "button", class: "primary", onclick: again }, "Save again"));
    this.say("not saved");
  }

  /** A notice that is there until one of its buttons is pressed. */
  ask(words, ...buttons) {
    const box = $("#conflict");
    for (const button of buttons) button.addEventListener("click", () => (box.hidden = true));
    box.replaceChildren(h("p", {}, words), h("p", { class: "row" }, buttons));
    box.hidden = false;
    if (!typing({ target: document.activeElement })) buttons[0].focus(); // the next letter of a note must not press it
  }

  say(text) {
    $("#saved").textContent = text;
  }
}

export const typing = (event) => event.target.closest?.("textarea, input, select") !== null;

export function go(number) {
  location.assign(number ? `/annotate/text/${number}` : "/annotate");
}
