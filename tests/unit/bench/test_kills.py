"""Killed and started again; the long version is ``benchmarks/kills.py``."""

from pathlib import Path

from tests.support.killing import Job, asked_again, script, sent_before_kill, write_texts
from tests.support.stub_endpoint import StubEndpoint


def test_five_kills_change_no_byte_and_lose_no_stored_answer(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    write_texts(texts, 60)
    with StubEndpoint(latency=0.05, script=script) as stub:
        for name in ("killed", "whole"):
            (tmp_path / name).mkdir()
        job = Job(stub, texts, tmp_path / "killed", connections=4)
        done = job.kill(5, seed=1, longest=0.3)
        job.finish()
        seen = list(stub.seen)
        whole = Job(stub, texts, tmp_path / "whole", connections=4)
        whole.finish()
    assert len(done.kills) == 5
    assert job.content() == whole.content()
    # What came again was under way: never more than the connections allow, for each time the process was killed.
    again = asked_again(seen)
    assert len(again) <= 5 * 4 + sum(sent_before_kill(one, done.kills) is not None for one in again)
    assert len(seen) == 120 + len(again)
