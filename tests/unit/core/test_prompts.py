"""Prompts of one's own in the place of those that ship."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fallax.core.prompts import prompt_slots, read_prompt, replace_prompts
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.faithfulness.protocols.faithfulness import PROMPTS, prompt_hash, single_prompt


@pytest.fixture(autouse=True)
def shipped() -> Iterator[None]:
    yield
    replace_prompts(PROMPTS, None)


def test_a_prompt_is_replaced_and_the_hash_changes(tmp_path: Path) -> None:
    before, hashed = single_prompt("It rained.", "It rained."), prompt_hash()
    (tmp_path / "faithfulness_zero_shot.v1.txt").write_text("{head}\nOwn words.{quotes}\n")
    assert set(replace_prompts(PROMPTS, tmp_path)) == {"faithfulness_zero_shot.v1"}
    assert single_prompt("It rained.", "It rained.").endswith("Own words.")
    assert prompt_hash() != hashed
    replace_prompts(PROMPTS, None)
    assert (single_prompt("It rained.", "It rained."), prompt_hash()) == (before, hashed)


def test_what_cannot_be_replaced_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got none"):
        replace_prompts(PROMPTS, tmp_path)
    (tmp_path / "debate_agent.v1.txt").write_text("{head} {wrong}")
    with pytest.raises(FormatError, match="agent, extra, head, history, nudge, quotes, got head, wrong"):
        replace_prompts(PROMPTS, tmp_path)
    (tmp_path / "debate_agent.v1.txt").rename(tmp_path / "debate_agnet.v1.txt")
    with pytest.raises(UnknownNameError, match=r"did you mean 'debate_agent\.v1'"):
        replace_prompts(PROMPTS, tmp_path)


def test_every_prompt_that_ships_can_be_replaced_by_itself(tmp_path: Path) -> None:
    hashed = prompt_hash()
    for name in prompt_slots(PROMPTS):
        (tmp_path / f"{name}.txt").write_text(read_prompt(PROMPTS, name))
    replace_prompts(PROMPTS, tmp_path)
    assert prompt_hash() == hashed
