"""Write the table of broader words, from WordNet 3.0 (Debian: apt-get install wordnet-base).

python scripts/write_wordnet_table.py [--wordnet /usr/share/wordnet]    # renews src/fallax/core/texts/wordnet.txt.gz

Kept are words of one token that the tokenizer of the entailment model has whole or that WordNet counts in texts, each
with its most frequent sense, marked "+" those that are counted at least a third as often, and marked "~" rarer ones.
Senses without a kept word are skipped: their parents take their place. Compounds of two words are kept that are
not called by the second in a frequent sense, such as "car park".
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "src" / "fallax" / "core" / "texts" / "wordnet.txt.gz"
VOCABULARY = ROOT / "src" / "fallax" / "entailment" / "weights" / "tokenizer.json"
PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
#: A sense counted less often than this share of the most frequent one is left out.
SHARE = 1 / 3
#: The first sense of a part of speech counts so many times more.
FIRST = 1
_WORD = re.compile(r"[a-z]+")
NOTICE = """\
# Words and their hypernyms from WordNet 3.0, cut by scripts/write_wordnet_table.py.
#
# A line: part of speech, the words of one sense, and the numbers of the lines of its hypernyms, counted from
# 0 after these.
#
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. This software and database is being
# provided to you, the LICENSEE, by Princeton University under the following license. By obtaining, using
# and/or copying this software and database, you agree that you have read, understood, and will comply with
# these terms and conditions: Permission to use, copy, modify and distribute this software and database and
# its documentation for any purpose and without fee or royalty is hereby granted, provided that you agree to
# comply with the following copyright notice and statements, including the disclaimer, and that the same
# appear on ALL copies of the software, database and documentation, including modifications that you make for
# internal use or for distribution. THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY
# MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON
# UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE
# OR THAT THE USE OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT INFRINGE ANY THIRD PARTY
# PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS. The name of Princeton University or Princeton may not be
# used in advertising or publicity pertaining to distribution of the software and/or database. Title to
# copyright in this software, database and any associated documentation shall at all times remain with
# Princeton University and LICENSEE agrees to preserve same.
"""


def _rows(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("  ")]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="FOLDER")
    folder = parser.parse_args(argv).wordnet
    counts: dict[tuple[str, str, int], int] = {}  # of a part of speech, a word and a sense
    for key, number, count in _rows(folder / "cntlist.rev"):
        word, sense = key.split("%")
        part = "nvara"[int(sense[0]) - 1]
        counts[part, word, int(number)] = counts.get((part, word, int(number)), 0) + int(count)
    known = set(json.loads(VOCABULARY.read_text(encoding="utf-8"))["model"]["vocab"])
    pairs: dict[str, list[str]] = {}  # of two nouns: synsets
    senses: dict[str, list[tuple[str, str, int]]] = defaultdict(list)  # of a word: part, synset, count
    for part, name in PARTS.items():
        for row in _rows(folder / f"index.{name}"):
            if part == "n" and re.fullmatch(r"[a-z]+_[a-z]+", row[0]):
                pairs[row[0]] = row[len(row) - int(row[2]) :]
            if not _WORD.fullmatch(row[0]):
                continue
            synsets = row[len(row) - int(row[2]) :]
            senses[row[0]] += [
                (part, s, counts.get((part, row[0], i), 0) + FIRST * (i == 1)) for i, s in enumerate(synsets, start=1)
            ]
    words: dict[tuple[str, str], list[str]] = defaultdict(list)
    called = {
        (word, synset)
        for word, found in senses.items()
        for part, synset, count in found
        if part == "n" and count >= SHARE * max(x[2] for x in found if x[0] == "n")
    }
    for word, found in sorted(senses.items()):
        most = max(count for _, _, count in found)
        if most <= FIRST and word not in known:
            continue
        for part, synset, times in found:
            if times >= SHARE * most:
                likeliest = times == max(x[2] for x in found if x[0] == part)
                words[part, synset].append(word if likeliest else f"+{word}")
            elif part in "nv":
                words[part, synset].append(f"~{word}")
    parents: dict[tuple[str, str], list[str]] = {}
    for part in "nv":
        for row in _rows(folder / f"data.{PARTS[part]}"):
            at = 4 + 2 * int(row[3], 16)
            pointers = [row[i : i + 3] for i in range(at + 1, at + 1 + 4 * int(row[at]), 4)]
            parents[part, row[0]] = [p[1] for p in pointers if p[0] in ("@", "@i") and p[2] == part]

    @cache
    def above(part: str, synset: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for parent in parents.get((part, synset), ()):
            found.update(dict.fromkeys([parent] if (part, parent) in words else above(part, parent)))
        return tuple(found)

    @cache
    def lineage(synset: str) -> frozenset[str]:
        return frozenset((synset,)).union(*(lineage(p) for p in parents["n", synset]))

    order = sorted((key for key in words if key[0] in "nv"), key=lambda key: (key[0], words[key]))
    numbers = {key: i for i, key in enumerate(order)}
    lines = [
        " ".join((part, *words[part, synset], *(str(numbers[part, p]) for p in above(part, synset))))
        for part, synset in order
    ]
    lines += [
        " ".join((p, *sorted({w.lstrip("+") for key, found in words.items() if key[0] == p for w in found})))
        for p in "ar"
    ]
    compounds: list[str] = []
    for pair, synsets in sorted(pairs.items()):
        one, other = pair.split("_")
        if {one, other} <= known and not any((other, s) in called for x in synsets for s in lineage(x)):
            compounds += [one, other]
    lines.append(" ".join(("x", *compounds)))
    text = NOTICE + "\n".join(lines) + "\n"
    TABLE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(lines)} lines, {TABLE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
