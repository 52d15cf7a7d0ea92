"""Ray with two nodes, one of which is lost; the same bytes as without it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="needs the extra ray")

import ray

from fallax.scan import ScanJob, ScanProgress, scan
from tests.unit.scan.test_scan import content, write_lines

LINEAR = ScanJob(system="linear", min_confidence=0.05)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_two_nodes_of_which_one_is_killed_give_the_same_bytes(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    lines = write_lines(tmp_path / "in.jsonl", 200)
    whole = scan([lines], out=tmp_path / "whole", job=LINEAR, part_size=2)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    other = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    killed: list[float] = []

    def progress(state: ScanProgress) -> None:
        if state.n_done >= 40 and not killed:
            killed.append(time.monotonic())
            cluster.remove_node(other, allow_graceful=False)
            cluster.add_node(num_cpus=1)

    ray.init(address=cluster.address, log_to_driver=False)
    try:
        found = scan([lines], out=tmp_path / "ray", job=LINEAR, part_size=2, workers=2, engine="ray", progress=progress)
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert killed
    assert found.counts.n_records == whole.counts.n_records == 200
    assert content(tmp_path / "ray") == content(tmp_path / "whole")
