"""Values out of a model's reply: parsed, never executed."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["extract_json"]


def extract_json(reply: str) -> Any:
    r"""The JSON value in a reply: alone, in a code fence, or the first object or array with talk around it.

    Raises
    ------
    ValueError
        If there is none that is complete.

    Examples
    --------
    >>> extract_json('Sure!\n```json\n{"a": [1]}\n```')
    {'a': [1]}
    """
    text = re.sub(r"<think>.*?</think>", "", reply, flags=re.DOTALL)
    decoder = json.JSONDecoder()
    for match in re.finditer(r"[\[{]", text):
        try:
            return decoder.raw_decode(text, match.start())[0]
        except (json.JSONDecodeError, RecursionError):
            continue
    raise ValueError("no complete JSON object or array")
