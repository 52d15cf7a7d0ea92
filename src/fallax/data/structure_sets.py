"""Reads gold and predicted argument structures and pairs them by id or by order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from fallax.core.types import ArgumentStructure, Link, Statement, StructureReading, Unreadable
from fallax.core.whole import read_whole
from fallax.data._source import Source
from fallax.errors import FallaxError, FormatError, InputError, UnknownNameError, one_line
from fallax.structures import STRUCTURE_FORMATS, detect_structure_format, parse_proof, parse_structure

__all__ = ["GoldStructure", "read_gold_structures", "read_predicted_structures"]

#: Members of a JSON line that may hold a structure, in the order in which they are tried.
_MEMBERS = ("structure", "argument_structure", "proof", "prediction", "pred", "predicted_proof", "output")
_ID_MEMBERS = ("id", "checkwhy-id", "record", "query_id")
_COLUMNS = ("prediction", "predicted_proof", "pred", "proof", "output")
_ARROW = "->"


@dataclass(frozen=True)
class GoldStructure:
    """A gold structure with all evidence given, so that a predicted proof can refer to it.

    Parameters
    ----------
    structure : None where the item is not annotated.
    evidence : name -> text, distractors included.
    """

    structure: ArgumentStructure | None
    evidence: Mapping[str, str]


def read_gold_structures(path: str | Path, *, format: str | None = None) -> dict[str, GoldStructure]:
    """Gold structures by id.

    Parameters
    ----------
    path : JSONL with one item a line (EntailmentBank's ``task_N_*.jsonl``, or claims and structures of ours), a file
        in any format of structures, or a folder of such files, whose names are the ids.
    format : the format of structures, for files that are no JSONL; told from the content by default.

    Raises
    ------
    FormatError
        If an item is none, with file and line.
    InputError
        If the file is not there, is empty, or an id occurs twice.
    """
    found: dict[str, GoldStructure] = {}
    for id_, reading, where in _readings(Path(path), format, None):
        if id_ in found:
            raise InputError(f"{where}: each item must have its own id, got {one_line(id_, 60)!r} twice")
        structure = reading.structure
        nodes = () if structure is None else structure.nodes
        found[id_] = GoldStructure(structure, {n.id: n.text for n in (*reading.unused, *nodes)})
    if not found:
        raise InputError(f"{path}: must have structures, got an empty file")
    return found


def read_predicted_structures(
    path: str | Path, *, gold: Mapping[str, GoldStructure], format: str | None = None
) -> dict[str, ArgumentStructure | Unreadable]:
    """Predicted structures for gold items.

    Parameters
    ----------
    path : as :func:`read_gold_structures` takes it; or one proof a line as EntailmentBank's scorer reads them, with or
        without ``$proof$ =``, alone (in the order of the gold) or in a table with tabs, one column of which has the
        ids. Without ids, a file must have as many items as the gold.
    gold : what was predicted for; a proof names its evidence.

    Returns
    -------
    dict
        A structure for every gold id that the file has; Unreadable where a line holds none.

    Raises
    ------
    InputError
        If an id is not in the gold, occurs twice, or the number of items differs.
    """
    pairs = [
        (id_, reading.structure or Unreadable(reading.reason or "no structure", ""), where)
        for id_, reading, where in _readings(Path(path), format, gold)
    ]
    named = [id_ for id_, _, _ in pairs if id_]
    if not named:
        if len(pairs) != len(gold):
            raise InputError(
                f"{path}: a file without ids must have one structure for each of the {len(gold)} gold items, got"
                f" {len(pairs)}; add an id column"
            )
        return {id_: found for id_, (_, found, _) in zip(gold, pairs, strict=True)}
    answers: dict[str, ArgumentStructure | Unreadable] = {}
    for id_, found, where in pairs:
        if id_ not in gold:
            raise InputError(f"{where}: the id must be one of the gold, got {one_line(id_, 60)!r}")
        if id_ in answers:
            raise InputError(f"{where}: each id must be given once, got {one_line(id_, 60)!r} again")
        answers[id_] = found
    return answers


def _readings(
    path: Path, format: str | None, gold: Mapping[str, GoldStructure] | None
) -> Iterator[tuple[str, StructureReading, str]]:
    """(id or "", reading, where) of each item of a file or folder."""
    if format is not None and format not in STRUCTURE_FORMATS:
        raise UnknownNameError("format of structures", format, STRUCTURE_FORMATS)
    if path.is_dir():
        for one in sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith(".")):
            yield one.stem, _with_given(_parse(read_whole(one), format, gold), (gold or {}).get(one.stem)), str(one)
        return
    lines = [text.rstrip("\r\n") for _, text, _ in Source(path).lines()]
    while lines and not lines[-1].strip():
        lines.pop()
    first = next((x for x in lines if x.strip()), "")
    if first.lstrip().startswith("{") and (len(lines) == 1 or _is_json(first) or _is_torn(lines)):
        yield from _json_lines(path, lines, format, gold)
    elif gold is not None and format in (None, "entailment_bank") and any(_ARROW in x for x in lines):
        form = format or _form("\n".join(lines))
        if form in ("arrows", "") and len(lines) == len(gold) > 1 and any(_form(x) == "entailment_bank" for x in lines):
            form = "entailment_bank"  # detection reads the first line, which is unreadable here
        if form == "entailment_bank" or any("\t" in x for x in lines):
            yield from _table(path, lines, gold)
        elif len(gold) == len(lines) > 1:
            for number, (line, own) in enumerate(zip(lines, gold.values(), strict=True), start=1):
                yield "", _with_given(_parse(line, form or None, gold), own), f"{path}, line {number}"
        else:
            yield _one_structure(path, lines, form or None, gold)
    elif any(x.strip() for x in lines):
        form = format or detect_structure_format("\n".join(lines))
        if STRUCTURE_FORMATS[form].per_line:
            golds = list((gold or {}).values())
            for number, line in enumerate(lines, start=1):
                reading = _with_given(_parse(line, form, gold), golds[number - 1] if number <= len(golds) else None)
                yield ("" if gold else str(number)), reading, f"{path}, line {number}"
        else:
            yield _one_structure(path, lines, form, gold)


def _one_structure(
    path: Path, lines: Sequence[str], format: str | None, gold: Mapping[str, GoldStructure] | None
) -> tuple[str, StructureReading, str]:
    """The one structure of a file; its id is that of the only gold item, else the name of the file."""
    id_ = next(iter(gold)) if gold is not None and len(gold) == 1 else path.stem
    return id_, _with_given(_parse("\n".join(lines), format, gold), (gold or {}).get(id_)), str(path)


def _form(text: str) -> str:
    try:
        return detect_structure_format(text)
    except FormatError:
        return ""


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _is_torn(lines: Sequence[str]) -> bool:
    """Whether lines are JSON objects, the first of which is broken, and not one object over several lines."""
    return any(map(_is_json, lines)) and not _is_json("\n".join(lines))


def _parse(text: str, format: str | None, gold: Mapping[str, GoldStructure] | None) -> StructureReading:
    """Parse one structure; an unreadable prediction becomes a reading with a reason, not an error."""
    try:
        return parse_structure(text, format=format)
    except FormatError as error:
        if gold is None:
            raise
        return StructureReading(None, reason=one_line(error, 200))


def _json_lines(
    path: Path, lines: Sequence[str], format: str | None, gold: Mapping[str, GoldStructure] | None
) -> Iterator[tuple[str, StructureReading, str]]:
    ids = list(gold or ())
    at = 0
    for number, line in enumerate(lines, start=1):
        where = f"{path}, line {number}"
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"must be one JSON object a line, got an error ({one_line(error)})", path=path, line=number
            ) from None
        if not isinstance(item, Mapping):
            raise FormatError(f"must be one JSON object a line, got {one_line(line, 40)!r}", path=path, line=number)
        id_ = next((str(item[k]) for k in _ID_MEMBERS if item.get(k) not in (None, "")), "")
        if gold is None:
            try:
                yield id_ or str(number), _gold_item(item, line), where
            except FallaxError as error:
                raise FormatError(f"must hold a structure: {error}", path=path, line=number) from None
            continue
        key = id_ or (ids[at] if at < len(ids) else "")
        at += 1
        yield id_, _predicted_item(item, gold.get(key), format), where


def _gold_item(item: Mapping[str, Any], line: str) -> StructureReading:
    if "proof" in item:
        return parse_structure(line, format="entailment_bank")
    value = item.get("structure", item.get("argument_structure"))
    given = tuple(
        Statement(str(e["id"]), str(e.get("text", "")))
        for e in item.get("evidence", ())
        if isinstance(e, Mapping) and e.get("id")
    )
    if isinstance(value, Mapping):
        structure = ArgumentStructure.from_dict(value)
        return StructureReading(structure, unused=tuple(n for n in given if n.id not in structure.by_id))
    if isinstance(value, str):
        return parse_structure(value)
    if "structure" in item:
        return StructureReading(None, unused=given, reason="not annotated")
    if "links" in item:
        return StructureReading(ArgumentStructure.from_dict(item))
    return parse_structure(line)


def _predicted_item(item: Mapping[str, Any], gold: GoldStructure | None, format: str | None) -> StructureReading:
    slots = item.get("slots")
    fields = {**slots, **item} if isinstance(slots, Mapping) else item
    value = next((fields[k] for k in _MEMBERS if fields.get(k) is not None), item if "links" in item else None)
    if isinstance(value, Mapping):
        inner = value.get("structure", value)
        try:
            return _with_given(StructureReading(ArgumentStructure.from_dict(inner)), gold)
        except FallaxError as error:
            return StructureReading(None, reason=one_line(error, 200))
    if not isinstance(value, str):
        return StructureReading(None, reason=f"no member {', '.join(_MEMBERS)}")
    claim = None if gold is None or gold.structure is None else gold.structure.claim
    proofs: tuple[str, ...] = ("entailment_bank", "")
    if "hypothesis" in value or (claim is not None and claim.id == "hypothesis"):
        proofs = (*proofs, "arrows")
    if format in (None, "entailment_bank") and (not value.strip() or _form(value) in proofs):
        return _proof(value, gold)
    return _with_given(_parse(value, format, {}), gold)


def _with_given(reading: StructureReading, gold: GoldStructure | None) -> StructureReading:
    """The reading with given texts for nodes that are only named, and given names for those that a tool renamed."""
    found = reading.structure
    if found is None or gold is None:
        return reading
    claim = None if gold.structure is None else gold.structure.claim

    def node(n: Statement) -> Statement:
        if n.text:
            return n
        is_claim = claim is not None and found.claim is not None and n.id == found.claim.id
        return Statement(n.id, claim.text if is_claim and claim is not None else gold.evidence.get(n.id, ""))

    root = None if found.claim is None else node(found.claim)
    filled = replace(found, claim=root, evidence=tuple(map(node, found.evidence)))
    return replace(reading, structure=_with_given_names(filled, gold))


def _with_given_names(found: ArgumentStructure, gold: GoldStructure) -> ArgumentStructure:
    """The structure, its evidence named as the given evidence that says the same: tools number as they like."""
    said: dict[str, list[str]] = {}
    claim = None if gold.structure is None or gold.structure.claim is None else gold.structure.claim.id
    for id_, text in gold.evidence.items():
        if id_ != claim:
            said.setdefault(_words(text), []).append(id_)
    names: dict[str, str] = {}
    kept = {n.id for n in found.evidence if n.id in said.get(_words(n.text), [])}
    for n in found.evidence:
        same = said.get(_words(n.text), [])
        if len(same) == 1 and n.text and n.id not in kept and same[0] not in kept | set(names.values()):
            names[n.id] = same[0]
    if not names:
        return found
    used = {*(n.id for n in found.nodes), *gold.evidence, *names.values()}
    for n in found.nodes:
        if n.id not in names and n.id in names.values():  # the same name, but another says what was given under it
            names[n.id] = next(new for i in count(2) if (new := f"{n.id}_{i}") not in used)

    def rename(n: Statement) -> Statement:
        return Statement(names.get(n.id, n.id), n.text)

    root = None if found.claim is None else rename(found.claim)
    links = tuple(
        Link(tuple(names.get(i, i) for i in x.sources), tuple(names.get(i, i) for i in x.targets), x.relation)
        for x in found.links
    )
    return replace(found, claim=root, evidence=tuple(map(rename, found.evidence)), links=links)


def _words(text: str) -> str:
    return " ".join(text.split())


def _proof(text: str, gold: GoldStructure | None) -> StructureReading:
    proof = re.sub(r"^.*?\$proof\$\s*=?", "", text, count=1, flags=re.S)
    proof = re.split(r";?\s*\$\w+\$\s*=", proof, maxsplit=1)[0]
    claim = None if gold is None or gold.structure is None else gold.structure.claim
    if claim is not None and claim.id != "hypothesis":
        proof = re.sub(r"->\s*hypothesis\b", lambda _: f"-> {claim.id}", proof)
    concluded = set(re.findall(r"->\s*(\w+)", proof))
    given = {} if gold is None else {k: v for k, v in gold.evidence.items() if k not in concluded}
    if claim is not None and claim.id == "hypothesis":
        given.pop("hypothesis", None)
        return parse_proof(proof, context=given, hypothesis=claim.text)
    return parse_proof(proof, context=given)


def _table(
    path: Path, lines: Sequence[str], gold: Mapping[str, GoldStructure]
) -> Iterator[tuple[str, StructureReading, str]]:
    """One proof per line; finds the column with the arrows and the column with the gold ids."""
    rows = [[cell.strip().strip('"') for cell in line.split("\t")] for line in lines]
    start = 0
    names = [cell.lower().strip("$") for cell in rows[0]] if rows else []
    at = next((names.index(c) for c in _COLUMNS if c in names), None)
    if (at is not None and _ARROW not in lines[0]) or (len(rows) == len(gold) + 1 and _ARROW not in lines[0]):
        start = 1
    ids = list(gold)
    for number, row in enumerate(rows[start:], start=start + 1):
        id_ = next((cell for cell in row if cell in gold), "")
        proofs = [cell for cell in row if _ARROW in cell]
        own = row[at] if start and at is not None and at < len(row) else proofs[-1] if proofs else ""
        place = number - 1 - start
        key = id_ or (ids[place] if place < len(ids) else "")
        yield id_, _proof(own, gold.get(key)), f"{path}, line {number}"
