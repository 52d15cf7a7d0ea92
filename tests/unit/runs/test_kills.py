"""Killed and started again; the long version is ``benchmarks/kills.py``."""

from pathlib import Path

import pytest

from tests.support.killing import Job, asked_again, script, write_texts
from tests.support.stub_endpoint import StubEndpoint


def test_five_kills_change_no_byte_and_lose_no_stored_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = tmp_path / "texts.jsonl"
    write_texts(texts, 60)
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    with StubEndpoint(latency=0.05, script=script) as stub:
        for name in ("killed", "whole"):
            (tmp_path / name).mkdir()
        job = Job(stub, texts, tmp_path / "killed", connections=4)
        done = job.kill(5, seed=1, longest=0.3)
        job.finish()
        seen = list(stub.seen)
        assert job.asked_in_spite_of_the_cache() == []
        whole = Job(stub, texts, tmp_path / "whole", connections=4)
        whole.finish()
    assert len(done.kills) >= 2  # a machine that holds this process up lets the other one finish
    assert job.content() == whole.content()
    # What came again had not been answered, or not been stored yet: what was under way at each kill, and a few that had
    # just arrived. How many depends on the machine, so this only says that most were not asked again.
    again = asked_again(seen)
    assert len(seen) == 120 + len(again)
    assert len(again) < 60
