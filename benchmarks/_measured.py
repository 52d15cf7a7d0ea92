"""Prints the tables of a benchmark and, with ``--write``, puts them among the figures that ship with the detector."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fallax.detection.measured import MEASURED, OF_LARGER, Measured, write_measured
from fallax.models.larger import ENCODER_LARGE

ROOT = Path(__file__).parents[1]
#: The detectors whose tables ship.
_ON_PAGES = ("encoder", ENCODER_LARGE.name)
TABLES = ROOT / "src" / "fallax" / "detection" / "weights" / MEASURED


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """A parser with the options that all of these benchmarks have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", default="encoder")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {TABLES.relative_to(ROOT)}")
    return parser


def command_of(file: str, argv: Sequence[str] | None) -> str:
    """The command that was given, without ``--write``."""
    given = [x for x in (sys.argv[1:] if argv is None else argv) if x != "--write"]
    return shlex.join(["python", f"benchmarks/{Path(file).name}", *given])


def told(tables: Iterable[Measured], write: bool) -> None:
    """Print each table as it comes; write them at the end, those of the larger detector under names of their own.

    No page has tables of other detectors: theirs are printed only.
    """
    found = []
    for table in tables:
        if table.detector.startswith(f"{ENCODER_LARGE.name}@"):
            table = replace(table, name=OF_LARGER + table.name)
        print(f"{table.name.replace('_', ' ')}\n\n{table.markdown()}\n", flush=True)
        found.append(table)
    if write and (others := {t.detector for t in found if t.detector.partition("@")[0] not in _ON_PAGES}):
        raise SystemExit(f"--write: only tables of {' and '.join(_ON_PAGES)} are kept, got {', '.join(others)}")
    if write:
        write_measured(found, TABLES)


def least_seconds(times: int, run: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the quickest of some runs: what else the machine did only ever adds.

    With ``time.process_time`` those of all threads together: what counts where the machine is shared.
    """
    found = []
    for _ in range(times):
        start = clock()
        run()
        found.append(clock() - start)
    return min(found)
