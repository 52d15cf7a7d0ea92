"""Data sets: what their own pages say of them must be what is read. Sets that are absent are skipped."""

import os
from collections import Counter
from pathlib import Path

import pytest

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import GoldSpan
from fallax.data import DATASETS, data_root, dataset_path, load_dataset, read_corpus, read_predictions, stats
from fallax.data._dataset_readers import detokenize, find_passage
from fallax.errors import InputError, UnknownNameError


def need(name: str) -> Path:
    try:
        return dataset_path(name)
    except InputError as error:
        pytest.skip(str(error))


#: (set, split, items in the split's file, rows of it without text or that belong to another split)
SIZES = [
    ("mafalda", "dev", 100, 0),
    ("mafalda", "user_study", 20, 0),
    ("logic", "dev", 276, 0),
    ("logic", "train", 1735, 0),
    ("logicclimate", "dev", 238, 7),
    ("logicclimate", "train", 770, 24),
    ("reddit_informal_fallacies", "dev", 2906, 2256),
    ("reddit_informal_fallacies", "train", 2906, 650),
    ("reddit_informal_fallacies", "negative_dev", 5446, 4209),
    ("argotario", "dev", 1117, 0),
    ("cocolofa", "dev", 1538, 0),
    ("flicc", "dev", 439, 0),
    ("flicc", "train", 1702, 0),
    ("elecdeb60to20_fallacy", "dev", 157, 0),
    ("elecdeb60to20_fallacy", "train", 1052, 0),
    ("alhindi_climate_covid", "dev", 125, 1),
    ("alhindi_climate_covid", "train", 428, 1),
    ("fallacies_hong2024", "dev", 3712, 0),
    ("lfud", "dev", 648, 0),
    ("ptc_nlp4if2019", "dev", 277, 0),
    ("ptc_semeval2020", "dev", 34, 0),
    ("semeval2021_task6", "dev", 63, 0),
    ("semeval2021_task6", "train", 688, 0),
    ("touche26_fallacy", "train", 819, 0),
    ("smartypat", "posts", 251, 0),
    ("smartypat", "augmented", 110, 0),
    ("smartypat", "benign", 251, 0),
]


@pytest.mark.parametrize(("name", "split", "items", "left_out"), SIZES)
def test_sizes_are_those_of_the_pages(name: str, split: str, items: int, left_out: int) -> None:
    need(name)
    assert len(load_dataset(name, split=split)) == items - left_out


@pytest.mark.parametrize("name", DATASETS)
def test_every_label_is_in_the_taxonomy_and_in_the_set_s_spelling(name: str) -> None:
    need(name)
    info = DATASETS[name]
    if not info.taxonomy:
        pytest.skip(f"{name} has no labels")
    corpus = load_dataset(name, taxonomy=info.taxonomy)
    assert [p for p in corpus.problems if p.kind == "unknown-label"] == []
    whole = [r for r in corpus if r.meta.get("granularity") == "text"]
    assert all((g.start, g.end) == (0, len(r.text)) for r in whole for g in r.gold or ())
    assert any(r.gold for r in corpus)


def test_mafalda_dev() -> None:
    need("mafalda")
    taxonomy = load_taxonomy("mafalda")
    corpus = load_dataset("mafalda", taxonomy=taxonomy)
    assert [(p.kind, p.line) for p in corpus.problems] == [("not-a-label", 38)]
    assert [r.id for r in corpus][:2] == ["1", "2"]
    s = stats(corpus, taxonomy)
    # counted in the file: 134 rows, one of them "to clean"; 9 rows "nothing"
    assert s.n_annotations == 133
    assert s.levels["level 2"]["no fallacy"] == 9
    assert s.levels["level 2"]["hasty generalization"] == 16
    assert sum(n * k for n, k in s.alternatives.items()) == 133
    assert any("\r\n" in r.text for r in corpus)


@pytest.mark.parametrize("user", [1, 2, 4, 5])
def test_mafalda_user_study(user: int) -> None:
    path = need("mafalda") / "user_study" / f"user{user}.jsonl"
    corpus = read_corpus(path, taxonomy="mafalda")
    assert (corpus.format, len(corpus)) == ("mafalda", 20)
    assert corpus[0].id.isdigit()
    gold = load_dataset("mafalda", split="user_study")
    pred = read_predictions(path, taxonomy="mafalda", records=gold, align="text")
    assert sorted(p.id for p in pred) == sorted(r.id for r in gold)
    assert [r.gold for r in load_dataset("mafalda", split=f"user{user}", taxonomy="mafalda")] == [
        r.gold for r in corpus
    ]


def test_propaganda_spans_past_the_end_are_kept_out_and_listed() -> None:
    folder = need("ptc_nlp4if2019")
    corpus = load_dataset("ptc_nlp4if2019", taxonomy="propaganda18")
    out = [p for p in corpus.problems if not p.kept]
    assert sorted(p.record for p in out) == ["723844295", "765029945", "776368676"]
    assert {p.kind for p in out} == {"past-end"}
    assert all(str(p).startswith(str(folder / "labels-FLC" / f"article{p.record}.task-FLC.labels:")) for p in out)
    n_lines = sum(len(p.read_text().splitlines()) for p in (folder / "labels-FLC").iterdir())
    assert stats(corpus).n_annotations == n_lines - 3
    with pytest.raises(InputError, match=r"article723844295\.task-FLC\.labels:4: .*2698 characters, got 2445\.\.2699"):
        read_corpus(folder / "labels-FLC")


def test_propaganda_scorer_samples() -> None:
    samples = need("ptc_nlp4if2019") / "scorer_samples"
    gold = read_corpus(samples / "article736757214.task-FLC.labels", articles=samples)
    pred = read_predictions(samples / "submission-task-FLC.tsv", records=gold)
    assert [(r.id, len(r.gold or ())) for r in gold] == [("736757214", 5)]
    assert [(p.id, len(p.spans)) for p in pred] == [("736757214", 5)]


def test_negatives_and_not_annotated_are_told_apart() -> None:
    need("reddit_informal_fallacies")
    need("touche26_fallacy")
    need("smartypat")
    reddit = load_dataset("reddit_informal_fallacies")
    assert {r.gold is None for r in reddit if r.meta["asked"] == "natural"} == {True, False}
    assert all(r.gold is None or len(r.gold) == 1 for r in reddit)
    assert Counter(r.gold == () for r in load_dataset("touche26_fallacy")) == {True: 411, False: 408}
    assert all(r.gold == () for r in load_dataset("smartypat", split="benign"))


def test_missci_classes_are_alternatives() -> None:
    need("missci")
    corpus = load_dataset("missci")
    assert len({r.meta["argument"] for r in corpus}) == 30
    assert all(set(r.meta["premises"]) == set(g.labels) for r in corpus for g in r.gold or ())


def test_all_splits_together_keep_ids_apart() -> None:
    need("logic")
    corpus = load_dataset("logic", split="all")
    assert len({r.id for r in corpus}) == len(corpus) == 276 + 1735
    assert Counter(r.meta["split"] for r in corpus) == {"dev": 276, "train": 1735}


def test_wikitext_is_natural_unless_asked() -> None:
    need("wikitext2")
    natural, raw = load_dataset("wikitext2"), load_dataset("wikitext2", natural=False)
    assert len(natural) == len(raw) > 1000
    assert not any(" @-@ " in r.text or " , " in r.text for r in natural)
    assert any(" @-@ " in r.text for r in raw)
    assert all(r.gold is None for r in natural)


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("a 1 @,@ 000 @-@ mile run", "a 1,000-mile run"),
        ('" Yes " , he said ; " no . "', '"Yes", he said; "no."'),
        ("it 's ( almost ) done , isn 't it ?", "it's (almost) done, isn't it?"),
        ("£ 5 , or 10 %", "£5, or 10%"),
        ('an odd " quote', 'an odd " quote'),
    ],
)
def test_detokenize(tokens: str, text: str) -> None:
    assert detokenize(tokens) == text


@pytest.mark.parametrize(
    ("text", "shown", "found"),
    [
        ("A b. C d.", "C d.", (5, 9)),
        ("A b.\n\nC d. E", "b.C  d.", (2, 10)),
        ("no no", "no", None),  # two places
        ("abab ab", "aba", None),  # places that overlap
        ("text", "other", None),
        ("text", " ", None),
    ],
)
def test_find_passage(text: str, shown: str, found: tuple[int, int] | None) -> None:
    assert find_passage(text, shown) == found


def test_absent_sets_say_where_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InputError, match=r"data set 'logic': must be in .*/logic, .*FALLAX_DATA.*github\.com/causalNLP"
    ):
        load_dataset("logic", root=tmp_path)
    (tmp_path / "logic").mkdir()
    with pytest.raises(InputError, match=r"dev\.jsonl: must be a part of 'logic', got nothing there"):
        load_dataset("logic", root=tmp_path)
    with pytest.raises(UnknownNameError, match="unknown data set 'logik'; did you mean 'logic'"):
        load_dataset("logik", root=tmp_path)
    with pytest.raises(UnknownNameError, match=r"'logic': unknown split 'tset'.* known: all, dev, test, train"):
        load_dataset("logic", split="tset", root=tmp_path)
    with pytest.raises(InputError, match=r"test\.jsonl: must be a part of 'logic', got nothing there"):
        load_dataset("logic", split="test", root=tmp_path)
    monkeypatch.setenv("FALLAX_DATA", str(tmp_path))
    assert data_root() == tmp_path
    monkeypatch.delenv("FALLAX_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c"))
    assert data_root() == tmp_path / "c" / "fallax" / "data"
    assert os.environ.get("FALLAX_DATA") is None


def test_a_set_of_ones_own_making_is_read(tmp_path: Path) -> None:
    (tmp_path / "elecdeb60to20_fallacy").mkdir()
    (tmp_path / "elecdeb60to20_fallacy" / "dev.jsonl").write_text(
        '{"tokens": ["You", "fool,", "no."], "tags": ["B-AdHominem", "I-AdHominem", "O"]}\n'
    )
    corpus = load_dataset("elecdeb60to20_fallacy", root=tmp_path)
    assert corpus[0].text == "You fool, no."
    assert corpus[0].gold == (GoldSpan(0, 9, ("AdHominem",)),)
    (tmp_path / "smartypat").mkdir()
    (tmp_path / "smartypat" / "SmartyPat_label.csv").write_text(
        '7,"A post, here","False Cause, Equivocation","If so."\n'
    )
    found = load_dataset("smartypat", root=tmp_path)[0]
    assert (found.id, found.gold) == ("7", (GoldSpan(0, 12, ("Equivocation", "False Cause")),))
    assert found.meta["same_span"] == "all"


def test_what_may_be_trained_on_follows_the_licence() -> None:
    free = ("MIT", "CC0", "Apache-2.0", "CC BY-SA 3.0")
    for info in DATASETS.values():
        assert info.may_train in ("shipped", "research", "never")
        assert (info.may_train == "shipped") == (info.licence in free)
    assert DATASETS["mafalda"].may_train == "never"
