"""Many pairs and claims at once, by the command and from Python."""

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

import fallax as fx
from fallax.causality.systems import OverlapVerifier
from fallax.cli import main
from fallax.core.prompts import read_prompt
from fallax.core.types import CausalClaim
from fallax.data import read_claims
from fallax.errors import InputError, JudgeError
from fallax.faithfulness.systems.baselines import LexicalOverlap

PAIRS: list[Any] = [
    {"id": 1, "document": "The board met in March. It raised the fees.", "summary": "The board met in March."},
    {"id": "b", "document": "The board met in March. It raised the fees.", "summary": "The board did not meet."},
    {"id": "c", "document": " ", "summary": "x"},
]
CLAIMS = [
    {
        "id": "x",
        "claim": "The valley flooded because the dam broke.",
        "evidence": ["Cats purr.", "The dam broke and flooded the valley."],
    },
    {"id": "y", "claim": "Prices rose because of a strike.", "evidence": []},
]  # fmt: skip

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("pairs.jsonl").write_text("".join(json.dumps(p) + "\n" for p in PAIRS))
    Path("claims.jsonl").write_text("".join(json.dumps(c) + "\n" for c in CLAIMS))

    def call(*words: str) -> tuple[int, str, str]:
        code: Any = 0
        try:
            main(list(words))
        except SystemExit as stop:
            code = stop.code
        printed = capsys.readouterr()
        return code or 0, printed.out, printed.err

    return call


def test_one_line_out_for_each_in_order(run: Run) -> None:
    code, out, _ = run("debate", "--pairs", "pairs.jsonl", "--quick", "--json")
    said = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [s["id"] for s in said] == [1, "b", "c"]
    assert all(s["label"] in ("faithful", "unfaithful", "ambiguous", "cannot_tell") for s in said)
    assert said[2]["label"] == "cannot_tell"
    assert said[2]["probability"] is None
    code, out, _ = run("debate", "--pairs", "pairs.jsonl", "--quick", "--json", "--no-abstain")
    assert [json.loads(line)["label"] for line in out.splitlines()][:2] == ["faithful", "unfaithful"]


def test_an_interrupted_run_is_resumed(run: Run) -> None:
    assert run("debate", "--pairs", "pairs.jsonl", "--quick", "--json", "-o", "all.jsonl")[0] == 0
    whole = Path("all.jsonl").read_text()
    Path("all.jsonl").write_text(whole[: len(whole) // 2])
    code, _, err = run("debate", "--pairs", "pairs.jsonl", "--quick", "--json", "-o", "all.jsonl")
    assert code == 0
    assert "resumed" in err or whole.index("\n") > len(whole) // 2
    assert Path("all.jsonl").read_text() == whole
    Path("all.jsonl").write_text('{"id": "z", "label": "faithful"}\n')
    code, _, err = run("debate", "--pairs", "pairs.jsonl", "--quick", "-o", "all.jsonl")
    assert code != 0
    assert "got others" in err
    assert Path("all.jsonl").read_text() == '{"id": "z", "label": "faithful"}\n'


#: How a command is given at first and again, and why the answers that are there are not its own.
OTHERS = [
    ("debate --pairs pairs.jsonl --quick", "--no-abstain", r"all\.jsonl: was made with other settings: abstain True "),
    ("debate --pairs pairs.jsonl --quick", "--system lexical-overlap", r"system \S+ \(now lexical-"),
    ("verify --claims claims.jsonl", "--no-abstain", r"abstain True \(now False\); name another file"),
    ("verify --claims claims.jsonl", "--classes 2", r"classes 3 \(now 2\)"),
    ("verify --claims claims.jsonl --system similarity-chain", "--embedder minilm", r"embedder None \(now minilm\)"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "more", "said"), OTHERS)
def test_answers_of_other_settings_are_not_kept(run: Run, words: str, more: str, said: str) -> None:
    assert run(*words.split(), "-o", "all.jsonl")[0] == 0
    before = Path("all.jsonl").read_bytes()
    code, _, err = run(*words.split(), *more.split(), "-o", "all.jsonl")
    assert (code, err.count("\n")) == (2, 1)
    assert re.search(said, err)
    assert Path("all.jsonl").read_bytes() == before
    assert run(*words.split(), "-o", "all.jsonl")[0] == 0
    assert Path("all.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("debate --pairs pairs.jsonl --quick", "document", "Nobody met."),
        ("debate --pairs pairs.jsonl --quick", "summary", "Nobody met."),
        ("verify --claims claims.jsonl", "claim", "It rained because of a cloud."),
        ("verify --claims claims.jsonl", "evidence", ["A cloud rained."]),
    ],
)
def test_answers_to_other_content_are_not_kept(run: Run, words: str, field: str, value: Any) -> None:
    assert run(*words.split(), "-o", "all.jsonl")[0] == 0
    before = Path("all.jsonl").read_bytes()
    path = Path(words.split()[2])
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1][field] = value
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = run(*words.split(), "-o", "all.jsonl")
    assert (code, err.count("\n")) == (2, 1)
    assert "all.jsonl:2: must be the answer to" in err
    assert Path("all.jsonl").read_bytes() == before


def test_answers_of_another_model_or_prompt_are_not_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("claims.jsonl").write_text(json.dumps(CLAIMS[0]) + "\n")
    Path("rules.json").write_text('[{"reply": "print(\\"SUPPORTS\\")"}]')
    words = ("verify", "--claims", "claims.jsonl", "--model", "scripted:rules.json", "-o", "all.jsonl")
    assert run(*words)[0] == 0
    assert "resumed; 1 of 1" in run(*words)[2]
    before = Path("all.jsonl").read_bytes()
    script = Path("rules.json").read_text()
    Path("rules.json").write_text(script.replace("SUPPORTS", "REFUTES"))
    code, _, err = run(*words)
    assert (code, err.count("\n")) == (2, 1)
    assert "made with other settings: model " in err
    Path("rules.json").write_text(script)
    monkeypatch.setattr(
        "fallax.causality.protocols.verification.read_prompt", lambda *names: f"Read it twice. {read_prompt(*names)}"
    )
    code, _, err = run(*words)
    assert (code, err.count("\n")) == (2, 1)
    assert re.search(r"made with other settings: prompts .*verify_link_leaves\.v2.* \(now .*; name another file", err)
    assert Path("all.jsonl").read_bytes() == before


def test_lines_added_to_the_input_are_answered(run: Run) -> None:
    assert run("debate", "--pairs", "pairs.jsonl", "--quick", "-o", "all.jsonl")[0] == 0
    with Path("pairs.jsonl").open("a") as file:
        file.write(json.dumps({**PAIRS[0], "id": "d"}) + "\n")
    for _ in range(2):
        code, _, err = run("debate", "--pairs", "pairs.jsonl", "--quick", "-o", "all.jsonl")
        assert (code, "resumed; " in err) == (0, True)
        assert [json.loads(line)["id"] for line in Path("all.jsonl").read_text().splitlines()] == [1, "b", "c", "d"]


def test_a_file_that_may_hold_no_answers_is_not_touched(run: Run) -> None:
    Path("mine.jsonl").write_text('{"id": 1, "note": "mine"}\n')
    code, _, err = run("debate", "--pairs", "pairs.jsonl", "--quick", "-o", "mine.jsonl")
    assert (code, err.count("\n")) == (2, 1)
    assert "mine.jsonl.run.json, which says how it was made, is not; name another file" in err
    Path("mine.jsonl.run.json").write_text("[]")
    assert "must be the record of a run" in run("debate", "--pairs", "pairs.jsonl", "--quick", "-o", "mine.jsonl")[2]
    assert Path("mine.jsonl").read_text() == '{"id": 1, "note": "mine"}\n'


def test_an_empty_file_gets_the_answers_and_a_device_has_no_record(run: Run) -> None:
    Path("all.jsonl").touch()
    assert run("verify", "--claims", "claims.jsonl", "--system", "majority", "-o", "all.jsonl")[0] == 0
    assert len(Path("all.jsonl").read_text().splitlines()) == 2
    assert run("verify", "--claims", "claims.jsonl", "--system", "majority", "-o", "/dev/null")[0] == 0
    assert not Path("/dev/null.run.json").exists()


@pytest.mark.parametrize(
    "words", [("debate", "--pairs", "pairs.jsonl", "--quick"), ("verify", "--claims", "claims.jsonl")]
)
def test_an_output_file_is_json_lines_with_and_without_json(run: Run, words: tuple[str, ...]) -> None:
    assert run(*words, "-o", "plain.jsonl")[0] == 0
    assert run(*words, "--json", "-o", "json.jsonl")[0] == 0
    whole = Path("plain.jsonl").read_text()
    assert Path("json.jsonl").read_text() == whole
    Path("plain.jsonl").write_text(whole[: whole.index("\n") + 5])
    code, _, err = run(*words, "-o", "plain.jsonl")
    assert code == 0, err
    assert "resumed; 1 of" in err
    assert Path("plain.jsonl").read_text() == whole


def test_only_a_line_feed_ends_an_answer(run: Run) -> None:
    ids = ["a\u2028b", "c\u2029d", "e\u0085f"]
    Path("pairs.jsonl").write_text("".join(json.dumps({**PAIRS[0], "id": id_}) + "\n" for id_ in ids))
    for _ in range(2):
        code, _, err = run("debate", "--pairs", "pairs.jsonl", "--quick", "-o", "all.jsonl")
        assert code == 0, err
    said = [json.loads(line)["id"] for line in Path("all.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
    assert said == ids


def test_a_short_line_is_one_line_with_three_columns(run: Run) -> None:
    Path("pairs.jsonl").write_text(json.dumps({**PAIRS[0], "id": "a\nb\tc"}) + "\n")
    _, out, _ = run("debate", "--pairs", "pairs.jsonl", "--quick")
    (line,) = out.splitlines()
    assert line.split("\t")[0] == r"a\nb\tc"
    assert len(line.split("\t")) == 3


def test_a_heading_of_a_pair_is_noted(run: Run) -> None:
    Path("pairs.jsonl").write_text(json.dumps({**PAIRS[0], "summary": "# Fees\n\nThe board met in March."}) + "\n")
    said = json.loads(run("debate", "--pairs", "pairs.jsonl", "--quick", "--json")[1])
    (many,) = fx.debate_many([(PAIRS[0]["document"], "# Fees\n\nThe board met in March.")])
    assert (said["label"], many.label) == ("faithful", "faithful")
    assert said["notes"] == list(many.notes) == ["headings, code and tables are not judged: “# Fees”"]


def test_a_short_line_says_what_was_not_judged(run: Run) -> None:
    Path("pairs.jsonl").write_text(json.dumps({**PAIRS[0], "summary": "# Fees\n\nThe board met in March."}) + "\n")
    said = run("debate", "--pairs", "pairs.jsonl", "--quick")[1].rstrip("\n").split("\t")
    assert said[:2] == ["1", "faithful"]
    assert said[2].endswith(" (headings, code and tables are not judged: “# Fees”)")


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)


def test_a_terminal_shows_columns_with_headings_and_no_progress_between(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch)
    monkeypatch.setattr(time, "monotonic", iter(range(1000)).__next__)
    _, out, err = run("debate", "--pairs", "pairs.jsonl", "--quick", "--system", "lexical-overlap")
    head, *lines = out.splitlines()
    assert head == "id  verdict                 probability of faithful"
    assert [line[:4] for line in lines] == ["1   ", "b   ", "c   "]
    assert err == ""
    _, _, err = run("debate", "--pairs", "pairs.jsonl", "--quick", "--system", "lexical-overlap", "-o", "out.jsonl")
    assert err.endswith("\r3 of 3\n")


def test_why_there_is_no_verdict_stands_where_no_probability_is_known(run: Run) -> None:
    out = run("debate", "--pairs", "pairs.jsonl", "--quick")[1]
    assert out.splitlines()[2] == "c\tcannot tell\tthe document must hold at least one word, got none"
    Path("claims.jsonl").write_text(json.dumps(CLAIMS[0]) + "\n")
    Path("rules.json").write_text('[{"reply": "I would rather not say."}]')
    out = run("verify", "--claims", "claims.jsonl", "--model", "scripted:rules.json")[1]
    assert out == "x\tcannot tell\tno verdict was found\n"


def test_what_is_likeliest_stands_beside_cannot_tell(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, evidence = "The road was closed because a tree fell on it.", ["A storm blew a tree onto the road."]
    evidence.append("The road was closed until the tree had been removed.")
    Path("claims.jsonl").write_text(json.dumps({"id": "x", "claim": claim, "evidence": evidence}) + "\n")
    said = json.loads(run("verify", "--claims", "claims.jsonl", "--json")[1])
    assert said["label"] == "cannot_tell"
    shown = f"likeliest: {likeliest_in(said)} {said['probability']:.2f}"
    assert run("verify", "--claims", "claims.jsonl")[1] == f"x\tcannot tell\t{shown}\n"
    Path("e.txt").write_text("\n".join(evidence))
    assert shown in run("verify", "--claim", claim, "--evidence", "e.txt")[1]


def likeliest_in(said: dict[str, Any]) -> str:
    found = {sure: name for name, sure in (part.rsplit(" ", 1) for part in said["notes"][0].split(", "))}
    return str(found[max(found)])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"document": "a", "summary": "b"}', "must have an 'id'"),
        ('{"id": true, "document": "a", "summary": "b"}', "must have an 'id'"),
        ('{"id": 1, "summary": "b"}', "must have a text 'document'"),
        ('{"id": 1, "document": "a", "summary": "b"}\n{"id": 1, "document": "a", "summary": "b"}', "its own id"),
    ],
)
def test_a_bad_line_is_named_before_anything_is_judged(run: Run, line: str, said: str) -> None:
    Path("bad.jsonl").write_text(line + "\n")
    code, out, err = run("debate", "--pairs", "bad.jsonl", "--quick", "--json")
    assert code != 0
    assert out == ""
    assert said in err


@pytest.mark.parametrize("option", [("--html", "page.html"), ("--agents", "3")])
def test_an_option_that_nothing_reads_is_refused(run: Run, option: tuple[str, ...]) -> None:
    code, out, err = run("debate", "--pairs", "pairs.jsonl", "--quick", *option)
    assert (code, out) == (2, "")
    assert f"{option[0]}: is not read with --pairs" in err


def test_claims_are_verified(run: Run) -> None:
    code, out, _ = run("verify", "--claims", "claims.jsonl", "--json", "--no-abstain")
    said = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [s["id"] for s in said] == ["x", "y"]
    assert all(s["label"] in ("supports", "refutes", "not_enough_info") for s in said)
    assert said[1] == {
        "id": "y",
        "label": "not_enough_info",
        "probability": 1.0,
        "chain": [],
        "missing": ["any evidence"],
    }
    assert run("verify", "--claims", "claims.jsonl", "--claim", "x")[0] != 0


def test_many_from_python() -> None:
    verdicts = list(fx.debate_many(PAIRS[:2], abstain=False))
    assert [v.label for v in verdicts] == ["faithful", "unfaithful"]
    assert next(iter(fx.verify_many(CLAIMS[:1], abstain=False))).label is not None


def test_many_claims_may_be_tuples() -> None:
    (as_tuple,) = fx.verify_many([("Frost ruined the crop.", ["Frost ruined the crop."])], system="lexical-overlap")
    (as_mapping,) = fx.verify_many(
        [{"claim": "Frost ruined the crop.", "evidence": ["Frost ruined the crop."]}], system="lexical-overlap"
    )
    assert as_tuple.label == as_mapping.label == "supports"


@pytest.mark.parametrize("one", ["The ferry left.", ("The ferry left.",), {"document": "The ferry left."}, None])
def test_an_item_that_is_no_pair_is_named(one: Any) -> None:
    whole = ("The ferry left.", "The ferry left.")
    with pytest.raises(InputError, match="pair 2: must be a mapping with 'document' and 'summary', or a tuple of both"):
        list(fx.debate_many([whole, one], system="lexical-overlap"))
    with pytest.raises(InputError, match="claim 1: must be a mapping with 'claim' and 'evidence', or a tuple of both"):
        list(fx.verify_many([one], system="lexical-overlap"))


def test_one_file_of_claims_is_right_for_every_command(run: Run) -> None:
    pieces = ["Cats purr.", {"text": "So it is.", "leaf": False}, {"id": "x", "text": "Frost ruined it.", "leaf": None}]
    line = {"claim": "The frost ruined it.", "evidence": pieces, "label": "supports"}
    Path("own.jsonl").write_text(json.dumps({"id": "c", **line}) + "\n")
    (found,) = read_claims("own.jsonl")
    assert [e.id for e in found.evidence] == ["E1", "E2", "x"]
    code, out, _ = run("verify", "--claims", "own.jsonl", "--system", "lexical-overlap", "--json")
    verified = json.loads(out)
    assert (code, verified["chain"]) == (0, [2])
    assert run("scan", "own.jsonl", "--job", "verification", "--system", "lexical-overlap", "--output", "seen")[0] == 0
    (scanned,) = map(json.loads, Path("seen/part-000000.jsonl").read_text().splitlines())
    assert scanned["chain"] == verified["chain"]
    assert run("bench", "run", "causal", "--data", "own.jsonl", "--system", "lexical-overlap", "-o", "b")[0] == 0
    Path("bare.jsonl").write_text(json.dumps(line) + "\n")
    assert read_claims("bare.jsonl")[0].id == "1"


class Slow(BaseHTTPRequestHandler):
    """Answers when two calls are in progress; one claim gets a reply that is cut off, as long as ``cut`` is set."""

    cut = True
    asked: ClassVar[list[str]] = []
    two = threading.Event()
    lock = threading.Lock()
    n = 0

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        number = re.findall(r"number (\d+)", body)[-1]
        with Slow.lock:
            Slow.asked.append(number)
            Slow.n += 1
            if Slow.n > 1:
                Slow.two.set()
        Slow.two.wait(20)
        with Slow.lock:
            Slow.n -= 1
        reply = {"index": 0, "message": {"role": "assistant", "content": "Verdict: SUPPORTS"}, "finish_reason": "stop"}
        said = json.dumps({"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [reply]})
        if number == "2" and Slow.cut:
            said = said[: len(said) // 2]
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said.encode())


@pytest.fixture
def slow() -> Iterator[str]:
    Slow.cut, Slow.n = True, 0
    Slow.asked.clear()
    Slow.two.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def test_claims_are_asked_at_once_and_one_without_an_answer_loses_no_other(
    run: Run, slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-slow-server")
    rows = [{"id": i, "claim": f"It rained because of number {i}.", "evidence": ["It did."]} for i in range(6)]
    Path("claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("verify", "--claims", "claims.jsonl", "--model", "openai/m", "-M", f"base_url={slow}",
             "--protocol", "task-1", "--max-connections", "3", "--json")  # fmt: skip
    code, _, err = run(*words, "-o", "said.jsonl")
    assert Slow.two.is_set(), err
    said = [json.loads(x) for x in Path("said.jsonl").read_text().splitlines()]
    assert [s["id"] for s in said] == list(range(6))
    assert [s["label"] for s in said] == ["supports", "supports", None, *["supports"] * 3], err
    assert "answered something that is no JSON" in said[2]["unscored"]
    assert code == 3
    assert "2: not answered: " in err
    assert "\tno answer\t" in run(*words[:-1])[1]
    Slow.cut = False
    Slow.asked.clear()
    code, _, err = run(*words, "-o", "said.jsonl")
    assert (code, Slow.asked) == (0, ["2"])
    assert "resumed; 5 of 6 were answered before" in err
    again = [json.loads(x) for x in Path("said.jsonl").read_text().splitlines()]
    assert again == [said[0] | {"id": i} for i in range(6)]


def test_a_judge_that_fails_on_one_summary_loses_no_other(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    score = LexicalOverlap.score

    def failing(self: LexicalOverlap, document: str, sentences: Any) -> Any:
        if "storm" in document:
            raise KeyError("weights")
        return score(self, document, sentences)

    monkeypatch.setattr(LexicalOverlap, "score", failing)
    rows = [
        {"id": i, "document": f"The {what} was long.", "summary": f"The {what} was long."}
        for i, what in enumerate(("day", "storm", "night"))
    ]
    Path("own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("debate", "--pairs", "own.jsonl", "--quick", "--system", "lexical-overlap", "-o", "said.jsonl")
    code, _, err = run(*words)
    said = [json.loads(line) for line in Path("said.jsonl").read_text().splitlines()]
    assert (code, [s["label"] for s in said]) == (1, ["faithful", None, "faithful"])
    assert said[1]["unscored"] == "judge 'lexical-overlap' failed: KeyError: 'weights'"
    assert "Traceback" not in err
    with pytest.raises(JudgeError, match="judge 'lexical-overlap' failed: KeyError"):
        fx.debate("The storm was long.", "The storm was long.", system="lexical-overlap")
    monkeypatch.setattr(LexicalOverlap, "score", score)
    assert run(*words)[0] == 0
    assert [json.loads(line)["label"] for line in Path("said.jsonl").read_text().splitlines()] == ["faithful"] * 3


def test_a_judge_that_gives_too_few_scores_for_one_summary_loses_no_other(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    score = LexicalOverlap.score
    monkeypatch.setattr(LexicalOverlap, "score", lambda self, document, sentences: score(self, document, sentences[:1]))
    text = "The day was long. The night was cold."
    rows = [{"id": 0, "document": text, "summary": text}, {"id": 1, "document": text, "summary": "The day was long."}]
    Path("own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = run("debate", "--pairs", "own.jsonl", "--quick", "--system", "lexical-overlap", "-o", "said.jsonl")
    said = [json.loads(line) for line in Path("said.jsonl").read_text().splitlines()]
    assert (code, [s["label"] for s in said]) == (1, [None, "faithful"])
    assert said[0]["unscored"] == "lexical-overlap: must give one score a sentence, got 1 for 2"
    assert "Traceback" not in err


def test_a_verifier_that_fails_on_one_claim_loses_no_other(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    verify = OverlapVerifier.verify

    async def failing(self: OverlapVerifier, claim: CausalClaim) -> Any:
        if "storm" in claim.claim:
            raise KeyError("weights")
        return await verify(self, claim)

    monkeypatch.setattr(OverlapVerifier, "verify", failing)
    rows = [
        {"id": i, "claim": f"The {what} made it wet.", "evidence": [f"The {what} made it wet."]}
        for i, what in enumerate(("rain", "storm", "flood"))
    ]
    Path("own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("verify", "--claims", "own.jsonl", "--system", "lexical-overlap", "-o", "said.jsonl")
    code, _, err = run(*words)
    said = [json.loads(line) for line in Path("said.jsonl").read_text().splitlines()]
    assert (code, [s["label"] for s in said]) == (1, ["supports", None, "supports"])
    assert said[1]["unscored"] == "verifier 'lexical-overlap' failed: KeyError: 'weights'"
    assert "Traceback" not in err
    monkeypatch.setattr(OverlapVerifier, "verify", verify)
    assert run(*words)[0] == 0
    assert [json.loads(line)["label"] for line in Path("said.jsonl").read_text().splitlines()] == ["supports"] * 3
