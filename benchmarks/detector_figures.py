"""Renew the figures of the detector's card and pages: python benchmarks/detector_figures.py [TABLE ...] [--pages-only]

Runs the commands that stand in the tables of src/fallax/detection/weights/measured.json again, each once, and writes
what they print there and into the pages. FALLAX_DATA must hold the sets. Tables whose
figures are times are renewed only where they are named, on a machine that does nothing else; those of the larger
detector only where it was fetched.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys

from _measured import ROOT, TABLES

from fallax.detection.measured import (
    OF_LARGER,
    read_measured,
    table_in_short,
    table_of_larger,
    tables_of_card,
    with_tables,
)
from fallax.detection.systems import load_encoder
from fallax.models.larger import ENCODER_LARGE

PAGES = ("docs/detectors.md", "docs/detectors-figures.md", "docs/detect.md", "docs/own-labels.md")
#: Tables of times.
TIMED = ("speed", "explaining", "larger_speed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", help="names of tables [all without times]")
    parser.add_argument("--pages-only", action="store_true", help="run nothing")
    args = parser.parse_args()
    known = read_measured(TABLES)
    larger = ENCODER_LARGE.is_here()
    usual = [name for name in known if name not in TIMED and (larger or not name.startswith(OF_LARGER))]
    wanted = args.tables or usual
    for command in [] if args.pages_only else dict.fromkeys(known[name].command for name in wanted):
        print(command, flush=True)
        subprocess.run([sys.executable, *shlex.split(command)[1:], "--write"], check=True, cwd=ROOT)
    tables = read_measured(TABLES)
    tables |= tables_of_card(load_encoder().card()) | {
        "in_short": table_in_short(tables),
        "compared": table_of_larger(tables),
    }
    for name in PAGES:
        path = ROOT / name
        path.write_text(with_tables(path.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
