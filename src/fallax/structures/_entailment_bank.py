"""The entailment trees of EntailmentBank (Dalvi et al. 2021).

A proof is ``sent1 & sent2 -> int1: ...; int1 -> hypothesis;``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._sketch import Sketch, Written, check_size, fresh_names

__all__ = ["format_entailment", "format_proof", "parse_entailment", "parse_proof", "split_context"]

_PREMISES = re.compile(r"[\w ,&\t\r\n]+")
_CONCLUSION = re.compile(r"\s*(\w+)\s*(?::(.*))?", re.S)
_LEAF, _INT = re.compile(r"sent\d+"), re.compile(r"int\d+")
_FIELD = re.compile(r"\$(\w+)\$(?:\s*=)?")
_HYPOTHESIS = "hypothesis"


def split_context(context: str) -> dict[str, str]:
    """Parse ``sent1: ... sent2: ...`` into texts by name, in order; numbers must count up from 1.

    Examples
    --------
    >>> split_context("sent1: rain is wet sent2: wet fields are slow")
    {'sent1': 'rain is wet', 'sent2': 'wet fields are slow'}
    """
    found: dict[str, str] = {}
    at = context.find("sent1:")
    number = 1
    while at >= 0:
        start = at + len(f"sent{number}:")
        at = context.find(f" sent{number + 1}:", start)
        found[f"sent{number}"] = context[start : at if at >= 0 else None].strip()
        at += at >= 0
        number += 1
    return found


def parse_proof(
    proof: str,
    *,
    context: str | Mapping[str, str] = "",
    hypothesis: str | None = None,
    intermediates: Mapping[str, str] | None = None,
) -> StructureReading:
    """Read one proof.

    Parameters
    ----------
    proof : steps divided by ``;``; the names of premises are divided by ``&``, and a conclusion ``int1: text`` says
        what it is.
    context : the leaves, as EntailmentBank writes them or by name.
    hypothesis : the text of the root.
    intermediates : the texts of intermediate conclusions, where they are known better than from the proof.

    Returns
    -------
    StructureReading
        Leaves that no step uses are ``unused``. Steps that cannot be read are noted.

    Examples
    --------
    >>> found = parse_proof("sent1 & sent2 -> int1: the field is wet; int1 -> hypothesis; ", hypothesis="it is late")
    >>> [str(link) for link in found.structure.links], found.structure.by_id["int1"].text
    (['(sent1, sent2) -> int1', 'int1 -> hypothesis'], 'the field is wet')
    """
    check_size(proof)
    sketch = Sketch()
    leaves = split_context(context) if isinstance(context, str) else context
    for id_, text in leaves.items():
        sketch.node(id_, text)
    said = dict(intermediates or {})
    for id_, text in said.items():
        sketch.node(id_, text)
    if hypothesis is not None:
        sketch.node(_HYPOTHESIS, hypothesis)
        sketch.claim = _HYPOTHESIS
    for premises, conclusion, text in _steps(proof, sketch):
        if text and conclusion not in said:
            sketch.node(conclusion, text)
        sketch.link(premises, [conclusion])
    if _HYPOTHESIS in sketch.texts:
        sketch.claim = _HYPOTHESIS
    for id_, text in sketch.texts.items():
        if not text and id_ != _HYPOTHESIS:
            sketch.note(
                f"node {one_line(id_, 60)!r}: is named in the proof but declared nowhere; it is kept without text"
            )
    return sketch.reading(missing="no step was found in the proof")


def _steps(proof: str, sketch: Sketch) -> list[tuple[list[str], str, str]]:
    """Premises, conclusion and its text of each step; a piece without an arrow belongs to the text before it."""
    found: list[tuple[list[str], str, list[str]]] = []
    for piece in proof.split(";"):
        before, arrow, after = piece.partition("->")
        names = [p for p in re.split(r"[\s,&]+", before) if p] if _PREMISES.fullmatch(before) else []
        conclusion = _CONCLUSION.fullmatch(after)
        if arrow and names and conclusion is not None:
            said = (conclusion[2] or "").strip()
            found.append((names, conclusion[1], [said] if said else []))
        elif found and found[-1][2] and piece.strip():
            found[-1][2].append(piece.rstrip())
        elif piece.strip():
            sketch.note(f"a step must be 'names -> name: text', got {one_line(piece.strip(), 60)!r}; it is skipped")
    return [(names, conclusion, ";".join(said)) for names, conclusion, said in found]


def parse_entailment(text: str) -> StructureReading:
    """Read one item: a JSON object of EntailmentBank, one line of its TSV files, or a proof alone.

    Raises
    ------
    FormatError
        If the object lacks its proof, or is none.
    """
    check_size(text)
    stripped = text.strip()
    if not stripped.startswith("{"):
        fields = _fields(stripped)
        if "proof" in fields:
            return parse_proof(fields["proof"], context=fields.get("context", ""), hypothesis=fields.get("hypothesis"))
        return parse_proof(stripped)
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"must be one JSON object, got an error ({one_line(error)})") from None
    return read_item(value)


def _fields(text: str) -> dict[str, str]:
    found = {}
    marks = list(_FIELD.finditer(text))
    for i, mark in enumerate(marks):
        end = marks[i + 1].start() if i + 1 < len(marks) else len(text)
        inner = text[mark.end() : end].strip()
        if inner and inner != ";":
            found[mark[1]] = inner.removesuffix(";").strip() if mark[1] != "proof" else inner
    return found


def read_item(value: Mapping[str, Any]) -> StructureReading:
    """Read one object of EntailmentBank's JSON files; see :func:`parse_entailment`."""
    proof, context = value.get("proof"), value.get("context", "")
    hypothesis = value.get("hypothesis")
    if not isinstance(proof, str) or not isinstance(context, str) or not isinstance(hypothesis, str | None):
        raise FormatError(
            f"an item must have 'proof', 'context' and 'hypothesis' as texts, got {one_line(value, 60)!r}"
        )
    meta = value.get("meta")
    meta = meta if isinstance(meta, Mapping) else {}
    leaves, said = _texts(meta.get("triples")), _texts(meta.get("intermediate_conclusions"))
    concluded = set(re.findall(r"->\s*(\w+)", proof))
    return parse_proof(
        proof,
        context=leaves or context,
        hypothesis=hypothesis,
        intermediates={i: text for i, text in said.items() if i in concluded},
    )


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {str(k): v for k, v in value.items() if isinstance(v, str)}


def _named(structure: ArgumentStructure, unused: Iterable[Statement]) -> tuple[dict[str, str], list[str]]:
    free = [n for n in unused if n.id not in structure.by_id]
    leaves = [*structure.evidence, *free]
    given = [n for n in leaves if not structure.premises_of(n.id)]
    concluded = [n for n in leaves if structure.premises_of(n.id)]
    names, losses = fresh_names(given, _LEAF, "sent")
    more, lost = fresh_names(concluded, _INT, "int")
    root = structure.claim
    if root is not None:
        names[root.id] = _HYPOTHESIS
        if root.id != _HYPOTHESIS:
            lost.append(f"node {one_line(root.id, 60)!r}: its name, written as hypothesis")
    return {**names, **more}, [*losses, *lost]


def format_proof(structure: ArgumentStructure) -> str:
    """The steps of a structure as one proof, in the order of its links.

    Examples
    --------
    >>> proof = "sent1 & sent2 -> int1: the field is wet; int1 & sent3 -> hypothesis; "
    >>> format_proof(parse_proof(proof, hypothesis="the match is late").structure) == proof
    True
    """
    return _proof(structure, _named(structure, ())[0])


def _proof(structure: ArgumentStructure, names: Mapping[str, str]) -> str:
    steps = []
    for link in structure.links:
        for target in link.targets:
            text = re.sub(r"\s*\n\s*", " ", structure.by_id[target].text.replace(";", ",")).strip()
            said = f": {text}" if names[target] != _HYPOTHESIS and text else ""
            steps.append(f"{' & '.join(names[s] for s in link.sources)} -> {names[target]}{said}; ")
    return "".join(steps)


def format_entailment(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """One JSON object in the shape of EntailmentBank; unused evidence becomes distractors."""
    free = [n for n in unused if n.id not in structure.by_id]
    names, losses = _named(structure, free)
    for link in structure.links:
        if link.relation:
            losses.append(f"link {link}: the relation {one_line(link.relation, 60)!r}")
        if link.kind == "one_to_many":
            losses.append(f"link {link}: that its conclusions belong together, written as {len(link.targets)} steps")
    given = [n for n in (*structure.evidence, *free) if not structure.premises_of(n.id)]
    triples = dict(sorted(((names[n.id], n.text) for n in given), key=lambda x: int(x[0][4:])))
    said = {names[n.id]: n.text for n in structure.evidence if structure.premises_of(n.id)}
    if label:
        losses.append(f"the verdict {label!r}")
    root = structure.claim
    value = {
        "context": " ".join(f"{k}: {v}" for k, v in triples.items()),
        **({} if root is None else {"hypothesis": root.text}),
        "proof": _proof(structure, names),
        "length_of_proof": structure.n_steps,
        "meta": {"triples": triples, "distractors": [names[n.id] for n in free], "intermediate_conclusions": said},
    }
    return Written(json.dumps(value, ensure_ascii=False) + "\n", tuple(losses))
