"""Extracts values from a model's reply; nothing in it is ever executed."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

__all__ = ["bounded", "extract_json", "without_think_blocks"]

#: What is read of a reply at most; of a longer one its two ends.
LONGEST_READ = 100_000
_LONG_RUN = re.compile(r"\W{201,}")
_RUN = 200
#: A reply that opens so many objects without ending one holds none.
_MOST_STARTS = 400


def bounded(reply: str) -> str:
    r"""A reply prepared for parsing: long runs of symbols shortened, and a huge reply cut to both ends.

    Every pattern that looks for a label steps over spaces and marks; ten thousand of them in a row would be stepped
    over from each of them again. The reply itself stays as it came.

    Examples
    --------
    >>> len(bounded(" " * 10_000 + "yes")), bounded("Verdict: **yes**")
    (203, 'Verdict: **yes**')
    """
    if len(reply) > LONGEST_READ:
        reply = f"{reply[: LONGEST_READ // 2]}\n{reply[-LONGEST_READ // 2 :]}"
    return _LONG_RUN.sub(lambda m: m[0][: _RUN // 2] + m[0][-_RUN // 2 :], reply)


def without_think_blocks(reply: str) -> str:
    """A reply without ``<think>...</think>``; an unclosed tag stays.

    Examples
    --------
    >>> without_think_blocks("<think>hm</think>yes<think>or")
    'yes<think>or'
    """
    kept, at = [], 0
    while (start := reply.find("<think>", at)) >= 0 and (end := reply.find("</think>", start)) >= 0:
        kept.append(reply[at:start])
        at = end + len("</think>")
    return "".join(kept) + reply[at:]


def extract_json(reply: str) -> Any:
    r"""The JSON value of a reply: alone, in a code fence, or the first object or array inside prose.

    Raises
    ------
    ValueError
        If there is none that is complete.

    Examples
    --------
    >>> extract_json('Sure!\n```json\n{"a": [1]}\n```')
    {'a': [1]}
    """
    text = without_think_blocks(reply)
    decoder = json.JSONDecoder()
    for match in itertools.islice(re.finditer(r"[\[{]", text), _MOST_STARTS):
        try:
            return decoder.raw_decode(text, match.start())[0]
        except (json.JSONDecodeError, RecursionError):
            continue
    raise ValueError("no complete JSON object or array")
