"""How long the annotation server takes with many documents and annotators: opening, saving, agreement.

    python benchmarks/annotate_speed.py --documents 2000 --annotators 20

Asks the application in this process, so what the network adds is not in it. Every annotator is through with every
document.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from starlette.testclient import TestClient

from fallax.annotation.store import AnnotationStore
from fallax.core.taxonomies import load_taxonomy
from fallax.web import ServerSettings
from fallax.web.annotate import annotate_app


def filled(path: Path, documents: int, annotators: int) -> AnnotationStore:
    rng = random.Random(0)
    labels = [x.name for x in load_taxonomy("mafalda").labels][:8]
    store = AnnotationStore(path)
    store.create("spans", {"taxonomy": "mafalda"})
    sentence = "The council said that the bridge would fall unless everybody paid, and so the plan must be right. "
    payload = {"text": sentence * 13, "title": "", "source": "", "meta": {}}
    store.add_items([(f"d{i}", payload) for i in range(documents)])
    names = [f"annotator {i + 1}" for i in range(annotators)]
    for name in names:
        store.add_annotator(name)
    store.add_annotator("adjudicator", adjudicates=True)
    rows = []
    for number in range(1, documents + 1):
        for name in names:
            places = sorted(rng.sample(range(12), 3))
            spans = [
                {"start": 99 * p, "end": 99 * p + 90, "labels": sorted(rng.sample(labels, n)), "slots": {}}
                for p, n in zip(places, rng.choices([1, 1, 2], k=3), strict=True)
            ]
            rows.append((number, name, json.dumps({"spans": spans, "nothing": False}), 1, 1, 30.0, time.time(), 0))
    with store._writing() as db:  # as many saves, in one go
        db.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return store


def measured(what: str, ask, n: int) -> None:
    times, worked = [], time.process_time()
    for i in range(n):
        begun = time.perf_counter()
        answer = ask(i)
        times.append(time.perf_counter() - begun)
        assert answer.status_code == 200, (what, answer.status_code, answer.text[:200])
    processor = 1000 * (time.process_time() - worked) / n
    median, slowest = 1000 * statistics.median(times), 1000 * max(times)
    print(f"{what:20} median {median:8.1f} ms, slowest {slowest:8.1f} ms, processor {processor:8.1f} ms, of {n}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--annotators", type=int, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = filled(Path(folder, "project.sqlite"), asked.documents, asked.annotators)
        client = TestClient(annotate_app(store, ServerSettings(port=80)), base_url="http://127.0.0.1:80")

        def enter(name: str) -> None:
            client.cookies.clear()
            client.get("/annotate/enter", params={"name": name, "key": store.token_of(name)})

        def save(i: int):
            number = 1 + 7 * i
            known = store.answer(number, "annotator 1")
            body = {"value": dict(known.value), "done": True, "revision": known.revision}
            return client.put(f"/annotate/v1/items/{number}", json=body)

        enter("annotator 1")
        measured("list of texts", lambda i: client.get("/annotate"), 5)
        measured("opening a text", lambda i: client.get(f"/annotate/text/{i + 1}"), 20)
        measured("reading a text", lambda i: client.get(f"/annotate/v1/items/{i + 1}"), 20)
        measured("saving", save, 20)
        enter("adjudicator")
        measured("list to adjudicate", lambda i: client.get("/annotate/adjudicate"), 3)
        measured("opening a decision", lambda i: client.get(f"/annotate/v1/decisions/{i + 1}"), 20)
        measured("agreement", lambda i: client.get("/annotate/agreement"), 2)
        store.close()


if __name__ == "__main__":
    sys.exit(main())
