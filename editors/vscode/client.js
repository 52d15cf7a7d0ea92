// A client of the Language Server Protocol: JSON-RPC over the pipes of a child process.
"use strict";

const { spawn } = require("child_process");

class Client {
  /** Starts `command args`; `told` holds what is called on notifications, by method. */
  constructor(command, args, told) {
    this.told = told;
    this.waiting = new Map(); // number of a request -> [resolve, reject]
    this.last = 0;
    this.rest = Buffer.alloc(0);
    this.onEnd = () => {};
    this.ending = false;
    this.process = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    this.process.stdout.on("data", (chunk) => this.read(chunk));
    this.process.stdin.on("error", () => {});
    this.process.on("error", (error) => this.ended(error.message));
    this.process.on("exit", (code) => this.ended(`exit code ${code}`));
  }

  ended(said) {
    for (const [, reject] of this.waiting.values()) reject(new Error(said));
    this.waiting.clear();
    if (!this.ending) {
      this.ending = true;
      this.onEnd(said);
    }
  }

  send(message) {
    const raw = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
    if (this.process.stdin.writable) this.process.stdin.write(`Content-Length: ${raw.length}\r\n\r\n`);
    if (this.process.stdin.writable) this.process.stdin.write(raw);
  }

  tell(method, params) {
    this.send({ method, params });
  }

  ask(method, params) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, [resolve, reject]);
      this.send({ id, method, params });
    });
  }

  read(chunk) {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const head = this.rest.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.rest.subarray(0, head).toString())[1]);
      if (this.rest.length < head + 4 + length) return;
      const body = this.rest.subarray(head + 4, head + 4 + length).toString("utf8");
      this.rest = this.rest.subarray(head + 4 + length);
      this.take(JSON.parse(body));
    }
  }

  take(message) {
    if (message.method !== undefined) {
      const told = this.told[message.method];
      if (told) told(message.params);
      if (message.id !== undefined) this.send({ id: message.id, result: null });
      return;
    }
    const [resolve, reject] = this.waiting.get(message.id) || [];
    this.waiting.delete(message.id);
    if (message.error && reject) reject(new Error(message.error.message));
    else if (resolve) resolve(message.result);
  }

  async end() {
    this.ending = true;
    await this.ask("shutdown", null).catch(() => {});
    this.tell("exit", null);
  }
}

module.exports = { Client };
