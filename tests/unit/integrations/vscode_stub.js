// The editor's part of the extension's test: `node vscode_stub.js EXTENSION COMMAND FILE ARGUMENTS...` with a `vscode` that
// records what it is told; prints what a person would have seen as JSON.
"use strict";

const Module = require("module");
const fs = require("fs");
const path = require("path");
const [folder, command, file, ...args] = process.argv.slice(2);

class Range { constructor(a, b, c, d) { this.start = { line: a, character: b }; this.end = { line: c, character: d }; } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
class Hover { constructor(contents, range) { Object.assign(this, { contents, range }); } }
class MarkdownString { constructor(value) { this.value = value; } }
class CodeAction { constructor(title, kind) { Object.assign(this, { title, kind }); } }

const on = {};
const commands = {};
const lines = [];
const nothing = { dispose() {} };
let shown = () => {};
const uri = { scheme: "file", toString: () => "file://" + file };
const document = { languageId: "markdown", uri, version: 1, getText: () => fs.readFileSync(file, "utf8") };
const vscode = {
  Range, Diagnostic, Hover, MarkdownString, CodeAction,
  CodeActionKind: { QuickFix: "quickfix" },
  Uri: { parse: (x) => x },
  workspace: {
    textDocuments: [document],
    workspaceFolders: [{ uri: { toString: () => "file://" + path.dirname(file) }, name: "work" }],
    getConfiguration: () => ({ get: (name) => (name === "command" ? command : args) }),
    onDidOpenTextDocument: (f) => { on.open = f; return nothing; },
    onDidChangeTextDocument: (f) => { on.change = f; return nothing; },
    onDidCloseTextDocument: (f) => { on.close = f; return nothing; },
  },
  languages: {
    createDiagnosticCollection: () => ({ set: (u, d) => shown(d), clear() {}, dispose() {} }),
    registerHoverProvider: (s, p) => { on.hover = p.provideHover; return nothing; },
    registerCodeActionsProvider: (s, p) => { on.actions = p.provideCodeActions; return nothing; },
  },
  commands: { registerCommand: (name, f) => { commands[name] = f; return nothing; } },
  window: {
    createOutputChannel: () => ({ appendLine: (x) => lines.push(x), show() {}, dispose() {} }),
    showErrorMessage: (x) => { console.error(x); process.exit(1); },
    showInformationMessage: (x) => lines.push(x),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

(async () => {
  const extension = require(path.join(folder, "extension.js"));
  const first = new Promise((resolve) => { shown = resolve; });
  extension.activate({ subscriptions: [] });
  const [found] = await first;
  const hover = await on.hover(document, found.range.start);
  const [dismiss, explain] = await on.actions(document, found.range);
  await commands[explain.command.command](...explain.command.arguments);
  const second = new Promise((resolve) => { shown = resolve; });
  await commands[dismiss.command.command](...dismiss.command.arguments);
  const left = await second;
  console.log(JSON.stringify({ found, hover: hover.contents.value, titles: [dismiss.title, explain.title], lines, left }));
  await extension.deactivate();
})().catch((error) => { console.error(error); process.exit(1); });
