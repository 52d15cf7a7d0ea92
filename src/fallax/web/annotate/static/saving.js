// Keeps every change at once. What cannot be sent is kept in this browser and sent again; a change made elsewhere in
// between is shown, and the person chooses.
import { $, h } from "/static/base.js";

export const request = async (path, options = {}) => {
  const response = await fetch(path, {
    ...options,
    headers: options.body ? { "content-type": "application/json" } : {},
  });
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(found.error ?? `status ${response.status}`), { status: response.status, found });
  return found;
};

export class Saver {
  /** `address` takes GET and PUT; `adopt(answer)` shows an answer that came from elsewhere. */
  constructor(address, answer, adopt) {
    this.address = address;
    this.revision = answer?.revision ?? 0;
    this.adopt = adopt;
    this.waiting = null;
    this.sending = false;
    this.key = `unsent ${address}`;
  }

  /** A change that was not sent before the page was left, if it was made on what stands there now. */
  unsent() {
    try {
      const found = JSON.parse(localStorage.getItem(this.key) ?? "null");
      return found && found.revision === this.revision ? found : null;
    } catch {
      return null;
    }
  }

  save(value, done, force = false) {
    this.waiting = { value, done, force };
    localStorage.setItem(this.key, JSON.stringify({ value, done, revision: this.revision }));
    this.say("saving …");
    return this.send();
  }

  async send() {
    if (this.sending) return this.sending;
    this.sending = this.loop();
    const found = await this.sending;
    this.sending = false;
    return found;
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
        if (!this.waiting) localStorage.removeItem(this.key);
        this.say("saved");
      } catch (error) {
        if (error.status === 409) {
          this.conflict(error.found.current, { value, done });
          return null;
        }
        if (error.status) {
          this.say(error.message);
          throw error;
        }
        this.waiting ??= { value, done, force };
        this.say("not saved yet: the server does not answer; trying again");
        await new Promise((go) => setTimeout(go, 700));
      }
    }
    return found;
  }

  conflict(current, mine) {
    const box = $("#conflict");
    const close = () => {
      box.hidden = true;
      box.replaceChildren();
    };
    box.replaceChildren(
      h("p", {}, h("strong", {}, "This text was changed in another tab or window. "), "Both versions are kept in the log."),
      h("p", { class: "row" },
        h("button", { type: "button", class: "primary", onclick: () => { close(); this.revision = current.revision; this.save(mine.value, mine.done, true); } }, "Keep what is here"),
        h("button", { type: "button", onclick: () => { close(); this.revision = current.revision; localStorage.removeItem(this.key); this.adopt(current); this.say("saved"); } }, "Take the other version")),
    );
    box.hidden = false;
    this.say("not saved: changed elsewhere");
    box.querySelector("button").focus();
  }

  say(text) {
    $("#saved").textContent = text;
  }
}

export const typing = (event) => event.target.closest?.("textarea, input, select") !== null;

export function go(number) {
  location.assign(number ? `/annotate/text/${number}` : "/annotate");
}
