"""The result of detection: a text with the spans found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.core.types.shown import Shown
from fallax.core.types.spans import Prediction, Record, Span
from fallax.errors import InputError, one_line

__all__ = ["Detection", "Explanation"]


@dataclass(frozen=True, slots=True)
class Explanation(JsonValue):
    """Why a span was reported, as far as the system can tell.

    Parameters
    ----------
    definition : what the label means.
    template : the formal shape of the fallacy with the slots that could be filled; the others stand in brackets.
    slots : the slots that could be filled, each with words of the text.
    sound_when : what would make the passage no fallacy.
    evidence : (words of the text, how much the confidence falls without them), largest first; empty where the system
        cannot tell.
    """

    definition: str
    template: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)
    sound_when: str = ""
    evidence: tuple[tuple[str, float], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        return {
            "definition": self.definition,
            "template": self.template,
            "slots": dict(self.slots),
            "sound_when": self.sound_when,
            "evidence": [{"words": w, "effect": e} for w, e in self.evidence],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Explanation:
        """Read what :meth:`to_dict` gives; unknown names are ignored.

        Raises
        ------
        InputError
            If it is none.
        """
        try:
            return cls(
                str(value["definition"]),
                str(value.get("template", "")),
                {str(slot): str(words) for slot, words in value.get("slots", {}).items()},
                str(value.get("sound_when", "")),
                tuple((str(e["words"]), float(e["effect"])) for e in value.get("evidence", ())),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            got = one_line(repr(value), 60)
            raise InputError(f"Explanation: must have a definition and be as to_dict gives it, got {got}") from None


@dataclass(frozen=True, slots=True)
class Detection(JsonValue, Shown):
    """A text and the spans that a system found in it.

    Parameters
    ----------
    record : the text.
    prediction : the system's prediction; where the text was not examined, its ``unscored`` says why.
    system : which detector or model, with its version.
    taxonomy, level : the label set and the level of the spans' labels.
    explanations : one per span, or empty if none were asked for.
    notes : what a reader must know of the answer: passages left out because the taxonomy has no such label.

    Examples
    --------
    >>> found = Detection(Record("r", "He lies."), Prediction("r", (Span(0, 8, "ad hominem"),)), "demo")
    >>> [found.text_of(span) for span in found.spans]
    ['He lies.']
    >>> Detection.from_dict(found.to_dict()) == found
    True
    """

    record: Record
    prediction: Prediction
    system: str
    taxonomy: str = "mafalda"
    level: int = 2
    explanations: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """A short form for the console, since a text may be long; ``to_dict()`` gives everything."""
        n, of = len(self.spans), len(self.record.text)
        if self.prediction.unscored:
            why = one_line(self.prediction.unscored, 80)
            return f"<Detection of {self.record.id[:40]!r}: not examined, {of:,} characters: {why}>"
        labels = ", ".join(dict.fromkeys(s.label for s in self.spans[:50]))
        shown = labels if len(labels) <= 60 else labels[:59] + "…"
        return f"<Detection of {self.record.id[:40]!r}: {n} spans in {of:,} characters{': ' * bool(n)}{shown}>"

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans in order of position."""
        return self.prediction.spans

    def text_of(self, span: Span) -> str:
        """The text of a span."""
        return self.record.text_of(span)

    def to_dict(self) -> dict[str, Any]:
        """The detection as JSON values; each span carries its text (and its explanation)."""
        found = self.prediction.to_dict()
        for i, span in enumerate(self.spans):
            found["spans"][i]["text"] = self.text_of(span)
            if self.explanations:
                found["spans"][i]["explanation"] = self.explanations[i].to_dict()
        return {
            "record": self.record.to_dict(),
            "prediction": found,
            "system": self.system,
            "taxonomy": self.taxonomy,
            "level": self.level,
            **({"notes": list(self.notes)} if self.notes else {}),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Detection:
        """Read what :meth:`to_dict` gives; unknown names are ignored.

        Raises
        ------
        InputError
            If something is missing or of another type, or some spans alone are explained.
        SpanError
            If a span leaves the text.
        """
        if not isinstance(value, Mapping):
            raise InputError(f"Detection: must be an object, got {one_line(repr(value), 60)}")
        for name, kind, must in _NEEDED:
            if name not in value:
                raise InputError(f"Detection: {name}: is missing")
            if not isinstance(value[name], kind) or isinstance(value[name], bool):
                raise InputError(f"Detection: {name}: must be {must}, got {one_line(repr(value[name]), 60)}")
        record, prediction = Record.from_dict(value["record"]), Prediction.from_dict(value["prediction"])
        prediction.check(record)
        n = len(prediction.spans)
        spans = [s for s in value["prediction"].get("spans", ()) if isinstance(s, Mapping)]
        explained = [s["explanation"] for s in spans if "explanation" in s]
        if len(explained) not in (0, n):
            raise InputError(f"Detection: all spans or none must have an explanation, got {len(explained)} of {n}")
        explanations = tuple(Explanation.from_dict(e) for e in explained)
        notes = value.get("notes", ())
        if not isinstance(notes, list | tuple) or not all(isinstance(note, str) for note in notes):
            raise InputError(f"Detection: notes: must be a list of texts, got {one_line(repr(notes), 60)}")
        return cls(record, prediction, value["system"], value["taxonomy"], value["level"], explanations, tuple(notes))


#: What the JSON of a detection always holds.
_NEEDED: tuple[tuple[str, type, str], ...] = (
    ("record", Mapping, "an object"),
    ("prediction", Mapping, "an object"),
    ("system", str, "a text"),
    ("taxonomy", str, "a text"),
    ("level", int, "a whole number"),
)
