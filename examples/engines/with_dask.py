"""Dask: python examples/engines/with_dask.py TEXTS.jsonl FOLDER"""

import sys
from functools import partial

import dask.dataframe as dd

from fallax.scan import ScanJob, batch


def main(texts: str, folder: str) -> None:
    """Examine each partition in the process that holds it; the encoder is loaded once in each process."""
    examine = partial(batch, job=ScanJob(min_confidence=0.5))
    table = dd.read_json(texts, lines=True, blocksize=2**24)
    table.map_partitions(examine, meta=examine(table.head(1))).to_json(folder, orient="records", lines=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
