"""The benchmark of why-claims: is the verdict right, and is the structure? CheckWhy and substitutes for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from fallax.causality.benchmarks.claims import claim_of, published_values, sample_of, stand_ins, with_fewer_distractors
from fallax.causality.benchmarks.tables import tables_of
from fallax.causality.protocols import STAND_IN, VERIFY_PROTOCOLS, VerificationProtocol, verification_protocol
from fallax.causality.systems import BASELINE_VERIFIERS, Majority, Verifier, load_baseline, load_trained_verifier
from fallax.core.texts import load_embedder
from fallax.core.types import ArgumentStructure, CausalClaim, ChatModel, Score, Table, Unreadable, Verification, View
from fallax.data import CLAIM_SETS, load_claims, read_claims
from fallax.encoders.similarity import SIMILARITIES, load_similarity
from fallax.errors import InputError, UnknownNameError
from fallax.metrics import Classification, EntailmentTree, StructureSimilarity, number_groups
from fallax.metrics.text_similarity import TextModel
from fallax.runs.asking import Recorder
from fallax.runs.base import (
    Answer,
    Benchmark,
    LoadModel,
    PublishedValue,
    Row,
    Sample,
    System,
)

__all__ = ["Causal"]

_SPLITS = {"entailment_bank": "task_2_dev", "checkwhy": "dev"}
_TOP_STEPS = 6
_TREES = ("definition", "official")
_CHOICES = ("most_distractors", "similarity", "similarity_model", "similarity_layer", "threshold", "tree")
_NOT_ASKED = "has no structure that task 2 could give"


def _answer(found: Verification, *, draws: bool, **more: Any) -> Answer:
    said: dict[str, Any] = {"label": found.label, "no_label": found.no_label, "missing": list(found.missing)}
    if draws:
        said["structure"] = None if found.structure is None else found.structure.to_dict()
        said["no_structure"] = found.no_structure
    if found.label is None and (found.structure is None or not draws):
        return Answer(said, "unreadable", found.no_label, **more)
    return Answer(said, **more)


class _Baseline:
    """A verifier that asks no model; it gets the input of a task."""

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1

    def __init__(self, verifier: Verifier, *, draws: bool, task: int = 4) -> None:
        self._verifier = verifier
        self._draws = draws
        self._task = task
        self.identity = dict(verifier.identity)

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Verify a claim: of tasks 1 and 4 it sees the leaves, of task 2 the structure too, of task 3 all evidence."""
        if self._task == 2 and sample.gold["structure"] is None:
            return Answer(None, "not_asked", _NOT_ASKED)
        claim = claim_of(sample, structure=self._task == 2)
        given = claim if self._task == 3 else replace(claim, evidence=claim.leaf_evidence)
        return _answer(await self._verifier.verify(given), draws=self._draws)


class _Asked:
    """A model asked by a protocol."""

    stand_in: ClassVar[str] = STAND_IN

    def __init__(self, model: ChatModel, protocol: VerificationProtocol, options: Mapping[str, Any]) -> None:
        self._model = model
        self._protocol = protocol
        self._draws = not protocol.name.startswith(("verify-task-1", "verify-task-2"))
        self._gives = protocol.name.startswith("verify-task-2")
        self.identity = {"protocol": protocol.name, **options, "model": Recorder(model).identity}
        self.prompts = dict(protocol.prompt_hashes)

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Ask the model and keep the raw replies."""
        if self._gives and sample.gold["structure"] is None:
            return Answer(None, "not_asked", _NOT_ASKED)
        model = Recorder(self._model, epoch=epoch)
        found = await self._protocol.verify(claim_of(sample, structure=self._gives), model)
        return _answer(found, draws=self._draws, replies=model.replies(), usage=model.usage)


class Causal(Benchmark):
    """Si et al. 2024. Scores: ``verdict``, and ``structure*`` and ``tree`` if both sides have structures.

    All are broken down by the reasoning steps of the gold structure and the number of distractors.
    """

    name: ClassVar[str] = "causal"
    about: ClassVar[str] = "why-claims: the verdict, and the structure that leads to it (Si et al. 2024)"
    options: ClassVar[Mapping[str, str]] = {
        "set": "checkwhy (the default), wikiwhy, entailment_bank, explagraphs, e_care, missci, or a file of claims;"
        " as --data FILE",
        "split": "one of the set, several with commas; see `fallax data list`",
        "classes": '3 verdicts; or 2, without "not enough information" [what the set has]',
        "distractors": "wikiwhy: sentences of other explanations beside the own [4]",
        "most_distractors": "keep at most this many of those that a claim has [all]",
        "order": "of the evidence: shuffled by its ids (the default), or as given",
        "similarity": f"of edges and conclusions, for structure and tree: {', '.join(SIMILARITIES)} [token-f1; exact]",
        "similarity_model": "the folder with the model of bertscore or bleurt",
        "similarity_layer": "bertscore: the layer of the model that is read [the last]",
        "threshold": "tree: conclusions this alike are the same [what the similarity has]",
        "tree": "definition (the default), or official: as EntailmentBank's scorer",
        "embedder": "minilm, or MODULE:FUNCTION, texts to vectors: for the chain, and for structure similarity too",
    }
    baselines: ClassVar[Mapping[str, str]] = BASELINE_VERIFIERS.abouts
    protocols: ClassVar[Mapping[str, str]] = VERIFY_PROTOCOLS
    verifiers: ClassVar[bool] = True
    primary: ClassVar[tuple[str, str]] = ("verdict", "accuracy")
    drawn: ClassVar[str] = "groups of claims"
    file_option: ClassVar[str] = "set"

    @classmethod
    def protocol_options(cls, protocol: str) -> Mapping[str, str]:
        """Those of every task."""
        return {
            "reasoning": "true: the model reasons before it answers [false]",
            "max_tokens": "maximum tokens of a reply [tasks 1 and 2: 64, or 512 with reasoning; others: 1024]",
        }

    def settings(self) -> dict[str, Any]:
        """The options with their defaults."""
        name = str(self.given.get("set", "checkwhy"))
        split = str(self.given.get("split", _SPLITS.get(name, "")))
        if not split and name in CLAIM_SETS:
            split = next(iter(CLAIM_SETS[name].splits))
        usual = 2 if name in CLAIM_SETS and name != "wikiwhy" and "_nei" not in split else 3
        settings = {
            "set": name,
            "split": split,
            "classes": self.given.get("classes", usual),
            "distractors": self.given.get("distractors", 4),
            "order": self.given.get("order", "shuffled"),
            "embedder": self.given.get("embedder"),
            **{name: self.given[name] for name in _CHOICES if self.given.get(name) is not None},
        }
        self._check(
            "tree",
            settings.get("tree", "definition"),
            settings.get("tree", "definition") in _TREES,
            "definition or official",
        )
        if settings.get("similarity") in ("bertscore", "bleurt"):
            folder = settings.get("similarity_model")
            what = f"a folder with the model of {settings['similarity']}"
            self._check("similarity_model", folder, folder is not None, what)
        if settings.get("similarity") == "bertscore":
            at = settings.get("threshold")
            self._check("threshold", at, at is not None, "given with bertscore, which has no usual one")
        layer, least_one = settings.get("similarity_layer"), "a whole number of 1 or more"
        if layer is not None:
            self._check("similarity_layer", layer, type(layer) is int and layer >= 1, least_one)
            what = "given with similarity=bertscore only"
            self._check("similarity_layer", layer, settings.get("similarity") == "bertscore", what)
        self._loaded(settings)
        most = settings.get("most_distractors")
        self._check("most_distractors", most, most is None or (type(most) is int and most >= 1), least_one)
        self._check("classes", settings["classes"], settings["classes"] in (2, 3), "2 or 3")
        least = isinstance(settings["distractors"], int) and settings["distractors"] >= 1
        self._check("distractors", settings["distractors"], least, least_one)
        if settings["order"] not in ("shuffled", "given"):
            raise UnknownNameError("order", settings["order"], ("shuffled", "given"), where=f"benchmark {self.name!r}")
        return settings

    def _check(self, name: str, value: object, holds: bool, what: str) -> None:
        if not holds:
            raise InputError(f"option {name} of benchmark {self.name!r}: must be {what}, got {value!r}")

    def _loaded(self, settings: Mapping[str, Any]) -> tuple[Any, TextModel | None]:
        if settings.get("similarity") is None:
            return None, None
        return load_similarity(
            settings["similarity"],
            folder=settings.get("similarity_model"),
            similarity_layer=settings.get("similarity_layer"),
        )

    def _similarity(self) -> tuple[Any, TextModel | None, EntailmentTree]:
        """The chosen scorer with its model, and the metric of trees with it."""
        settings = self.settings()
        scorer, model = self._loaded(settings)
        variant: Any = settings.get("tree", "definition")
        tree = EntailmentTree(scorer=scorer or "exact", threshold=settings.get("threshold"), variant=variant)
        return scorer, model, tree

    def claims(self) -> Iterator[CausalClaim]:
        """The claims, in order; of several splits, ids begin with the split's name."""
        settings = self.settings()
        name = settings["set"]
        if name not in CLAIM_SETS:
            if not Path(name).is_file():
                raise UnknownNameError("set of claims, or file,", name, CLAIM_SETS, where=f"benchmark {self.name!r}")
            yield from read_claims(name)
            return
        splits = [s.strip() for s in settings["split"].split(",")]
        for split in splits:
            found = load_claims(name, split=split, root=self.data)
            listed: Iterable[CausalClaim] = found
            if name == "wikiwhy":
                listed = stand_ins(found, n_distractors=settings["distractors"], seed=0)
            for claim in listed:
                yield replace(claim, id=f"{split}/{claim.id}") if len(splits) > 1 else claim

    @property
    def is_own_data(self) -> bool:
        """Whether there is a file instead of a set."""
        return self.settings()["set"] not in CLAIM_SETS

    def samples(self) -> Iterator[Sample]:
        """The claims that have evidence."""
        settings = self.settings()
        for claim in self.claims():
            if claim.claim and claim.evidence:
                if settings["classes"] == 2 and claim.label == "nei":
                    continue
                if claim.structure is not None and claim.structure.claim is None:
                    claim = replace(claim, structure=None)  # a graph of concepts, which no task here draws
                most = settings.get("most_distractors")
                claim = claim if most is None else with_fewer_distractors(claim, most)
                yield sample_of(claim, shuffled=settings["order"] == "shuffled")

    def view(self, row: Row) -> View:
        """The claim with its evidence, and gold and predicted verdict and structure."""
        listed = "\n".join(f"{e['id']}: {e['text']}" for e in row.input["evidence"])
        said = (row.prediction or {}).get("label") or ""
        fields = (("claim", row.input["claim"]), ("evidence", listed))
        drawn = (row.prediction or {}).get("structure")
        return View(
            fields,
            gold_label=row.gold["label"] or "",
            predicted_label=said,
            gold_structure=_read(row.gold["structure"]),
            predicted_structure=_read(drawn),
        )

    def baseline(self, name: str, *, seed: int) -> System:
        """A baseline verifier; "majority" counts the gold verdicts of these claims."""
        settings = self.settings()
        if name == "majority":
            labels = (c.label for c in self.claims() if c.label is not None and c.evidence)
            return _Baseline(Majority.of(x for x in labels if settings["classes"] == 3 or x != "nei"), draws=False)
        embedder = load_embedder(settings["embedder"])
        return _Baseline(load_baseline(name, classes=settings["classes"], embedder=embedder), draws=True)

    def with_verifier(self, folder: str) -> System:
        """A verifier that ``fallax verify train`` wrote; it gets the input of its task."""
        found = load_trained_verifier(folder, classes=self.settings()["classes"])
        return _Baseline(found, draws=found.links is not None, task=found.task)

    def with_model(
        self, model: ChatModel, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        """A model asked about one of the tasks."""
        self.check_protocol_options(protocol, options)
        asked = verification_protocol(protocol, classes=self.settings()["classes"], **options)
        return _Asked(model, asked, options)

    def published(self) -> tuple[PublishedValue, ...]:
        """Tables 3, 4, 7 and 8, for CheckWhy."""
        settings = self.settings()
        if settings["set"] != "checkwhy":
            return ()
        return published_values(settings["classes"], similarity=settings.get("similarity") or "token-f1")

    def tables(self, rows: Iterable[Row], scores: Mapping[str, Score]) -> tuple[Table, ...]:
        """See :func:`~fallax.causality.benchmarks.tables.tables_of`."""
        return tables_of(rows, scores, printed=self.settings()["set"] == "checkwhy")

    def stratum(self, sample: Sample) -> str:
        """The gold verdict, if there is one."""
        return str(sample.gold["label"] or "")

    def group(self, row: Row) -> str:
        """The pair, question or belief that claims have in common; else the claim."""
        return str(row.gold.get("group") or row.id)

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """The scores of verdicts, and of structures where both sides have one."""
        found = list(rows)
        groups = {
            "steps": number_groups({r.id: r.gold["steps"] for r in found if r.gold["steps"]}, top=_TOP_STEPS),
            "distractors": number_groups({r.id: r.gold["distractors"] for r in found}),
        }
        scores = {}
        if any(r.gold["label"] is not None for r in found):
            scores["verdict"] = Classification().corpus_score(
                pred={r.id: _label(r) for r in found},
                gold={r.id: r.gold["label"] for r in found},
                groups=groups,
            )
        pred = {r.id: _structure(r) for r in found}
        gold = {r.id: _read(r.gold["structure"]) for r in found}
        if any(pred[i] is not None and gold[i] is not None for i in gold):
            named = self.settings()["embedder"]
            scorer, model, tree = self._similarity()
            scores["structure"] = StructureSimilarity(scorer=scorer or "token_f1").corpus_score(
                pred=pred, gold=gold, groups=groups, model=model
            )
            if named is not None:
                scores["structure-embedding"] = StructureSimilarity(scorer="embedding").corpus_score(
                    pred=pred, gold=gold, groups=groups, model=load_embedder(named)
                )
            exact = StructureSimilarity(scorer="exact")
            scores["structure-exact"] = exact.corpus_score(pred=pred, gold=gold, groups=groups)
            scores["tree"] = tree.corpus_score(pred=pred, gold=gold, groups=groups, model=model)
        return scores


def _read(value: Mapping[str, Any] | None) -> ArgumentStructure | None:
    return None if value is None else ArgumentStructure.from_dict(value)


def _label(row: Row) -> str | Unreadable | None:
    """The predicted verdict; None if none was asked for or an endpoint failed."""
    said = row.prediction or {}
    if row.status in ("error", "not_asked") or row.reason == _NOT_ASKED:  # "unreadable" in runs before that status
        return None
    return said.get("label") or Unreadable(said.get("no_label") or row.reason or "no label")


def _structure(row: Row) -> ArgumentStructure | Unreadable | None:
    """The predicted structure; None if none was asked for or an endpoint failed."""
    if row.status == "error" or row.prediction is None or "structure" not in row.prediction:
        return None
    found = _read(row.prediction["structure"])
    if found is not None:
        return found
    if row.prediction["label"] == "nei":
        return ArgumentStructure(None)  # with nothing to draw, no edge is drawn
    return Unreadable(row.prediction["no_structure"] or "no structure", "")
