"""Connects the server to an annotation project, which stores corrections made on Examine."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import urlencode

from fallax.annotation.jobs import JOBS, check_answer, taxonomy_of
from fallax.annotation.store import AnnotationStore
from fallax.core.types import NO_FALLACY
from fallax.web.settings import Part

__all__ = ["LOCAL", "correct", "open_project", "project_part", "withdraw"]

#: Who corrects where no name is given.
LOCAL = "me"

_NOTE = "corrected on Examine: what a system found and nobody spoke of is not in it"


def open_project(path: Path) -> AnnotationStore:
    """Open or create a project for spans with MAFALDA's labels, with an annotator for this machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    store = AnnotationStore(path)
    if store.setting("job") is None:
        store.create("spans", {"taxonomy": "mafalda", "title": "Annotations"})
    store.add_annotator(LOCAL, adjudicates=True)
    return store


def project_part(store: AnnotationStore) -> Part:
    """The pages of a project, logged in as this machine's annotator."""
    from fallax.web.annotate import annotate_part

    part = annotate_part(store, home="/examine")
    enter = urlencode({"name": LOCAL, "key": store.token_of(LOCAL) or ""})
    return Part(part.name, part.title, f"/annotate/enter?{enter}", part.routes, part.folder)


def correct(
    store: AnnotationStore, text: str, start: int, end: int, label: str | None, *, taxonomy: str, annotator: str
) -> bool:
    """Add a correction to the annotator's answer to the text; other annotations stay.

    Parameters
    ----------
    label : the correct one, added to those given to the same passage before. None: no fallacy here,
        which is an alternative to such labels, and else no span; a text without any is one with nothing in it.

    Returns
    -------
    bool
        False where the project is of another job or taxonomy, and nothing was kept.
    """
    if store.setting("job") != "spans" or store.setting("taxonomy") != taxonomy:
        return False
    who, id_ = annotator or LOCAL, _id(text)
    store.add_annotator(who)
    store.add_items([(id_, {"text": text, "title": "", "source": "examined", "meta": {}})])
    item = next(i for i in store.items() if i.id == id_)
    known = store.answer(item.number, who)
    spans = list(known.value["spans"]) if known else []
    said = NO_FALLACY if label is None else label
    same = next((s for s in spans if (s["start"], s["end"]) == (start, end)), None)
    if same is not None:
        spans[spans.index(same)] = {**same, "labels": sorted({*same["labels"], said})}
    elif label is not None:
        spans.append({"start": start, "end": end, "labels": [said]})
    _save(store, item.number, who, spans, known.value.get("note", "") if known else _NOTE, done=True)
    return True


def withdraw(
    store: AnnotationStore, text: str, start: int, end: int, label: str | None, *, annotator: str, done: bool
) -> None:
    """Remove a label of a passage; the log keeps the change.

    Parameters
    ----------
    done : whether other corrections of the text are left, so that a text without spans is one with nothing in it.
    """
    who = annotator or LOCAL
    item = next((i for i in store.items() if i.id == _id(text)), None)
    known = None if item is None else store.answer(item.number, who)
    if item is None or known is None:
        return
    said = NO_FALLACY if label is None else label
    spans = []
    for span in known.value["spans"]:
        own = (span["start"], span["end"]) == (start, end)
        labels = [x for x in span["labels"] if not (own and x == said)]
        if set(labels) - {NO_FALLACY}:
            spans.append({**span, "labels": labels})
    _save(store, item.number, who, spans, known.value.get("note", ""), done=done or bool(spans))


def _save(
    store: AnnotationStore, number: int, who: str, spans: list[dict[str, object]], note: str, *, done: bool
) -> None:
    value = {"spans": spans, "nothing": done and not spans, "note": note}
    checked = check_answer(JOBS["spans"], value, store.item(number), taxonomy=taxonomy_of(store), done=done)
    store.save(number, who, checked, done=done, revision=0, force=True)


def _id(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
