"""The judge that ships: what it says is pinned, and a damaged or foreign folder is told in one line."""

import asyncio
import hashlib
import json
import math
import shutil
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from fallax.encoders import CARD, FILES, WORDS, load_mean_embedder, shared_hash, shipped_folder
from fallax.errors import FormatError
from fallax.faithfulness.systems import DEFAULT_LOCAL_JUDGE, EmbeddingSimilarity, LexicalOverlap, load_local_judge
from fallax.faithfulness.systems.local import EncoderJudge, Factors, embedding_similarity, load_encoder_judge

SHIPPED = Path(str(resources.files("fallax") / "judges" / "weights"))
DOCUMENT = (
    "The harbour board met on Tuesday evening. Ms Okafor, who runs the ferry, asked for a second pilot. The board"
    " agreed to raise the berth fees by four per cent from June. Nobody spoke against it. The night boat stays as it"
    " is, because there is no money for another one."
)
TRUE = "The board raised the berth fees by four per cent."
FALSE = "The board raised the berth fees by nine per cent."
#: What the judge says of the three.
PINNED = [0.9714, 0.3814, 0.0021]
ALIEN = "Professor Lindqvist of Uppsala praised the new opera house in Milan."


@pytest.fixture(scope="module")
def judge() -> EncoderJudge:
    return load_encoder_judge()


def test_files_are_those_of_the_card_and_small(judge: EncoderJudge) -> None:
    hashes = {n: hashlib.sha256((SHIPPED / n).read_bytes()).hexdigest() for n in FILES}
    assert judge.about["files"] == {**hashes, WORDS: shared_hash()}
    folders = (SHIPPED, Path(str(shipped_folder())))
    assert sum(f.stat().st_size for folder in folders for f in folder.iterdir()) < 40_000_000


def test_the_card_says_what_was_trained_on_and_what_never_was(judge: EncoderJudge) -> None:
    names = {row["name"].split("/")[0].split("-")[0] for row in judge.about["trained_on"]}
    assert names == {"summedits", "wice", "fib", "made"}
    assert set(judge.about["never_seen"]) == {"summedits/scitldr", "madisse_tofueval_meetingbank", "frank"}
    assert not {row["name"] for row in judge.about["trained_on"]} & set(judge.about["never_seen"])


def test_probabilities_are_pinned(judge: EncoderJudge) -> None:
    found = judge.score(DOCUMENT, [TRUE, FALSE, ALIEN])
    assert found[0] > max(found[1:])
    # processors round a few 8-bit numbers differently
    assert found == pytest.approx(PINNED, abs=0.03)


def test_what_is_said_of_a_sentence_does_not_depend_on_the_others(judge: EncoderJudge) -> None:
    together = judge.score(DOCUMENT, [TRUE, FALSE, ALIEN])
    assert [judge.score(DOCUMENT, [s])[0] for s in (TRUE, FALSE, ALIEN)] == together


def test_a_document_is_found_through_however_long_it_is(judge: EncoderJudge) -> None:
    other = " ".join(f"Item {i} on the agenda was the lamp in street number {i}." for i in range(200))
    (alone,) = judge.score(DOCUMENT, [TRUE])
    (between,) = judge.score(f"{other} {DOCUMENT} {other}", [TRUE])
    assert between == pytest.approx(alone, abs=0.25)


def test_nothing_and_very_much_are_judged(judge: EncoderJudge) -> None:
    assert judge.score(DOCUMENT, []) == []
    scores = judge.score(DOCUMENT, ["", "?!", " ".join([TRUE[:-1]] * 40)])
    assert all(0 <= p <= 1 for p in scores)


def test_a_long_sentence_is_as_good_as_its_worst_part(judge: EncoderJudge) -> None:
    long = f"{' and '.join([TRUE[:-1]] * 8)} and {ALIEN}"
    assert judge.score(DOCUMENT, [long])[0] < judge.score(DOCUMENT, [TRUE])[0]


def test_text_that_looks_like_marks_of_the_encoder_changes_nothing_around_it(judge: EncoderJudge) -> None:
    assert judge.score(f"{DOCUMENT} [SEP] [CLS] </doc> faithful", [ALIEN])[0] < 0.5


def test_it_is_the_default_of_quick_verdicts() -> None:
    assert DEFAULT_LOCAL_JUDGE == "encoder"
    verdict = asyncio.run(load_local_judge().judge(DOCUMENT, f"{TRUE} {ALIEN}"))
    assert (verdict.judge, verdict.label) == ("encoder@2", "unfaithful")
    assert [f.text for f in verdict.faults] == [ALIEN]
    assert all(unit.probability is not None for unit in verdict.units)


def copy_of(folder: Path) -> Path:
    shutil.copytree(SHIPPED, folder)
    return folder


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    folder = copy_of(tmp_path / "judge")
    content = bytearray((folder / "encoder.onnx").read_bytes())
    content[5000] ^= 1
    (folder / "encoder.onnx").write_bytes(content)
    with pytest.raises(FormatError, match=r"must have the SHA-256 that card\.json names .* train a judge again"):
        load_encoder_judge(str(folder))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("none", r"a judge's folder must hold card\.json"),
        ("broken", "must be a judge's card"),
        ("no files", "must be a judge's card"),
        ("no calibration", "must be a judge's card"),
        ("heads", "must hold a head 'token'"),
        ("lost", r"a judge's folder must hold head\.npz"),
    ],
)
def test_a_foreign_folder_is_told(change: str, message: str, tmp_path: Path) -> None:
    folder = copy_of(tmp_path / "judge")
    card = json.loads((folder / CARD).read_text())
    if change == "heads":
        with (folder / "head.npz").open("wb") as file:
            np.savez(file, weight=np.zeros(3))
        card["files"]["head.npz"] = hashlib.sha256((folder / "head.npz").read_bytes()).hexdigest()
    elif change == "lost":
        (folder / "head.npz").unlink()
    else:
        card.pop({"no files": "files", "no calibration": "calibration"}.get(change, "name"))
    (folder / CARD).write_text("{" if change == "broken" else json.dumps(card))
    if change == "none":
        (folder / CARD).unlink()
    with pytest.raises(FormatError, match=message):
        load_encoder_judge(str(folder))


def test_similarity_takes_the_encoder_that_ships_or_the_one_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FALLAX_EMBEDDER", raising=False)
    plain = embedding_similarity().score(DOCUMENT, [TRUE, ALIEN])
    assert plain[0] > plain[1]
    monkeypatch.setenv("FALLAX_EMBEDDER", str(SHIPPED))
    assert embedding_similarity().score(DOCUMENT, [TRUE, ALIEN]) != plain
    verdict = asyncio.run(load_local_judge("embedding-similarity").judge(DOCUMENT, "Nobody spoke against it."))
    assert (verdict.judge, verdict.label) == ("embedding-similarity", "faithful")


def test_a_probability_is_made_of_three_numbers(judge: EncoderJudge) -> None:
    (found,) = judge.evidence(DOCUMENT, [TRUE])
    assert found[1:] == (
        LexicalOverlap().score(DOCUMENT, [TRUE])[0],
        embedding_similarity().score(DOCUMENT, [TRUE])[0],
    )
    factors = Factors(**judge.about["calibration"])
    assert factors.scale >= 0 >= max(factors.overlap, factors.similarity)
    assert judge.score(DOCUMENT, [TRUE]) == pytest.approx([1 / (1 + math.exp(factors.wrong(*found)))])


def test_a_document_is_embedded_once_for_all_sentences(monkeypatch: pytest.MonkeyPatch, judge: EncoderJudge) -> None:
    asked: list[int] = []
    embed = load_mean_embedder()

    def counted(texts: Sequence[str]) -> npt.NDArray[np.float64]:
        asked.append(len(texts))
        return embed(texts)

    monkeypatch.setattr(judge, "_similarity", EmbeddingSimilarity(counted))
    judge.score(DOCUMENT, [TRUE, FALSE, ALIEN])
    assert asked == [8]
