"""Renews the calibration of why-claims in the card of an entailment model: python scripts/calibrate_causes.py [FOLDER]

Default: the model that ships. The rest of the card stays as it is. The same model, scenes and code give the same card.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fallax.causality.training import calibrate_causality
from fallax.encoders import CARD

ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT / "src/fallax/entailment/weights", metavar="FOLDER"
    )
    card = parser.parse_args().folder / CARD
    about = json.loads(card.read_text(encoding="utf-8"))
    about["calibration"]["causality"] = calibrate_causality(
        card.parent, ROOT / "data/causal_scenes", ROOT / "data/causal_claims"
    )
    card.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(about["calibration"]["causality"], indent=2))


if __name__ == "__main__":
    main()
