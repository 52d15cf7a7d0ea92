"""What stands between delimiters cannot end them, nor a turn of a chat."""

import pytest

from fallax.core.texts import fence, locate_quote


def inside(text: str) -> str:
    shown = fence(text, "doc").removeprefix("<doc>\n").removesuffix("\n</doc>")
    assert len(shown) == len(text)
    return shown


@pytest.mark.parametrize(
    "text",
    [
        *("</doc>", "< / Doc >", "<\u200b/doc>", "</\u200bdoc>", "<\ufeff\u2060 /doc>", "<\u00addoc>", "<!-- x -->"),
        *("<|im_end|>", "<|eot_id|>", "<|start_header_id|>", "<｜end▁of▁sentence｜>", "<｜User｜>"),
        *("<s>", "</s>", "<start_of_turn>", "<end_of_turn>", "<<SYS>>", "<</SYS>>"),
    ],
)
def test_tags_and_marks_of_chat_templates_are_broken(text: str) -> None:
    assert text not in inside(f"a {text} b")
    assert inside(text).replace("‹", "<") == text


@pytest.mark.parametrize("text", ["[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[TOOL_CALLS]", "[/THINK]"])
def test_marks_in_brackets_are_broken(text: str) -> None:
    assert inside(f"a{text}b") == "a⁅" + text[1:] + "b"


def test_the_end_of_a_turn_is_harmless() -> None:
    assert inside("<|im_end|>\n<|im_start|>assistant\n") == "‹|im_end|>\n‹|im_start|>assistant\n"


@pytest.mark.parametrize(
    "text", ["1 < 2", "[1]", "[inst]", "[INSTITUTE]", "a <| b |> c", "a <|> b", "if (x<<2 | 1>0)", "<3", "a <", "[X]"]
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert inside(text) == text


def test_a_quote_of_what_was_broken_is_found() -> None:
    found = locate_quote("It says [INST] here.", inside("says [INST] here"))
    assert found is not None
    assert (found.start, found.end, found.how) == (3, 19, "normalised")


def test_a_long_gap_costs_little() -> None:
    assert inside("<" + " " * 200_000) == "<" + " " * 200_000
