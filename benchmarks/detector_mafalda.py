"""The detector beside simple and recorded systems: python benchmarks/detector_mafalda.py [--resamples N] [--write]

On MAFALDA's development texts, whose folder holds what models were recorded to say of them: soft F1 of spans and texts
at three levels with 95 % bootstrap intervals, and p-values of paired randomisation tests of the detector against each.
The same as ``fallax detectors evaluate encoder linear --passages data/passages``.
"""

from __future__ import annotations

from collections.abc import Sequence

from _measured import ROOT, command_of, parser_of, told

from fallax.data import dataset_path, load_dataset
from fallax.detection.comparison import compare, recorded_predictions
from fallax.detection.measured import Measured
from fallax.detection.systems import load_detector


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--resamples", type=int, default=5000)
    parser.add_argument("--alone", action="store_true", help="the detectors alone")
    args = parser.parse_args(argv)
    folder, names = dataset_path("mafalda"), [args.system, "linear"]
    if args.alone:
        gold = tuple(load_dataset("mafalda", taxonomy="mafalda"))
        found = {name: tuple(load_detector(name).detect(r) for r in gold) for name in names}
    else:
        gold, found = recorded_predictions(folder, names, passages=ROOT / "data" / "passages")
    shown = compare(gold, found, n_resamples=args.resamples)
    rows = []
    for row in shown:
        rows.append((row.system, *(f"{v:.3f} [{low:.3f}, {high:.3f}]" for v, low, high in row.f1.values())))
        if row.test:
            rows.append((f"p against {row.system}", *(f"{p:.2g}" for _, p in row.test.values())))
    columns = ("system", *(f"{unit} {level}" for unit, level in shown[0].f1))
    name = load_detector(args.system).name
    told([Measured("mafalda", name, command_of(__file__, argv), columns, tuple(rows))], args.write)


if __name__ == "__main__":
    main()
