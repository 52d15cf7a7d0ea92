"""Write the sentence encoder that ships, and the words that encoders share: python scripts/export_embedder.py BASE

BASE is a folder with config.json, model.safetensors and tokenizer.json of all-MiniLM-L6-v2. With --out FOLDER another
encoder becomes an embedder, and FALLAX_EMBEDDER=FOLDER lets the judge ``embedding-similarity`` compare by it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fallax.encoders import CARD
from fallax.encoders.training.base import load_base
from fallax.encoders.training.bert import Bert
from fallax.encoders.training.export import hashes_of, write_model

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "src" / "fallax" / "encoders" / "weights"
PUBLISHED = {
    "name": "all-MiniLM-L6-v2",
    "licence": "Apache-2.0",
    "source": "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    args = parser.parse_args()
    base = load_base(args.base)
    bert = Bert(base.config, 0.0)
    bert.load_state_dict(base.state)
    is_shipped = args.out.resolve() == SHIPPED
    write_model(bert, {}, base.tokenizer_json, args.out, with_words=is_shipped)
    about = {"name": "minilm", "base": PUBLISHED} if is_shipped else {"name": args.out.name, "base": {}}
    card = {**about, "base": {**about["base"], "sha256": base.sha256}, "files": hashes_of(args.out)}
    (args.out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
