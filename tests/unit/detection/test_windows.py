"""Windows: every sentence is judged once, nothing is longer than the encoder reads."""

from hypothesis import given
from hypothesis import strategies as st

from fallax.core.types import Record
from fallax.detection.systems import load_encoder
from fallax.detection.systems.windows import MAX_TOKENS, TITLE_TOKENS, windows_of

sentences = st.lists(st.lists(st.integers(1000, 2000), max_size=300), max_size=12)


@given(sentences, st.lists(st.integers(1000, 2000), max_size=40))
def test_each_sentence_is_judged_once_and_no_window_is_too_long(texts: list[list[int]], title: list[int]) -> None:
    windows = windows_of(texts, title)
    judged = [i for w in windows for i, _, _ in w.places]
    assert judged == list(range(len(texts)))
    for window in windows:
        assert len(window.ids) <= MAX_TOKENS
        for i, start, end in window.places:
            shown = window.ids[start:end].tolist()
            assert shown == texts[i][: end - start] or not texts[i]
            assert 0 < start < end <= len(window.ids)


def test_a_sentence_longer_than_a_window_is_cut_at_its_end() -> None:
    long = list(range(1000, 1400))
    (window,) = windows_of([long])
    (_, start, end) = window.places[0]
    assert window.ids[start:end].tolist() == long[: end - start]
    assert len(window.ids) == MAX_TOKENS


def test_a_later_window_repeats_the_sentences_before_it_as_context() -> None:
    short = [[1000 + i] * 50 for i in range(8)]
    windows = windows_of(short)
    assert len(windows) > 1
    first_judged, start, _ = windows[1].places[0]
    assert windows[1].ids[start - 1] == short[first_judged - 1][0]


def test_a_title_stands_before_the_text_and_is_cut() -> None:
    (window,) = windows_of([[7, 8]], list(range(1000, 1100)))
    assert window.ids.tolist() == [101, *range(1000, 1000 + TITLE_TOKENS), 102, 7, 8, 102]


def test_typographic_quotes_are_read_as_straight_ones() -> None:
    detector = load_encoder()
    straight = "They say \"everybody does it\", so it's right. We can't all be wrong."
    curly = "They say “everybody does it”, so it’s right. We can’t all be wrong."
    found = [detector.detect(Record("r", text), min_confidence=0.01).spans for text in (straight, curly)]
    assert found[0] == found[1] != ()
