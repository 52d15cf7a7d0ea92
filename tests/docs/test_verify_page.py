"""The page about verifying: what it says that its examples print, they print."""

import re
import shlex
from pathlib import Path

import pytest

from fallax.cli import main

ROOT = Path(__file__).parents[2]
SHOWN = re.findall(
    r"```sh\n(fallax verify [^\n]*)\n```\n\n```text\n(.*?)\n```", (ROOT / "docs" / "verify.md").read_text(), re.DOTALL
)


def test_there_are_three_worked_examples_and_one_with_documents() -> None:
    assert len(SHOWN) == 5


@pytest.mark.parametrize(("line", "printed"), SHOWN, ids=[str(i) for i in range(len(SHOWN))])
def test_an_example_prints_what_the_page_says(
    line: str, printed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(line)[1:])
    assert not stop.value.code
    out = "\n".join(x.rstrip() for x in capsys.readouterr().out.rstrip("\n").split("\n"))
    assert out == printed
