"""datatrove: python examples/engines/with_datatrove.py FOLDER-OF-JSONL FOLDER"""

import sys
from functools import partial
from itertools import islice

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from fallax.scan import ScanJob, batch


class Fallacies(PipelineStep):
    """Adds the labels and findings of each document to its metadata."""

    name = "fallax"
    type = "annotator"

    def run(self, data, rank=0, world_size=1):
        """Examine 500 documents at a time."""
        examine = partial(batch, job=ScanJob(min_confidence=0.5))
        while documents := list(islice(data, 500)):
            found = examine({"text": [document.text for document in documents]})
            for i, document in enumerate(documents):
                document.metadata |= {name: found[name][i] for name in ("fallax_labels", "fallax_findings")}
                yield document


def main(texts: str, folder: str) -> None:
    """Two tasks on this machine; the step is the same with the executor of a cluster."""
    steps = [JsonlReader(texts), Fallacies(), JsonlWriter(folder, compression=None)]
    LocalPipelineExecutor(steps, tasks=2, workers=1, logging_dir=f"{folder}/logs").run()


if __name__ == "__main__":
    main(*sys.argv[1:])
