"""Linking code as models write it; the shapes are those of tables 10, 14, 16, 17 and 18 and of figure 1 of Si et al."""

import random
from pathlib import Path

import pytest

from fallax.core.replies import LONGEST_READ
from fallax.core.types import ArgumentStructure, Statement
from fallax.structures import parse_structure, read_linking
from fallax.structures._linking import MAX_REPLY
from tests.support.broken_replies import HOSTILE, broken


def links(structure: ArgumentStructure | None) -> list[str]:
    assert structure is not None
    return [str(link) for link in structure.links]


def test_the_structures_of_table_10() -> None:
    machine = parse_structure("G2 → (G1, G3) → G5\n(G4, G5) → Claim").structure
    assert links(machine) == ["G2 -> (G1, G3)", "(G1, G3) -> G5", "(G4, G5) -> Claim"]
    assert machine is not None
    assert [s.id for s in machine.leaves] == ["G2", "G4"]
    assert (machine.n_steps, machine.depth, machine.problems) == (4, 3, ())
    people = parse_structure("(E1, E2) → E3 → E4 → E6\n(E5, E6) → Claim").structure
    assert links(people) == ["(E1, E2) -> E3", "E3 -> E4", "E4 -> E6", "(E5, E6) -> Claim"]
    assert people is not None
    assert people.claim == Statement("Claim")
    assert [s.id for s in people.leaves] == ["E1", "E2", "E5"]
    assert [link.kind for link in people.links] == ["many_to_one", "one_to_one", "one_to_one", "many_to_one"]
    assert (people.n_steps, people.depth, people.problems) == (4, 4, ())


def test_the_chain_of_figure_1() -> None:
    chain = parse_structure(
        "war → money trouble → more coins → less silver\n(trade loss, war) → money trouble"
    ).structure
    assert chain is not None
    assert chain.claim == Statement("less silver")
    assert chain.premises_of("money trouble") == ("war", "trade loss")
    assert (chain.n_steps, chain.depth, chain.problems) == (3, 3, ())


def test_the_code_of_table_14() -> None:
    found = read_linking(
        """
        class FACT
        # I am careful.
        Claim = FACT("…")
        Sentence1 = FACT ("a")
        Sentence2 = FACT ("b")
        Sentence3 = FACT ("c")
        Sentence4 = FACT ("d")
        def build_tree_proof():
        one_to_multiple_linking(Sentence2, [Sentence3, Sentence4])
        multiple_to_one_linking([Sentence1, Sentence3, Sentence4], Claim)
        """
    )
    assert links(found.structure) == [
        "Sentence2 -> (Sentence3, Sentence4)",
        "(Sentence1, Sentence3, Sentence4) -> Claim",
    ]
    assert found.structure is not None
    assert found.structure.claim == Statement("Claim", "…")
    assert [str(s) for s in found.structure.steps] == [
        "Sentence2 -> Sentence3",
        "Sentence2 -> Sentence4",
        "(Sentence1, Sentence3, Sentence4) -> Claim",
    ]
    assert (found.structure.n_steps, found.structure.depth, found.label, found.notes) == (3, 2, "", ())


def test_the_reply_of_table_17_over_given_evidence() -> None:
    given = {f"Sentence{i}": f"text {i}" for i in range(1, 19)}
    reply = (
        "“‘python\none_to_one_linking(Sentence8, Sentence15)\none_to_one_linking(Sentence15, Sentence16)\n"
        "one_to_one_linking(Sentence16, Sentence17)\none_to_one_linking(Sentence17, Sentence18)\n"
        'one_to_one_linking(Sentence18, Claim)\nprint("SUPPORTS")\n“‘'
    )
    found = read_linking(reply, claim="So it was.", evidence=given)
    assert found.structure is not None
    assert found.structure.claim == Statement("Claim", "So it was.")
    assert [s.id for s in found.structure.leaves] == ["Sentence8"]
    assert (found.structure.n_steps, found.structure.depth, found.label) == (5, 5, "supports")
    assert len(found.unused) == 13
    assert found.structure.problems == found.notes == ()


def test_the_reply_of_table_18_declares_what_it_infers() -> None:
    reply = (
        '```python\nSentence15 = FACT("new")\none_to_one_linking(Sentence8, Sentence15)\n'
        'one_to_one_linking(Sentence15, Claim)\nprint("REFUTES")\n```'
    )
    found = read_linking(reply, claim="c", evidence=[Statement("Sentence8", "old"), Statement("Sentence9", "other")])
    assert found.structure is not None
    assert found.structure.by_id["Sentence15"] == Statement("Sentence15", "new")
    assert [s.id for s in found.structure.intermediates] == ["Sentence15"]
    assert found.unused == (Statement("Sentence9", "other"),)
    assert found.label == "refutes"


def test_the_structure_of_table_16() -> None:
    found = read_linking(
        "one_to_one_linking(Sentence13, Sentence16)\none_to_one_linking(Sentence13, Sentence17)\n"
        "one_to_one_linking(Sentence13, Sentence18)\none_to_one_linking(Sentence11, Sentence17)\n"
        'multiple_to_one_linking([Sentence16, Sentence17, Sentence18], Claim)\nprint("REFUTES")'
    )
    assert found.structure is not None
    assert found.structure.premises_of("Sentence17") == ("Sentence13", "Sentence11")
    assert (found.structure.n_steps, found.structure.depth, len(found.structure.pairs)) == (4, 2, 7)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("one_to_one_linking('S1', \"claim\")", "supports"),
        ("- one_to_one_linking(s1, CLAIM)", "supports"),
        (">>> one_to_one_link(S1, Claim); print('x')", "supports"),
        ("def build_tree_proof(): one_to_one_linking(S1, Claim)", "supports"),
        ("multiple_to_one_linking(\n    [S1],  # the only one\n    Claim,\n)", "supports"),
        ("many_to_one_linking([S1], Claim", None),
        ("one_to_one_linking(S1, Claim)```", "supports"),
        ("one_to_one_linking(source=S1, target=Claim)", "supports"),
        ("one_to_one_linking(S1, Claim) and so on", None),
        ("one_to_one_linking(S1)", None),
        ("one_to_one_linking(S1.a, Claim)", None),
        ("one_to_one_linking([[S1]], Claim)", None),
        ("x = one_to_one_linking(S1, Claim)", None),
    ],
)
def test_shapes_that_models_write(reply: str, expected: str | None) -> None:
    found = read_linking(f"{reply}\nprint('SUPPORTS')", claim="c", evidence={"S1": "e"})
    assert found.label == "supports"
    if expected is None:
        assert found.structure is None
        assert "could not be read" in found.reason or found.notes
    else:
        assert links(found.structure) == ["S1 -> Claim"]


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ('print("NOT ENOUGH INFO")', "nei"),
        ("return 'REFUTES'", "refutes"),
        ('print("{SUPPORTS}")', "supports"),
        ("**Label:** SUPPORTS", ""),
        ("Label: SUPPORTS", "supports"),
        ("# Output:\n{REFUTES}", "refutes"),
        ("The evidence refutes it.", ""),
        ('print("SUPPORTS")\nprint("REFUTES")', ""),
        ('if x:\n    print("SUPPORTS")\nelse:\n    print("REFUTES")', ""),
        ('print("maybe")\nSUPPORTS', "supports"),
    ],
)
def test_verdicts(reply: str, label: str) -> None:
    found = read_linking(reply)
    assert found.label == label
    assert found.reason == "no linking call was found"


def test_what_is_put_right_is_noted() -> None:
    reply = (
        'S1 = FACT("He said "no" then")\nS9 = FACT(\'changed\')\none_to_one_linking(S1, S1)\n'
        "multiple_to_one_linking([S1, S9], S2)\nmultiple_to_one_linking([S1, S9], S2)\none_to_one_linking(S2, Claim)"
    )
    found = read_linking(reply, claim="c", evidence={"S9": "given"})
    assert found.structure is not None
    assert found.structure.by_id["S1"].text == 'He said "no" then'
    assert found.structure.by_id["S9"].text == "given"
    assert [n.split(":")[0] for n in found.notes] == ["line 1", "line 2", "line 3", "line 5", "node 'S2'"]


def test_the_last_fenced_structure_counts() -> None:
    reply = (
        "First idea:\none_to_one_linking(A, Claim)\n```python\none_to_one_linking(B, Claim)\n```\nNo:\n"
        "```python\none_to_one_linking(C, Claim)\n```\nIn short\none_to_one_linking(D, Claim)\n"
    )
    assert links(read_linking(reply, claim="c").structure) == ["C -> Claim"]


def test_a_drawn_structure_with_faults_is_given_with_its_problems() -> None:
    found = read_linking("one_to_one_linking(A, B)\none_to_one_linking(B, A)", claim="c").structure
    assert found is not None
    assert found.problems[0].startswith("node 'A': must not lead back to itself, got A -> B -> A")


def test_hostile_statements_are_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for statement in HOSTILE:
        found = read_linking(f"{statement}\none_to_one_linking(Sentence5, Claim)", claim="c")
        assert links(found.structure) == ["Sentence5 -> Claim"], statement
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    [
        "one_to_one_linking(" + "(" * 1000 + "A" + ")" * 1000 + ", Claim)",
        "one_to_one_linking(" + "[" * 1000 + "A" + "]" * 1000 + ", Claim)",
        "print(" * 1000,
        "Sentence1 = FACT(" + "-" * 15_000 + "1)",
        "Sentence1 = FACT(" + "lambda:" * 2_500 + "1)",
        "one_to_one_linking(A" + ".a" * 9_000 + ", Claim)",
        "one_to_one_linking(A, Claim" + "\n" * 900_000,
        "one_to_one_linking(\n" * 45_000,
        "FACT(" + '"' * 900_000,
        "a" * 900_000,
        "`" * 900_000,
        "- " * 450_000,
        "A" * 10_000_000,
        "one_to_one_linking(A, B)\n" * 400_000,
        "".join(f"one_to_one_linking(A{i}, B)\n" for i in range(30_000)),
    ],
    ids=lambda t: f"{t[:25]!r}x{len(t)}",
)
def test_deep_and_long_replies_give_a_reason(text: str) -> None:
    found = read_linking(text)
    assert found.structure is None
    assert found.reason


def test_the_longest_reply_is_what_the_page_of_security_says() -> None:
    page = (Path(__file__).parents[3] / "SECURITY.md").read_text(encoding="utf-8")
    assert f"only up to {LONGEST_READ:,} characters" in page
    assert f"linking code up to {MAX_REPLY:,}, longer is refused" in page
    code = "one_to_one_linking(A, Claim)"
    assert read_linking(code + " " * (MAX_REPLY - len(code)), claim="c").structure is not None
    assert "must have at most" in read_linking(code + " " * (MAX_REPLY + 1 - len(code)), claim="c").reason


def test_broken_replies_give_a_structure_or_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(20)
    n_read = 0
    for _ in range(1000):
        found = read_linking(broken(rng), claim="c", evidence={"Sentence1": "e"})
        assert (found.structure is None) == bool(found.reason)
        n_read += found.structure is not None
    assert 300 < n_read < 1000
    assert not list(tmp_path.iterdir())
