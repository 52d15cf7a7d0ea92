"""The entailment model for claims about causes: the one that ships, and what a further training added to it."""

from __future__ import annotations

import io
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from fallax.encoders import CARD, FILES, model_of, read_card, read_checked, shared_words
from fallax.encoders.added import ADDED, GRAPH, earlier_matrices, finished
from fallax.entailment.model import EntailmentModel, JoinedModel, load_entailment, model_with_card, shipped_entailment
from fallax.errors import FormatError

__all__ = ["CAUSES", "causes_files", "load_causes", "load_for_claims", "shipped_causes"]

#: Its name.
CAUSES = "entailment-causes"
_WHAT = "an entailment model"


def shipped_causes() -> Any:
    """The folder of what was added: adapters, a graph without its large matrices, heads and a card."""
    return resources.files("fallax.entailment") / "causes"


def causes_files() -> dict[str, bytes]:
    """The encoder, the heads and the tokenizer of the model, put together in memory, under the names of such files.

    Raises
    ------
    FormatError
        If a file is missing or damaged, or belongs beside another version of the model that ships.
    """
    base, earlier = shipped_causes(), shipped_entailment()
    about, before = read_card(base, what=_WHAT), read_card(earlier, what=_WHAT)
    if about["base"]["sha256"] != before["files"][FILES[0]]:
        raise FormatError("belongs beside another version of the model; install fallax again", path=str(base / CARD))
    with np.load(io.BytesIO(read_checked(base, ADDED, about["files"][ADDED], what=_WHAT))) as stored:
        added = {name: stored[name] for name in stored.files}
    encoder = read_checked(earlier, FILES[0], before["files"][FILES[0]], what=_WHAT)
    graph = read_checked(base, GRAPH, about["files"][GRAPH], what=_WHAT)
    matrices = earlier_matrices(encoder, added)
    return {
        FILES[0]: finished(graph, added, matrices, {name: name for name in matrices}),
        FILES[1]: read_checked(base, FILES[1], about["files"][FILES[1]], what=_WHAT),
        FILES[2]: read_checked(earlier, FILES[2], before["files"][FILES[2]], what=_WHAT),
    }


@cache
def load_causes() -> EntailmentModel:
    """The model; its tokenizer and words are those that all encoders share.

    Raises
    ------
    FormatError
        As :func:`causes_files` does.

    Examples
    --------
    >>> said = ["A burst pipe flooded the archive.", "The letters were ruined by the water."]
    >>> yes = load_causes().read(said, "A burst pipe ruined the letters.")
    >>> no = load_causes().read(said, "A fire ruined the letters.")
    >>> yes.entailed > no.entailed
    True
    """
    base = shipped_causes()
    about = read_card(base, what=_WHAT)
    return model_with_card(model_of(causes_files(), shared_words(), path=str(base / GRAPH)), about, base)


@cache
def load_for_claims(folder: str | None = None) -> EntailmentModel:
    """What reads claims about causes: the shipped model for them, or an entailment model in a folder.

    One whose card says ``beside_of_claims`` reads them together with the shipped model for them, see
    :class:`JoinedModel`.

    Parameters
    ----------
    folder : of an entailment model; None: what ships.

    Raises
    ------
    FormatError
        If a file is missing or damaged, or belongs beside another version of the shipped model.
    """
    if folder is None:
        return load_causes()
    own = load_entailment(folder)
    if "beside_of_claims" not in own.about:
        return own
    shipped = load_causes()
    if (wanted := own.about["beside_of_claims"]) != shipped.name:
        raise FormatError(
            f"belongs beside {wanted}, and this fallax has {shipped.name}; fetch or train it again",
            path=str(Path(folder) / CARD),
        )
    return JoinedModel(own, shipped)
