"""Worst texts: what reads a reply or a claim takes time in proportion to its length, or reads a bounded part of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fallax.causality.protocols.building import read_claim, read_evidence_steps, read_opposite
from fallax.causality.protocols.verification import _read_missing, read_verdict
from fallax.causality.systems.clauses import affirmed_link, cause_and_effect
from fallax.causality.systems.stated import stated_links
from fallax.core.replies import bounded, extract_json, without_think_blocks
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts.reported import is_reported
from fallax.core.types.messages import Reply
from fallax.detection.protocols import read_answer
from fallax.errors import FallaxError
from fallax.faithfulness.protocols.ambiguity import read_ambiguity
from fallax.faithfulness.protocols.labels import read_label
from fallax.faithfulness.systems.altered import altered_in
from fallax.faithfulness.systems.amounts import amount_in
from fallax.faithfulness.systems.claims import clauses_of, said_word_for_word, split_claims
from fallax.faithfulness.systems.doubted import reported_in, taken_back_in
from fallax.faithfulness.systems.dropped import change_in
from fallax.faithfulness.systems.outlook import outlook_of
from fallax.generation.protocols.generation import _inside_fences
from fallax.generation.protocols.judging import read_judgement
from fallax.generation.protocols.quality import _scores
from fallax.models.structured import _objects
from fallax.structures import read_linking
from tests.support.patience import TooSlow, patience

#: Six times the length of the reply that once took 36 seconds to read: in quadratic time twenty minutes.
LENGTH = 60_000
#: Far above what any of these takes (below a second); what is quadratic takes minutes.
PATIENCE = 20

READERS: dict[str, Callable[[str], object]] = {
    "a verdict": lambda text: read_verdict(text, ("supports", "refutes", "nei")),
    "what is missing": _read_missing,
    "a structure": read_linking,
    "stated links": stated_links,
    "what is altered": lambda text: altered_in("The board of the mill met.", [text, f"The board {text}"], [0, 1]),
    "clauses": lambda text: clauses_of([text]),
    "a why-claim": lambda text: read_claim(Reply(text)),
    "steps of evidence": lambda text: read_evidence_steps(Reply(text)),
    "an opposite": lambda text: read_opposite(Reply(text)),
    "JSON": extract_json,
    "JSON objects": _objects,
    "a label": lambda text: read_label(Reply(text)),
    "an ambiguity": lambda text: read_ambiguity(Reply(text), detector="taxonomy"),
    "fallacies": read_answer,
    "a judgement": lambda text: read_judgement("1", Reply(text), taxonomy=load_taxonomy("smartypat")),
    "a judgement in fields": lambda text: read_judgement(
        "1", Reply(f"logic_error: {text}\nlogic_fallacies: {text}"), taxonomy=load_taxonomy("smartypat")
    ),
    "a judgement in JSON": lambda text: read_judgement(
        "1",
        Reply('{"logic_error": "' + text.replace('"', "'").replace("\\", "/") + '"}'),
        taxonomy=load_taxonomy("smartypat"),
    ),
    "scores": _scores,
    "code in fences": _inside_fences,
    "who says it": is_reported,
    "cause and effect": cause_and_effect,
    "a denied cause": affirmed_link,
    "claims of a sentence": split_claims,
    "words before a condition": lambda text: said_word_for_word(
        "The hall is shut.", clauses_of([f"The hall is shut {text}"])
    ),
    "amounts of a sentence": lambda text: amount_in(
        "The team tested 120 hives in 2 days.", [text, f"Of 3 hives {text}"]
    ),
    "amounts of a claim": lambda text: amount_in(
        text[:990], ["The team tested 3 of the 12 hives by 5 votes to 2.", text]
    ),
    "what is dropped": lambda text: change_in("Tan left the house.", text),
    "what is changed": lambda text: change_in(text, "Tan left the house."),
    "what is never": lambda text: change_in("Tan never left all houses.", f"Tan never left all houses {text}"),
    "what is reported": lambda text: reported_in("Tan left the house.", text),
    "what is taken back": lambda text: taken_back_in("Tan left the house.", text, (text, text)),
    "what is expected": lambda text: outlook_of("The hall was shut in May.", text),
}
#: Repeated, each is the worst of some pattern: runs of one kind, openings without an end, ends without an opening.
PIECES = (
    " ",
    "\n",
    "\t",
    "\n ",
    "a",
    "1",
    "_",
    "a ",
    "(",
    "[",
    "{",
    "<",
    "`",
    "*",
    "#",
    "-",
    "=",
    ":",
    "'",
    '"',
    "\\",
    "- ",
    "=\n",
    "<think>",
    "</think>",
    "<think>x</think>",
    "<label>",
    "<explanation>",
    "</label>",
    "```\n",
    "label: ",
    "verdict: ",
    '"label": ',
    '{"a":',
    "[[",
    "Action 1: ",
    "MISSING:",
    "not consistent ",
    "a = b(",
    "a, ",
    "A",
    "A-",
    "He ",
    "the a ",
    "a; ",
    "is, not because ",
    "so that ",
    "after the ",
    "3 ",
    "1,000,",
    "5 to ",
    "3 of the ",
    "all but ",
    "half a ",
    "hundred thousand ",
)


@pytest.mark.parametrize("name", READERS)
def test_worst_replies_are_read_or_refused_at_once(name: str) -> None:
    for piece in PIECES:
        text = piece * (LENGTH // len(piece)) + "!"
        try:
            with patience(PATIENCE):
                READERS[name](text)
        except TooSlow:
            pytest.fail(f"{name}: more than {PATIENCE} s for {LENGTH:,} characters of {piece!r}")
        except (FallaxError, ValueError):
            pass  # refused


def test_what_is_bounded_still_says_the_same() -> None:
    spaces = " " * 10_000
    assert read_verdict(f"{spaces}Verdict:{spaces}Supports{spaces}", ("supports", "refutes"))[0] == "supports"
    assert read_label(Reply(f"<label>{spaces}1{spaces}</label>")).label == "faithful"
    assert without_think_blocks("a<think>" * 3 + "b</think>c") == "ac"
    assert bounded("Same as before, (mostly) --- yes.") == "Same as before, (mostly) --- yes."


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000])
def test_deep_replies_are_unreadable(deep: str) -> None:
    with pytest.raises(ValueError, match="no complete JSON"):
        extract_json(deep)
    value: Any = read_label(Reply(deep))
    assert value.label is None
