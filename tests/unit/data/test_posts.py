"""Choosing posts, and drawing benign sentences of the same lengths."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fallax.core.types import GoldSpan, Record
from fallax.data import read_fallacies, read_texts, sample_benign, select_posts
from fallax.errors import FormatError, InputError, MissingExtraError, UnknownNameError


def post(id: str, text: str, score: object = 1, **more: object) -> Record:
    return Record(id, text, meta={"score": score, **more})


POSTS = [
    post("a", "Why is the sky blue?", 10),
    post("b", "WHY is, the sky blue", 9),
    post("c", "The skyline is nice.", "3"),
    post("d", "Is the sky wide?", 7, author="someone", url="u"),
    post("e", "Sky!", 2.5),
]


@pytest.mark.parametrize(
    ("settings", "ids", "left_out"),
    [
        ({}, "acde", {"repeats another": 1}),
        ({"keywords": ["sky"]}, "ade", {"repeats another": 1, "no keyword": 1}),
        ({"keywords": ["?"]}, "ad", {"no keyword": 3}),
        ({"without": ["why", "nice"]}, "de", {"unwanted keyword": 3}),
        ({"min_words": 4, "max_words": 4}, "cd", {"too short": 1, "too long": 2}),
        ({"min_score": 3}, "acd", {"repeats another": 1, "low score": 1}),
        ({"top": 2}, "ad", {"repeats another": 1, "not among the best": 2}),
    ],
)
def test_posts_are_chosen(settings: dict[str, object], ids: str, left_out: dict[str, int]) -> None:
    found = select_posts(POSTS, **settings)  # type: ignore[arg-type]
    assert "".join(r.id for r in found.records) == ids
    assert dict(found.left_out) == left_out
    assert found.n_read == 5
    assert found.to_dict()["n_chosen"] == len(ids)


def test_only_the_score_and_what_is_asked_for_is_kept() -> None:
    assert [dict(r.meta) for r in select_posts(POSTS[3:4]).records] == [{"score": 7}]
    assert [dict(r.meta) for r in select_posts(POSTS[3:4], keep=["url"]).records] == [{"score": 7, "url": "u"}]


@pytest.mark.parametrize(
    ("posts", "settings", "message"),
    [
        ([post("a", "x", "many")], {"min_score": 1}, "post 'a': 'score' must be a number, got 'many'"),
        ([post("a", "x", True)], {"top": 1}, "'score' must be a number, got True"),
        ([post("a", "x", float("nan"))], {"top": 1}, "'score' must be a number"),
        ([], {"keywords": [" "]}, "a keyword must have a visible character"),
        (
            [],
            {"min_words": 5, "max_words": 2},
            "min_words, max_words: must be 0 or more",
        ),
        ([], {"top": 0}, "top: must be at least 1, got 0"),
    ],
)
def test_bad_settings_and_scores_are_refused(posts: list[Record], settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        select_posts(posts, **settings)  # type: ignore[arg-type]


def test_a_missing_score_leaves_a_post_out_only_where_one_is_needed() -> None:
    bare = Record("z", "No score here.")
    assert len(select_posts([bare]).records) == 1
    assert dict(select_posts([bare], top=3).left_out) == {"no score": 1}


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcdefgh")), max_size=12), st.integers(1, 5))
def test_the_best_are_those_that_sorting_gives(rows: list[tuple[int, str]], top: int) -> None:
    posts = [post(str(i), f"text {word}", score) for i, (score, word) in enumerate(rows)]
    everything = select_posts(posts).records
    best = sorted(everything, key=lambda r: (-r.meta["score"], int(r.id)))[:top]
    assert {r.id for r in select_posts(posts, top=top).records} == {r.id for r in best}


def corpus(n: int = 400) -> list[Record]:
    draw = random.Random(5)
    words = ["river", "stone", "window", "garden", "letter", "bridge", "paper", "winter", "candle", "market"]
    sentences = [" ".join(draw.choice(words) for _ in range(draw.randint(2, 24))).capitalize() + "." for _ in range(n)]
    return [Record(f"t{i}", " ".join(sentences[i : i + 5])) for i in range(0, n, 5)]


LIKE = ["One two three four five.", "One two three four five six seven.", "A b c d e f g h i j k l."]


def test_lengths_are_matched_and_the_seed_repeats() -> None:
    found = sample_benign(corpus(), like=LIKE, n=9, seed=3)
    assert sorted(len(r.text.split()) for r in found.records) == [5, 5, 5, 7, 7, 7, 12, 12, 12]
    assert found.gap == 0
    assert len({r.text for r in found.records}) == 9
    assert all(r.gold == () and r.meta["checked"] is False for r in found.records)
    assert sample_benign(corpus(), like=LIKE, n=9, seed=3) == found
    assert sample_benign(corpus(), like=LIKE, n=9, seed=4).records != found.records
    assert found.to_dict()["n_chosen"] == 9


def test_a_small_corpus_gives_what_it_has() -> None:
    few = [Record("a", "The river froze over night. The bridge was closed.")]
    found = sample_benign(few, like=LIKE, seed=1)
    assert len(found.records) == 2
    assert found.gap is not None
    assert sample_benign([], like=LIKE).gap is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Too short.", "too short"),
        ("no capital letter here.", "no whole sentence"),
        ("No full stop here", "no whole sentence"),
        ("Look at https://example.org for the rest.", "no plain text"),
        ("Sums: 1 + 2 + 3 + 4 = 10 - 0.", "no plain text"),
        ("The <unk> stood in the garden all day.", "no plain text"),
        ("The " + "very " * 40 + "long sentence ends here.", "too long"),
    ],
)
def test_what_is_no_plain_sentence_is_left_out(text: str, why: str) -> None:
    found = sample_benign([Record("a", text)], like=LIKE, whole=True)
    assert (found.records, dict(found.left_out)) == ((), {why: 1})


def test_fallacious_texts_keywords_and_repetitions_are_left_out() -> None:
    bad = Record("a", "It rained, so it will snow.", (GoldSpan(0, 5, ("False Cause",)),))
    good = Record("b", "It rained, so the road is wet. It rained, so the road is wet! The road is not dry at all.")
    found = sample_benign([bad, good], like=LIKE, keywords=["so"], without=["dry"])
    assert [r.text for r in found.records] == ["It rained, so the road is wet."]
    assert dict(found.left_out) == {"text with a fallacy in gold": 1, "repeats another": 1, "no keyword": 1}
    with pytest.raises(InputError, match="like: must hold at least one sentence"):
        sample_benign([], like=[])
    with pytest.raises(InputError, match="n: must be at least 1"):
        sample_benign([], like=LIKE, n=0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "1", "labels": []}', ":1: must have a text, got None"),
        ('{"id": "1", "text": "x"}', ":1: must have labels"),
        ('{"id": "1", "text": "x", "labels": [3]}', ":1: must have labels"),
        ('{"id": "1", "text": "x", "labels": [], "twin": 3}', ":1: the twin must be a text, got 3"),
        (
            '{"id": "1", "text": "x", "labels": []}\n{"id": 1, "text": "y", "labels": []}',
            ":2: each id must be given once",
        ),
        ("[1]", ":1: each line must be one JSON object"),
    ],
)
def test_faulty_sets_of_fallacies_are_refused_with_their_line(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(FormatError, match=message.replace("[", r"\[")):
        list(read_fallacies(path))


def test_sets_of_fallacies_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"sentence": "S one.", "label": "FP, equivocation", "method": "direct", "model": "m", "seed": 3}\n'
        '{"id": 2, "text": "S two.", "labels": []}\n'
        '{"id": "3", "text": "S three.", "gold": [{"start": 0, "end": 3, "labels": ["Contextomy"]}], "twin": "T."}\n'
    )
    one, two, three, twin = read_fallacies(path)
    assert (one.id, one.source, dict(one.meta)) == (
        f"{path}:1",
        "direct",
        {"same_span": "all", "model": "m", "seed": 3},
    )
    assert one.gold == (GoldSpan(0, 6, ("False Premise", "Equivocation")),)
    assert (two.id, two.gold) == ("2", ())
    assert three.gold == (GoldSpan(0, 8, ("Contextomy",)),)
    assert (twin.id, twin.gold, twin.meta["twin_of"]) == ("3-twin", (), "3")
    path.write_text('{"text": "x", "labels": ["Straw Man"]}\n')
    with pytest.raises(UnknownNameError, match=r"a\.jsonl:1: unknown label 'Straw Man'"):
        list(read_fallacies(path))


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pyarrow is not installed; .*fallax\[parquet\]"):
        list(read_texts(tmp_path / "a.parquet", field="title"))


def test_parquet_is_read_in_batches(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'fallax[parquet]'")
    from pyarrow import parquet

    path = tmp_path / "posts.parquet"
    rows = [{"id": f"p{i}", "title": f"Why {i}?", "score": i, "tags": ["a"], "raw": b"\xff"} for i in range(2500)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    found = list(read_texts(path, field="title"))
    assert len(found) == 2500
    assert (found[7].id, found[7].text, found[7].meta["raw"]) == ("p7", "Why 7?", "ff")
    assert len(select_posts(found, top=3).records) == 3
    with pytest.raises(UnknownNameError, match="unknown column 'text'"):
        list(read_texts(path))
    path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(FormatError, match="must be Parquet, got an error after row 0"):
        list(read_texts(path, field="title"))
