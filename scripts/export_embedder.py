"""Write a published sentence encoder as 8-bit files: python scripts/export_embedder.py BASE FOLDER

BASE is a folder with config.json, model.safetensors and tokenizer.json of all-MiniLM-L6-v2. With FALLAX_EMBEDDER=FOLDER
``fallax bench run faithfulness --model detector:embedding-similarity`` compares sentences by its vectors.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fallax.encoders import CARD
from fallax.encoders.training.base import load_base
from fallax.encoders.training.bert import Bert
from fallax.encoders.training.export import hashes_of, write_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    base = load_base(args.base)
    bert = Bert(base.config, 0.0)
    bert.load_state_dict(base.state)
    write_model(bert, {}, base.tokenizer_json, args.folder)
    card = {"name": "all-MiniLM-L6-v2", "base_sha256": base.sha256, "files": hashes_of(args.folder)}
    (args.folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
