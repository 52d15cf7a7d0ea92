"""Imports files into an annotation project, and exports it as annotated files, tables and logs."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fallax.annotation.jobs import JOBS, check_answer, job_of, taxonomy_of
from fallax.annotation.reading import SET_SEPARATOR, Annotations, differing
from fallax.annotation.store import ADJUDICATOR, AnnotationStore, Item, ItemAnswer
from fallax.core.sink import open_out
from fallax.core.types import GoldSpan, Record
from fallax.data import read_corpus, read_texts, write_corpus
from fallax.data._csv import TABLES, csv_rows
from fallax.data._jsonl import json_lines
from fallax.data._rows import Loss
from fallax.data._source import Source
from fallax.errors import InputError, one_line

__all__ = ["annotations_of", "export_project", "export_records", "export_table", "import_answers", "read_items"]

_ALIASES = {
    "text": ("text", "sentence", "post"),
    "document": ("document", "source", "article", "transcript", "doc"),
    "summary": ("summary", "claim", "sentence"),
    "claim": ("claim", "question", "hypothesis"),
    "structure": ("structure", "argument_structure", "chain"),
    "label": ("label", "fallacy", "labels"),
}


def read_items(path: str | Path, job: str) -> list[tuple[str, dict[str, Any]]]:
    """The items to annotate in a file or folder: (id, what is shown).

    Parameters
    ----------
    path : for spans any format of texts or annotated texts (see :func:`import_answers` for what is annotated already);
        for the other jobs a table or JSONL with the fields that the job shows and, where it has one, an ``id``.
    job : a key of :data:`JOBS`.

    Raises
    ------
    InputError
        If a row has not what the job shows.
    """
    if job == "spans":
        source = Source(path)
        if source.is_dir and not any(Path(path).glob("*.ann")):
            records: Iterable[Record] = read_texts(path)
        else:
            records = read_corpus(path).records
        return [(r.id, {"text": r.text, "title": r.title, "source": r.source, "meta": dict(r.meta)}) for r in records]
    source = Source(path)
    rows: Iterable[tuple[int, Mapping[str, Any]]] = (
        csv_rows(source) if source.path.suffix.lower() in TABLES else json_lines(source)
    )
    fields = [name for name, _ in JOBS[job].shows]
    found: list[tuple[str, dict[str, Any]]] = []
    for line, row in rows:
        payload: dict[str, Any] = {}
        for name in fields:
            key = next((k for k in _ALIASES[name] if row.get(k) not in (None, "")), None)
            if key is None and name != "label":
                wanted = ", ".join(_ALIASES[name])
                raise InputError(
                    f"{path}:{line}: must have {name!r} (one of {wanted}), got {one_line(', '.join(row), 80)}"
                )
            payload[name] = "" if key is None else _shown(row[key])
        known = {k for name in fields for k in _ALIASES[name]} | {"id"}
        payload["meta"] = {k: v for k, v in row.items() if k not in known}
        found.append((str(row.get("id") or len(found) + 1), payload))
    return found


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(x, str) for x in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, indent=1)


def import_answers(
    store: AnnotationStore, records: Iterable[Record], annotator: str, *, done: bool = True
) -> Counter[str]:
    """Import annotations from Doccano, Label Studio, brat or any format.

    Records without annotation stay unseen. What the annotator has said here already is not replaced. Records that
    share no id with the project are matched by their texts, since some tools number each person's texts.

    Returns
    -------
    Counter
        "imported" and why others were not ("not annotated", "not in the project", "answered in the project already")
        -> texts.

    Raises
    ------
    InputError
        If a text is not the one of the project, or a label not of its set; then nothing is imported.
    """
    store.add_annotator(annotator)
    taxonomy = taxonomy_of(store)
    records = list(records)
    counts: Counter[str] = Counter()
    ready: dict[int, dict[str, Any]] = {}
    for r, item in zip(records, _items_of(records, store.items()), strict=True):
        if item is None or r.gold is None:
            counts["not in the project" if item is None else "not annotated"] += 1
            continue
        if item.number in ready or store.answer(item.number, annotator) is not None:
            counts["answered in the project already"] += 1
            continue
        if item.payload["text"] != r.text:
            edited = differing(str(item.payload["text"]), r.text)
            raise InputError(
                f"record {one_line(r.id, 60)!r}: must have the text of the project, {edited}; give a text that was"
                " edited an id of its own"
            )
        spans = [{"start": g.start, "end": g.end, "labels": list(g.labels)} for g in r.gold]
        value = {"spans": spans, "nothing": not spans, "note": str(r.meta.get("note") or "")}
        ready[item.number] = check_answer(JOBS["spans"], value, item, taxonomy=taxonomy, done=done)
    for number, checked in ready.items():
        store.save(number, annotator, checked, done=done, revision=0)
    counts["imported"] = len(ready)
    return counts


def _items_of(records: Sequence[Record], items: Iterable[Item]) -> list[Item | None]:
    """The item of each record by its id, or if none has one, by its text; of items with one text, each once in turn."""
    by_id = {i.id: i for i in items}
    found = [by_id.get(r.id) for r in records]
    if any(found):
        return found
    by_text: dict[str, list[Item]] = {}
    for item in reversed(by_id.values()):
        by_text.setdefault(str(item.payload["text"]), []).append(item)
    return [left.pop() if (left := by_text.get(r.text)) else None for r in records]


def export_records(store: AnnotationStore, annotator: str) -> list[Record]:
    """The finished texts of one annotator or the adjudicator, as records; without outdated decisions."""
    items = {i.number: i for i in store.items()}
    left_out = store.outdated() if annotator == ADJUDICATOR else set()
    finished = (a for a in store.answers(done=True) if a.annotator == annotator)
    return [_record(items[a.item], a) for a in finished if a.item not in left_out]


def _record(item: Item, answer: ItemAnswer) -> Record:
    gold = tuple(GoldSpan(s["start"], s["end"], tuple(s["labels"])) for s in answer.value["spans"])
    meta = dict(item.payload.get("meta") or {})
    if answer.value.get("note"):
        meta["note"] = answer.value["note"]
    slots = {
        f"{s['start']}-{s['end']}": {
            label: {slot: item.payload["text"][a:b] for slot, (a, b) in own.items()}
            for label, own in s["slots"].items()
        }
        for s in answer.value["spans"]
        if s.get("slots")
    }
    if slots:
        meta["slots"] = slots
    p = item.payload
    return Record(item.id, p["text"], gold, p.get("source") or "", p.get("title") or "", meta)


def annotations_of(store: AnnotationStore, *, most: int | None = None, seed: int = 0) -> Annotations:
    """The finished answers of all annotators, for agreement and merging; without adjudications.

    With ``most``, a random sample of that many of the items that several annotators have finished.
    """
    job = job_of(store)
    names = list(store.annotators())
    chosen = store.shared(names, most=most, seed=seed) if most is not None else None
    if job is JOBS["spans"]:
        items = {i.number: i for i in store.items(numbers=chosen)}
        records: dict[str, list[Record]] = {n: [] for n in names}
        for a in store.answers(done=True, numbers=chosen):
            if a.annotator in records:
                records[a.annotator].append(_record(items[a.item], a))
        return Annotations(records={n: r for n, r in records.items() if r})
    question = job.questions[0].name
    ids = {i.number: i for i in store.items()}
    ratings: dict[str, dict[str, Any]] = {}
    for a in store.answers(done=True, numbers=chosen):
        if a.annotator != ADJUDICATOR and a.value.get(question) is not None:
            value = a.value[question]
            if a.value.get("ambiguous") == "yes":
                value = frozenset({"faithful", "unfaithful"})
            ratings.setdefault(a.annotator, {})[ids[a.item].id] = value
    if any(isinstance(v, frozenset) for own in ratings.values() for v in own.values()):
        ratings = {
            n: {i: v if isinstance(v, frozenset) else frozenset([v]) for i, v in own.items()}
            for n, own in ratings.items()
        }
    return Annotations(ratings=ratings)


def export_table(store: AnnotationStore, *, annotator: str | None = None) -> str:
    """All finished answers, or those of one annotator, as CSV (item, annotator, one column per question).

    For jobs without spans.
    """
    job = job_of(store)
    ids = {i.number: i.id for i in store.items()}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [q.name for q in job.questions]
    head = ["label" if n in ("rating", "valid") else n for n in names]
    writer.writerow(["item", "annotator", *head, "seconds", "note"])
    for a in store.answers(done=True):
        if annotator not in (None, a.annotator):
            continue
        cells = [SET_SEPARATOR.join(v) if isinstance(v := a.value.get(n), list) else v or "" for n in names]
        writer.writerow([ids[a.item], a.annotator, *cells, f"{a.seconds:.1f}", a.value.get("note", "")])
    return text.getvalue()


def export_project(
    store: AnnotationStore, out: str | Path, *, format: str = "fallax", annotator: str | None = None
) -> dict[str, Sequence[Loss]]:
    """Export a project to a folder, or one annotator to a file.

    Parameters
    ----------
    out : with ``annotator`` a file (a folder for brat); else a folder that gets ``NAME.EXT`` for each annotator and for
        the adjudicator, ``answers.csv`` for jobs without spans, and ``log.jsonl``.
    format : of annotated texts.

    Returns
    -------
    dict
        annotator -> what the format could not say.
    """
    target = Path(out)
    spans = job_of(store) is JOBS["spans"]
    if annotator is not None:
        if not spans:
            raise InputError("annotator: a project without spans is exported as one table; leave it out")
        return {annotator: write_corpus(export_records(store, annotator), target, format=format)}
    target.mkdir(parents=True, exist_ok=True)
    losses: dict[str, Sequence[Loss]] = {}
    if spans:
        suffix = {"label-studio": ".json", "propaganda": ".tsv", "conll": ".conll", "brat": ""}.get(format, ".jsonl")
        for name in [*store.annotators(), ADJUDICATOR]:
            records = export_records(store, name)
            if records:
                losses[name] = write_corpus(records, target / f"{name}{suffix}", format=format)
    else:
        with open_out(target / "answers.csv") as write:
            write(export_table(store))
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in store.log())
    with open_out(target / "log.jsonl") as write:
        write(lines)
    return losses
