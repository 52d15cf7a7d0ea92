"""There and back: what a format can say survives, and what it cannot say is listed."""

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fallax.core.types import NO_FALLACY, GoldSpan, Prediction, Record, Span, Unreadable
from fallax.data import (
    convert,
    iter_records,
    losses_of,
    read_corpus,
    read_predictions,
    write_corpus,
    write_predictions,
)
from fallax.data._conll import _tokenize, tokenize

PIECES = st.sampled_from(
    [
        "word",
        "ab",
        " ",
        "  ",
        "\r\n",
        "\n",
        "\t",
        ".",
        "é",
        "e\u0301",
        "👩‍👩‍👧",
        "👍🏽",
        "שלום",
        "مرحبا",
        "漢字",
        "\u2028",
        "\x85",
        "\ufeff",
        "\u00a0",
        '"',
        "\\",
        "\\n",
        "don't",
        "well-known",
        "#",
        "# id = x",
        "-DOCSTART-",
        "&amp;",
        "<b>",
        "7",
        "\x00",
    ]
)
LABELS = st.sampled_from(
    ["ad hominem", "appeal to (false) authority", "Name_Calling,Labeling", "doute", "ça", "straw man", NO_FALLACY]
)
IDS = st.text(st.sampled_from("abcXYZ019 -_./%#é漢"), min_size=1, max_size=6).filter(lambda s: s.strip() == s)
METAS = st.dictionaries(
    st.sampled_from(["comments", "sentences", "n"]),
    st.one_of(st.none(), st.integers(-5, 5), st.text(max_size=4), st.lists(st.booleans(), max_size=2)),
    max_size=2,
)


@st.composite
def record(draw: st.DrawFn, *, plain: bool = False) -> Record:
    text = "".join(draw(st.lists(PIECES, max_size=12)))
    gold = None
    if draw(st.integers(0, 5)):
        places = (
            draw(
                st.lists(
                    st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text)))
                    .map(lambda p: (min(p), max(p)))
                    .filter(lambda p: p[0] < p[1]),
                    max_size=4,
                    unique=True,
                )
            )
            if text
            else []
        )
        gold = tuple(GoldSpan(s, e, tuple(draw(st.sets(LABELS, min_size=1, max_size=3)))) for s, e in places)
    source = "" if plain else draw(st.sampled_from(["", "letters", "שיחה"]))
    title = "" if plain else draw(st.sampled_from(["", "A title: with colon"]))
    return Record(draw(IDS), text, gold, source, title, {} if plain else draw(METAS))


def corpora(*, plain: bool = False) -> st.SearchStrategy[list[Record]]:
    return st.lists(record(plain=plain), max_size=4, unique_by=lambda r: r.id)


def in_text_order(record: Record) -> Record:
    """Columns of tokens say where passages are, not in which order somebody listed them."""
    gold = record.gold and tuple(sorted(record.gold, key=lambda g: g.start))
    return replace(record, gold=gold)


FULL = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("format", ["fallax", "mafalda", "doccano", "label-studio", "conll"])
@FULL
@given(records=corpora())
def test_roundtrip_without_losses_is_equal(format: str, records: list[Record]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "out")
        losses = write_corpus(records, path, format=format)
        if format != "conll":
            assert losses == []
        back = read_corpus(path, format=format)
        assert {loss.record for loss in losses} <= {r.id for r in records}
        damaged = {loss.record for loss in losses}
        assert [r.id for r in back] == [r.id for r in records]
        for after, before in zip(back, records, strict=True):
            if before.id not in damaged:
                assert after == (in_text_order(before) if format == "conll" else before)
            else:
                assert (after.text, after.source, after.title, after.meta) == (
                    before.text,
                    before.source,
                    before.title,
                    before.meta,
                )
                kept = Counter((g.start, g.end, x) for g in after.gold or () for x in g.labels)
                all_of_it = Counter((g.start, g.end, x) for g in before.gold or () for x in g.labels)
                assert kept <= all_of_it
                n_lost = sum(loss.record == before.id and loss.kind != "not-annotated" for loss in losses)
                assert sum((all_of_it - kept).values()) == n_lost


@FULL
@given(records=corpora(plain=True))
def test_roundtrip_through_brat_is_equal(records: list[Record]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert write_corpus(records, folder, format="brat") == []
        back = read_corpus(folder, format="brat").by_id if records else {}
    assert back == {r.id: r for r in records}


@FULL
@given(records=st.lists(record(plain=True), min_size=1, max_size=4, unique_by=lambda r: r.id))
def test_roundtrip_through_propaganda_keeps_texts_and_techniques(records: list[Record]) -> None:
    records = [r for r in records if "/" not in r.id and ".task" not in r.id]
    with tempfile.TemporaryDirectory() as folder:
        path, articles = Path(folder, "gold.tsv"), Path(folder, "articles")
        losses = write_corpus(records, path, format="propaganda", articles=articles)
        if not records:
            return
        back = read_corpus(path, format="propaganda", articles=articles).by_id
    assert set(back) == {r.id for r in records}
    for before in records:
        after = back[before.id]
        kinds = Counter(loss.kind for loss in losses if loss.record == before.id)
        said = Counter((g.start, g.end, x) for g in after.gold or () for x in g.labels)
        wanted = Counter((g.start, g.end, x) for g in before.gold or () for x in g.labels if x != NO_FALLACY)
        assert after.text == before.text
        assert said == wanted
        assert kinds["not-annotated"] == (before.gold is None)
        assert kinds["no-fallacy"] == sum(g.is_optional for g in before.gold or ())


@FULL
@given(
    data=st.data(),
    records=corpora(plain=True),
    format=st.sampled_from(["fallax", "mafalda", "doccano", "label-studio", "conll", "brat"]),
)
def test_roundtrip_of_predictions(data: st.DataObject, records: list[Record], format: str) -> None:
    predictions = [
        Prediction(
            r.id,
            tuple(
                Span(g.start, g.end, g.labels[0], data.draw(st.sampled_from([None, 0.0, 0.25, 1.0])))
                for g in r.gold or ()
                if g.labels[0] != NO_FALLACY
            ),
        )
        for r in records
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "out")
        losses = write_predictions(predictions, path, format=format, records=records)
        if not records and format == "brat":
            return
        back = {p.id: p for p in read_predictions(path, format=format, records=records)}
    for p in predictions:
        kinds = Counter(loss.kind for loss in losses if loss.record == p.id)
        spans = p.spans
        if format not in ("fallax", "label-studio"):
            assert kinds["confidence"] == sum(s.confidence is not None for s in spans)
            spans = tuple(Span(s.start, s.end, s.label) for s in spans)
        kinds.pop("confidence", 0)
        if not kinds:
            assert sorted(back[p.id].spans) == sorted(spans)
        else:
            assert format == "conll"
            assert set(back[p.id].spans) < set(spans)


def test_predictions_of_own_format_keep_every_field(tmp_path: Path) -> None:
    p = Prediction(
        "r1",
        (Span(0, 3, "ad hominem", 0.5), Span(0, 3, "ad hominem")),
        labels=frozenset({"straw man"}),
        unreadable=(Unreadable("no label", "hm", "sentence 1"),),
        n_replies=2,
        unscored="timeout",
        variant="published",
    )
    assert write_predictions([p], tmp_path / "p.jsonl") == []
    assert read_predictions(tmp_path / "p.jsonl") == [p]


def test_half_a_surrogate_pair_survives_in_json_and_is_refused_elsewhere(tmp_path: Path) -> None:
    r = Record("r1", "a\ud83d b", (GoldSpan(0, 1, ("x",)),))
    for format in ("fallax", "mafalda", "doccano", "label-studio"):
        assert write_corpus([r], tmp_path / "o", format=format) == []
        assert read_corpus(tmp_path / "o", format=format).records == (r,)
    for format, place in (("conll", "c"), ("brat", "b")):
        with pytest.raises(ValueError, match=r"record 'r1': must be Unicode text, got half a surrogate pair"):
            write_corpus([r], tmp_path / place, format=format)
    assert not (tmp_path / "c").exists()


GOLD = (
    GoldSpan(0, 8, ("ad hominem", "straw man")),
    GoldSpan(4, 12, ("slippery slope",)),
    GoldSpan(16, 20, (NO_FALLACY, "doubt")),
)
RECORD = Record("r1", "You liar, go on until\r\nthe end.", GOLD, "letters", "A title", {"k": 1})


@pytest.mark.parametrize(
    ("format", "kinds"),
    [
        ("fallax", {}),
        ("mafalda", {}),
        ("doccano", {}),
        ("label-studio", {}),
        ("brat", {"source": 1, "title": 1, "meta": 1}),
        # straw man; slippery slope overlaps; "no fallacy" beside doubt, which ends inside "until"
        ("conll", {"alternatives": 1, "overlap": 1, "inside-token": 2}),
        ("propaganda", {"source": 1, "title": 1, "meta": 1, "no-fallacy": 1, "alternatives": 1}),
    ],
)
def test_losses_are_listed(format: str, kinds: dict[str, int]) -> None:
    assert Counter(loss.kind for loss in losses_of([RECORD], format)) == kinds


def test_convert_onto_itself_and_back(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    write_corpus([Record("r1", RECORD.text, GOLD[:2], "letters", "A title", {"k": 1})], path)
    before = path.read_bytes()
    assert convert(path, path, to="doccano") == ([], [])
    assert path.read_bytes() != before
    assert convert(path, path, to="fallax", format="doccano") == ([], [])
    assert path.read_bytes() == before


def test_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("old")
    with pytest.raises(ValueError, match="must hold JSON values only"):
        write_corpus([RECORD, Record("r2", "t", meta={"k": object()})], path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.jsonl"]


def test_brat_notes_and_relations_survive(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("You are a fool.\nSo no.")
    ann = (
        "T2\tad_hominem 0 15\tYou are a fool.\n"
        "T7\tdoubt 16 18\tSo\n"
        "A1\tSure T2\n"
        "R1\tsupports Arg1:T2 Arg2:T7\n"
        "#3\tAnnotatorNotes T7\tlook again\n"
    )
    (tmp_path / "in" / "a.ann").write_text(ann)
    corpus = read_corpus(tmp_path / "in")
    assert corpus.format == "brat"
    assert [(g.start, g.end, g.labels) for g in corpus[0].gold or ()] == [
        (0, 15, ("ad_hominem",)),
        (16, 18, ("doubt",)),
    ]
    assert write_corpus(corpus, tmp_path / "out", format="brat") == []
    assert (tmp_path / "out" / "a.ann").read_text() == ann
    gone = Record("a", corpus[0].text, (corpus[0].gold or ())[:1], meta=corpus[0].meta)
    assert [loss.kind for loss in write_corpus([gone], tmp_path / "less", format="brat")] == ["brat", "brat"]


def test_brat_passage_over_a_line_break(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"You are\r\na fool.")
    (tmp_path / "a.ann").write_text("T1\tx 0 7;9 16\tYou are a fool.\n")
    assert read_corpus(tmp_path / "a.ann", format="brat")[0].gold == (GoldSpan(0, 16, ("x",)),)


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        (["B-x", "I-x", "O", "B-x"], [(0, 5, "x"), (8, 9, "x")]),
        (["I-x", "I-x", "I-y", "O"], [(0, 5, "x"), (6, 7, "y")]),  # IOB1
        (["B-x", "E-x", "S-x", "O"], [(0, 5, "x"), (6, 7, "x")]),  # BIOES
        (["B-x", "L-x", "U-x", "U-x"], [(0, 5, "x"), (6, 7, "x"), (8, 9, "x")]),  # BILOU
        (["B-x", "B-x", "I-y", "I-x"], [(0, 2, "x"), (3, 5, "x"), (6, 7, "y"), (8, 9, "x")]),
    ],
)
def test_conll_tag_schemes(tmp_path: Path, tags: list[str], spans: list[tuple[int, int, str]]) -> None:
    words = ["ab", "cd", "e", "f"]
    path = tmp_path / "a.conll"
    path.write_text("".join(f"{w}\t{t}\n" for w, t in zip(words, tags, strict=True)) + "\nnext\tO\n")
    corpus = read_corpus(path)
    assert corpus.format == "conll"
    assert [r.text for r in corpus] == ["ab cd e f", "next"]
    assert [r.id for r in corpus] == ["1", "2"]
    assert [(g.start, g.end, *g.labels) for g in corpus[0].gold or ()] == spans


def test_conll_writes_the_columns(tmp_path: Path) -> None:
    r = Record("r1", "Two 👍🏽.\nGo on", (GoldSpan(4, 7, ("x y",)),))
    assert write_corpus([r], tmp_path / "o", format="conll") == []
    assert (tmp_path / "o").read_text(encoding="utf-8") == (
        '# id = "r1"\n# text = "Two 👍🏽.\\nGo on"\nTwo\tO\n👍🏽\tB-x y\n.\tI-x y\n\nGo\tO\non\tO\n\n'
    )


def test_label_studio_shapes(tmp_path: Path) -> None:
    path = tmp_path / "ls.json"
    region = '{"type": "labels", "value": {"start": 0, "end": 3, "text": "You", "labels": ["a", "b"]}}'
    path.write_text(
        '[{"id": 5, "data": {"body": "You lie."}, "annotations": ['
        f'{{"result": [{region}], "was_cancelled": true}},'
        f' {{"result": [{region}, {{"type": "choices", "value": {{}}}}]}}]}},\n'
        ' {"id": 6, "data": {"text": "Hm."}, "annotations": []}]'
    )
    corpus = read_corpus(path)
    assert corpus.format == "label-studio"
    assert corpus[0] == Record("5", "You lie.", (GoldSpan(0, 3, ("a", "b")),))
    assert corpus[1].gold is None
    assert [(p.kind, p.kept, p.line) for p in corpus.problems] == [("unsupported", False, 1)]


def test_label_studio_with_two_annotators(tmp_path: Path) -> None:
    path = tmp_path / "ls.json"
    one, two = (f'{{"result": [{{"value": {{"start": 0, "end": {n}, "labels": ["a"]}}}}]}}' for n in (1, 2))
    path.write_text(f'[{{"data": {{"text": "abc"}}, "annotations": [{one}, {two}]}}]')
    with pytest.raises(
        ValueError, match=r"ls\.json:1: task 1: must have one of its annotations.*got 2; .*annotation=1"
    ):
        read_corpus(path)
    assert read_corpus(path, annotation=2)[0].gold == (GoldSpan(0, 2, ("a",)),)


def test_doccano_shapes(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(
        '{"id": 3, "text": "You lie.", "label": [[0, 3, "a"]]}\n'
        '{"id": 4, "text": "You lie.", "entities": [{"id": 1, "start_offset": 4, "end_offset": 7, "label": "b"}],'
        ' "relations": []}\n'
        '{"id": 5, "data": "You lie."}\n'
    )
    corpus = read_corpus(path)
    assert corpus.format == "doccano"
    assert [r.gold for r in corpus] == [(GoldSpan(0, 3, ("a",)),), (GoldSpan(4, 7, ("b",)),), None]
    assert [r.id for r in corpus] == ["3", "4", "5"]


def test_mafalda_alternatives_bottom_and_notes(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(
        '{"text": "You lie.\\r\\n", "labels": [[0, 8, "Ad Hominem"], [0, 8, "nothing"], [4, 7, "To Clean"]],'
        ' "comments": ["c"]}\n'
        '{"text": "Fine.", "labels": []}\n'
    )
    corpus = read_corpus(path)
    assert corpus.format == "mafalda"
    assert corpus[0] == Record(
        "1", "You lie.\r\n", (GoldSpan(0, 8, ("Ad Hominem", NO_FALLACY)),), meta={"comments": ["c"]}
    )
    assert corpus[1] == Record("2", "Fine.", ())
    assert [(p.kind, p.line, p.kept) for p in corpus.problems] == [("not-a-label", 1, False)]
    assert corpus.n_kept_out == 1


def test_reading_is_lazy_and_memory_flat(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "big.jsonl"
    line = '{"id": "%d", "text": "' + "x" * 20_000 + '", "gold": []}\n'
    with path.open("w") as f:
        for i in range(1500):  # 30 MB
            f.write(line % i)
    tracemalloc.start()
    try:
        n = sum(1 for _ in iter_records(path, format="fallax"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n == 1500
    assert peak < 2_000_000


def test_json_list_is_read_item_by_item(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "big.json"
    with path.open("w") as f:
        f.write("[")
        for i in range(600):  # 12 MB
            f.write(f'{"," if i else ""}{{"data": {{"id": {i}, "text": "{"x" * 20_000}"}}, "annotations": []}}\n')
        f.write("]\n")
    tracemalloc.start()
    try:
        found = [r.id for r in iter_records(path)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [str(i) for i in range(600)]
    assert peak < 4_000_000


@given(st.text(st.characters(max_codepoint=127), max_size=40))
def test_tokens_of_ascii_are_those_of_the_rule(text: str) -> None:
    assert tokenize(text) == _tokenize(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("don't well-known -x- 'q' a--b", ["don't", "well-known", "-", "x", "-", "'", "q", "'", "a", "-", "-", "b"]),
        ("l’été, 3.5 €_a", ["l’été", ",", "3", ".", "5", "€", "_a"]),
        ("cafe\u0301s 👩‍👩‍👧! 👍🏽👍", ["cafe\u0301s", "👩‍👩‍👧", "!", "👍🏽", "👍"]),
        ("שלום, עולם", ["שלום", ",", "עולם"]),
        (" \r\n", []),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert [text[a:b] for a, b in tokenize(text)] == tokens


def test_a_link_is_written_through_and_rights_are_kept(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert write_corpus([Record("a", "x")], tmp_path / "link") == []
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == '{"id": "a", "text": "x", "gold": null}\n'
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
