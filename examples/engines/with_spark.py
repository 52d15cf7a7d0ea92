"""Spark: python examples/engines/with_spark.py TEXTS.jsonl FOLDER   (or spark-submit)"""

import os
import sys
from functools import partial

from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, StringType, StructField, StructType

from fallax.scan import ScanJob, batch

ADDED = {
    "fallax_labels": ArrayType(StringType()),
    "fallax_findings": StringType(),
    "fallax_problem": StringType(),
    "fallax_system": StringType(),
}


def main(texts: str, folder: str) -> None:
    """Examine each partition in its worker."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers of this machine; on a cluster it is set there
    examine = partial(batch, job=ScanJob(min_confidence=0.5))
    table = SparkSession.builder.appName("fallax").getOrCreate().read.json(texts)
    schema = StructType([*table.schema.fields, *(StructField(name, kind) for name, kind in ADDED.items())])
    table.mapInPandas(lambda frames: map(examine, frames), schema).write.json(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
