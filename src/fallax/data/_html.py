"""Extracts the visible text of an HTML page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import groupby

from fallax.data._invisible import without_invisible
from fallax.data._quotations import Quotation, with_marks

__all__ = ["page_blocks", "visible_text"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOID = _names("area base br col embed hr img input link meta param source track wbr")
_NEVER = _names(
    "head script style template title noscript iframe object svg math canvas audio video select datalist textarea"
)
_BLOCK = _names(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search"
    " section summary table tbody tfoot thead tr ul"
)
#: A start tag of the key ends an open element of the values (their end tags may be left out).
_ENDS = {"li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "tr": {"tr", "td", "th"}, "td": {"td", "th"}}
_ENDS |= {"th": _ENDS["td"], "tbody": {"tr", "td", "th", "thead", "tbody"}, "tfoot": {"tr", "td", "th", "tbody"}}
_SCOPES = frozenset(
    {"ul", "ol", "dl", "menu", "table", "body", "html", "div", "section", "article", "main", "td", "th"}
)
#: Elements whose text is no prose of the page's own, and what it is.
_KINDS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "caption", "figcaption", "legend", "summary"), "heading"),
    "pre": "code",
    "blockquote": "quote",
    **dict.fromkeys(("nav", "header", "footer", "menu", "button", "option"), "navigation"),
}
#: What ``role`` says of an element; the last one ends what its name says.
_ROLES = {
    **dict.fromkeys(("navigation", "banner", "contentinfo", "menu", "menubar", "toolbar", "tablist"), "navigation"),
    "heading": "heading",
}
#: Code in prose, until the text around it is known.
_INLINE_CODE = "inline"
_CODES = ("code", "samp", "kbd")
#: A table that only places things on the page says so, or holds another table.
_PLACING = frozenset({"presentation", "none"})
#: The text of a link in prose, until the text around it is known.
_LINK = "link"
#: How far back an end tag looks for its start; browsers nest no deeper than this either.
_DEPTH = 512
_HIDING = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
#: Elements whose text is no markup, comments neither.
_RAW = _names("script style title textarea")
#: A marked section (``<![CDATA[...``, ``<![if IE]>``) is a comment to a browser, and more than the parser takes.
_MARKED = re.compile(r"<!\[[^>]*>")
_SPACE = re.compile(r"[ \t\n\r\f]+")
#: Stands for a comment that never ends: no character of any text.
_REST = "\ufdd0"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        #: Tag, hidden, preformatted, kind of text, as inherited.
        self.open: list[tuple[str, bool, bool, str]] = [("", False, False, "prose")]
        self.last = "\n"
        self.length = 0
        self.blocks: list[tuple[int, int, str]] = []
        #: The ``<q>`` that are shown, and those of them that are open.
        self.quotations: list[Quotation] = []
        self.begun: list[Quotation] = []
        self.over = False
        #: What the text of each table is: a table's, or prose where the table only places things on the page.
        self.tables: list[str] = []
        #: Whether the next text begins a block of its own.
        self.fresh = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.over:
            return
        self._imply_ends(tag)
        if tag in _BLOCK:
            self._newline()
        _, hidden, pre, kind = self.open[-1]
        if tag == "br" and not hidden:
            self._add("\n")
        elif tag in ("td", "th") and not hidden and self.last not in "\n\t":
            self._add("\t")
        if tag in _VOID:
            return
        found = dict(attrs)
        hidden = hidden or tag in _NEVER or "hidden" in found or bool(_HIDING.search(found.get("style") or ""))
        if tag == "q" and not hidden:
            self.begun.append(Quotation(self.length))
            self.quotations.append(self.begun[-1])
        role = (found.get("role") or "").strip().lower()
        if tag == "table":
            kind = self._table(kind, placing=role in _PLACING)
        elif kind.startswith(("prose", "table")) and ((tag == "a" and "href" in found) or tag in _CODES):
            kind = f"{_LINK if tag == 'a' else _INLINE_CODE} {kind}"
            self.fresh = True
        else:
            kind = _ROLES.get(role, _KINDS.get(tag, kind))
        self.open.append((tag, hidden, pre or tag == "pre", kind))

    def _table(self, around: str, *, placing: bool) -> str:
        """The kind of a new table's text: ``table`` and its number; the table that it lies in only places things."""
        if around.startswith("table"):
            self.tables[int(around[5:])] = "prose"
        elif around != "prose":
            return around
        self.tables.append("prose" if placing else "table")
        return f"table{len(self.tables) - 1}"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # HTML ignores the slash

    def handle_endtag(self, tag: str) -> None:
        if self.over:
            return
        for i in range(len(self.open) - 1, max(0, len(self.open) - _DEPTH), -1):
            if self.open[i][0] == tag:
                self._end(i, own=True)
                break
        if tag in _BLOCK:
            self._newline()

    def handle_data(self, data: str) -> None:
        tag, hidden, pre, _ = self.open[-1]
        if _REST in data and tag not in _RAW:
            data, self.over = data.partition(_REST)[0], True
        elif self.over:
            return
        data = without_invisible(data)
        if hidden or not data:
            return
        if pre:
            self._add(data.replace("\r\n", "\n").replace("\r", "\n"))
            return
        shown = _SPACE.sub(" ", data)
        if self.last in " \n\t":
            shown = shown.removeprefix(" ")
        if shown:
            self._add(shown)

    def _imply_ends(self, tag: str) -> None:
        ends: set[str] = set(_ENDS.get(tag, ()))
        if tag in _BLOCK and tag not in ("html", "body", "caption"):
            ends.add("p")
        if not ends:
            return
        for i in range(len(self.open) - 1, max(0, len(self.open) - _DEPTH), -1):
            if self.open[i][0] in ends:
                self._end(i)
            elif self.open[i][0] in _SCOPES:
                return

    def _end(self, depth: int, *, own: bool = False) -> None:
        """End the open elements from this depth on, the first by its own end tag or not."""
        while len(self.open) > depth:
            tag, hidden, _, _ = self.open.pop()
            if tag == "q" and not hidden:
                quotation = self.begun.pop()
                quotation.end = self.length
                quotation.ended = own and len(self.open) == depth

    def close(self) -> None:
        """End all elements at the end of the page."""
        super().close()
        self._end(1)

    def _newline(self) -> None:
        if self.open[-1][1] or self.last == "\n":
            return
        if self.parts and self.last == " ":
            self.parts[-1] = self.parts[-1][:-1]
            self.length -= 1
            start, end, kind = self.blocks[-1]
            self.blocks[-1] = (start, end - 1, kind)
        self._add("\n", ends=True)

    def _add(self, text: str, *, ends: bool = False) -> None:
        kind = self.open[-1][3]
        if ends:
            self.blocks.append((self.length, self.length + 1, "end"))
        elif self.blocks and self.blocks[-1][2] == kind and not self.fresh:
            self.blocks[-1] = (self.blocks[-1][0], self.length + len(text), kind)
        else:
            self.blocks.append((self.length, self.length + len(text), kind))
        self.fresh = False
        self.parts.append(text)
        self.length += len(text)
        self.last = text[-1]


def _ended(page: str) -> str:
    """Remove unterminated markup, on which the parser would take quadratic time.

    A tag that never ends is text, a comment that never ends hides what follows, as in a browser.
    """
    page = page.removeprefix("\ufeff").replace(_REST, "\ufffd")
    last = page.rfind(">") + 1
    page, tail = _MARKED.sub("", page[:last]), page[last:]
    shown, unended, _ = tail.partition("<!--")
    tail = shown.replace("<", "&lt;") + (_REST if unended else "")
    last = page.rfind("-->") + 1
    return page[:last] + page[last:].replace("<!--", _REST) + tail


def visible_text(page: str) -> str:
    r"""The visible text: no scripts, styles, comments or hidden elements; block elements on separate lines.

    White space is collapsed as browsers do, except in ``<pre>``; character references are resolved, and ``<q>`` gets
    quotation marks where none were typed. A ``<q>`` without an end tag ends with the block that it begins in.

    Notes
    -----
    Only what the page itself says is looked at: ``hidden``, ``style="display:none"`` and ``visibility:hidden`` hide an
    element; style sheets and scripts are not run. A tag that never ends is text, a
    comment that never ends hides the rest of the page.

    Examples
    --------
    >>> visible_text("<h1>Tea &amp; toast</h1><script>x()</script><p>One <b>more</b>\n cup.<p hidden>no")
    'Tea & toast\nOne more cup.\n'
    """
    return page_blocks(page)[0]


def page_blocks(page: str) -> tuple[str, list[tuple[int, int, str]]]:
    r"""The visible text and its blocks as (start, end, kind), see :func:`~fallax.core.texts.blocks_of`.

    Each ``<q>`` is a further block of kind "quotation", which lies within the others.

    Examples
    --------
    >>> page_blocks("<h1>Tea</h1><p>One <a href=x>cup</a>.<p>No.")
    ('Tea\nOne cup.\nNo.', [(0, 3, 'heading'), (4, 12, 'prose'), (13, 16, 'prose')])
    >>> page_blocks("<li><a href=x>Home</a><li><a href=y>News</a><p>No.")[1]
    [(0, 4, 'navigation'), (5, 9, 'navigation'), (10, 13, 'prose')]
    >>> page_blocks("<p>Ann: <q>No.</q>")
    ('Ann: “No.”', [(0, 10, 'prose'), (5, 10, 'quotation')])
    """
    parser = _Page()
    parser.feed(_ended(page))
    parser.close()
    plain = "".join(parser.parts)
    ends = [a for a, _, kind in parser.blocks if kind == "end"]
    shown, quotations, moved = with_marks(plain, parser.quotations, ends)
    named = [(a, b, _kind_in(parser.tables, kind)) for a, b, kind in parser.blocks]
    blocks = [(moved(a), moved(b), kind) for a, b, kind in _settled(plain, named)]
    return shown, [*blocks, *((a, b, "quotation") for a, b in quotations)]


def _kind_in(tables: list[str], kind: str) -> str:
    """The kind of a block, once it is known which tables only place things on the page."""
    inside, _, around = kind.rpartition(" ")
    if around.startswith("table") and tables[int(around[5:])] == "table":
        return "table"
    return inside or ("prose" if around.startswith("table") else around)


def _settled(shown: str, blocks: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """The blocks without ends of lines.

    Two links or more with nothing between are navigation, others prose; code is code where nothing else is in a line.
    """
    lines: list[list[tuple[int, int, str]]] = [[]]
    for a, b, kind in blocks:
        if kind == "end":
            lines.append([])
        elif b > a:
            lines[-1].append((a, b, kind))
    alone = [_only_links(shown, line) for line in lines]
    for i, line in enumerate(lines):
        beside = sum(alone[max(0, i - 1) : i]) + sum(alone[i + 1 : i + 2])
        kind = "navigation" if alone[i] and alone[i] + beside > 1 else "prose"
        if all(k == _INLINE_CODE or not shown[a:b].strip() for a, b, k in line):
            kind = "code"
        for plain, found in groupby(line, key=lambda x: x[2] in ("prose", _LINK, _INLINE_CODE)):
            pieces = list(found)
            if plain:
                yield pieces[0][0], pieces[-1][1], kind
            else:
                yield from pieces


def _only_links(shown: str, line: list[tuple[int, int, str]]) -> int:
    """How many links a line has, if it has nothing else to read; 0 if it has."""
    if any(kind != _LINK and any(c.isalnum() for c in shown[a:b]) for a, b, kind in line):
        return 0
    return sum(kind == _LINK for _, _, kind in line)
