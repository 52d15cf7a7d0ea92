"""The language server: findings as diagnostics, definitions on hover, and two code actions per finding."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from fallax._version import __version__
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import LANGUAGES, language_of, prose_of, whole_characters
from fallax.core.types import Explanation, Span
from fallax.detection.systems import Detector
from fallax.errors import FallaxError, MissingExtraError
from fallax.integrations.lsp import DELAY
from fallax.integrations.lsp.dismissed import DISMISSED, Dismissed
from fallax.integrations.lsp.paragraphs import ParagraphReader
from fallax.integrations.lsp.places import Places
from fallax.render.labels import finding_message

try:
    from lsprotocol import types as lsp
    from pygls.lsp.server import LanguageServer
    from pygls.uris import to_fs_path
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] == "fallax":
        raise
    raise MissingExtraError("the language server", extra="lsp") from None

__all__ = ["LANGUAGE_IDS", "MAX_DOCUMENT", "FallaxLanguageServer", "explanation_text", "language_server", "markup_of"]

#: What editors call a language -> the markup of its prose.
LANGUAGE_IDS = {
    "plaintext": "text",
    "text": "text",
    "markdown": "markdown",
    "latex": "latex",
    "tex": "latex",
    "restructuredtext": "rst",
    "rst": "rst",
}
_SUFFIXES = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".rst": "rst",
}
_DISMISS, _EXPLAIN = "fallax.dismiss", "fallax.explain"
#: Characters of the longest document that is examined, as of one that is judged.
MAX_DOCUMENT = 1_000_000


def markup_of(language_id: str, uri: str) -> str | None:
    """The markup of a document, by the editor's language id, else by file name; None to skip the document.

    Examples
    --------
    >>> markup_of("markdown", "file:///a"), markup_of("", "file:///a.tex"), markup_of("python", "file:///a.py")
    ('markdown', 'latex', None)
    """
    return LANGUAGE_IDS.get(language_id.lower()) or _SUFFIXES.get(PurePosixPath(uri).suffix.lower())


def explanation_text(label: str, passage: str, explanation: Explanation) -> str:
    """An explanation as plain text."""
    moved = ", ".join(f"“{words}” ({effect:+.2f})" for words, effect in explanation.evidence)
    rows = (
        (label, f"“{' '.join(passage.split())}”"),
        ("what it is", explanation.definition),
        ("its form", explanation.template),
        ("sound when", explanation.sound_when),
        ("moved by", moved),
    )
    return "\n".join(f"{name}: {value}" for name, value in rows if value)


@dataclass(slots=True)
class _Open:
    """An open document: its text, and the findings so far."""

    markup: str
    text: str
    version: int | None
    prose: str = ""
    spans: tuple[Span, ...] | None = None
    reading: asyncio.Task[None] | None = field(default=None, repr=False)


class FallaxLanguageServer(LanguageServer):
    """Examines the open documents of an editor while they are edited.

    Parameters
    ----------
    load : makes the detector when the first document is opened.
    min_confidence : leave out what is less sure, in [0, 1]; by default the detector's own threshold.
    delay : seconds of silence after an edit before it is read.

    Notes
    -----
    Whole texts are synchronised, not pieces: what a line is then never depends on the library's idea of it.
    """

    def __init__(self, load: Callable[[], Detector], *, min_confidence: float | None, delay: float) -> None:
        super().__init__("fallax", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self._load = load
        self._min_confidence = min_confidence
        self._delay = delay
        self._reader: ParagraphReader | None = None
        self._open: dict[str, _Open] = {}
        self._dismissed: dict[Path | None, Dismissed] = {}
        self._worker = ThreadPoolExecutor(1, "fallax-reader")
        #: Whether the editor shows what a command answers; others are sent an explanation as a message.
        self.editor_shows_answers = False

    def reader(self) -> ParagraphReader:
        """The paragraph reader, loaded on first use."""
        if self._reader is None:
            self._reader = ParagraphReader(self._load(), min_confidence=self._min_confidence)
        return self._reader

    async def worked(self, work: Callable[[], Any]) -> Any:
        """Run slow work in a thread, one task at a time, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def open(self, uri: str, language_id: str, text: str, version: int | None) -> None:
        """Start to examine a document, after a short delay."""
        markup = markup_of(language_id, uri)
        if markup is not None:
            self._open[uri] = _Open(markup, whole_characters(text), version)
            self._read_soon(uri, delay=0.0)

    def is_open(self, uri: str) -> bool:
        """Whether a document is examined."""
        return uri in self._open

    def change(self, uri: str, text: str, version: int | None) -> None:
        """Store the new text of a document; it is examined after a pause in editing."""
        document = self._open.get(uri)
        if document is not None:
            document.text, document.version, document.spans = whole_characters(text), version, None
            self._read_soon(uri, delay=self._delay)

    def close(self, uri: str) -> None:
        """Forget a document and its findings."""
        document = self._open.pop(uri, None)
        if document is not None:
            if document.reading is not None:
                document.reading.cancel()
            self._publish(uri, (), None)

    def shutdown(self) -> None:
        """Forget what is open, so that what is being read stops, and end."""
        self._open.clear()
        self._worker.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call]

    def _read_soon(self, uri: str, *, delay: float) -> None:
        document = self._open[uri]
        if document.reading is not None:
            document.reading.cancel()
        document.reading = asyncio.get_running_loop().create_task(self._read(uri, document, delay))

    async def _read(self, uri: str, document: _Open, delay: float) -> None:
        await asyncio.sleep(delay)
        text, version = document.text, document.version
        if len(text) > MAX_DOCUMENT:
            self.log(f"{uri}: has {len(text):,} characters; only texts of at most {MAX_DOCUMENT:,} are examined")
            text = ""

        def outdated() -> bool:
            return document.version != version or uri not in self._open

        try:
            prose = prose_of(text, document.markup)
            spans = await self.worked(lambda: self.reader().read(prose, stop=outdated))
        except FallaxError as error:
            self.tell(str(error), lsp.MessageType.Error)
            return
        if spans is None or outdated():
            return
        document.prose, document.spans = prose, spans
        if not spans and (code := language_of(prose)) not in ("", "en", "und"):
            self.log(
                f"{uri}: this looks like {LANGUAGES[code]}; paragraphs in another language than the detector's pass"
            )
        self.refresh(uri)

    async def findings(self, uri: str) -> tuple[_Open, tuple[Span, ...]] | None:
        """A document and its findings, without dismissed ones, once examined; None if it is not examined."""
        document = self._open.get(uri)
        if document is None:
            return None
        if document.spans is None and document.reading is not None:
            await asyncio.wait([document.reading])
        return document, self._shown(uri, document)

    def _shown(self, uri: str, document: _Open) -> tuple[Span, ...]:
        dismissed = self.dismissed(uri)
        return tuple(s for s in document.spans or () if not dismissed.has(s.label, document.text[s.start : s.end]))

    def refresh(self, uri: str) -> None:
        """Send the findings of a document to the editor again."""
        document = self._open.get(uri)
        if document is not None and document.spans is not None:
            places = self.places(document)
            diagnostics = [_diagnostic(s, places) for s in self._shown(uri, document)]
            self._publish(uri, diagnostics, document.version)

    def places(self, document: _Open) -> Places:
        """The lines of a document, in the units of the editor."""
        return Places(document.text, str(getattr(self.workspace.position_encoding, "value", "utf-16")))

    def _publish(self, uri: str, diagnostics: Sequence[lsp.Diagnostic], version: int | None) -> None:
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, list(diagnostics), version))

    def dismissed(self, uri: str) -> Dismissed:
        """The dismissed findings in a document's folder; an unreadable file is reported and not changed."""
        folder = self._folder(uri)
        if folder not in self._dismissed:
            try:
                self._dismissed[folder] = Dismissed(None if folder is None else folder / DISMISSED)
            except (FallaxError, OSError, UnicodeDecodeError) as error:
                self.tell(str(error), lsp.MessageType.Warning)
                self._dismissed[folder] = Dismissed(None)
        return self._dismissed[folder]

    def _folder(self, uri: str) -> Path | None:
        """The innermost folder open in the editor that holds the document."""
        path = to_fs_path(uri)
        roots = [to_fs_path(u) for u in (*self.workspace.folders, self.workspace.root_uri) if u]
        found = [Path(r) for r in roots if r and path and Path(path).is_relative_to(r)]
        return max(found, key=lambda f: len(f.parts), default=None)

    def explained(self, document: _Open, span: Span) -> Explanation:
        """The explanation of a finding; takes as long as examining a paragraph."""
        return self.reader().explain(document.prose, span)

    def tell(self, message: str, kind: lsp.MessageType = lsp.MessageType.Info) -> None:
        """Show a message to the person."""
        self.window_show_message(lsp.ShowMessageParams(kind, message))

    def log(self, message: str) -> None:
        """Write a message to the editor's log."""
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, message))


def _range(span: Span, places: Places) -> lsp.Range:
    return lsp.Range(lsp.Position(*places.place(span.start)), lsp.Position(*places.place(span.end)))


def _diagnostic(span: Span, places: Places) -> lsp.Diagnostic:
    said = finding_message(span.label, span.confidence, span.label_confidence)
    reported = "; somebody else says so" if span.reported else ""
    return lsp.Diagnostic(
        range=_range(span, places),
        message=f"{said}{reported}",
        severity=lsp.DiagnosticSeverity.Hint if span.reported else lsp.DiagnosticSeverity.Information,
        code=span.label,
        source="fallax",
    )


def _definition(label: str, taxonomy: str) -> str:
    labels = load_taxonomy(taxonomy)
    if label not in labels:
        return f"**{label}**"
    known = labels[label]
    sound = f"\n\n*Sound when:* {known.sound_when}" if known.sound_when else ""
    return f"**{label}**\n\n{known.definition}{sound}\n\n*A place to look, not a verdict.*"


def _actions(uri: str, span: Span, passage: str, diagnostic: lsp.Diagnostic) -> list[lsp.CodeAction]:
    arguments = [uri, span.label, span.start, span.end, passage]
    titles = {_DISMISS: f"Not a fallacy here ({span.label})", _EXPLAIN: f"Explain: {span.label}"}
    return [
        lsp.CodeAction(
            title, lsp.CodeActionKind.QuickFix, [diagnostic], command=lsp.Command(title, name, None, arguments)
        )
        for name, title in titles.items()
    ]


def _wants_quick_fixes(only: Sequence[str] | None) -> bool:
    """Whether an editor that asks for these kinds of code actions wants quick fixes; one that names none wants all."""
    return not only or any(kind in ("", lsp.CodeActionKind.QuickFix) for kind in only)


def language_server(
    load: Callable[[], Detector], *, min_confidence: float | None = None, delay: float = DELAY
) -> FallaxLanguageServer:
    """A language server that is not yet started: ``language_server(load).start_io()``.

    Parameters
    ----------
    load, min_confidence, delay : see :class:`FallaxLanguageServer`.

    Raises
    ------
    MissingExtraError
        On import, if pygls is not installed.
    """
    server = FallaxLanguageServer(load, min_confidence=min_confidence, delay=delay)

    @server.feature(lsp.INITIALIZE)
    async def initialize(params: lsp.InitializeParams) -> None:
        given = params.initialization_options
        server.editor_shows_answers = isinstance(given, dict) and given.get("showsAnswers") is True

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.open(document.uri, document.language_id, document.text, document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if server.is_open(uri):  # else the library would read a file of that name
            server.change(uri, server.workspace.get_text_document(uri).source, params.text_document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        found = await server.findings(params.text_document.uri)
        if found is None:
            return None
        document, spans = found
        places = server.places(document)
        at = places.offset(params.position.line, params.position.character)
        here = [s for s in spans if s.start <= at < s.end]
        if not here:
            return None
        taxonomy = server.reader().detector.taxonomy
        said = "\n\n---\n\n".join(_definition(s.label, taxonomy) for s in here)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said), _range(here[0], places))

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        if not _wants_quick_fixes(params.context.only):
            return []
        uri = params.text_document.uri
        found = await server.findings(uri)
        if found is None:
            return []
        document, spans = found
        places = server.places(document)
        start = places.offset(params.range.start.line, params.range.start.character)
        end = places.offset(params.range.end.line, params.range.end.character)
        here = [s for s in spans if s.start <= end and start < s.end]
        texts = [document.text[s.start : s.end] for s in here]
        return [a for s, t in zip(here, texts, strict=True) for a in _actions(uri, s, t, _diagnostic(s, places))]

    @server.command(_DISMISS)
    async def dismiss(uri: str = "", label: str = "", start: int = 0, end: int = 0, passage: str = "") -> None:
        if not passage:  # an editor may leave all of it out
            return
        try:
            server.dismissed(uri).add(label, passage, file=PurePosixPath(uri).name)
        except OSError as error:
            server.tell(f"{DISMISSED}: cannot be written: {error}", lsp.MessageType.Error)
        server.refresh(uri)

    @server.command(_EXPLAIN)
    async def explain(uri: str = "", label: str = "", start: int = 0, end: int = 0, passage: str = "") -> str | None:
        found = await server.findings(uri)
        if found is None:
            return None
        document, spans = found
        span = next((s for s in spans if (s.start, s.end, s.label) == (start, end, label)), None)
        if span is None or document.text[start:end] != passage:
            server.tell("The text has changed since; ask again where it is marked now.")
            return None
        try:
            explanation = await server.worked(lambda: server.explained(document, span))
        except FallaxError as error:
            server.tell(str(error), lsp.MessageType.Error)
            return None
        said = explanation_text(label, passage, explanation)
        if not server.editor_shows_answers:
            server.tell(said)
        return said

    return server
