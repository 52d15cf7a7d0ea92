// Shows what `fallax lsp` finds. Plain JavaScript without packages: the part of the protocol it needs is in client.js.
"use strict";

const vscode = require("vscode");
const { Client } = require("./client.js");

const LANGUAGES = ["markdown", "plaintext", "latex", "tex", "restructuredtext"];

let client = null;
let shown = null; // diagnostics
let channel = null; // log and explanations

const range = (r) => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const place = (p) => ({ line: p.line, character: p.character });
const wanted = (document) => LANGUAGES.includes(document.languageId) && document.uri.scheme === "file";

function start() {
  const settings = vscode.workspace.getConfiguration("fallax");
  const command = settings.get("command");
  const folders = (vscode.workspace.workspaceFolders || []).map((f) => ({ uri: f.uri.toString(), name: f.name }));
  client = new Client(command, ["lsp", ...settings.get("arguments")], {
    "textDocument/publishDiagnostics": (p) => {
      shown.set(
        vscode.Uri.parse(p.uri),
        p.diagnostics.map((d) => {
          const found = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
          found.source = d.source;
          found.code = d.code;
          return found;
        })
      );
    },
    "window/showMessage": (p) => {
      if (p.type === 1) vscode.window.showErrorMessage(p.message);
      else vscode.window.showInformationMessage(p.message);
    },
    "window/logMessage": (p) => channel.appendLine(p.message),
  });
  client.onEnd = (said) => {
    shown.clear();
    vscode.window.showErrorMessage(`fallax: "${command} lsp" ended (${said}). Install it with: pip install 'fallax[lsp]'`);
  };
  const about = {
    processId: process.pid,
    rootUri: folders.length ? folders[0].uri : null,
    workspaceFolders: folders.length ? folders : null,
    capabilities: { general: { positionEncodings: ["utf-16"] } },
    initializationOptions: { showsAnswers: true },
  };
  client
    .ask("initialize", about)
    .then(() => {
      client.tell("initialized", {});
      vscode.workspace.textDocuments.forEach(open);
    })
    .catch((error) => channel.appendLine(String(error)));
}

function open(document) {
  if (!client || !wanted(document)) return;
  client.tell("textDocument/didOpen", {
    textDocument: {
      uri: document.uri.toString(),
      languageId: document.languageId,
      version: document.version,
      text: document.getText(),
    },
  });
}

function change(event) {
  if (!client || !wanted(event.document)) return;
  client.tell("textDocument/didChange", {
    textDocument: { uri: event.document.uri.toString(), version: event.document.version },
    contentChanges: [{ text: event.document.getText() }],
  });
}

function close(document) {
  if (client && wanted(document)) {
    client.tell("textDocument/didClose", { textDocument: { uri: document.uri.toString() } });
  }
}

async function hover(document, position) {
  const found = await client.ask("textDocument/hover", {
    textDocument: { uri: document.uri.toString() },
    position: place(position),
  });
  return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), range(found.range));
}

async function actions(document, where) {
  const found = await client.ask("textDocument/codeAction", {
    textDocument: { uri: document.uri.toString() },
    range: { start: place(where.start), end: place(where.end) },
    context: { diagnostics: [] },
  });
  return (found || []).map((a) => {
    const action = new vscode.CodeAction(a.title, vscode.CodeActionKind.QuickFix);
    action.command = { title: a.title, command: a.command.command, arguments: a.command.arguments };
    return action;
  });
}

function command(name) {
  return async (...given) => {
    const said = await client.ask("workspace/executeCommand", { command: name, arguments: given });
    if (typeof said === "string") {
      channel.appendLine(said + "\n");
      channel.show(true);
    }
  };
}

function stop() {
  const ended = client;
  client = null;
  return ended ? ended.end() : undefined;
}

function activate(context) {
  shown = vscode.languages.createDiagnosticCollection("fallax");
  channel = vscode.window.createOutputChannel("fallax");
  const selector = LANGUAGES.map((language) => ({ language, scheme: "file" }));
  context.subscriptions.push(
    shown,
    channel,
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument(change),
    vscode.workspace.onDidCloseTextDocument(close),
    vscode.languages.registerHoverProvider(selector, { provideHover: hover }),
    vscode.languages.registerCodeActionsProvider(selector, { provideCodeActions: actions }),
    vscode.commands.registerCommand("fallax.dismiss", command("fallax.dismiss")),
    vscode.commands.registerCommand("fallax.explain", command("fallax.explain")),
    vscode.commands.registerCommand("fallax.restart", async () => {
      await stop();
      start();
    })
  );
  start();
}

module.exports = { activate, deactivate: stop };
