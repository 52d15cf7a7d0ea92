"""Ray Data: python examples/engines/with_ray_data.py TEXTS.jsonl FOLDER"""

import sys
from functools import partial

import ray

from fallax.scan import ScanJob, batch


def main(texts: str, folder: str) -> None:
    """Examine blocks of 500 rows; ``fallax scan --engine ray`` is simpler where the results are to be files."""
    examine = partial(batch, job=ScanJob(min_confidence=0.5))
    table = ray.data.read_json(texts)
    table.map_batches(examine, batch_format="pyarrow", batch_size=500).write_json(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
