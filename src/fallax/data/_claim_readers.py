"""One reader per set of claims with evidence, verdict and structure. The registry is in ``claims.py``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from fallax.core.types import ArgumentStructure, CausalClaim, Evidence, Link, Statement, StructureReading, Verdict
from fallax.data._jsonl import json_lines
from fallax.data._source import Source, decode
from fallax.data.evidence import numbered_evidence
from fallax.errors import FallaxError, FormatError, one_line
from fallax.structures import parse_structure, parse_verdict, read_linking

__all__ = ["CLAIM_READERS", "ClaimReader", "Complaint", "checkwhy", "own"]

#: Called with line (None: the whole file), record and message about what is not as it should be.
Complaint = Callable[[int | None, str, str], None]
ClaimReader = Callable[[tuple[Path, ...], str, Complaint], Iterator[CausalClaim]]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, text, _ in Source(path).lines():
        if text.strip():
            yield number, text


def _json(path: Path) -> Any:
    with Source(path).open() as f:
        text = decode(f.read(), name=str(path))
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"must be JSON, got an error ({one_line(error)})", path=path) from None


def own(paths: tuple[Path, ...], split: str, complain: Complaint) -> Iterator[CausalClaim]:
    """The JSONL of fallax: one claim a line, as ``CausalClaim.to_dict`` gives it; ids may be missing."""
    for path in paths:
        for number, value in json_lines(Source(path)):
            try:
                numbered = {"evidence": numbered_evidence(value["evidence"])} if "evidence" in value else {}
                yield CausalClaim.from_dict({"id": str(number), **value, **numbered})
            except (FallaxError, AttributeError, KeyError, TypeError) as error:
                what = str(error) if isinstance(error, FallaxError) else f"got an error ({one_line(repr(error))})"
                raise FormatError(f"each line must be a claim: {what}", path=path, line=number) from None


_SHORT = {"sup": "supports", "ref": "refutes"}
_TEXT_KEYS = ("evidence", "text", "evidence_text", "sentence", "content", "fact")


def _verdict(value: object) -> Verdict | None:
    said = str(value).strip()
    found = parse_verdict(said) or _SHORT.get(said.lower(), "")
    return cast("Verdict", found) if found else None


def _flag(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(value.lower())
    return bool(value) if isinstance(value, bool | int) else None


def checkwhy(paths: tuple[Path, ...], split: str, complain: Complaint) -> Iterator[CausalClaim]:
    """Files of CheckWhy in the format of its authors: a JSON list, or one object a line."""
    for path in paths:
        for number, value in _items(path):
            yield _checkwhy_claim(value, number, path, complain)


def _items(path: Path) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    if Source(path).head(64).lstrip()[:1] == b"[":
        for i, value in enumerate(_json(path), start=1):
            if not isinstance(value, Mapping):
                raise FormatError(f"item {i}: must be an object, got {one_line(repr(value), 40)}", path=path)
            yield None, value
    else:
        yield from json_lines(Source(path))


def _checkwhy_claim(value: Mapping[str, Any], line: int | None, path: Path, complain: Complaint) -> CausalClaim:
    id_ = str(value.get("checkwhy-id", value.get("id", "")))
    claim = value.get("claim")
    listed = value.get("evidences", [])
    if not id_ or not isinstance(claim, str) or not isinstance(listed, list):
        raise FormatError(
            "a claim must have 'checkwhy-id', 'claim' and 'evidences', got "
            + one_line(", ".join(map(repr, value)) or "none", 80),
            path=path,
            line=line,
        )
    texts: dict[str, str] = {}
    flags: dict[str, tuple[bool | None, bool | None]] = {}
    for i, one in enumerate(listed, start=1):
        said = (
            next((one[k] for k in _TEXT_KEYS if isinstance(one.get(k), str)), None) if isinstance(one, dict) else None
        )
        if said is None:
            complain(line, id_, f"evidence {i}: must have a text, got {one_line(repr(one), 40)}")
            continue
        number = str(one.get("evidence_id", i))
        name = f"Sentence{number}" if number.isdigit() else number
        if name in texts:
            complain(line, id_, f"evidence {name!r}: must be given once, got it again")
            continue
        texts[name] = said
        flags[name] = _flag(one.get("useful")), _flag(one.get("leaf"))
    reading = _code(value, claim, texts)
    if reading is not None and reading.structure is None:
        complain(line, id_, f"its argument structure cannot be read: {reading.reason}")
    structure = None if reading is None else reading.structure
    if structure is not None:
        for problem in structure.problems:
            complain(line, id_, problem)
        for n in structure.evidence:  # intermediates that only the code declares
            if n.id not in texts:
                texts[n.id], flags[n.id] = n.text, (True, False)
    label = _verdict(value.get("label"))
    if label is None:
        complain(line, id_, f"the label must be SUPPORTS, REFUTES or NOT ENOUGH INFO, got {value.get('label')!r}")
    evidence = []
    for name, said in texts.items():
        useful, leaf = flags[name]
        if structure is not None:
            useful = name in structure.by_id if useful is None else useful
            leaf = structure.kind_of(name) == "leaf" if leaf is None and name in structure.by_id else leaf
        evidence.append(Evidence(name, said, useful, leaf))
    known = {"checkwhy-id", "id", "claim", "label", "evidences", "cause", "effect"}
    return CausalClaim(
        id_, claim, tuple(evidence), label, structure, str(value.get("cause", "")), str(value.get("effect", "")),
        re.sub(r"[-_ ](?:sup\w*|ref\w*|nei)\Z", "", id_, flags=re.I), "checkwhy",
        {k: v for k, v in value.items() if k not in known},
    )  # fmt: skip


def _code(value: Mapping[str, Any], claim: str, evidence: Mapping[str, str]) -> StructureReading | None:
    """The structure in ``argument_structure`` (task 3), else in ``code_out`` (task 4); None if both are empty."""
    found = None
    for key in ("argument_structure", "code_out"):
        given = value.get(key)
        text = "\n".join(map(str, given)) if isinstance(given, list) else given
        if isinstance(text, str) and text.strip():
            found = read_linking(text, claim=claim, evidence=evidence)
            if found.structure is not None:
                return found
    return found


def entailment_bank(paths: tuple[Path, ...], split: str, complain: Complaint) -> Iterator[CausalClaim]:
    """Hypotheses with their trees; sentences that a tree does not use are distractors."""
    for path in paths:
        for number, text in _lines(path):
            read = parse_structure(text, format="entailment_bank")
            item = json.loads(text) if text.lstrip().startswith("{") else {}
            id_ = str(item.get("id") or f"{split}-{number}")
            if read.structure is None or read.structure.claim is None:
                complain(number, id_, f"its proof cannot be read: {read.reason or 'it has no hypothesis'}")
                continue
            for problem in (*read.notes, *read.structure.problems):
                complain(number, id_, problem)
            leaves = {n.id for n in read.structure.leaves}
            given = [n for n in (*read.structure.evidence, *read.unused) if n.id in leaves or n in read.unused]
            evidence = [
                *(Evidence(n.id, n.text, n.id in leaves, True) for n in sorted(given, key=_number)),
                *(Evidence(n.id, n.text, True, False) for n in read.structure.intermediates),
            ]
            meta = {k: item[k] for k in ("question", "answer") if item.get(k)}
            yield CausalClaim(
                id_, read.structure.claim.text, tuple(evidence), "supports", read.structure,
                source="entailment_bank", meta=meta,
            )  # fmt: skip


def _number(node: Statement) -> tuple[int, str]:
    digits = re.search(r"\d+", node.id)
    return (int(digits[0]) if digits else 0, node.id)


def explagraphs(paths: tuple[Path, ...], split: str, complain: Complaint) -> Iterator[CausalClaim]:
    """Beliefs with one argument; the structure is a graph of concepts without a claim."""
    for path in paths:
        for number, text in _lines(path):
            try:
                read = parse_structure(text, format="explagraphs")
            except FormatError as error:
                raise FormatError(str(error), path=path, line=number) from None
            id_, cells = f"{split}-{number}", text.split("\t")
            if len(cells) != 4:
                raise FormatError("each line must have four cells divided by tabs", path=path, line=number)
            for problem in () if read.structure is None else read.structure.problems:
                complain(number, id_, problem)
            label = cast("Verdict | None", read.label or None)
            argument = (Evidence("argument", cells[1], True, True),)
            yield CausalClaim(
                id_, cells[0], argument, label, read.structure, group=cells[0].strip().lower(), source="explagraphs"
            )


def wikiwhy(paths: tuple[Path, ...], split: str, complain: Complaint) -> Iterator[CausalClaim]:
    """Pairs of cause and effect, without a claim or a verdict; question and explanation are in ``meta``."""
    columns: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        value = _json(path)
        if not isinstance(value, Mapping) or not isinstance(value.get(path.stem), Mapping):
            raise FormatError(f"must be an object with one column {path.stem!r} by id", path=path)
        columns[path.stem] = value[path.stem]
    causes, effects = columns.pop("cause"), columns.pop("effect")
    for id_, cause in causes.items():
        if id_ not in effects:
            complain(None, id_, "must have an effect, got none")
            continue
        meta = {k: v[id_] for k, v in columns.items() if id_ in v}
        yield CausalClaim(str(id_), "", (), None, None, str(cause), str(effects[id_]), source="wikiwhy", meta=meta)


def e_care(paths: tuple[Path, ...], split: str, complain: Complaint) -> Iterator[CausalClaim]:
    """Two claims per item: the right hypothesis is supported, the other refuted; the explanation is evidence."""
    for path in paths:
        for _, v in json_lines(Source(path)):
            for i in (0, 1):
                other = v[f"hypothesis{i + 1}"]
                cause, effect = (v["premise"], other) if v["ask-for"] == "effect" else (other, v["premise"])
                yield CausalClaim(
                    f"{v['index']}-{i + 1}",
                    f"{cause.strip()} As a result: {effect.strip()}",
                    (Evidence("E1", v["conceptual_explanation"], None, True),),
                    "supports" if i == v["label"] else "refutes",
                    None, cause, effect, str(v["index"]), "e_care", {"asked": v["ask-for"]},
                )  # fmt: skip


def missci(paths: tuple[Path, ...], split: str, complain: Complaint) -> Iterator[CausalClaim]:
    """Claims that misread a study; its findings and the fallacious premises together lead to the claim.

    Contexts, which tell why a premise is fallacious, are evidence that the argument leaves out.
    """
    for path in paths:
        for _, v in json_lines(Source(path)):
            argument = v["argument"]
            evidence = [Evidence("P0", argument["accurate_premise_p0"]["premise"], True, True)]
            evidence += [Evidence(f"H{i}", t, True, True) for i, t in enumerate(argument["hidden_premises"], start=1)]
            classes: dict[str, list[str]] = {}
            for i, step in enumerate(argument["fallacies"], start=1):
                options = step["interchangeable_fallacies"]
                evidence.append(Evidence(f"P{i}", options[0]["premise"], True, True))
                classes[f"P{i}"] = [o["class"] for o in options]
                if step.get("fallacy_context"):
                    evidence.append(Evidence(f"S{i}", step["fallacy_context"], False, True))
            used = [e.statement for e in evidence if e.useful]
            links = (Link(tuple(n.id for n in used), ("Claim",)),)
            structure = ArgumentStructure(Statement("Claim", argument["claim"]), tuple(used), links)
            meta = {"fallacies": classes, "verdict": v["meta"].get("fc_article_overall_verdict", "")}
            yield CausalClaim(
                v["id"], argument["claim"], tuple(evidence), None, structure, source="missci", meta=meta
            )  # fmt: skip


CLAIM_READERS: Mapping[str, ClaimReader] = {
    "checkwhy": checkwhy,
    "e_care": e_care,
    "entailment_bank": entailment_bank,
    "explagraphs": explagraphs,
    "missci": missci,
    "wikiwhy": wikiwhy,
}
