"""Renews the calibration of why-claims in a card: python scripts/calibrate_causes.py [FOLDER]

Default: that of the verifier that ships; FOLDER holds another entailment model. The rest of the card stays as it is.
The same model, claims and code give the same card.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fallax.causality.training import calibrate_causality
from fallax.encoders import CARD
from fallax.entailment import load_for_claims

ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER")
    folder: Path | None = parser.parse_args().folder
    model = load_for_claims(None if folder is None else str(folder))
    card = (folder or ROOT / "src/fallax/entailment/causes") / CARD
    about = json.loads(card.read_text(encoding="utf-8"))
    data = ROOT / "data"
    about.setdefault("calibration", {})["causality"] = calibrate_causality(
        model, data / "causal_scenes", data / "causal_reports", data / "causal_claims"
    )
    card.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(about["calibration"]["causality"], indent=2))


if __name__ == "__main__":
    main()
