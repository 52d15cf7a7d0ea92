"""Judges that ask one model: zero-shot, chain of thought, self-consistency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Literal

from fallax.core.types import FAITHFUL, UNFAITHFUL, ChatModel, Reply, Unreadable, Usage, majority
from fallax.faithfulness.protocols.faithfulness import prompt_hash, single_prompt
from fallax.faithfulness.protocols.guidelines import Guidelines
from fallax.faithfulness.protocols.labels import read_label
from fallax.faithfulness.systems.documents import DocumentLimit, Passage
from fallax.faithfulness.systems.settings import check_count, check_temperature
from fallax.faithfulness.systems.units import (
    AmbiguityDetector,
    Extent,
    Finding,
    Unit,
    UnitJudge,
    ask,
    draw,
    faults_in,
    reserve_of,
    together,
)

__all__ = ["PromptJudge"]


class PromptJudge(UnitJudge):
    """Asks a model directly; with ``n`` above 1, takes the majority of n answers (self-consistency).

    Parameters
    ----------
    model : who is asked.
    n : samples; a tie, or no readable one at all, is no answer.
    tokens : ask as often as comes nearest to so many tokens for the whole summary, prompt and completion of every
        sample as the first one took them, instead of ``n`` times: for comparing with a debate that took as many. Units
        and passages share them evenly; a detector that asks is counted as one sample of each unit. At least once.
    think : ask it to think first (chain of thought).
    temperature : None: 0 for one sample, 0.7 for more.
    max_tokens : of every reply.
    seed : of the model's own draws.
    guidelines : given with the question; the paper's baselines have none.
    level, limit, detector : see :class:`fallax.faithfulness.systems.UnitJudge`.
    name : None: ``zero-shot``, ``chain-of-thought`` or ``self-consistency``.

    Examples
    --------
    >>> import asyncio
    >>> from fallax.core.types import Reply
    >>> class Sure:
    ...     name = "sure"
    ...     async def generate(self, request):
    ...         return Reply("<label>0</label><explanation>No word of it.</explanation>")
    >>> verdict = asyncio.run(PromptJudge(Sure()).judge("It rained.", "It snowed."))
    >>> verdict.label, verdict.faults[0].reason
    ('unfaithful', 'No word of it.')
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        n: int = 1,
        tokens: int | None = None,
        think: bool = False,
        temperature: float | None = None,
        max_tokens: int = 1024,
        seed: int = 0,
        guidelines: Guidelines | None = None,
        level: Literal["sentence", "summary"] = "sentence",
        limit: DocumentLimit | None = None,
        detector: AmbiguityDetector | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(level=level, limit=limit, detector=detector)
        check_count(n, "n", least=1, where="self-consistency")
        if tokens is not None:
            check_count(tokens, "tokens", least=1, where="self-consistency")
        if temperature is not None:
            check_temperature(temperature, where="judge")
        check_count(max_tokens, "max_tokens", least=1, where="judge")
        self.model = model
        self.n = n
        self.tokens = tokens
        several = n > 1 or tokens is not None
        self.think = think
        self.temperature = (0.7 if several else 0.0) if temperature is None else temperature
        self.max_tokens = max_tokens
        self.seed = seed
        self.guidelines = guidelines
        self._name = name or ("self-consistency" if several else "chain-of-thought" if think else "zero-shot")

    @property
    def name(self) -> str:
        """The name of the method, or the given name."""
        return self._name

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that verdicts depend on."""
        rules = self.guidelines
        return {
            "n": self.n,
            "tokens": self.tokens,
            "think": self.think,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "guidelines": None if rules is None else f"{rules.id}#{rules.hash}",
            "level": self.level,
            "models": [self.model.name],
            "prompts": prompt_hash(rules),
            "ambiguity": None if self.detector is None else self.detector.name,
        }

    def _reserve(self, unit: Unit, count_tokens: Callable[[str], int]) -> int:
        return reserve_of(count_tokens, unit, self.guidelines, self.max_tokens)

    async def _samples(self, prompt: str, numbers: Iterable[int]) -> list[Reply]:
        return await together(
            [
                ask(
                    self.model,
                    prompt,
                    temperature=self.temperature,
                    max_tokens=self.max_tokens,
                    epoch=i,
                    seed=draw(self.seed, i) if self.temperature else None,
                )
                for i in numbers
            ]
        )

    def _n_samples(self, first: Usage, unit: Unit, extent: Extent) -> int:
        """The number of samples per unit and passage that best uses its share of ``tokens``."""
        one = max(1, first.prompt_tokens + first.completion_tokens)
        asks = self.detector is not None and self.detector.reserve(unit, len, arguments=0) > 0
        all_samples = (self.tokens or 0) / one - extent.units * asks
        return max(1, round(all_samples / extent.passages))

    async def _find(self, passage: Passage, unit: Unit, extent: Extent) -> Finding:
        prompt = single_prompt(passage.text, unit.text, think=self.think, guidelines=self.guidelines)
        replies = await self._samples(prompt, range(1 if self.tokens else self.n))
        if self.tokens:
            replies += await self._samples(prompt, range(1, self._n_samples(replies[0].usage, unit, extent)))
        found = [read_label(r) for r in replies]
        label = majority(f.label for f in found)
        votes = Counter(f.label for f in found if f.label is not None)
        reasons = [(f.quotes, f.explanation) for f in found if f.label == label and label is not None]
        unscored = ""
        if label is None:
            unscored = "as many samples on one side as on the other" if votes else found[0].reason
        return Finding(
            label,
            next((why for _, why in reasons if why), ""),
            votes[FAITHFUL] / votes.total() if len(replies) > 1 and votes else None,
            {str(k): v for k, v in sorted(votes.items())},
            faults_in(unit, reasons) if label == UNFAITHFUL else (),
            unscored,
            None,
            len(replies),
            tuple(
                Unreadable(f.reason, r.text, repr(unit.text[:60]))
                for f, r in zip(found, replies, strict=True)
                if f.label is None
            ),
            sum((r.usage for r in replies), Usage()),
        )
