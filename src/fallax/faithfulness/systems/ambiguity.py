"""Four detectors of ambiguity (Koupaee et al. 2025, section 6 and table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from fallax.core.types import FAITHFUL, UNFAITHFUL, Ambiguity, ChatModel, Session, Taxonomy
from fallax.errors import InputError
from fallax.faithfulness.protocols.ambiguity import ambiguity_prompt, read_ambiguity
from fallax.faithfulness.protocols.guidelines import Guidelines
from fallax.faithfulness.systems.units import Finding, Unit, ask

__all__ = ["AMBIGUITY_DETECTORS", "ArgumentsDetector", "DisagreementDetector", "TaxonomyDetector", "VariationDetector"]

#: The detectors by name: what each does, and what it needs of the judge it works with.
AMBIGUITY_DETECTORS = {
    "variation": "votes are nearly even; needs a judge whose samples or agents vote",
    "taxonomy": "a model is shown the 16 kinds of ambiguity of the paper's table 6",
    "disagreement": "no agent leaves its stance; needs a debate with both stances",
    "arguments": "a model is shown the arguments of the debate and the 16 kinds; needs a debate",
    "taxonomy-15": "as taxonomy, with the 15 kinds of the paper's prompts",
    "arguments-15": "as arguments, with those 15 kinds",
}


class _Observer:
    """Finds no ambiguity and calls no model."""

    def reserve(self, unit: Unit, count_tokens: Callable[[str], int], *, arguments: int) -> int:
        """Nothing."""
        return 0


class VariationDetector(_Observer):
    """Ambiguous if votes are nearly even (self-consistency variation): of samples, or of debate agents.

    An agent's vote is the label it holds at the end, whatever the sessions are put together by.

    Parameters
    ----------
    threshold : ambiguous if the shares of the two labels among the readable votes differ by less than this; 0.2 in
        the paper, with 41 samples.

    Examples
    --------
    >>> import asyncio
    >>> finding = Finding("faithful", votes={"faithful": 22, "unfaithful": 19})
    >>> asyncio.run(VariationDetector().detect("", Unit(0, 1, "x"), finding)).is_ambiguous
    True
    """

    name = "variation"

    def __init__(self, threshold: float = 0.2) -> None:
        if not 0 < threshold <= 1:
            raise InputError(f"variation: threshold must be above 0 and at most 1, got {threshold!r}")
        self.threshold = threshold

    async def detect(self, document: str, unit: Unit, finding: Finding) -> Ambiguity:
        """Compare the shares; with fewer than two votes, it cannot tell."""
        votes = finding.votes
        if finding.debate is not None:
            held = [label for s in finding.debate.sessions for label in s.rounds[-1].labels]
            votes = Counter(label for label in held if label is not None)
        yes, no = votes.get(FAITHFUL, 0), votes.get(UNFAITHFUL, 0)
        if yes + no < 2:
            return Ambiguity(None, self.name, unreadable="there were no two readable votes")
        gap = abs(yes - no) / (yes + no)
        return Ambiguity(gap < self.threshold, self.name, explanation=f"{yes} of {yes + no} votes say faithful")


class DisagreementDetector(_Observer):
    """Ambiguous if no agent changed its stance in all rounds (debate disagreement).

    Of several sessions more than half must be so. A session without both stances, or one in which a label is missing,
    does not show that nobody moved.
    """

    name = "disagreement"

    async def detect(self, document: str, unit: Unit, finding: Finding) -> Ambiguity:
        """Look at the sessions of the debate."""
        sessions = () if finding.debate is None else finding.debate.sessions
        if not any({*s.stances} >= {FAITHFUL, UNFAITHFUL} for s in sessions):
            return Ambiguity(None, self.name, unreadable="there was no debate with both stances")
        kept = sum(s.kept_stances for s in sessions)
        said = f"in {kept} of {len(sessions)} sessions no agent left its stance"
        return Ambiguity(2 * kept > len(sessions), self.name, explanation=said)


class TaxonomyDetector:
    """Asks a model whether a sentence is ambiguous, given the taxonomy (zero-shot with taxonomy, table 31).

    Parameters
    ----------
    model, temperature, max_tokens : who is asked, and how.
    taxonomy : the kinds; by default the 16 of the paper's table 6. Its prompts name 15 (``ambiguity_prompts``).
    """

    kind = "taxonomy"

    def __init__(
        self,
        model: ChatModel,
        *,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        taxonomy: Taxonomy | None = None,
    ) -> None:
        self.model = model
        self.taxonomy = taxonomy
        self.name = self.kind if taxonomy is None else f"{self.kind}-{len(taxonomy.labels)}"
        self.temperature = temperature
        self.max_tokens = max_tokens

    def reserve(self, unit: Unit, count_tokens: Callable[[str], int], *, arguments: int) -> int:
        """Tokens of the prompt with an empty document, and of the reply."""
        return count_tokens(ambiguity_prompt(".", unit.text, taxonomy=self.taxonomy)) + self.max_tokens

    async def detect(self, document: str, unit: Unit, finding: Finding) -> Ambiguity:
        """Ask."""
        prompt = ambiguity_prompt(document, unit.text, taxonomy=self.taxonomy)
        reply = await ask(self.model, prompt, temperature=self.temperature, max_tokens=self.max_tokens)
        return read_ambiguity(reply, detector=self.name, taxonomy=self.taxonomy)


class ArgumentsDetector(TaxonomyDetector):
    """Asks a model whether both sides of a debate have sound arguments (debate arguments, table 32).

    Parameters
    ----------
    model, temperature, max_tokens : who is asked, and how.
    guidelines : those of the debate, so that arguments can be held against them.
    """

    kind = "arguments"

    def __init__(
        self,
        model: ChatModel,
        *,
        guidelines: Guidelines | None = None,
        temperature: float = 0.0,
        max_tokens: int = 1024,
        taxonomy: Taxonomy | None = None,
    ) -> None:
        super().__init__(model, temperature=temperature, max_tokens=max_tokens, taxonomy=taxonomy)
        self.guidelines = guidelines

    def reserve(self, unit: Unit, count_tokens: Callable[[str], int], *, arguments: int) -> int:
        """Tokens of the prompt with all arguments and an empty document, and of the reply."""
        none = ambiguity_prompt(
            ".", unit.text, sessions=[Session((), ())], guidelines=self.guidelines, taxonomy=self.taxonomy
        )
        return count_tokens(none) + arguments + self.max_tokens

    async def detect(self, document: str, unit: Unit, finding: Finding) -> Ambiguity:
        """Ask with all turns of the agents; without a debate, it cannot tell."""
        if finding.debate is None:
            return Ambiguity(None, self.name, unreadable="there was no debate")
        prompt = ambiguity_prompt(
            document, unit.text, sessions=finding.debate.sessions, guidelines=self.guidelines, taxonomy=self.taxonomy
        )
        reply = await ask(self.model, prompt, temperature=self.temperature, max_tokens=self.max_tokens)
        return read_ambiguity(reply, detector=self.name, taxonomy=self.taxonomy)
