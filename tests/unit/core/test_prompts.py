"""Prompts of one's own in the place of those that ship."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fallax.core.prompts import prompt_slots, read_prompt, replace_prompts
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.faithfulness.benchmarks.faithfulness import Faithfulness
from fallax.faithfulness.protocols.faithfulness import PROMPTS, prompt_hash, single_prompt
from fallax.models import ScriptedModel


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


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfIs it? {head}\n{quotes}\n", b"Is it? {head}\r\n{quotes}\r\n\r\n"])
def test_marks_of_editors_and_systems_change_nothing(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "faithfulness_zero_shot.v1.txt").write_bytes(data)
    assert dict(replace_prompts(PROMPTS, tmp_path)) == {"faithfulness_zero_shot.v1": "Is it? {head}\n{quotes}"}


def test_braces_that_nothing_fills_are_named_and_json_is_text(tmp_path: Path) -> None:
    file = tmp_path / "faithfulness_zero_shot.v1.txt"
    file.write_text("{head} {quotes} Write {{answer}} or {0}.")
    with pytest.raises(FormatError, match=r"; nothing fills \{0\}, \{answer\}: write other words without braces"):
        replace_prompts(PROMPTS, tmp_path)
    file.write_text('{head} {quotes} Write {"label": 1}, {} or { that }}.')
    assert set(replace_prompts(PROMPTS, tmp_path)) == {"faithfulness_zero_shot.v1"}
    assert single_prompt("It rained.", "It rained.").endswith('Write {"label": 1}, {} or { that }}.')


@pytest.mark.parametrize("name", ["debate_quotes.v1.md", "Debate_Quotes.v1.TXT", "debate_quotes.v1"])
def test_a_prompt_in_a_file_with_another_ending_is_not_passed_over(name: str, tmp_path: Path) -> None:
    (tmp_path / "faithfulness_zero_shot.v1.txt").write_text("{head} {quotes}")
    (tmp_path / "README.md").write_text("Notes.")
    (tmp_path / name).write_text("Own words.")
    with pytest.raises(InputError, match=r"a prompt must be in a file NAME\.txt, got another ending"):
        replace_prompts(PROMPTS, tmp_path)


def test_every_prompt_that_ships_can_be_replaced_by_itself(tmp_path: Path) -> None:
    hashed = prompt_hash()
    for name in prompt_slots(PROMPTS):
        (tmp_path / f"{name}.txt").write_text(read_prompt(PROMPTS, name))
    replace_prompts(PROMPTS, tmp_path)
    assert prompt_hash() == hashed


def test_an_empty_prompt_is_an_empty_prompt(tmp_path: Path) -> None:
    (tmp_path / "debate_quotes.v1.txt").write_text("\n")
    replace_prompts(PROMPTS, tmp_path)
    assert "word for word" not in single_prompt("It rained.", "It rained. It snowed.")


def test_the_signature_of_log_odds_has_the_hash_of_its_own_prompt(tmp_path: Path) -> None:
    def hashed() -> dict[str, str]:
        options = {"prompts": str(tmp_path)} if list(tmp_path.iterdir()) else {}
        made = Faithfulness().with_model(
            ScriptedModel([{"reply": "Yes"}]),
            protocol="log-odds",
            options=options,
            seed=0,
            load=lambda *_: None,  # type: ignore[arg-type]
        )
        return dict(made.prompts)

    before = hashed()
    (tmp_path / "faithfulness_log_odds.v1.txt").write_text("{document} {summary} Yes or No?")
    assert hashed() != before
