"""``fallax build causal`` and what belongs to it, from pairs to splits; killed on the way and continued."""

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fallax.causality.building.checks import same_text
from fallax.cli import main
from fallax.data import read_claims
from tests.support.building import Build, asked_twice, script, write_pairs
from tests.support.stub_endpoint import StubEndpoint


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = 0
    try:
        main(["build", *words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], int]:
    """A build of 8 pairs that was killed once and continued; its folder, what it told, and questions asked again."""
    folder = tmp_path_factory.mktemp("made")
    pairs = folder / "pairs.csv"
    write_pairs(pairs, 8)
    words = ("--attempts", "2", "--seed", "4")
    with StubEndpoint(script=script, latency=0.03) as stub, pytest.MonkeyPatch.context() as patch:
        build = Build(stub, str(pairs), folder, *words)
        build.kill_after(15)
        numbers = build.finish()
        again = asked_twice(stub.seen)
        patch.setenv("OPENAI_API_KEY", "unused")
        whole = Build(stub, str(pairs), folder / "whole", *words)
        with contextlib.suppress(SystemExit):
            main(whole.arguments[3:])
        assert build.content() == whole.content()
    return build.out, numbers, again


def test_a_killed_build_goes_on_and_comes_out_the_same(made: tuple[Path, dict[str, Any], int]) -> None:
    folder, numbers, again = made
    assert numbers["steps"]["there"] > 0
    # those under way when it was killed, and a few just arrived; one reply cannot be read and is asked for again
    assert again <= 32
    ok = numbers["pairs"]["ok"]
    assert ok + numbers["pairs"]["unreadable"] == 8
    assert ok > 4
    claims = read_claims(folder / "claims.jsonl").claims
    assert len(claims) == 3 * ok
    own: dict[str, set[str]] = {}
    for c in claims:
        own.setdefault(c.group, set()).update(same_text(e.text) for e in c.evidence if e.useful is not False)
    assert not any(same_text(e.text) in own[c.group] for c in claims for e in c.distractors)
    steps = [json.loads(line) for line in (folder / "steps.jsonl").read_text().splitlines()]
    assert len({(s["pair"], s["step"], s["attempt"]) for s in steps}) == len(steps)


def test_reviews_are_applied_split_and_compared(
    made: tuple[Path, dict[str, Any], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, bob = tmp_path / "ann.txt", tmp_path / "bob.txt"
    text = (made[0] / "review.txt").read_text()
    n = made[1]["pairs"]["ok"]
    ann.write_text(text.replace("status: todo\n", "status: ok\n"))
    head, *blocks = text.replace("status: todo\n", "status: ok\n").split("\n== ")
    blocks[0] = blocks[0].replace("status: ok\nreason:", "status: discard\nreason: not a cause")
    bob.write_text("\n== ".join([head, *blocks]))
    code, out, _ = run(capsys, "causal-check", str(ann), str(bob))
    assert code == 0
    assert f"{ann}: {2 * n} ok, 0 discard, 0 todo" in out
    assert f"percent: {1 - 1 / (2 * n):.3f}" in out
    code, _, err = run(capsys, "causal-apply", str(ann), str(bob), "--output", str(tmp_path / "one.jsonl"))
    told = json.loads(err)
    assert code == 0
    assert told["undecided"] == [blocks[0].splitlines()[0]]
    assert told["claims"]["n"] == 3 * (n - 1)  # a pair of which one claim is not ok is left out
    words = ("--split", "train=0.5", "--split", "test=0.5", "--seed", "2")
    assert run(capsys, "causal-apply", str(ann), "--output", str(tmp_path / "sets"), *words)[0] == 0
    train, test = (read_claims(tmp_path / "sets" / f"{s}.jsonl").claims for s in ("train", "test"))
    assert len(train) + len(test) == 3 * n
    assert not {c.group for c in train} & {c.group for c in test}


def test_applying_takes_the_sentences_of_the_build_or_says_why_distractors_are_few(
    made: tuple[Path, dict[str, Any], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review = tmp_path / "alone" / "ann.txt"
    review.parent.mkdir()
    review.write_text((made[0] / "review.txt").read_text().replace("status: todo\n", "status: ok\n"))
    words = {w for c in read_claims(made[0] / "claims.jsonl").claims for w in c.claim.strip(".").split()}
    lines = [json.dumps(f"Somebody spoke of {w} {i} times.") + "\n" for w in sorted(words) for i in range(20)]
    build = tmp_path / "build"
    build.mkdir()
    (build / "sentences.jsonl").write_text("".join(lines))
    out = ("--output", str(tmp_path / "set.jsonl"), "--distractors", "90-100")
    code, _, err = run(capsys, "causal-apply", str(review), *out)
    assert code == 0
    few = json.loads(err)["fewer distractors than asked for"]
    assert few["fewest"] < 90
    assert "share a word with these claims" in few["why"]
    assert "fewer distractors than asked for" not in json.loads(
        run(capsys, "causal-apply", str(review), *out, "--build", str(build))[2]
    )
    assert min(c.n_distractors for c in read_claims(tmp_path / "set.jsonl").claims) >= 90
    code, _, err = run(capsys, "causal-apply", str(review), *out, "--build", str(tmp_path))
    assert code == 2
    assert "--build: must be a folder of `fallax build causal`" in err


def test_a_review_with_a_fault_is_not_applied(
    made: tuple[Path, dict[str, Any], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text((made[0] / "review.txt").read_text().replace("status: todo\n", "status: perhaps\n"))
    code, out, _ = run(capsys, "causal-check", str(bad), "--json")
    assert code == 2
    assert "unknown status 'perhaps'" in json.loads(out)["problems"][0]["message"]
    code, _, err = run(capsys, "causal-apply", str(bad), "--output", str(tmp_path / "x.jsonl"))
    assert code == 2
    assert "more; fallax build causal-check lists them" in err
    assert not (tmp_path / "x.jsonl").exists()


def test_a_build_with_other_settings_is_refused(
    made: tuple[Path, dict[str, Any], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(made[0], tmp_path / "build")
    pairs, rules = made[0].parent / "pairs.csv", tmp_path / "script.jsonl"
    rules.write_text('{"reply": "x"}')
    code, _, err = run(
        capsys,
        "causal",
        str(pairs),
        "--output",
        str(tmp_path / "build"),
        "--attempts",
        "2",
        "--model",
        f"scripted:{rules}",
    )
    assert code == 2
    assert 'holds a build with model = "openai/stub"' in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--distractors", "many"], "--distractors: must be LEAST-MOST"),
        (["--limit", "0"], "--limit: must be 1 or more"),
        (["--attempts", "0"], "attempts must be 1 or more"),
    ],
)
def test_bad_options_are_one_line(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_pairs(tmp_path / "pairs.csv", 1)
    code, _, err = run(
        capsys, "causal", str(tmp_path / "pairs.csv"), "--output", str(tmp_path / "b"), "--model", "openai/x", *words
    )
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
