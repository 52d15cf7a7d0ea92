"""What people see: passages highlighted or bracketed, control characters harmless, pages without script."""

import io
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fallax.cli._console import Console as CommandConsole
from fallax.core.types import (
    Debate,
    Detection,
    Explanation,
    Faithfulness,
    FaithfulnessVerdict,
    Prediction,
    Record,
    Round,
    Session,
    Span,
    Transcript,
    Turn,
    UnitVerdict,
    Unreadable,
)
from fallax.detection.view import detection_text, detections_page, spans_table
from fallax.faithfulness.view import verdict_page, verdict_text
from fallax.render import safe, segments


def shown(found: Detection, *, brackets: bool = False) -> str:
    console = Console(file=io.StringIO(), width=100, soft_wrap=True)
    console.print(detection_text(found, brackets=brackets))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def detection(text: str, *spans: Span, **more: object) -> Detection:
    return Detection(Record("r", text), Prediction("r", spans, **more), "demo")  # type: ignore[arg-type]


def test_what_was_not_examined_is_said_beside_what_was_found() -> None:
    found = replace(detection("You fool, so no.", Span(0, 16, "ad hominem")), notes=("1 of 2 paragraphs looks German",))
    assert "1 of 2 paragraphs looks German" in shown(found)
    assert "Nothing found" not in shown(replace(found, prediction=Prediction("r")))
    assert "Nothing found" in shown(detection("It rains."))
    bad = detection("It rains.", unreadable=(Unreadable("no label", "?"),), n_replies=1)
    for said in (shown(bad), detections_page([bad])):
        assert "Nothing found in what could be read." in said


@given(
    st.text(min_size=1, max_size=30).flatmap(
        lambda text: st.tuples(
            st.just(text),
            st.sets(
                st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text))).filter(lambda p: p[0] < p[1]),
                max_size=5,
            ),
        )
    )
)
def test_segments_join_to_the_text_and_each_span_is_the_pieces_it_covers(
    case: tuple[str, set[tuple[int, int]]],
) -> None:
    text, places = case
    spans = [Span(a, b, "ad hominem") for a, b in sorted(places)]
    pieces = segments(text, spans)
    assert "".join(p.text for p in pieces) == text
    for i, span in enumerate(spans):
        assert "".join(p.text for p in pieces if i in p.covered_by) == text[span.start : span.end]
        assert sum(i in p.ends for p in pieces) == 1


def test_brackets_show_where_overlapping_passages_begin_and_end() -> None:
    found = detection("abcdef", Span(0, 4, "ad hominem"), Span(2, 6, "straw man"))
    assert shown(found, brackets=True).splitlines()[0] == "⟦ab⟦cd⟧[1]ef⟧[2]"


def test_a_text_cannot_command_the_terminal() -> None:
    out = shown(detection("\x1b[2Jgone \u202eright\x07", Span(0, 4, "ad hominem")))
    assert "\x1b[2J" not in out
    assert "\u202e" not in out
    assert safe("a\tb\r\nc") == "a\tb\nc"


def test_markup_in_a_text_is_text() -> None:
    assert "[bold]x[/bold]" in shown(detection("[bold]x[/bold]"))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (detection("Fine."), "Nothing found."),
        (detection("Fine.", unscored="no answer"), "Not examined: no answer"),
        (detection("Fine.", unreadable=(Unreadable("no JSON", "x"),), n_replies=3), "1 of 3 replies"),
    ],
)
def test_what_was_not_found_is_told_apart_from_what_was_not_read(found: Detection, words: str) -> None:
    assert words in shown(found)


def test_a_page_escapes_everything_and_forbids_script() -> None:
    nasty = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    span = Span(0, 8, nasty)
    found = Detection(
        Record("<b>id</b>", nasty, title=nasty),
        Prediction("<b>id</b>", (span,)),
        nasty,
        explanations=(Explanation(nasty, nasty, {}, nasty, ((nasty, 0.5),)),),
    )
    page = detections_page([found])
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>id" not in page
    assert "Content-Security-Policy" in page
    assert "http://" not in page
    assert "https://" not in page


def test_the_table_has_a_row_per_passage_with_all_its_labels() -> None:
    same = (Span(0, 2, "x", 0.9, 0.6), Span(0, 2, "y", 0.9, 0.3))
    table = spans_table([detection("abcdef", *same, Span(2, 4, "y", 0.5)), detection("z")])
    assert [list(map(str, column.cells)) for column in table.columns] == [
        ["0–2", "2–4"], ["90 %", "50 %"], ["60 % x\n30 % perhaps y", "y"], ["ab", "cd"],
    ]  # fmt: skip


@pytest.mark.parametrize("several", [False, True])
def test_a_table_of_80_columns_cuts_no_label_and_shows_a_passage_in_three_lines(several: bool) -> None:
    label = "appeal to positive emotion"
    passage = "Either we keep the street open or we hand the town over to people who hate cars. " * 3
    found = detection(passage, Span(100, 1200, label, 0.97, 0.3))
    page = io.StringIO()
    other = replace(found, record=Record("sport.txt", passage))
    CommandConsole(file=page, width=80).print(spans_table([other, found] if several else [other]))
    head, _, *lines = page.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    cells = [[cell.strip() for cell in line.split("│")] for line in lines[: 3 if several else None]]
    assert len(cells) == 3
    assert len(head) - head.rindex("passage") <= 30
    where, fallacy, labels, shown = (" ".join(part).strip() for part in zip(*cells, strict=True))
    assert where == ("sport.txt 100–1200" if several else "100–1200")
    assert (fallacy, labels) == ("97 %", f"30 % perhaps {label}")
    assert shown == "street open or we hand the town over to people who hate cars. Either we keep the …"


def test_the_line_of_a_passage_has_at_most_80_columns() -> None:
    span = Span(1000, 1020, "appeal to positive emotion", 0.97, 0.3, reported=True)
    lines = shown(detection("a" * 2000, span)).splitlines()[2:]
    assert all(len(line) <= 80 for line in lines)
    assert " ".join(" ".join(lines).split()) == (
        "[1] perhaps appeal to positive emotion fallacy › emotion reported: somebody else's words"
        " confidence 97 %, label 30 % characters 1000–1020"
    )


def test_in_a_pipe_no_line_ends_in_blanks() -> None:
    explained = Explanation("What it is. " * 20, "its form", {}, "sound when", (("all", 0.5),))
    found = replace(detection("You fool, so no.", Span(0, 16, "ad hominem")), explanations=(explained,))
    page = io.StringIO()
    CommandConsole(file=page, width=80).print(detection_text(found), spans_table([found]))
    assert "what it is" in page.getvalue()
    assert all(line == line.rstrip() for line in page.getvalue().splitlines())


F: Faithfulness = "faithful"
U: Faithfulness = "unfaithful"


def ended(*turns: Turn, label: Faithfulness | None) -> Session:
    return Session((U, F), (Round(turns, (1, 2)),), (), label, "agreement" if label else "undecided")


def verdict(*sessions: Session, label: Faithfulness | None, vote: str = "debate") -> FaithfulnessVerdict:
    debate = Debate(0, 5, "Rain.", sessions, label, vote)  # type: ignore[arg-type]
    unit = UnitVerdict(0, 5, "Rain.", label, unscored="" if label else "undecided")
    return FaithfulnessVerdict("madisse", (unit,), Transcript((debate,)))


def words_of(page: str) -> str:
    """What a browser would show in one line, near enough."""
    body = page[page.index("<body>") :]
    return " ".join(re.sub(r"<[^>]*>", "", body.replace("\n", " ")).split())


def lines_of(found: FaithfulnessVerdict) -> str:
    console = Console(file=io.StringIO(), width=100, soft_wrap=True)
    console.print(verdict_text(found, summary="Rain."))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


AGREED = ended(Turn(1, F, "It says so."), Turn(2, F), label=F)
OPPOSED = ended(Turn(1, U), Turn(2, U), label=U)
SPLIT = ended(Turn(1, U), Turn(2, F), label=None)


def test_words_of_a_debate_stand_apart_and_say_what_was_carried_over() -> None:
    shown = words_of(
        verdict_page(
            verdict(ended(Turn(1, U), Turn(2, F, unreadable="no label", carried=True), label=None), label=None),
            summary="Rain.",
        )
    )
    assert "Session 1 ends undecided" in shown
    assert "Agent 1 starts unfaithful, says unfaithful" in shown
    assert "Agent 2 starts faithful, says faithful (no label; its last label is kept)" in shown
    assert "Together" not in shown
    silent = words_of(verdict_page(verdict(ended(Turn(1, None, unreadable="a refusal"), Turn(2, F), label=None),
                                           label=None), summary="Rain."))  # fmt: skip
    assert "Agent 1 starts unfaithful, says nothing that could be read (a refusal)" in silent


@pytest.mark.parametrize(
    ("sessions", "label", "vote", "shown"),
    [
        ((AGREED, AGREED, OPPOSED), F, "debate", "faithful (vote of sessions: 2 faithful, 1 unfaithful)"),
        ((AGREED, SPLIT), F, "agent", "faithful (vote of agents: 3 faithful, 1 unfaithful)"),
        (
            (AGREED, OPPOSED, SPLIT),
            None,
            "debate",
            "undecided (vote of sessions: 1 faithful, 1 unfaithful, 1 undecided;"
            " vote of agents: 3 faithful, 3 unfaithful)",
        ),
    ],
)
def test_several_sessions_show_how_they_voted(
    sessions: tuple[Session, ...], label: Faithfulness | None, vote: str, shown: str
) -> None:
    found = verdict(*sessions, label=label, vote=vote)
    page = words_of(verdict_page(found, summary="Rain."))
    assert f"Together {shown}" in page
    assert f"  together {shown}\n" in lines_of(found)
    for number, session in enumerate(sessions, start=1):
        assert f"Session {number} of {len(sessions)} ends {session.label or 'undecided'}" in page


def test_a_page_holds_no_control_characters() -> None:
    odd = "Rain.\x1b[2J\x07\x9b\ud800\tand\r\nmore"
    page = verdict_page(verdict(ended(Turn(1, F, odd), Turn(2, F), label=F), label=F), summary=odd, document=odd)
    page += detections_page([detection(odd, Span(0, 4, "ad hominem"))])
    assert "Rain.\ufffd[2J\ufffd\ufffd\ufffd\tand\r\nmore" in page
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", page)
    assert safe("\ud800") == "\ufffd"
