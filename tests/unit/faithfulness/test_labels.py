"""Replies as models write them: each is read, or unreadable with the reason that the page gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fallax.core.types import Reading, Reply
from fallax.faithfulness.protocols.ambiguity import read_ambiguity
from fallax.faithfulness.protocols.labels import read_between, read_label, without_thinking

READ = [
    # tags as asked for
    ("<label>1</label><explanation>It says so.</explanation>", "faithful"),
    ("<label>0</label>", "unfaithful"),
    ("<LABEL> 0 </LABEL>", "unfaithful"),
    ("<label>\n1\n</label>", "faithful"),
    # words instead of numbers
    ("<label>Consistent</label>", "faithful"),
    ("<label>inconsistent.</label>", "unfaithful"),
    ("<label>not factually consistent</label>", "unfaithful"),
    ("<label>1 (consistent)</label>", "faithful"),
    ("<label>0 - inconsistent</label>", "unfaithful"),
    ("<label>**1**</label>", "faithful"),
    ("<label>Unfaithful</label>", "unfaithful"),
    # tags broken
    ("<label>0<label>", "unfaithful"),
    ("<label>1", "faithful"),
    ("<label>0\n<explanation>Not there.", "unfaithful"),
    ("<label>: 1</label>", "faithful"),
    ("<label=0>", "unfaithful"),
    # tags missing
    ("Label: 1", "faithful"),
    ("**Label:** 0\n\n**Explanation:** no word of it", "unfaithful"),
    ("Final verdict: inconsistent", "unfaithful"),
    ("Explanation: it is there\nLabel = 1", "faithful"),
    ('{"explanation": "gone", "label": 0}', "unfaithful"),
    ("0", "unfaithful"),
    ("Consistent.", "faithful"),
    ("The summary is factually consistent with the document.", "faithful"),
    ("I conclude that the summary is not consistent with it.", "unfaithful"),
    ("Therefore, the summary is inconsistent.", "unfaithful"),
    ("The sentence isn't supported by the document.", "unfaithful"),
    # the same label twice
    ("<label>1</label> ... <label>1</label>", "faithful"),
    ("<label>1</label>\nLabel: 1", "faithful"),
    # thinking that contains a label
    ("<thinking>At first sight <label>0</label>.</thinking><label>1</label>", "faithful"),
    ("<think>Label: 0</think>\nLabel: 1", "faithful"),
    ("maybe <label>0</label></thinking><label>1</label>", "faithful"),
    ("<thinking>I forgot to end this. <label>0</label><explanation>x</explanation>", "unfaithful"),
    # a label inside the explanation does not count against the one outside
    ("<explanation>Agent 2 says <label>0</label>, wrongly.</explanation><label>1</label>", "faithful"),
    ("<explanation>All is there. <label>1</label></explanation>", "faithful"),
    # an answer comes before a change of subject
    ("<label>1</label> I cannot help you any further.", "faithful"),
    # the question's own template before the answer
    ("The format is <label>0 or 1</label>.\n\n<label>0</label>", "unfaithful"),
    ("My verdict goes between <label> and </label>: 1 if consistent, 0 if not.\n<label>0</label>", "unfaithful"),
    ("Using `<label>` tags: <label>1</label>", "faithful"),
    # numbers and words with what belongs to them
    ("<label>(0)</label>", "unfaithful"),
    ("<label>[0]</label>", "unfaithful"),
    ("<label>0 inconsistent</label>", "unfaithful"),
    ("<label>inconsistent (0)</label>", "unfaithful"),
    ("<label>Inconsistent because the date is wrong</label>", "unfaithful"),
    ("<label>The summary is inconsistent</label>", "unfaithful"),
    ("<label>0 - Agent 1 says the summary is consistent, and nowhere does it say who decided.</label>", "unfaithful"),
    ("<label>０</label>", "unfaithful"),
    ("&lt;label&gt;0&lt;/label&gt;", "unfaithful"),
    ("<label> <b>0</b> </label>", "unfaithful"),
    ("<verdict>0</verdict>", "unfaithful"),
    ("The answer is $\\boxed{0}$", "unfaithful"),
    # lines that name it
    ("Label: 0 because the date is wrong", "unfaithful"),
    ("Label: Inconsistent with the document", "unfaithful"),
    ("Label：0", "unfaithful"),
    ("### Verdict\n\nUnfaithful\n\n### Reason\nIt adds a vote.", "unfaithful"),
    ("Label:\n0\n\nExplanation:\nThe date is wrong.", "unfaithful"),
    ("<thinking>\nThe date is wrong.\n\n**Label:**\n0\n\n**Explanation:**\nThe date is wrong.", "unfaithful"),
    ("1. Label: 0\n2. Explanation: wrong", "unfaithful"),
    ("| Label | 0 |", "unfaithful"),
    ("So, my final answer is: inconsistent", "unfaithful"),
    ("My final label remains 0.", "unfaithful"),
    ("Conclusion: the summary is not faithful to the document.", "unfaithful"),
    ("Agent 3 (label 0, inconsistent): The date is wrong.", "unfaithful"),
    ("Inconsistent. The summary adds facts.", "unfaithful"),
    ("0\n\nThe summary adds facts.", "unfaithful"),
    ('{"name": "answer", "arguments": {"label": 0, "explanation": "no vote"}}', "unfaithful"),
    ("{'label': 0}", "unfaithful"),
    # what others said stands against it
    ("Label: 0\n<explanation>Agent 2's <label>1</label> is wrong.</explanation>", "unfaithful"),
    ('{"label": 0, "explanation": "Agent 2 says <label>1</label>, but the date is wrong."}', "unfaithful"),
    (
        "<explanation>Two of us said <label>1</label>. They are wrong.</explanation>\nThe summary is inconsistent.",
        "unfaithful",
    ),
    ("Thinking: the summary is consistent with the opening.\nLabel: 0", "unfaithful"),
    # other ways of thinking aloud
    ("<reflection>Perhaps <label>1</label></reflection><label>0</label>", "unfaithful"),
    ("[THINK]maybe <label>1</label>[/THINK]<label>0</label>", "unfaithful"),
    ("<thinking>a <thinking>b</thinking> <label>1</label></thinking><label>0</label>", "unfaithful"),
    ("<thinking>a</thinking><label>1</label><explanation>I close </thinking> twice.</explanation>", "faithful"),
    ("<thinking>Agent 1 writes <label>1</label>. The date is wrong.\nLabel: 0", "unfaithful"),
    ("<|channel|>analysis<|message|><label>1</label>?<|end|><|channel|>final<|message|><label>0</label>", "unfaithful"),
    # words after a label that leave it as it is
    ("<label>1\nEvery claim is supported</label>", "faithful"),
    ("<label>1 consistent</label>", "faithful"),
    ("<label>0 the date is wrong</label>", "unfaithful"),
    ("<label>0 not consistent with the document</label>", "unfaithful"),
    ("Label: 1. I disagree with Agent 2 (label 0).", "faithful"),
    ("I changed my label from 1 to 0.\n<label>0</label>", "unfaithful"),
    ("Agent 2 should change to 1. <label>0</label>", "unfaithful"),
    ('{"final_label": 0}', "unfaithful"),
    ('{"label": 1, "final_label": null}', "faithful"),
    # a reason that says what a count or a date should be takes no label back
    ("Label: 0\nExplanation: The summary says two people were hurt; it should be 1.", "unfaithful"),
    ("Label: 0\nExplanation: The summary says two people were hurt; actually it should be 1.", "unfaithful"),
    ("<label>0</label> I would correct the count to 1.", "unfaithful"),
    ("<label>0</label>\nThe date is wrong. To be correct it should be consistent with the document.", "unfaithful"),
    ("<label>0</label> Actually, the document says this: 1 in 5 adults", "unfaithful"),
    ("<label>0</label> However, time was 3:1 in the game", "unfaithful"),
    # reasons after nothing but a space
    ("<label>1 all claims are supported</label>", "faithful"),
    ("<label>1 every statement is supported</label>", "faithful"),
    ("<label>1 everything is supported</label>", "faithful"),
    ("<label>1 faithful summary</label>", "faithful"),
    ("<label>1 summary is faithful</label>", "faithful"),
    ("<label>1 accurate and supported</label>", "faithful"),
    ("<label>1 fully supported</label>", "faithful"),
    ("<label>1 no contradictions</label>", "faithful"),
    ("<label>0 not mentioned in the document</label>", "unfaithful"),
    ("<label>0 inconsistent - the date is wrong</label>", "unfaithful"),
    ("<label>0 no mention of the vote</label>", "unfaithful"),
    ("Label: 1 All details match.", "faithful"),
    ("Label: 0 No evidence for it.", "unfaithful"),
    ("Verdict: 0 Not stated", "unfaithful"),
]

UNREADABLE = [
    # counts of what is wrong, and reasons that say the opposite
    ("<label>1 unsupported claim</label>", "the label is neither of the two"),
    ("<label>0 unsupported claims</label>", "the label is neither of the two"),
    ("<label>1 wrong date</label>", "the label is neither of the two"),
    ("<label>0 false statements</label>", "the label is neither of the two"),
    ("<label>1 outright contradiction</label>", "the label is neither of the two"),
    ("<label>0 notable inconsistencies</label>", "the label is neither of the two"),
    ("<label>1 of 2</label>", "the label is neither of the two"),
    ("<label>1 of the facts is wrong</label>", "the label is neither of the two"),
    ("<label>No contradiction</label>", "the label is neither of the two"),
    ("<label>1 contradiction</label>", "the label is neither of the two"),
    ("<label>0 inconsistent and unsupported claims</label>", "the label is neither of the two"),
    ("<label>1 inconsistent and unsupported claim</label>", "the label is neither of the two"),
    ("<label>0 all claims are supported</label>", "the label is neither of the two"),
    ("<label>1 all claims are unsupported</label>", "the label is neither of the two"),
    ("<label>1 not mentioned in the document</label>", "the label is neither of the two"),
    ("<label>0 no contradictions</label>", "the label is neither of the two"),
    ("<label>1 because it is inconsistent</label>", "the label is neither of the two"),
    ("<label>0 since all is consistent</label>", "the label is neither of the two"),
    ("<label>0 - everything is supported</label>", "the label is neither of the two"),
    ("<label>1 (not sure)</label>", "the label is neither of the two"),
    ("Label: 0 inconsistent sentences", "the label is neither of the two"),
    ("Final label: 1 inconsistency found", "the label is neither of the two"),
    ("Label 1 is wrong.", "no label"),
    # labels that are taken back
    ("Label: 1. Wait, the date is wrong. Label: 0", "it says both"),
    ("Label: 1\nCorrection: 0", "it says both"),
    ("Label: 1\nHowever, after reconsidering: 0", "it says both"),
    ("Label: 1\n\nOn second thought, the label should be 0.", "it says both"),
    ("Label: 1\nWait, it should be 0.", "it says both"),
    ("label 1: the summary is faithful; label 0: not. I choose 0.", "it says both"),
    ("<label>1</label> Actually, I change my label to 0.", "two labels that differ"),
    ("<label>1</label> ... I meant 0.", "two labels that differ"),
    ("<label>1</label> I change it from 1 to 0 because the date is wrong.", "two labels that differ"),
    ("<label>1</label> I now switch to 0.", "two labels that differ"),
    ('{"label": 0, "final_label": 1}', "two labels that differ"),
    ("", "the reply is empty"),
    ("  \n", "the reply is empty"),
    ("<label>1</label> or <label>0</label>", "two labels that differ"),
    ("Label: 1\nLabel: 0", "it says both"),
    ("The summary is consistent. The summary is not consistent.", "it says both"),
    ("<label>0.5</label>", "the label is neither of the two"),
    ("<label>partially consistent</label>", "the label is neither of the two"),
    ("<label>1 or 0</label>", "the label is neither of the two"),
    ("<label>1 (consistent)</label><label>unsure</label>", "the label is neither of the two"),
    ("<label>1 - inconsistent</label>", "the label is neither of the two"),
    ("<label></label>", "no label"),
    ("I'm sorry, but I can't help with that.", "a refusal"),
    ("As an AI, I do not judge.", "a refusal"),
    ("I cannot determine whether the summary is consistent.", "a refusal"),
    ("It depends on whether the summary is consistent with the minutes.", "no label"),
    ("The document is about a bridge.", "no label"),
    ("<thinking>It may be <label>1</label></thinking>", "nothing but thinking"),
    ("‹label>1‹/label>", "no label"),
    # a refusal that names a label
    ("I'm sorry, but I can't say that the summary is faithful.", "a refusal"),
    ("I'm unable to verify that the summary is consistent with the document.", "a refusal"),
    # numbers between the two
    ("Label: 0.5", "the label is neither of the two"),
    ('{"label": 0.9, "explanation": "nearly all is there"}', "the label is neither of the two"),
    ("Rating: 1/5", "the label is neither of the two"),
    ("Label: 1 (consistent) or 0 (inconsistent)", "the label is neither of the two"),
    ('{"label": null, "explanation": "The summary is consistent in part"}', "the label is neither of the two"),
    ("Verdict: mixed\n\nThe summary is consistent with the document.", "the label is neither of the two"),
    # values that take themselves back
    ("<label>1 (inconsistent)</label>", "the label is neither of the two"),
    ("<label>0 (consistent)</label>", "the label is neither of the two"),
    ("<label>1 (or 0)</label>", "the label is neither of the two"),
    ("<label>1 - partially consistent</label>", "the label is neither of the two"),
    ("<label>1 = consistent, 0 = inconsistent</label>", "the label is neither of the two"),
    ("<label>1 -> 0</label>", "the label is neither of the two"),
    ("Verdict: inconsistent\nAgent 1's <label>1</label> overlooks it.", "two labels that differ"),
    # sentences that are denied, reported, hedged, asked or about something else
    ("I don't think the summary is consistent.", "no label"),
    ("It is false that the summary is faithful.", "no label"),
    ("Agent 1 says the summary is consistent. I disagree: it adds a date.", "no label"),
    ("The summary is consistent with everything except the date.", "no label"),
    ("The summary is consistent. However, it adds a date.", "no label"),
    ("The summary is mostly consistent.", "no label"),
    ("Is the summary consistent?", "no label"),
    ("A summary is consistent if it is entailed.", "no label"),
    ("The summary says the bill is supported by the mayor, which nobody said.", "no label"),
    ("1. The fees rise: supported.\n2. The boat: not supported.", "no label"),
    ("Faithful: no", "no label"),
    ("1\nThe fees rise.\n2\nThe boat is cancelled.", "no label"),
    # labels that are quoted, and nothing else
    ("<explanation>Agent 2 gave <label>1</label>, but the date is wrong.</explanation>", "no label"),
    ("<thinking>Agent 1 writes <label>1</label>. I should check the date", "nothing but thinking"),
]


@pytest.mark.parametrize(("text", "label"), READ)
def test_what_can_mean_one_thing_is_read(text: str, label: str) -> None:
    found = read_label(Reply(text))
    assert (found.label, found.reason) == (label, "")


@pytest.mark.parametrize(("text", "reason"), UNREADABLE)
def test_what_can_mean_none_or_two_is_unreadable_with_a_reason(text: str, reason: str) -> None:
    found = read_label(Reply(text))
    assert (found.label, found.reason) == (None, reason)


@pytest.mark.parametrize(
    ("text", "label", "reason"),
    [
        (
            "<thinking>It may be <label>1</label> but",
            None,
            "nothing but thinking (the reply was cut off at its token limit)",
        ),
        ("The document says that", None, "no label (the reply was cut off at its token limit)"),
        ("<thinking>no</thinking><label>0</label><explanation>The docum", "unfaithful", ""),
        ("<label>1</label><explanation>All of", "faithful", ""),
        ("<label>", None, "no label (the reply was cut off at its token limit)"),
        ("<label>un", None, "no label (the reply was cut off at its token limit)"),
        ("", None, "the reply is empty (the reply was cut off at its token limit)"),
        (
            "<explanation>The summary is consistent with",
            None,
            "no label (the reply was cut off at its token limit)",
        ),
        ("The summary is consistent. The", None, "no label (the reply was cut off at its token limit)"),
        (
            "<explanation>Agent 2 gave <label>1</label>, but the",
            None,
            "no label (the reply was cut off at its token limit)",
        ),
    ],
)
def test_a_reply_that_was_cut_off(text: str, label: str | None, reason: str) -> None:
    found = read_label(Reply(text, stop_reason="length"))
    assert (found.label, found.reason) == (label, reason)


def test_no_reply_of_the_collection_is_read_wrongly_and_most_are_read() -> None:
    """Replies in the manner of many models, each with what a careful person reads in it; null: nothing certain."""
    path = Path(__file__).parents[2] / "support" / "replies.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = [read_label(Reply(r["text"], stop_reason="length" if r.get("cut") else "stop")).label for r in rows]
    wrong = [r["text"] for r, label in zip(rows, found, strict=True) if label is not None and label != r["label"]]
    certain = sum(r["label"] is not None for r in rows)
    assert wrong == []
    assert sum(label is not None for label in found) >= 0.75 * certain


def test_a_reply_that_the_endpoint_marks_as_a_refusal() -> None:
    assert read_label(Reply("This violates our policy.", stop_reason="refusal")).reason == "a refusal"


def test_quotes_may_hold_other_tags() -> None:
    assert read_label(Reply("<label>0</label><sentence>It was <b>cancelled</b>.</sentence>")).quotes == (
        "It was <b>cancelled</b>.",
    )


def test_a_withheld_reply() -> None:
    assert (
        read_label(Reply("<label>1</label>", stop_reason="content_filter")).reason == "the endpoint withheld the reply"
    )


def test_reasoning_that_the_endpoint_kept_apart_is_not_looked_at() -> None:
    found = read_label(Reply("<label>0</label>", reasoning="<label>1</label>"))
    assert found.label == "unfaithful"


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ("<label>1</label><explanation> All there. </explanation>", "All there."),
        ("<label>1</label> All there.", "All there."),
        ("<thinking>x</thinking><label>0</label><explanation>Gone, and th", "Gone, and th"),
        ("<label>1</label>", ""),
        ("<explanation>a < b, and </doc></explanation><label>1</label>", "a < b, and </doc>"),
    ],
)
def test_the_explanation(text: str, explanation: str) -> None:
    assert read_label(Reply(text)).explanation == explanation


def test_quotes_and_guidelines_are_read_beside_the_label() -> None:
    text = "<label>0</label><sentence>One.</sentence><sentence>Two.</sentence><guideline>Judge facts.</guideline>"
    found = read_label(Reply(text))
    assert (found.quotes, found.guidelines) == (("One.", "Two."), ("Judge facts.",))


def test_what_stands_in_the_thinking_is_no_quote() -> None:
    assert read_label(Reply("<thinking><sentence>One.</sentence></thinking><label>1</label>")).quotes == ()


@given(st.text(alphabet="<>/ labethinkgxpo10\n", max_size=80))
def test_nothing_crashes_and_the_answer_is_complete(text: str) -> None:
    for stop in ("stop", "length"):
        found = read_label(Reply(text, stop_reason=stop))
        assert (found.label is None) == bool(found.reason)
        read_ambiguity(Reply(text, stop_reason=stop), detector="taxonomy")
        without_thinking(text, cut=stop == "length")


@settings(max_examples=30)
@given(st.text(alphabet="ab <>/1\n", max_size=40).filter(lambda t: t.strip() and "<" not in t))
def test_a_label_in_thinking_never_counts(text: str) -> None:
    plain = read_label(Reply(text))
    thought = read_label(Reply(f"<thinking><label>1</label></thinking>{text}"))
    assert plain.label == thought.label


def test_read_between_takes_what_is_there() -> None:
    assert read_between("<type>A</type><type></type><type> B", "type") == ("A", "B")


AMBIGUOUS = [
    ("<label>1</label><type>Vagueness</type>", True, ("Vagueness",)),
    ("<label>1</label><type>11. Vagueness</type>", True, ("Vagueness",)),
    ("<label>1</label><type>lexical ambiguity, deduction</type>", True, ("Linguistic ambiguity: Lexical", "Deduction")),
    ("<label>1</label><type>Vagueness: it leaves open how much</type>", True, ("Vagueness",)),
    ("<label>1</label><type>Vagueness - it leaves open how much</type>", True, ("Vagueness",)),
    ("<label>1</label><type>Vagueness (11)</type>", True, ("Vagueness",)),
    ("<label>1</label><type>Vagueness/Decontextualization</type>", True, ("Vagueness", "Decontextualization")),
    ("Label: 1\nType: Vagueness & Deduction", True, ("Vagueness", "Deduction")),
    ("<label>0</label><type>Vagueness</type>", False, ()),
    ("Label: not ambiguous", False, ()),
    ("The summary is ambiguous.", True, ()),
    ("The summary is not ambiguous.", False, ()),
    ("The summary is unambiguous.", False, ()),
]


@pytest.mark.parametrize(("text", "ambiguous", "types"), AMBIGUOUS)
def test_ambiguity_and_its_kind(text: str, ambiguous: bool, types: tuple[str, ...]) -> None:
    found = read_ambiguity(Reply(text), detector="taxonomy")
    assert (found.is_ambiguous, found.types, found.unreadable) == (ambiguous, types, "")


def test_a_kind_that_nobody_knows_is_reported_and_the_answer_counts() -> None:
    found = read_ambiguity(Reply("<label>1</label><type>Fuzziness</type>"), detector="taxonomy")
    assert (found.is_ambiguous, found.types) == (True, ())
    assert found.unreadable == "the kind 'Fuzziness' is not in the taxonomy"


@pytest.mark.parametrize(
    "text", ["", "I'm sorry, I can't help with that.", "<label>2</label>", "I don't think the summary is ambiguous."]
)
def test_ambiguity_that_cannot_be_read(text: str) -> None:
    found = read_ambiguity(Reply(text), detector="taxonomy")
    assert found.is_ambiguous is None
    assert found.unreadable


def test_competing_readings_with_their_side() -> None:
    text = (
        "<label>1</label><reading>consistent: the vote failed</reading><reading>Inconsistent - the bridge failed"
        "</reading><reading>something else</reading><reading>not consistent: no</reading>"
        "<reading>factually inconsistent: never</reading><reading>Consistent funding was promised</reading>"
    )
    assert read_ambiguity(Reply(text), detector="taxonomy").readings == (
        Reading("the vote failed", "faithful"),
        Reading("the bridge failed", "unfaithful"),
        Reading("something else"),
        Reading("no", "unfaithful"),
        Reading("never", "unfaithful"),
        Reading("Consistent funding was promised"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Label: 1 as it says so.\nHowever, the date is wrong. Therefore, final label: 0",
        "Label: 1. However, final label: 0",
        "<label>0</label> However, final label: 1",
        "<label>0 inconsistencies found</label>",
        "<label>1 error</label>",
        "Label: 0 factual errors",
    ],
)
def test_a_count_is_no_label_and_a_label_taken_back_is_unreadable(text: str) -> None:
    assert read_label(Reply(text)).label is None


@pytest.mark.parametrize(
    "text",
    [
        "Label: 1. On second thought the label is 0.",
        "The label should be 1. No, it should be 0.",
        "Label: 1 — no wait, 0",
        "Label: 1; strike that, 0",
        "Label: 1. Hmm. Reconsidering: 0.",
        "Label: 1, then again Agent 3 convinced me, so 0",
        "<label>1</label>\nUpdate: <b>0</b>",
        "<label>0</label> Sorry, I mean 1.",
        "<label>1</label> (should be 0)",
        "<label>1</label> => 0",
        "<label>consistent</label> Wait, no: inconsistent.",
        "Verdict: unfaithful; on reflection faithful",
        "Verdict: consistent. My new verdict is inconsistent.",
        "Label: 1 for the first sentence, 0 for the second",
        "<label>1 with reservations</label>",
        "<label>0 (no errors)</label>",
        "Verdict: 0: no inconsistencies",
        "<label>1: the date is wrong</label>",
        "<label>hallucinated: no</label>",
        "<label>unsupported = 0</label>",
        "Label 1 means consistent. Label 0 means inconsistent.",
    ],
)
def test_what_little_words_take_back_or_count_is_unreadable(text: str) -> None:
    assert read_label(Reply(text)).label is None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Label: 0\nWait for the vote: 1 member was absent.", "unfaithful"),
        ("<label>0</label> Update: the document gives 1 vote, the summary 2.", "unfaithful"),
        ("Label: 0. No, the document never says it.", "unfaithful"),
        ("Label: 1\n\nI agree with Agent 3, so 1 it is.", "faithful"),
        ("Label: 1. The score of the game is 0.", "faithful"),
        ("Label: 1\nErrors: 0", "faithful"),
        ("Label: 0 for the summary as a whole", "unfaithful"),
        ("<label>1 with no reservations</label>", "faithful"),
        ("<label>1: nothing is wrong</label>", "faithful"),
        ("<label>1: the issue of housing is in the document</label>", "faithful"),
        ("<label>0: no evidence of the vote</label>", "unfaithful"),
        ("Label 1 means consistent. The summary is inconsistent.", "unfaithful"),
    ],
)
def test_other_numbers_and_words_near_a_label_leave_it_as_it_is(text: str, label: str) -> None:
    assert read_label(Reply(text)).label == label
