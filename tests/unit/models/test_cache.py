import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types.messages import Message, Reply, Request, TokenLogprob, Usage
from fallax.errors import FormatError, InputError, ModelError
from fallax.models import Cache, CachedModel, Call, RecordedModel, ScriptedModel, call_key, read_calls, request_key


def ask(text: str = "Is it so?", **fields: object) -> Request:
    return Request((Message("user", text),), **fields)  # type: ignore[arg-type]


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache(tmp_path / "deep" / "calls.sqlite") as opened:
        yield opened


RICH = Reply(
    "yes \ud800 é",
    "gpt",
    "because",
    "length",
    Usage(3, 2, 1, 1, 1, 0.25),
    (TokenLogprob("yes", -0.5, {"yes": -0.5, "no": -1.0}),),
)


def test_of_two_calls_of_one_key_the_first_is_new(cache: Cache) -> None:
    first, second = (Call("k", ask(), Reply(said), "m", {"model": "m"}) for said in ("a", "b"))
    assert cache.put_all([first, second, second]) == 1
    assert cache.get("k") == Reply("a")
    assert cache.put_all([first]) == 0


def test_cache_gives_back_what_was_put(cache: Cache) -> None:
    call = Call("k", ask(), RICH, "m", {"model": "m"})
    assert asyncio.run(cache.put(call)) == RICH
    assert cache.get("k") == RICH
    assert cache.get("other") is None
    assert list(cache.calls()) == [call]


def test_cache_first_answer_stays(cache: Cache) -> None:
    asyncio.run(cache.put(Call("k", ask(), Reply("first"))))
    assert asyncio.run(cache.put(Call("k", ask(), Reply("second")))).text == "first"
    assert cache.get("k") == Reply("first")


@pytest.mark.parametrize(
    "other",
    [
        ask("Is it not so?"),
        ask(temperature=1.0),
        ask(top_p=0.5),
        ask(max_tokens=5),
        ask(seed=1),
        ask(stop=("\n",)),
        ask(logprobs=2),
        ask(json_schema={"type": "object"}),
        ask(grammar='root ::= "a"'),
        ask(epoch=1),
        Request((Message("system", "Is it so?"),)),
        Request((Message("user", "Is it"), Message("user", " so?"))),
    ],
)
def test_key_changes_with_every_field(other: Request) -> None:
    assert request_key(other) != request_key(ask())
    assert call_key({"model": "m"}, other) != call_key({"model": "m"}, ask())


def test_key_tells_schemas_by_the_order_of_their_properties() -> None:
    first = ask(json_schema={"properties": {"a": {}, "b": {}}})
    second = ask(json_schema={"properties": {"b": {}, "a": {}}})
    assert request_key(first) != request_key(second)


def test_key_is_the_same_in_another_process() -> None:
    code = (
        "from fallax.models import call_key\nfrom fallax.core.types.messages import *\n"
        "print(call_key({'b': 1, 'model': 'm'}, Request((Message('user', 'é'),), temperature=0)))"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert there == call_key({"model": "m", "b": 1}, ask("é", temperature=0.0))


def test_key_refuses_what_json_cannot_say() -> None:
    with pytest.raises(InputError, match="plain JSON"):
        request_key(ask(temperature=float("nan")))


def test_cached_model_asks_once(cache: Cache) -> None:
    scripted = ScriptedModel(lambda request: request.messages[0].content.upper())
    model = CachedModel(scripted, cache)
    texts = [asyncio.run(model.generate(ask(text))).text for text in ("a", "b", "a")]
    assert texts == ["A", "B", "A"]
    assert len(scripted.requests) == 2
    assert (cache.n_hits, cache.n_misses) == (1, 2)


def test_cached_model_shares_questions_in_flight(cache: Cache) -> None:
    scripted = ScriptedModel([{"reply": "slow", "latency": 0.05}])
    model = CachedModel(scripted, cache)

    async def many() -> list[Reply]:
        return await asyncio.gather(*(model.generate(ask()) for _ in range(20)))

    assert {r.text for r in asyncio.run(many())} == {"slow"}
    assert len(scripted.requests) == 1


def test_cached_model_shares_questions_between_threads(cache: Cache) -> None:
    scripted = ScriptedModel([{"reply": "slow", "latency": 0.2}])
    model = CachedModel(scripted, cache)
    replies: list[Reply] = []
    threads = [threading.Thread(target=lambda: replies.append(asyncio.run(model.generate(ask())))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.text for r in replies] == ["slow"] * 8
    assert len(scripted.requests) == 1


class Waiting:
    """A model that answers when it is let."""

    name = "waiting"

    def __init__(self) -> None:
        self.n_asked = 0
        self.asked, self.let = asyncio.Event(), asyncio.Event()

    async def generate(self, request: Request) -> Reply:
        self.n_asked += 1
        self.asked.set()
        await self.let.wait()
        return Reply("slow")


def test_cached_model_goes_on_when_the_first_to_ask_is_cancelled(cache: Cache) -> None:
    async def scene() -> tuple[str, int]:
        inner = Waiting()
        model = CachedModel(inner, cache)
        first = asyncio.create_task(model.generate(ask()))
        await inner.asked.wait()
        inner.asked.clear()
        second = asyncio.create_task(model.generate(ask()))
        await asyncio.sleep(0)  # the second waits for the first now
        first.cancel()
        await inner.asked.wait()
        inner.let.set()
        return (await second).text, inner.n_asked

    assert asyncio.run(scene()) == ("slow", 2)


def test_cached_model_stores_an_answer_whose_caller_left_while_it_was_stored(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted = ScriptedModel([{"replies": ["paid for", "paid again"]}])
    model = CachedModel(scripted, cache)
    blocker = sqlite3.connect(cache.path, isolation_level=None)
    submit = cache.submit

    async def scene() -> str:
        submitted = asyncio.Event()

        def noticed(*job: Any) -> None:
            submit(*job)
            submitted.set()

        monkeypatch.setattr(cache, "submit", noticed)
        blocker.execute("BEGIN IMMEDIATE")
        first = asyncio.create_task(model.generate(ask()))
        await submitted.wait()  # answered; the writer waits for the blocker
        first.cancel()
        second = asyncio.create_task(model.generate(ask()))
        await asyncio.sleep(0)
        blocker.execute("ROLLBACK")
        assert (await asyncio.gather(first, return_exceptions=True))[0].__class__ is asyncio.CancelledError
        return (await second).text

    assert asyncio.run(scene()) == "paid for"
    assert len(scripted.requests) == 1
    blocker.close()


def test_cached_model_shares_errors_and_stores_none(cache: Cache) -> None:
    scripted = ScriptedModel([{"replies": [{"error": "endpoint", "latency": 0.05}, "fine"]}])
    model = CachedModel(scripted, cache)

    async def two() -> list[Reply | BaseException]:
        return list(await asyncio.gather(model.generate(ask()), model.generate(ask()), return_exceptions=True))

    assert all(isinstance(e, ModelError) for e in asyncio.run(two()))
    assert asyncio.run(model.generate(ask())).text == "fine"


def test_cache_keeps_models_apart(cache: Cache) -> None:
    one = CachedModel(ScriptedModel(lambda r: "one", name="scripted:one"), cache)
    two = CachedModel(ScriptedModel(lambda r: "two", name="scripted:two"), cache)
    assert [asyncio.run(m.generate(ask())).text for m in (one, two, one)] == ["one", "two", "one"]
    assert cache.info().n_by_model == {"scripted:one": 1, "scripted:two": 1}


def test_cache_is_safe_with_several_processes(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    code = """
import asyncio, sys
from fallax.models import Cache, Call
from fallax.core.types.messages import Message, Reply, Request
async def main(cache, me):
    async def one(i):
        request = Request((Message("user", str(i)),))
        return (await cache.put(Call(str(i), request, Reply(f"{me}:{i}")))).text
    print(*await asyncio.gather(*(one(i) for i in range(200))))
with Cache(sys.argv[1]) as cache:
    asyncio.run(main(cache, sys.argv[2]))
"""
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), str(me)], stdout=subprocess.PIPE, text=True)
        for me in range(4)
    ]
    outputs = [p.communicate()[0] for p in running]
    assert all(p.returncode == 0 for p in running)
    assert len(set(outputs)) == 1  # whoever stored first, all were given the same answers
    assert len(outputs[0].split()) == 200


ASKING = """
import asyncio, sys
from fallax.core.types.messages import Message, Reply, Request
from fallax.models import Cache, CachedModel
class Slow:
    name, identity = "shared", {"model": "shared"}
    async def generate(self, request):
        print("asked", flush=True)
        return Reply(sys.stdin.readline().strip())
with Cache(sys.argv[1]) as cache:
    asyncio.run(CachedModel(Slow(), cache).generate(Request((Message("user", "?"),))))
"""


class Shared:
    """The same model as that of ASKING, in this process."""

    name = "shared"
    identity: Mapping[str, Any] = {"model": "shared"}

    def __init__(self) -> None:
        self.n_asked = 0

    async def generate(self, request: Request) -> Reply:
        self.n_asked += 1
        return Reply("asked here")


@pytest.mark.parametrize(("ends", "text", "n_asked"), [("answers", "asked there", 0), ("is killed", "asked here", 1)])
def test_two_processes_on_one_cache_ask_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str, text: str, n_asked: int
) -> None:
    path = tmp_path / "calls.sqlite"
    command = [sys.executable, "-c", ASKING, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == "asked\n"

        async def waits(seconds: float) -> None:  # this process has seen that the other one asks
            if other.poll() is None:
                if ends == "is killed":
                    other.kill()
                other.communicate("asked there\n")

        monkeypatch.setattr("fallax.models.cached.asyncio.sleep", waits)
        model = Shared()
        with Cache(path) as cache:
            request = Request((Message("user", "?"),))
            assert asyncio.run(CachedModel(model, cache).generate(request)).text == text
            assert model.n_asked == n_asked
            assert (cache.n_hits, cache.n_misses) == (1 - n_asked, n_asked)


def test_cache_holds_what_was_handed_on_after_a_kill(tmp_path: Path) -> None:
    code = """
import asyncio, os, signal, sys
from fallax.models import Cache, CachedModel, ScriptedModel
from fallax.core.types.messages import Message, Request
model = CachedModel(ScriptedModel(lambda r: r.messages[0].content), Cache(sys.argv[1]))
async def main():
    for i in range(1000):
        await model.generate(Request((Message("user", str(i)),)))
        os.write(1, f"{i}\\n".encode())
        if i == 20:
            os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    path = tmp_path / "calls.sqlite"
    handed_on = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert handed_on.returncode == -9
    with Cache(path) as cache:
        stored = {call.reply.text for call in cache.calls()}
    assert stored >= set(handed_on.stdout.split())
    assert len(stored) == 21


def test_cache_can_be_used_after_a_fork(tmp_path: Path) -> None:
    code = """
import asyncio, os, sys
from fallax.models import Cache, Call
from fallax.core.types.messages import Message, Reply, Request
cache = Cache(sys.argv[1])
put = lambda key: asyncio.run(cache.put(Call(key, Request((Message("user", key),)), Reply(key))))
put("before")
child = os.fork()
if child == 0:
    put("child")
    cache.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
put("after")
print(*(call.key for call in cache.calls()))
"""
    command = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "calls.sqlite")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.split() == ["after", "before", "child"], done.stderr


def test_cache_reports_a_write_that_fails(cache: Cache) -> None:
    blocker = sqlite3.connect(cache.path, isolation_level=None)
    cache._writer._connection.execute("PRAGMA busy_timeout=10")
    blocker.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(ModelError, match="could not be stored: database is locked"):
            asyncio.run(cache.put(Call("k", ask(), Reply("x"))))
    finally:
        blocker.execute("ROLLBACK")
        blocker.close()
    assert asyncio.run(cache.put(Call("k", ask(), Reply("x")))).text == "x"


def test_cache_refuses_other_files(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("these are notes, not a database " * 200)
    with pytest.raises(InputError, match="must be an SQLite file"):
        Cache(other)
    newer = sqlite3.connect(tmp_path / "newer.sqlite")
    newer.execute("PRAGMA user_version=99")
    newer.close()
    with pytest.raises(InputError, match="layout 1, found 99"):
        Cache(tmp_path / "newer.sqlite")
    with pytest.raises(InputError, match="file that can be written"):
        Cache(tmp_path)


def test_cache_says_that_it_is_closed(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "calls.sqlite")
    cache.close()
    cache.close()
    with pytest.raises(InputError, match="was closed"):
        cache.get("k")


def test_cache_is_readable_by_its_user_alone(cache: Cache) -> None:
    assert cache.path.stat().st_mode & 0o077 == 0


def test_export_and_import_round_trip(cache: Cache, tmp_path: Path) -> None:
    model = CachedModel(ScriptedModel(lambda r: RICH), cache)
    for text in "abc":
        asyncio.run(model.generate(ask(text, json_schema={"b": 1, "a": 2}, stop=("x",))))
    assert cache.export_calls(tmp_path / "out.jsonl") == 3
    with Cache(tmp_path / "second.sqlite") as second:
        assert second.import_calls(tmp_path / "out.jsonl") == 3
        assert second.import_calls(tmp_path / "out.jsonl") == 0
        assert list(second.calls()) == list(cache.calls()) == list(read_calls(tmp_path / "out.jsonl"))


def test_import_refuses_an_edited_line(cache: Cache, tmp_path: Path) -> None:
    asyncio.run(CachedModel(ScriptedModel(lambda r: "x"), cache).generate(ask("original")))
    cache.export_calls(tmp_path / "out.jsonl")
    path = tmp_path / "out.jsonl"
    path.write_text(path.read_text().replace("original", "edited"))
    with pytest.raises(FormatError, match=r"out\.jsonl:1: the key .* is not the key of this request"):
        list(read_calls(path))


@pytest.mark.parametrize(
    ("line", "match"),
    [("{", "JSONDecodeError"), ("[]", "an object"), ('{"key": "k"}', "request: is missing"), ("3", "an object")],
)
def test_read_calls_says_where_a_line_is_no_call(tmp_path: Path, line: str, match: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text("\n" + line + "\n")
    with pytest.raises(FormatError, match=match) as caught:
        list(read_calls(path))
    assert caught.value.line == 2


def test_read_calls_refuses_missing_and_empty(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="readable"):
        list(read_calls(tmp_path / "none.jsonl"))
    with pytest.raises(FormatError, match="found none"):
        list(read_calls(tmp_path))


def record(path: Path, *entries: tuple[Request, str, str]) -> Path:
    lines = [
        json.dumps({"key": f"k{i}", "model": model, "request": request.to_dict(), "reply": Reply(text).to_dict()})
        for i, (request, text, model) in enumerate(entries)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_recorded_model_replays_a_file_and_a_folder(tmp_path: Path) -> None:
    record(tmp_path / "a.jsonl", (ask("a"), "A", "m"), (ask("a", epoch=1), "A2", "m"))
    record(tmp_path / "b.jsonl", (ask("b"), "B", "m"))
    model = RecordedModel(tmp_path)
    assert len(model) == 3
    assert model.name == f"recorded:{tmp_path}"
    questions = [ask("b"), ask("a", epoch=1), ask("a")]
    assert [asyncio.run(model.generate(q)).text for q in questions] == ["B", "A2", "A"]
    with pytest.raises(ModelError):
        asyncio.run(RecordedModel(tmp_path / "a.jsonl").generate(ask("b")))


def test_recorded_model_says_why_it_misses(tmp_path: Path) -> None:
    model = RecordedModel(record(tmp_path / "a.jsonl", (ask("a", seed=1), "A", "m")))
    with pytest.raises(ModelError, match=r"other settings: seed \(asked 2, recorded 1\)") as caught:
        asyncio.run(model.generate(ask("a", seed=2)))
    assert not caught.value.retryable
    with pytest.raises(ModelError, match="no recorded request has these messages; the last begins 'new'"):
        asyncio.run(model.generate(ask("new")))


def test_recorded_model_takes_no_side_between_two_answers(tmp_path: Path) -> None:
    path = record(tmp_path / "a.jsonl", (ask("a"), "A", "one"), (ask("a"), "B", "two"), (ask("b"), "C", "one"))
    with pytest.raises(FormatError, match="choose with -M model=NAME"):
        RecordedModel(path)
    assert asyncio.run(RecordedModel(path, model="two").generate(ask("a"))).text == "B"
    with pytest.raises(FormatError, match="recorded calls of 'three', found calls of one, two"):
        RecordedModel(path, model="three")


def test_recorded_model_replays_an_export_without_asking(cache: Cache, tmp_path: Path) -> None:
    live = CachedModel(ScriptedModel(lambda r: RICH), cache)
    asyncio.run(live.generate(ask(temperature=0.7, logprobs=2, json_schema={"type": "object"})))
    cache.export_calls(tmp_path / "out.jsonl")
    replayed = asyncio.run(
        RecordedModel(tmp_path / "out.jsonl").generate(ask(temperature=0.7, logprobs=2, json_schema={"type": "object"}))
    )
    assert replayed == RICH
