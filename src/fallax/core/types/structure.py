"""Argument structures: evidence, intermediate conclusions and a claim, connected by links.

The shapes are those of Si et al. 2024 (CheckWhy, section 2.2): serial, divergent and combined arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from fallax.core.json_value import JsonValue
from fallax.core.types.shown import Shown
from fallax.errors import LogicError, one_line

__all__ = [
    "ROLES",
    "ArgumentStructure",
    "Link",
    "LinkKind",
    "LinkRole",
    "NodeKind",
    "Statement",
    "Step",
    "StructureReading",
    "link_role",
]

#: serial (one premise, one conclusion), divergent (one premise, several conclusions), combined (several premises that
#: give one conclusion, together or each for itself).
LinkKind: TypeAlias = Literal["one_to_one", "one_to_many", "many_to_one"]
#: How the sources of a link bear on its targets: an inference, a conflict with a statement, a conflict with the step
#: that leads to it, or the same said again. Only inferences are steps of reasoning.
LinkRole: TypeAlias = Literal["supports", "attacks", "undercuts", "rephrases"]
#: A leaf is given; an intermediate is concluded; an unused node takes part in no link.
NodeKind: TypeAlias = Literal["claim", "leaf", "intermediate", "unused"]

_SHOWN = 6
#: What relations are called -> the role they have; whatever is not here supports.
ROLES: Mapping[str, LinkRole] = {
    **dict.fromkeys(("attack", "attacks", "con", "conflict", "conflicts", "oppose", "opposes"), "attacks"),
    **dict.fromkeys(("contradict", "contradicts", "contradictory", "contradiction"), "attacks"),
    **dict.fromkeys(("rebut", "rebuts", "rebuttal", "refute", "refutes"), "attacks"),
    **dict.fromkeys(("counter", "counters", "counterargument", "against", "contra", "disputes", "denies"), "attacks"),
    **dict.fromkeys(("weakens", "challenges", "defeats", "disproves", "negates", "objection", "objects to"), "attacks"),
    **dict.fromkeys(("disagrees", "disagrees with", "does not support", "speaks against"), "attacks"),
    **dict.fromkeys(("undercut", "undercuts"), "undercuts"),
    **dict.fromkeys(("rephrase", "rephrases", "restates", "paraphrases"), "rephrases"),
}


def _name(id_: object) -> str:
    return repr(one_line(id_, 60))


def _text(value: object, where: str) -> str:
    if type(value) is not str:
        raise LogicError(f"{where}: must be a text, got {one_line(repr(value), 60)}")
    return value


def link_role(relation: str) -> LinkRole:
    """The role of a relation (support, attack, ...), read from the word before its first colon.

    :data:`ROLES` has the words, such as "contradicts" for an attack; whatever is not there supports.

    Examples
    --------
    >>> [link_role(x) for x in ("", "capable of", "undercuts", "contradicts", "attacks: Conflict From Bias")]
    ['supports', 'supports', 'undercuts', 'attacks', 'attacks']
    """
    return ROLES.get(relation.partition(":")[0].strip().lower(), "supports")


@dataclass(frozen=True, slots=True)
class Statement:
    """One node: an id and its text.

    Parameters
    ----------
    id : its name, unique in its structure.
    text : what it says; "" where only the name is known.

    Examples
    --------
    >>> Statement("E1", "It rained.").shown, Statement("E2").shown
    ('It rained.', 'E2')
    """

    id: str
    text: str = ""

    def __post_init__(self) -> None:
        if not _text(self.id, "node: the name"):
            raise LogicError("node: the name must not be empty")
        _text(self.text, f"node {_name(self.id)}: what it says")

    @property
    def shown(self) -> str:
        """The text of the node, or its id if the text is unknown."""
        return self.text or self.id


@dataclass(frozen=True, slots=True)
class Link:
    """An inference from one or several nodes to one or several others.

    Parameters
    ----------
    sources, targets : names of the premises and of the conclusions; not several on both sides.
    relation : "" for "supports"; else how the sources bear on the targets, such as "attacks" or "capable of". A scheme
        may follow a colon: "attacks: Conflict From Bias".

    Raises
    ------
    LogicError
        If a side is empty or names a node twice, if both sides have several, or if a node stands on both.

    Examples
    --------
    >>> Link(("E1", "E2"), ("Claim",)).kind
    'many_to_one'
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    relation: str = ""

    def __post_init__(self) -> None:
        for name in ("sources", "targets"):
            given: Any = getattr(self, name)
            side = (given,) if isinstance(given, str) else tuple(given)
            object.__setattr__(self, name, side)
            if not side:
                raise LogicError(f"link {self}: must have {name}, got none")
            for id_ in side:
                if not _text(id_, f"link: each of the {name}"):
                    raise LogicError(f"link {self}: the names of its {name} must not be empty")
            if twice := [i for i, n in Counter(side).items() if n > 1]:
                raise LogicError(
                    f"link {self}: node {_name(twice[0])} must be named once among its {name}, got it again"
                )
        _text(self.relation, "link: the relation")
        if both := set(self.sources) & set(self.targets):
            raise LogicError(f"link {self}: node {_name(min(both))} must not lead to itself")
        if len(self.sources) > 1 and len(self.targets) > 1:
            raise LogicError(
                f"link {self}: must have one source or one target, got {len(self.sources)} and {len(self.targets)};"
                " write one link for each target"
            )

    def __str__(self) -> str:
        def side(ids: Sequence[object]) -> str:
            shown = ", ".join(one_line(i, 40) for i in ids[:_SHOWN]) + (", …" if len(ids) > _SHOWN else "")
            return f"({shown})" if len(ids) != 1 else shown

        return f"{side(self.sources)} -> {side(self.targets)}"

    @property
    def kind(self) -> LinkKind:
        """Serial, divergent or combined, by the number of sources and targets."""
        if len(self.sources) > 1:
            return "many_to_one"
        return "one_to_many" if len(self.targets) > 1 else "one_to_one"

    @property
    def role(self) -> LinkRole:
        """Whether it supports, attacks, undercuts or rephrases; see :func:`link_role`."""
        return link_role(self.relation)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """One (source, target) pair for each arrow of the link."""
        return tuple((s, t) for s in self.sources for t in self.targets)

    @classmethod
    def split(cls, sources: Sequence[str], targets: Sequence[str], relation: str = "") -> tuple[Link, ...]:
        """The same link as several links with one target each.

        Examples
        --------
        >>> [str(link) for link in Link.split(("A", "B"), ("C", "D"))]
        ['(A, B) -> C', '(A, B) -> D']
        """
        if len(sources) > 1 and len(targets) > 1:
            return tuple(cls(tuple(sources), (t,), relation) for t in targets)
        return (cls(tuple(sources), tuple(targets), relation),)


@dataclass(frozen=True, slots=True)
class Step:
    """One reasoning step: a conclusion and all nodes that directly lead to it, in the order of the links."""

    premises: tuple[str, ...]
    conclusion: str

    def __str__(self) -> str:
        return str(Link(self.premises, (self.conclusion,)))


@dataclass(frozen=True)
class ArgumentStructure(JsonValue, Shown):
    """Evidence, a claim, and the links that lead from one to the other.

    Parameters
    ----------
    claim : the root; None for a graph that does not argue for one statement (a graph of concepts).
    evidence : every other node, given or concluded.
    links : which nodes lead to which.

    Raises
    ------
    LogicError
        If two nodes have one name, a link names a node that is not there, or a link is given twice.

    Notes
    -----
    What can be drawn can be built: a predicted structure may have a cycle or stop short of the claim, and its links can
    still be compared with others. :attr:`problems` says what an argument structure must not have, and :meth:`check`
    raises at the first of them.

    Examples
    --------
    >>> rain = ArgumentStructure(
    ...     Statement("Claim", "The rain made the match late."),
    ...     (Statement("E1", "It rained."), Statement("E2", "The field was wet."), Statement("E3", "It had to dry.")),
    ...     (Link(("E1",), ("E2",)), Link(("E2", "E3"), ("Claim",))),
    ... )
    >>> [n.id for n in rain.leaves], [n.id for n in rain.intermediates], rain.n_steps, rain.depth, rain.problems
    (['E1', 'E3'], ['E2'], 2, 2, ())
    >>> ArgumentStructure.from_dict(rain.to_dict()) == rain
    True
    """

    claim: Statement | None
    evidence: tuple[Statement, ...] = ()
    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "evidence", tuple(self.evidence))
        object.__setattr__(self, "links", tuple(self.links))
        if twice := [i for i, n in Counter(n.id for n in self.nodes).items() if n > 1]:
            raise LogicError(f"node {_name(twice[0])}: each name must be used once, got it again; rename one")
        for link in self.links:
            for id_ in (*link.sources, *link.targets):
                if id_ not in self.by_id:
                    raise LogicError(
                        f"node {_name(id_)}: must be the claim or a piece of evidence, got neither; the link {link}"
                        " names it"
                    )
        if doubled := [x for x, n in Counter(self.links).items() if n > 1]:
            raise LogicError(f"link {doubled[0]}: must be given once, got it again")

    def __hash__(self) -> int:
        return hash((self.claim, self.evidence, self.links))

    @property
    def nodes(self) -> tuple[Statement, ...]:
        """All nodes: the evidence, then the claim if there is one."""
        return self.evidence if self.claim is None else (*self.evidence, self.claim)

    @cached_property
    def by_id(self) -> Mapping[str, Statement]:
        """The nodes by id."""
        return {n.id: n for n in self.nodes}

    @cached_property
    def _premises(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, dict[str, None]] = {}
        for source, target, _ in self.pairs:
            found.setdefault(target, {})[source] = None
        return {target: tuple(sources) for target, sources in found.items()}

    @cached_property
    def _conclusions(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, dict[str, None]] = {}
        for source, target, _ in self.pairs:
            found.setdefault(source, {})[target] = None
        return {source: tuple(targets) for source, targets in found.items()}

    @cached_property
    def pairs(self) -> tuple[tuple[str, str, str], ...]:
        """One (source, target, relation) per arrow, without repeats, in the order of the links."""
        return tuple(dict.fromkeys((s, t, link.relation) for link in self.links for s, t in link.pairs))

    @cached_property
    def _supports(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, dict[str, None]] = {}
        for link in self.links:
            if link.role == "supports":
                for source, target in link.pairs:
                    found.setdefault(target, {})[source] = None
        return {target: tuple(sources) for target, sources in found.items()}

    @property
    def inferences(self) -> ArgumentStructure:
        """The same nodes with the supporting links only."""
        return ArgumentStructure(self.claim, self.evidence, tuple(x for x in self.links if x.role == "supports"))

    def premises_of(self, id: str) -> tuple[str, ...]:
        """The ids of the nodes that directly lead to a node, by links of any role."""
        return self._premises.get(id, ())

    def conclusions_of(self, id: str) -> tuple[str, ...]:
        """The ids of the nodes to which a node directly leads."""
        return self._conclusions.get(id, ())

    def kind_of(self, id: str) -> NodeKind:
        """The kind of a node in this structure.

        Raises
        ------
        LogicError
            If there is no such node.
        """
        if id not in self.by_id:
            raise LogicError(f"node {_name(id)}: must be a node of the structure, got none of that name")
        if self.claim is not None and id == self.claim.id:
            return "claim"
        if id in self._supports:
            return "intermediate"
        return "leaf" if id in self._conclusions or id in self._premises else "unused"

    @property
    def leaves(self) -> tuple[Statement, ...]:
        """Leaves: evidence in a link that no other node supports."""
        return tuple(n for n in self.evidence if self.kind_of(n.id) == "leaf")

    @property
    def intermediates(self) -> tuple[Statement, ...]:
        """Intermediate conclusions: evidence that other nodes support; the claim is not among them."""
        return tuple(n for n in self.evidence if n.id in self._supports)

    @cached_property
    def _order(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Ids in topological order (premises first), and the ids that have no such order."""
        waiting = {n.id: len(self.premises_of(n.id)) for n in self.nodes}
        ready = [id_ for id_, n in waiting.items() if not n]
        for id_ in ready:  # grows while it is read
            for target in self.conclusions_of(id_):
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)
        placed = set(ready)
        return tuple(ready), tuple(n.id for n in self.nodes if n.id not in placed)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """One step per concluded node, the claim included; premises come before conclusions.

        What attacks, undercuts or rephrases is no step.
        """
        ordered, rest = self._order
        return tuple(Step(self._supports[i], i) for i in (*ordered, *rest) if i in self._supports)

    @property
    def n_steps(self) -> int:
        """The number of reasoning steps, one per concluded node."""
        return len(self._supports)

    @cached_property
    def depths(self) -> Mapping[str, int]:
        """Id -> length of the longest path from a leaf; nodes on or above a cycle are left out."""
        found: dict[str, int] = {}
        for id_ in self._order[0]:
            steps = self._supports.get(id_, ())
            found[id_] = max((found[p] + (p in steps) for p in self.premises_of(id_)), default=0)
        return found

    @property
    def depth(self) -> int:
        """The length of the longest chain of reasoning, in steps.

        Raises
        ------
        LogicError
            If there is a cycle: then no chain is longest.
        """
        if self._order[1]:
            raise LogicError(f"depth: {self._cycle_problem()}")
        return max(self.depths.values(), default=0)

    def leaves_under(self, id: str) -> frozenset[str]:
        """The ids of the leaves from which a node is derived; for a leaf, its own id."""
        seen = {id}
        open_ = [id]
        for one in open_:  # grows while it is read
            for premise in self._supports.get(one, ()):
                if premise not in seen:
                    seen.add(premise)
                    open_.append(premise)
        return frozenset(i for i in seen if i not in self._supports)

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Everything that makes this an invalid argument structure, each naming a node; empty if it is valid.

        There must be a link; no cycle; the claim leads nowhere; every other node takes part and leads to the claim (or,
        where there is no claim, all nodes are connected).
        """
        if not self.links:
            return ("structure: must have a link, got none",)
        found = []
        if self._order[1]:
            found.append(self._cycle_problem())
        found.extend(f"node {_name(n.id)}: must take part in a link, got none" for n in self.nodes if self._alone(n.id))
        if self.claim is None:
            found.extend(self._apart())
            return tuple(found)
        root = self.claim.id
        found.extend(
            f"node {_name(root)}: the claim must lead nowhere, got a link to {_name(t)}"
            for t in self.conclusions_of(root)[:1]
        )
        reached = self._reach((root,), self.premises_of)
        ends = self._ends
        found.extend(
            f"node {_name(n.id)}: must lead to the claim {_name(root)}, got {ends[n.id]}"
            for n in self.evidence
            if n.id not in reached and not self._alone(n.id)
        )
        return tuple(found)

    def check(self) -> None:
        """Raise LogicError at the first of :attr:`problems`."""
        for problem in self.problems:
            raise LogicError(problem)

    def _alone(self, id_: str) -> bool:
        return id_ not in self._premises and id_ not in self._conclusions

    def _reach(self, ids: Iterable[str], step: Any) -> set[str]:
        open_ = list(ids)
        seen = set(open_)
        for one in open_:  # grows while it is read
            for other in step(one):
                if other not in seen:
                    seen.add(other)
                    open_.append(other)
        return seen

    @property
    def _ends(self) -> Mapping[str, str]:
        """Where each node finally leads, in words; of several dead ends, the first by id."""
        last: dict[str, str] = {}
        for id_ in reversed(self._order[0]):
            ends = [last[t] for t in self.conclusions_of(id_) if t in last]
            if ends or not self.conclusions_of(id_):
                last[id_] = min(ends, default=id_)
        said = {i: "no link from it" if end == i else f"a dead end at {_name(end)}" for i, end in last.items()}
        return {n.id: said.get(n.id, "a cycle") for n in self.nodes}

    def _apart(self) -> list[str]:
        used = [n.id for n in self.nodes if not self._alone(n.id)]
        together = self._reach(used[:1], lambda i: (*self.premises_of(i), *self.conclusions_of(i)))
        return [
            f"node {_name(i)}: must be connected with node {_name(used[0])}, got no path"
            for i in used
            if i not in together
        ]

    def _cycle_problem(self) -> str:
        rest = set(self._order[1])
        at = next(i for i in self._order[1] if self.conclusions_of(i))
        path: dict[str, None] = {}
        while at not in path:  # every node that is left has a premise that is left
            path[at] = None
            at = next(p for p in self.premises_of(at) if p in rest)
        cycle = [*list(path)[list(path).index(at) :], at][::-1]
        shown = " -> ".join(one_line(i, 40) for i in cycle[:_SHOWN]) + (" -> …" if len(cycle) > _SHOWN else "")
        return f"node {_name(at)}: must not lead back to itself, got {shown}"

    def to_dict(self) -> dict[str, Any]:
        """The structure as JSON values; the kinds of nodes and links are for people and are not read back."""

        def node(n: Statement) -> dict[str, str]:
            return {"id": n.id, "text": n.text}

        return {
            "claim": None if self.claim is None else node(self.claim),
            "evidence": [{**node(n), "kind": self.kind_of(n.id)} for n in self.evidence],
            "links": [
                {
                    "kind": x.kind,
                    "sources": list(x.sources),
                    "targets": list(x.targets),
                    **({"relation": x.relation} if x.relation else {}),
                }
                for x in self.links
            ],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ArgumentStructure:
        """Read what :meth:`to_dict` gives.

        Raises
        ------
        LogicError
            If it is not of that shape, or the structure cannot be built.
        """
        claim = _member(value, "claim", None, "structure")
        return cls(
            None if claim is None else _statement(claim, "the claim"),
            tuple(_statement(n, f"evidence {i}") for i, n in enumerate(_list(value, "evidence", "structure"), start=1)),
            tuple(_link(x, f"link {i}") for i, x in enumerate(_list(value, "links", "structure"), start=1)),
        )


def _member(value: object, key: str, default: object, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise LogicError(f"{where}: must be an object, got {one_line(repr(value), 60)}")
    return value.get(key, default)


def _list(value: object, key: str, where: str) -> list[Any]:
    found = _member(value, key, [], where)
    if not isinstance(found, list | tuple):
        raise LogicError(f"{where}: {key!r} must be a list, got {one_line(repr(found), 60)}")
    return list(found)


def _statement(value: object, where: str) -> Statement:
    text = _member(value, "text", "", where)
    return Statement(_text(_member(value, "id", None, where), f"{where}: 'id'"), _text(text, f"{where}: 'text'"))


def _link(value: object, where: str) -> Link:
    return Link(
        tuple(_list(value, "sources", where)),
        tuple(_list(value, "targets", where)),
        _text(_member(value, "relation", "", where), f"{where}: 'relation'"),
    )


@dataclass(frozen=True)
class StructureReading(JsonValue):
    """The result of reading a text that should hold an argument structure.

    Parameters
    ----------
    structure : the structure, or None where there is none; then ``reason`` says why.
    label : the verdict in the text: "supports", "refutes", "nei", or "".
    unused : nodes that are declared and take part in no link.
    notes : what was skipped or put right on the way, in order.
    reason : why there is no structure.

    Examples
    --------
    >>> StructureReading(None, reason="no link was found").structure is None
    True
    """

    structure: ArgumentStructure | None
    label: str = ""
    unused: tuple[Statement, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.structure is None) == (not self.reason):
            raise LogicError("reading: must have either a structure or the reason why there is none")

    json_names = ("structure", "problems", "label", "unused", "notes", "reason")

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the structure."""
        return () if self.structure is None else self.structure.problems

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> StructureReading:
        """Read what :meth:`to_dict` gives."""
        structure = _member(value, "structure", None, "reading")
        return cls(
            None if structure is None else ArgumentStructure.from_dict(structure),
            value.get("label", ""),
            tuple(_statement(n, f"unused {i}") for i, n in enumerate(_list(value, "unused", "reading"), start=1)),
            tuple(value.get("notes", ())),
            value.get("reason", ""),
        )
