"""Posts as arguments: premises, conclusion, and the decision of a reviewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fallax.core.json_value import JsonValue
from fallax.errors import InputError

__all__ = ["ArgumentForm", "FormStatus"]

#: "todo", nobody has looked; "ok", somebody has; "drop", it is to be left out.
FormStatus = Literal["todo", "ok", "drop"]


def _part(text: str) -> str:
    """A premise or conclusion for use inside a sentence: trimmed, without a full stop."""
    return text.strip().rstrip(".").rstrip()


@dataclass(frozen=True, slots=True)
class ArgumentForm(JsonValue):
    """The reasoning of a post as premises and a conclusion: ``(p1 ∧ ... ∧ pn) → q``.

    Parameters
    ----------
    id : of the post.
    post : exactly as it was written.
    premises, conclusion : clauses that can stand inside a sentence; empty where nobody has said them yet.
    labels : the fallacies it commits.
    status : see :data:`FormStatus`.
    note : anything a person or a model wants to say about it.

    Raises
    ------
    InputError
        If a form that is "ok" has no premise or no conclusion.

    Examples
    --------
    >>> form = ArgumentForm("1", "Why is ice never warm?", ("ice is cold.", "cold is not warm"), "ice hates warmth")
    >>> form.sentence
    'Since ice is cold and cold is not warm, therefore ice hates warmth.'
    >>> form.formula
    '(p1 ∧ p2) → q'
    """

    id: str
    post: str
    premises: tuple[str, ...] = ()
    conclusion: str = ""
    labels: tuple[str, ...] = ()
    status: FormStatus = "todo"
    note: str = ""

    json_names = ("id", "post", "premises", "conclusion", "labels", "status", "note", "sentence", "formula")

    def __post_init__(self) -> None:
        if self.status == "ok" and not self.is_complete:
            raise InputError(f"form {self.id!r}: must have a premise and a conclusion to be ok, got {self.formula!r}")

    @property
    def is_complete(self) -> bool:
        """True if there is a conclusion and at least one premise."""
        return bool(self.conclusion.strip() and self.premises and all(p.strip() for p in self.premises))

    @property
    def sentence(self) -> str:
        """``Since p1, p2 and p3, therefore q.``; "" if it is not complete."""
        if not self.is_complete:
            return ""
        *first, last = (_part(p) for p in self.premises)
        reasons = f"{', '.join(first)} and {last}" if first else last
        return f"Since {reasons}, therefore {_part(self.conclusion)}."

    @property
    def formula(self) -> str:
        """``(p1 ∧ p2) → q``, or ``p1 → q``; "" without premises."""
        if not self.premises:
            return ""
        joined = " ∧ ".join(f"p{i}" for i in range(1, len(self.premises) + 1))
        return f"({joined}) → q" if len(self.premises) > 1 else f"{joined} → q"
