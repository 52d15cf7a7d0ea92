"""A server from Python: the same functions give the same values, and errors come back as errors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

import fallax as fx
from fallax.core.types import Evidence, GoldSpan, Prediction, Record, Span
from fallax.errors import AuthenticationError, EndpointError, InputError
from fallax.metrics import parse_metric
from fallax.models import load_model
from tests.support.serving import serving

EXAMPLES = Path(__file__).parents[3] / "examples"
TOKEN = "a-token-of-this-test-0123"


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    models = {"demo": load_model(f"scripted:{EXAMPLES / 'debate.json'}")}
    with serving(models=models, token=TOKEN) as running:
        yield fx.connect(running.url + "/", token=TOKEN)


def test_the_verbs_give_what_they_give_here(client: Any) -> None:
    text = "Everybody in town knows it, so it must be true."
    assert client.detect(text, explain=True) == fx.detect(text, explain=True)
    assert client.detect([text, ""]) == list(fx.detect_many([text, ""]))
    assert client.debate("It rained.", "It snowed.") == fx.debate("It rained.", "It snowed.")
    evidence: list[str | Evidence] = [Evidence("a", "Rain left the field wet."), "A wet field delays a match."]
    claim = "The wet field delayed the match."
    assert client.verify(claim, evidence) == fx.verify(claim, evidence)
    documents = [Record("d", "Rain left the field wet. A wet field delays a match.")]
    assert client.verify(claim, documents=documents).citations == fx.verify(claim, documents=documents).citations
    made = client.generate("inverse error", n=2, seed=7)
    assert [i.text for i in made] == [
        i.text for i in fx.generate("inverse error", n=2, seed=7, evaluator="joins").items
    ]


def test_scores_and_agreement_come_back(client: Any) -> None:
    gold = [Record("a", "You lie.", (GoldSpan(0, 8, ("ad hominem",)),))]
    pred = [Prediction("a", (Span(0, 8, "ad hominem"),))]
    here = parse_metric("span_match").corpus_score(pred=pred, gold=gold)  # type: ignore[attr-defined]
    there = client.score(gold=gold, pred=pred, metric="span_match")
    assert (there.values, there.signature) == (here.values, here.signature)
    pytest.importorskip("krippendorff")
    records = {"ann": gold, "bob": [Record("a", "You lie.", ())]}
    assert client.agree(records, n_resamples=20) == fx.agree(records, n_resamples=20).to_dict()
    labels = {"ann": {"1": "yes", "2": "no"}, "bob": {"1": "yes", "2": None}}
    assert client.agree(labels, n_resamples=0)["labels"] == fx.agree(labels, n_resamples=0).to_dict()["labels"]


def test_a_debate_is_told_while_it_runs(client: Any) -> None:
    told: list[dict[str, Any]] = []
    document = (EXAMPLES / "minutes.txt").read_text()
    verdict = client.debate(document, "The night boat was cancelled.", model="demo", on_event=told.append)
    assert verdict.transcript is not None
    assert {e["event"] for e in told} >= {"session", "round", "turn", "session_end"}


def test_what_is_offered_can_be_asked(client: Any) -> None:
    assert "mafalda" in client.taxonomies()
    assert client.taxonomy("mafalda").resolve("Strawman") == "straw man"
    assert client.health()["models"] == ["demo"]


def test_errors_come_back_as_errors(client: Any) -> None:
    with pytest.raises(InputError, match="did you mean 'mafalda'"):
        client.detect("x", taxonomy="mafald")
    with pytest.raises(AuthenticationError, match="token"):
        fx.connect(client.url).health()
    with pytest.raises(EndpointError, match="is fallax serve running there"):
        fx.connect("http://127.0.0.1:9").health()
    with pytest.raises(InputError, match="must be http"):
        fx.connect("ftp://127.0.0.1")
    with pytest.raises(InputError, match="put it in a list"):
        client.verify("x", "y")
