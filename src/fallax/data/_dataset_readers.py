"""One reader per data set: raw rows with the set's own labels. The registry is in ``datasets.py``."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fallax.data._conll import marks_of_tags
from fallax.data._jsonl import json_lines
from fallax.data._mafalda import read_mafalda
from fallax.data._options import Options
from fallax.data._propaganda import read_rows as read_propaganda
from fallax.data._rows import Mark, RawRecord
from fallax.data._source import Source, decode
from fallax.errors import FormatError, one_line

__all__ = ["READERS", "Reader", "detokenize", "find_passage"]

Reader = Callable[[tuple[Path, ...], str, bool], Iterator[RawRecord]]
#: Where no passage is marked, the label holds for the whole text.
WHOLE_TEXT = {"granularity": "text"}


def _whole(
    id_: str,
    text: str,
    labels: list[str] | None,
    line: int | None,
    meta: Mapping[str, Any],
    *,
    source: str = "",
    title: str = "",
) -> RawRecord:
    """A row with labels for the whole text; [] is "no fallacy", None "not annotated"."""
    marks = None if labels is None else [Mark(0, len(text), label, line=line) for label in labels]
    return RawRecord(id_, text, marks, line, source, title, {**WHOLE_TEXT, **meta})


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    return json_lines(Source(path))


def _list(path: Path) -> list[dict[str, Any]]:
    with Source(path).open() as f:
        text = decode(f.read(), name=str(path))
    try:
        found = json.loads(text)
    except ValueError as error:
        raise FormatError(
            f"must be one JSON list, got an error ({one_line(error)}); fetch it again", path=path
        ) from error
    if not isinstance(found, list):
        raise FormatError("must be one JSON list, got another value; fetch it again", path=path)
    return found


def _table(path: Path, names: tuple[str, ...] | None = None) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells by name; ``names`` where the file has no header."""
    with Source(path).open() as f:
        text = decode(f.read(), name=str(path))
    reader = csv.reader(io.StringIO(text, newline=""))
    header = list(names) if names else next(reader, [])
    line = reader.line_num + 1
    for cells in reader:
        if cells:
            if len(cells) != len(header):
                raise FormatError(f"each row must have {len(header)} cells, got {len(cells)}", path=path, line=line)
            yield line, dict(zip(header, cells, strict=True))
        line = reader.line_num + 1


def _said(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {n: value[n] for n in names if value.get(n) not in (None, "")}


def mafalda(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Texts with alternatives, as in the file."""
    for path in paths:
        yield from read_mafalda(Source(path), Options())


def logic(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """LOGIC and LogicClimate: one label per row; a text may stand in several rows."""
    for path in paths:
        for line, v in _objects(path):
            yield _whole(f"{split}-{v['row']}", v["source_article"], [v["label"]], line, _said(v, "original_url"))


def reddit(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Comments, each about one named fallacy; its passage if it can be located, else the whole comment."""
    for path in paths:
        for line, v in _objects(path):
            if v["split"] != split:
                continue
            text, label = v["coi"], v["fallacy_class"]
            meta = _said(v, "claim") | {"asked": label}
            if v.get("grandparent") not in (None, "", "None"):
                meta["grandparent"] = v["grandparent"]
            row = _whole(f"{v['comment_id']}-{label}", text, None, line, meta, source=v["source"], title=v["title"])
            if v["fallacy_exists"]:
                found = find_passage(text, v.get("fallacy_highlighted") or "")
                row.marks = [Mark(*(found or (0, len(text))), label, line=line)]
                row.meta = {**meta, "granularity": "span" if found else "text"}
            yield row


def find_passage(text: str, shown: str) -> tuple[int, int] | None:
    r"""The position of a passage that may have lost white space; None unless there is exactly one.

    Examples
    --------
    >>> find_passage("Well. He is a fool.\n\nSo no.", "He is a fool.So no.")
    (6, 27)
    """
    places = [i for i, c in enumerate(text) if not c.isspace()]
    dense, wanted = "".join(text[i] for i in places), "".join(shown.split())
    if not wanted or dense.count(wanted) != 1 or dense.find(wanted) != dense.rfind(wanted):
        return None
    at = dense.find(wanted)
    return places[at], places[at + len(wanted) - 1] + 1


def argotario(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """The label on which the votes agree; otherwise the text is not annotated."""
    for path in paths:
        for line, v in _table(path):
            voted = v["Voted Fallacy"]
            labels = None if voted == "-" else [] if voted == "No Fallacy" else [voted]
            meta = {"intended": v["Intended Fallacy"], "votes": int(v["Number of Votes"]), "stance": v["Stance"]}
            yield _whole(v["Row number"], v["Text"], labels, line, meta, title=v["Topic"])


def cocolofa(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Comments under news articles."""
    for path in paths:
        for article in _list(path):
            for c in article["comments"]:
                labels = [] if c["fallacy"] == "none" else [c["fallacy"]]
                meta = _said(c, "respond_to", "news_id")
                yield _whole(str(c["id"]), c["comment"], labels, None, meta, title=article["title"])


def flicc(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Climate texts, one technique each."""
    for path in paths:
        for line, v in _table(path):
            yield _whole(f"{split}-{line}", v["text"], [v["label"]], line, _said(v, "Claim"), source=v["Source"])


def missci(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """One record per fallacious step: premise, context and claim on separate lines; classes are alternatives."""
    for path in paths:
        for line, v in _objects(path):
            argument = v["argument"]
            for step in argument["fallacies"]:
                parts = [argument["accurate_premise_p0"]["premise"], step.get("fallacy_context"), argument["claim"]]
                text = "\n".join(p for p in parts if p)
                premises = {x["class"]: x["premise"] for x in step["interchangeable_fallacies"]}
                yield _whole(step["id"], text, list(premises), line, {"argument": v["id"], "premises": premises})


def elecdeb(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Windows of debates; the tokens are joined with single spaces."""
    for path in paths:
        for line, v in _objects(path):
            offsets = []
            at = 0
            for token in v["tokens"]:
                offsets.append((at, at + len(token)))
                at += len(token) + 1
            marks = marks_of_tags(v["tags"], offsets, name=str(path), lines=[line] * len(offsets))
            yield RawRecord(f"{split}-{line}", " ".join(v["tokens"]), marks, line, meta={"granularity": "span"})


def alhindi(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Fact-checked segments and claims."""
    for path in paths:
        for line, v in _objects(path):
            text = v.get("fact_checked_segment") or v.get("claim") or ""
            labels = [] if v["label"] == "No Fallacy" else [v["label"]]
            yield _whole(f"{split}-{line}", text, labels, line, _said(v, "article", "claim_type"), source=v["domain"])


def hong(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Fallacious and sound sentences of one form; ``natural`` removes the brackets around slots."""
    for path in paths:
        for line, v in _objects(path):
            text = re.sub(r"[\[\]]", "", v["step"]) if natural else v["step"]
            meta = {"asked": v["fallacy"], **_said(v, "entity")}
            yield _whole(str(line), text, [v["fallacy"]] if v["label"] else [], line, meta)


def lfud(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Sentences made from propositions."""
    for path in paths:
        for line, v in _table(path):
            yield _whole(v["index"], v["sentence"], [v["fallacy_type"]], line, _said(v, "proposition"))


def propaganda(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Articles with fragments; the first path is the labels, the second the articles."""
    labels, articles = paths
    yield from read_propaganda(Source(labels), Options(articles=articles))


def semeval2021(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Texts of memes with fragments."""
    for path in paths:
        for v in _list(path):
            marks = [Mark(x["start"], x["end"], x["technique"], shown=x["text_fragment"]) for x in v["labels"]]
            yield RawRecord(
                str(v["id"]), v["text"], marks, meta={"granularity": "span", "same_span": "all"}, path=str(path)
            )


def touche(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Reddit comments with their fallacy, or with the fallacy that they only resemble."""
    for path in paths:
        for line, v in _objects(path):
            labels = [v["fallacy_type"]] if v["fallacy_exists"] else []
            meta = _said(v, "resembles_fallacy", "classification")
            if v.get("text_raw_parent"):
                meta["grandparent"] = v["text_raw_parent"]
            yield _whole(v["id"], v["text_raw"], labels, line, meta, title=v["text_raw_title"])


def smartypat(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Posts, generated sentences and benign sentences; all labels of a post apply together."""
    names = {"posts": ("id", "text", "labels", "declarative"), "augmented": ("id", "text", "labels")}
    for path in paths:
        for line, v in _table(path, names.get(split, ("id", "text"))):
            labels = [x.strip() for x in v.get("labels", "").split(",") if x.strip()]
            meta = {"same_span": "all", **_said(v, "labels", "declarative")}
            yield _whole(v["id"], v["text"], labels, line, meta)


def wikitext(paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    """Paragraphs (not headings); ``natural`` undoes the tokenisation."""
    heading = ""
    for path in paths:
        for number, line, _ in Source(path).lines():
            text = line.strip()
            if re.fullmatch(r"(?:= )+.+(?: =)+", text):
                heading = text.strip("= ")
            elif text:
                shown = detokenize(text) if natural else text
                meta = {"granularity": "text", "n_unknown_words": text.count("<unk>")}
                yield RawRecord(f"{split}-{number}", shown, None, number, title=heading, meta=meta)


def detokenize(text: str) -> str:
    r"""Undo the tokenisation of WikiText: joined numbers and hyphens, spaces around punctuation, quotes, clitics.

    ``<unk>`` stays: what stood there is not known.

    Examples
    --------
    >>> detokenize('It weighs 0 @.@ 7 kg ( 1 @.@ 5 lb ) , the " red @-@ tipped " one ; it \'s Ann \'s .')
    'It weighs 0.7 kg (1.5 lb), the "red-tipped" one; it\'s Ann\'s.'
    """
    text = re.sub(r" @([-.,])@ ", r"\1", text)
    text = re.sub(r" '(s|t|re|ve|ll|d|m)\b", r"'\1", text)
    text = re.sub(r" ([,.;:!?)\]%])", r"\1", text)
    text = re.sub(r"([(\[$£€]) ", r"\1", text)
    pieces = text.split('"')
    for i in range(1, len(pieces) - 1, 2):
        pieces[i] = pieces[i].strip(" ")
    return '"'.join(pieces)


READERS: dict[str, Reader] = {
    "mafalda": mafalda,
    "logic": logic,
    "logicclimate": logic,
    "reddit_informal_fallacies": reddit,
    "argotario": argotario,
    "cocolofa": cocolofa,
    "flicc": flicc,
    "missci": missci,
    "elecdeb60to20_fallacy": elecdeb,
    "alhindi_climate_covid": alhindi,
    "fallacies_hong2024": hong,
    "lfud": lfud,
    "ptc_nlp4if2019": propaganda,
    "ptc_semeval2020": propaganda,
    "semeval2021_task6": semeval2021,
    "touche26_fallacy": touche,
    "smartypat": smartypat,
    "wikitext2": wikitext,
}
