r"""Finds the prose in Markdown, LaTeX and reStructuredText; code, quotes and commands become blanks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from fallax.core.texts.blocks import blocks_of

__all__ = ["MARKUPS", "VISIBLE", "prose_of", "unmarked"]

# Every repetition is bounded or cannot fail, so that no text takes long to read.
VISIBLE = re.compile(r"[^\r\n]")


def _blank(text: str) -> str:
    return VISIBLE.sub(" ", text)


def _without(pattern: re.Pattern[str], text: str) -> str:
    """The text with every match blanked, except groups named ``keep``."""

    def blanked(found: re.Match[str]) -> str:
        if "keep" not in pattern.groupindex or found["keep"] is None:
            return _blank(found[0])
        a, b = found.start("keep") - found.start(), found.end("keep") - found.start()
        return _blank(found[0][:a]) + found[0][a:b] + _blank(found[0][b:])

    return pattern.sub(blanked, text)


def _plain(text: str, *, markdown: bool = False) -> str:
    return "".join(
        text[b.start : b.end] if b.kind == "prose" else _blank(text[b.start : b.end])
        for b in blocks_of(text, markdown=markdown)
    )


_MARKDOWN = (
    re.compile(r"<!--(?:(?!-->).)*(?:-->|\Z)", re.DOTALL),
    re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,500}\1(?!`)"),
    re.compile(r"\$\$[^$]{0,4000}\$\$|(?<![\\$\w])\$(?! )[^$\n]{1,500}(?<! )\$(?![\d$])"),
    re.compile(r"!\[[^\]\n]{0,500}\]\([^)\n]{0,2000}\)|^ {0,3}\[(?!\^)[^\]\n]{1,500}\]:.*$", re.MULTILINE),
    re.compile(r"\[\^[^\]\s]{1,100}\]:?"),
    re.compile(r"\[(?P<keep>[^\[\]\n]{1,500})\](?:\([^)\n]{0,2000}\)|\[[^\[\]\n]{0,500}\])"),
    re.compile(r"</?[A-Za-z][^<>\n]{0,2000}>"),
    re.compile(r"(?<![\w*_])[*_]{1,3}(?=[^\s*_])|(?<=[^\s*_])[*_]{1,3}(?![\w*_])"),
)


def unmarked(text: str) -> str:
    """A Markdown text of the same length without what a reader does not see within paragraphs.

    Blank are the marks of emphasis, code, formulas, images, addresses of links, tags, comments and marks of footnotes.

    Examples
    --------
    >>> unmarked("**We** [know](http://a.b) `x`.[^1]")
    '  We    know                 .    '
    """
    for pattern in _MARKDOWN:
        text = _without(pattern, text)
    return text


def _markdown(text: str) -> str:
    return unmarked(_plain(text, markdown=True))


_LEFT_OUT = (
    "verbatim|Verbatim|lstlisting|minted|comment|equation|align|alignat|gather|multline|math|displaymath|eqnarray|flalign"
    "|tabular|tabularx|longtable|array|figure|table|tikzpicture|quote|quotation|displayquote|verse|thebibliography"
    "|algorithm|algorithmic|filecontents"
)
_DROPPED = (
    r"(?:[A-Za-z]*cite[A-Za-z]*|[A-Za-z]*ref|label|url|path|includegraphics|input|include|bibliography|bibliographystyle"
    r"|usepackage|documentclass|newcommand|renewcommand|setlength|vspace|hspace|begin|end|index|gls|ac|texttt|lstinline"
    r"|part|chapter|section|subsection|subsubsection|paragraph|subparagraph|title|author|date|caption)"
)
_LATEX = (
    re.compile(r"\A(?:(?!\\begin\{document\}).)*\\begin\{document\}", re.DOTALL),
    re.compile(r"\\end\{document\}.*", re.DOTALL),
    re.compile(r"(?<!\\)%[^\n]*"),
    re.compile(rf"\\begin\{{(?P<name>{_LEFT_OUT})(?P<star>\*?)\}}.*?(?:\\end\{{(?P=name)(?P=star)\}}|\Z)", re.DOTALL),
    re.compile(r"\\verb\*?([^A-Za-z0-9\s*])[^\n]{0,500}?\1"),
    re.compile(r"\$\$[^$]{0,4000}\$\$|(?<!\\)\$(?:\\.|[^$\\]){0,4000}\$"),
    re.compile(r"\\\[.{0,4000}?\\\]|\\\(.{0,4000}?\\\)", re.DOTALL),
    re.compile(r"\\href\{[^{}]{0,2000}\}"),
    re.compile(rf"\\{_DROPPED}\*?(?:\[[^\]\n]{{0,500}}\]){{0,3}}(?:\{{[^{{}}]{{0,2000}}\}}){{0,3}}(?![A-Za-z])"),
    re.compile(r"\\[A-Za-z]+\*?(?:\[[^\]\n]{0,500}\])?|\\\\(?:\[[^\]\n]{0,500}\])?"),
    re.compile(r"\\(?P<keep>[%&$#_{}])"),
)
_ITEM = re.compile(r"\\item(?:\[[^\]\n]{0,500}\])?(?![A-Za-z])")
_TEX_MARKS = str.maketrans({"{": " ", "}": " ", "~": " "})


def _latex(text: str) -> str:
    first, *others = _LATEX
    if "\\begin{document}" in text:
        text = _without(first, text)
    for pattern in others[:-2]:
        text = _without(pattern, text)
    text = _ITEM.sub(lambda m: "-" + _blank(m[0])[1:], text)
    for pattern in others[-2:]:
        text = _without(pattern, text)
    return text.translate(_TEX_MARKS).replace("``", " “").replace("''", "” ")


_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
_DIRECTIVE = re.compile(r"(\s*)\.\.(?:\s+(?:(?P<name>[\w.-]+)::)?|\s*$)")
#: Directives whose body is prose.
_PROSE_DIRECTIVES = frozenset(
    {"admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "sidebar", "tip", "topic"}
    | {"warning", "seealso", "versionadded", "versionchanged", "deprecated"}
)
_BULLET = re.compile(r"(\s*)((?:[-*+•]|\(?(?:\d+|[A-Za-z#])[.)])\s+)\S")
_ROW = re.compile(r"\s*(?:[+|](?:[-=+|]|\s)|=+(?:\s+=+)+\s*$)")
_TABLE_RULE = re.compile(r"\s*=+(?:\s+=+)+\s*$")
_FIELD = re.compile(r"\s*:[^:`\s][^:`]*:(?:\s|$)")
_RST = (
    re.compile(r"``(?:[^`\n]|`(?!`)){1,500}``"),
    re.compile(r":(?:code|math|literal|cite\w*|footcite\w*|raw):`[^`]{0,500}`"),
    re.compile(r"(?::[\w:.+-]{1,40}:)?`(?P<keep>[^`<]{1,500})(?:<[^<>`]{0,2000}>)?`_{0,2}"),
    re.compile(r"\[[#*\w-]{0,100}\]_|\|[^|\s][^|\n]{0,200}\|_{0,2}"),
    re.compile(r"(?<![\w*])\*{1,2}(?=[^\s*])|(?<=[^\s*])\*{1,2}(?![\w*])"),
    re.compile(r"::(?=\s*$)", re.MULTILINE),
)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _rst_lines(lines: list[str]) -> Iterator[bool]:
    """Whether each line is prose. Indented paragraphs are quotes, except in lists and admonitions."""
    body = 0  # how far prose may be indented here
    left_out: int | None = None  # what is indented more than this is left out
    literal = False  # the last paragraph ended in "::"
    doctest = in_table = False
    for i, line in enumerate(lines):
        if not line.strip():
            doctest = False
            in_table = in_table and i + 1 < len(lines) and bool(_ROW.match(lines[i + 1]))
            yield True
            continue
        indent, after_blank = _indent(line), i == 0 or not lines[i - 1].strip()
        if left_out is not None:
            if indent > left_out:
                yield False
                continue
            left_out = None
        body = min(body, indent) if after_blank else body
        if _TABLE_RULE.match(line):
            in_table = True
        elif after_blank:
            in_table = False
        under = i + 1 < len(lines) and _UNDERLINE.match(lines[i + 1]) and _indent(lines[i + 1]) == 0
        directive, bullet = _DIRECTIVE.match(line), _BULLET.match(line)
        doctest = doctest or line.lstrip().startswith(">>>")
        if directive:
            if directive["name"] in _PROSE_DIRECTIVES:
                body = indent + 3
            else:
                left_out = indent
            literal = False
            yield False
        elif under or _UNDERLINE.match(line) or _ROW.match(line) or _FIELD.match(line) or doctest or in_table:
            yield False
        elif after_blank and literal and indent > 0:
            left_out, literal = indent - 1, False
            yield False
        elif bullet:
            body = len(bullet[1]) + len(bullet[2])
            literal = line.rstrip().endswith("::")
            yield True
        elif after_blank and indent > body:
            left_out = indent - 1
            yield False
        else:
            literal = line.rstrip().endswith("::")
            body = max(body, indent)
            yield True


def _rst(text: str) -> str:
    lines = text.splitlines(keepends=True)
    text = "".join(line if prose else _blank(line) for line, prose in zip(lines, _rst_lines(lines), strict=True))
    for pattern in _RST:
        text = _without(pattern, text)
    return text


#: Markup -> what leaves its prose.
MARKUPS: Mapping[str, Callable[[str], str]] = {"text": _plain, "markdown": _markdown, "latex": _latex, "rst": _rst}


def prose_of(text: str, markup: str = "text") -> str:
    r"""A text of the same length (offsets still hold) in which everything but prose is blank.

    Left out are headings, code, mathematics, tables, comments, quotes that stand as blocks of their own, addresses of
    links and the marks of emphasis. What a reader sees of a link or an emphasis stays. Line ends stay. Commands that
    the author defined are left out by their name; their arguments stay.

    Parameters
    ----------
    text : any text; what does not close reaches to its end.
    markup : one of :data:`MARKUPS`; "text" knows quotes with ``>`` in front, fences and tables.

    Examples
    --------
    >>> prose_of("See `x` and [this](http://a.b).\n\n> You lie.\n", "markdown")
    'See     and  this             .\n\n          \n'
    >>> prose_of("We \\emph{know} \\cite{a} it. % not sure\n", "latex")
    'We       know           it.           \n'
    >>> prose_of("Run this::\n\n    rm x\n\nThen *wait*.\n", "rst")
    'Run this  \n\n        \n\nThen  wait .\n'
    """
    return MARKUPS[markup](text)
