"""The registry of formats."""

from __future__ import annotations

from fallax.core.registry import Registry, registry
from fallax.data import _brat, _conll, _jsonl, _labelstudio, _mafalda, _propaganda, texts
from fallax.data._options import Format

__all__ = ["FORMATS"]

#: name -> format. Names are what ``format=`` and ``--from`` take.
FORMATS: Registry[Format] = registry("format")
for _format in (
    Format("fallax", "fallax JSONL", _jsonl.read_rows, _jsonl.write_rows, own=True),
    Format(
        "mafalda",
        "MAFALDA JSONL",
        _mafalda.read_mafalda,
        _mafalda.write_mafalda,
        not_labels=_mafalda.NOT_LABELS,
        repeats=True,
    ),
    Format("doccano", "doccano JSONL", _mafalda.read_doccano, _mafalda.write_doccano, repeats=True),
    Format("label-studio", "Label Studio JSON", _labelstudio.read_rows, _labelstudio.write_rows),
    Format("brat", "brat stand-off", _brat.read_rows, _brat.write_rows, folder=True),
    Format("propaganda", "propaganda fragments (TSV)", _propaganda.read_rows, _propaganda.write_rows, folder=True),
    Format("conll", "BIO columns", _conll.read_rows, _conll.write_rows),
    Format("text", "texts without annotation", texts.read_rows, folder=True),
):
    FORMATS.add(_format.name, _format, about=_format.title)
