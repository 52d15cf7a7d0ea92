"""Replies with linking code, broken at random in the ways models and attackers break them."""

import random

WORDS = ("rain", "field", "wet", "late", "match", "pump", "drain", "mud")
HOSTILE = (
    "__import__('os').system('touch pwned')",
    "one_to_one_linking(__import__('os').system('touch pwned'), Claim)",
    "Sentence1 = FACT(open('pwned', 'w').write('x'))",
    "one_to_one_linking((lambda: open('pwned', 'w'))(), Claim)",
    "one_to_one_linking(Sentence1.__class__.__mro__, Claim)",
    "multiple_to_one_linking([x for x in range(10**9)], Claim)",
    "one_to_one_linking(Sentence1, Claim) if open('pwned', 'w') else None",
    "print(open('pwned', 'w'))",
    'exec(\'open("pwned", "w")\')',
    "one_to_one_linking(*[Sentence1, Claim])",
    "one_to_one_linking(**{'a': 1})",
    "Sentence2 = FACT(f\"{open('pwned', 'w')}\")",
    "Sentence3 = FACT('a' * 10**10)",
    "Claim = Claim = FACT('x')",
    "return __import__('os')",
)


def reply(rng: random.Random) -> str:
    """A sound reply with fences, comments, declarations, links and a verdict."""
    n = rng.randint(1, 8)
    lines = [
        f'Sentence{i} = FACT("{" ".join(rng.choices(WORDS, k=4))}")' for i in range(1, n + 1) if rng.random() < 0.7
    ]
    names = [f"Sentence{i}" for i in range(1, n + 1)]
    lines.append("def build_tree_proof():")
    for _ in range(rng.randint(1, 6)):
        a, b = rng.choice(names), rng.choice([*names, "Claim"])
        some = ", ".join(rng.sample(names, rng.randint(1, len(names))))
        lines.append(
            rng.choice(
                (
                    f"    one_to_one_linking({a}, {b})",
                    f"    one_to_multiple_linking({a}, [{some}])",
                    f"    multiple_to_one_linking([{some}], {b})  # so it follows",
                )
            )
        )
    lines.append(f'    print("{rng.choice(("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"))}")')
    text = "\n".join(lines)
    return rng.choice((text, f"```python\n{text}\n```", f"Let me think.\n\n```\n{text}\n```\nDone."))


def _nested(rng: random.Random) -> str:
    n = rng.choice((10, 100, 199, 1000, 5000))
    a, b = rng.choice(
        (("(", ")"), ("[", "]"), ("-", ""), ("not ", ""), ("lambda: ", ""), ("f(", ")"), ("{", "}"), ("a.", "b"))
    )
    return rng.choice(("one_to_one_linking({}, Claim)", "Sentence1 = FACT({})", "print({})")).format(
        a * n + "x" + b * n
    )


def broken(rng: random.Random) -> str:
    """A reply with one to four faults."""
    text = reply(rng)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        fault = rng.randrange(11)
        if fault == 0:
            text = text[:at]
        elif fault == 1:
            text = text[:at] + text[at + rng.randint(1, 12) :]
        elif fault == 2:
            text = (
                text[:at]
                + "".join(rng.choices("()[]{}\"'`#=,:;\\\n\t\x00\x0c\u2028“”é", k=rng.randint(1, 5)))
                + text[at:]
            )
        elif fault == 3:
            text = text[:at] + chr(rng.choice((0xD800, 0xDFFF, 0x1F600, 0x202E, 0x0, 0xFEFF))) + text[at:]
        elif fault == 4:
            lines = text.split("\n")
            rng.shuffle(lines)
            text = "\n".join(lines)
        elif fault == 5:
            lines = text.split("\n")
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(HOSTILE))
            text = "\n".join(lines)
        elif fault == 6:
            text = text[:at] + "\n" + _nested(rng) + "\n" + text[at:]
        elif fault == 7:
            text = text + text
        elif fault == 8:
            text = text.replace("Sentence", rng.choice(("S", "sentence", "Sentence ", "5", "Fact.", "")))
        elif fault == 9:
            text = text.swapcase() if rng.random() < 0.3 else text.replace("\n", rng.choice(("\r\n", " ", "\r", "; ")))
        else:
            text = text.replace('"', rng.choice(("“", "'", '"""', "")))
    return text
