"""What people see: passages highlighted or bracketed, control characters harmless, pages without script."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fallax.render import detection_text, detections_page, safe, segments, spans_table
from fallax.types import Detection, Explanation, Prediction, Record, Span, Unreadable


def shown(found: Detection, *, brackets: bool = False) -> str:
    console = Console(file=io.StringIO(), width=100, soft_wrap=True)
    console.print(detection_text(found, brackets=brackets))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def detection(text: str, *spans: Span, **more: object) -> Detection:
    return Detection(Record("r", text), Prediction("r", spans, **more), "demo")  # type: ignore[arg-type]


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


def test_the_table_has_a_row_per_span() -> None:
    table = spans_table([detection("abcdef", Span(0, 2, "x"), Span(2, 4, "y", 0.5)), detection("z")])
    assert table.row_count == 2
