"""The store, the four jobs, import and export, and what the server answers to whom."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fallax.annotation.jobs import JOBS, check_answer, label_tree, taxonomy_of
from fallax.annotation.project import annotations_of, export_project, export_records, import_answers, read_items
from fallax.annotation.reading import read_annotations
from fallax.annotation.store import ADJUDICATOR, AnnotationStore, ConflictError, Item
from fallax.cli import main
from fallax.core.taxonomies import flat_taxonomy, keep_taxonomy
from fallax.core.taxonomies._load import _OWN
from fallax.core.types import NO_FALLACY, GoldSpan, Record
from fallax.data import read_corpus, write_corpus
from fallax.errors import FormatError, InputError, UnknownNameError

TEXT = "You lie, so no 🙂. Everybody knows it."
SPAN = {"start": 0, "end": 16, "labels": ["straw man", "ad hominem", NO_FALLACY], "slots": {}}
SAID = {"spans": [SPAN], "nothing": False}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnnotationStore]:
    found = AnnotationStore(tmp_path / "project.sqlite")
    found.create("spans", {"taxonomy": "mafalda"})
    found.add_items([("t1", {"text": TEXT, "meta": {}}), ("t2", {"text": "Nothing.", "meta": {}})])
    for name in ("ann", "bob"):
        found.add_annotator(name)
    found.add_annotator("eve", adjudicates=True)
    yield found
    found.close()


def test_a_change_on_an_old_revision_is_a_conflict_that_shows_what_stands_there(store: AnnotationStore) -> None:
    first = store.save(1, "ann", SAID, done=False, revision=0)
    with pytest.raises(ConflictError) as told:
        store.save(1, "ann", {"spans": [], "nothing": True}, done=True, revision=0)
    assert told.value.current == first
    forced = store.save(1, "ann", {"spans": [], "nothing": True}, done=True, revision=0, force=True)
    assert forced.revision == 2
    assert [row["value"]["revision"] for row in store.log() if row["kind"] == "save"] == [1, 2]


def test_the_same_change_sent_again_is_no_conflict(store: AnnotationStore) -> None:
    first = store.save(1, "ann", SAID, done=False, revision=0)
    assert store.save(1, "ann", SAID, done=False, revision=0) == first
    assert len([row for row in store.log() if row["kind"] == "save"]) == 1
    with pytest.raises(ConflictError):
        store.save(1, "ann", SAID, done=True, revision=0)


def test_what_was_answered_survives_a_killed_process(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite"
    program = (
        "import os, pathlib, sys; from fallax.annotation.store import AnnotationStore\n"
        "s = AnnotationStore(pathlib.Path(sys.argv[1])); s.create('spans', {}); s.add_items([('a', {'text': 'x y'})])\n"
        "s.add_annotator('ann')\n"
        "for n in range(20): s.save(1, 'ann', {'n': n}, done=False, revision=n)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "src")}
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False, env=environment)
    assert done.returncode == -9
    again = AnnotationStore(path)
    answer = again.answer(1, "ann")
    assert answer is not None
    assert (answer.value, answer.revision) == ({"n": 19}, 20)
    again.close()


def test_not_seen_open_and_nothing_here_differ(store: AnnotationStore) -> None:
    assert store.answer(2, "ann") is None
    store.save(1, "ann", SAID, done=False, revision=0)
    store.save(2, "ann", {"spans": [], "nothing": True}, done=True, revision=0)
    assert store.states("ann") == {1: "open", 2: "done"}
    assert [(r.id, r.gold) for r in export_records(store, "ann")] == [("t2", ())]
    assert store.next_after(2, "ann") == 1
    assert store.next_after(0, "bob") == 1


def test_suggestions_come_after_the_own_pass_and_are_logged(store: AnnotationStore) -> None:
    store.add_suggestions({"t1": [{"start": 0, "end": 7, "label": "ad hominem"}]})
    with pytest.raises(InputError, match="after your own pass"):
        store.suggestions(1, "ann")
    store.save(1, "ann", SAID, done=True, revision=0)
    assert store.suggestions(1, "ann")[0]["label"] == "ad hominem"
    looked = store.log()[-1]
    assert (looked["kind"], looked["annotator"], looked["value"]["before"]) == ("suggestions", "ann", SAID)
    changed = store.save(1, "ann", {"spans": [], "nothing": True}, done=True, revision=1)
    assert changed.suggested


@pytest.mark.parametrize(
    ("value", "done", "message"),
    [
        (
            {"spans": [{"start": 0, "end": 99, "labels": ["straw man"]}]},
            False,
            "must lie inside its text of 37",
        ),
        ({"spans": [{"start": 0, "end": 4, "labels": ["nonsense"]}]}, False, "unknown label 'nonsense'"),
        ({"spans": [{"start": 0, "end": 4, "labels": [NO_FALLACY]}]}, False, "needs a fallacy as an alternative"),
        ({"spans": [{"start": 0, "end": 4, "labels": []}]}, False, "at least one label"),
        ({"spans": [SPAN], "nothing": True}, False, "must not be marked as having none"),
        ({"spans": [], "nothing": False}, True, "must be marked as having none"),
    ],
)
def test_answers_are_checked(value: dict[str, Any], done: bool, message: str) -> None:
    item = Item(1, "t1", {"text": TEXT})
    with pytest.raises((InputError, UnknownNameError), match=message):
        check_answer(JOBS["spans"], value, item, taxonomy="mafalda", done=done)


@pytest.mark.parametrize("taxonomy", ["mafalda", "smartypat", "logic"])
def test_every_label_has_a_letter_of_its_own_in_its_group(taxonomy: str) -> None:
    tree = label_tree(taxonomy)
    assert len({g["key"] for g in tree}) == len(tree)
    for group in tree:
        keys = [x["key"] for x in group["labels"]]
        assert len(set(keys)) == len(keys)


def test_labels_beyond_the_letters_and_digits_have_no_key() -> None:
    name = keep_taxonomy(flat_taxonomy("forty", [f"label {n:02}" for n in range(40)]))
    keys = [x["key"] for x in label_tree(name)[0]["labels"]]
    assert len(keys) == 40
    assert keys.count("") == 5


def test_a_label_set_of_ones_own_is_kept_in_the_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts, labels, project = tmp_path / "t.jsonl", tmp_path / "letters.toml", str(tmp_path / "p.sqlite")
    said = '{"id": "1", "text": "All sign. So sign.", "gold": [{"start": 0, "end": 18, "labels": ["crowd"]}]}'
    texts.write_text(said + "\n", encoding="utf-8")
    labels.write_text('labels = ["crowd", "insult"]', encoding="utf-8")
    out = tmp_path / "out"

    def annotate(*words: object) -> int:
        with pytest.raises(SystemExit) as stop:
            main(["annotate", *map(str, words), "--export", str(out)])
        return int(stop.value.code or 0)

    assert annotate(texts, "--project", project, "--taxonomy", labels, "--import", f"ann={texts}") == 0
    assert read_corpus(out / "ann.jsonl", taxonomy="letters")[0].gold == (GoldSpan(0, 18, ("crowd",)),)
    labels.unlink()
    _OWN.pop("letters")  # as in another process
    with closing(AnnotationStore(Path(project), read_only=True)) as again:
        assert [x["name"] for x in label_tree(taxonomy_of(again))[0]["labels"]] == ["crowd", "insult"]
    assert annotate(project, "--import", f"bob={texts}") == 0
    assert (out / "bob.jsonl").is_file()
    capsys.readouterr()
    assert annotate(project, "--taxonomy", "mafalda") == 2
    told = capsys.readouterr().err
    assert "must have all labels of the answers in the project, 'ann' used 'crowd'; add it to the set" in told


def test_an_export_without_answers_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.txt").write_text("You lie.")
    with pytest.raises(SystemExit) as stop:
        main(["annotate", str(tmp_path / "t.txt"), "--export", str(tmp_path / "out"), "--to", "mafalda"])
    assert not stop.value.code
    assert "t.sqlite: there is nothing to export yet: nobody has marked an item as done" in capsys.readouterr().err


@pytest.mark.parametrize("format", ["fallax", "mafalda", "doccano", "label-studio", "brat", "propaganda", "conll"])
def test_export_and_import_in_every_format(store: AnnotationStore, tmp_path: Path, format: str) -> None:
    plain = {"spans": [{"start": 0, "end": 16, "labels": ["ad hominem"], "slots": {}}], "nothing": False}
    store.save(1, "ann", plain, done=True, revision=0)
    store.save(2, "ann", {"spans": [], "nothing": True}, done=True, revision=0)
    out = tmp_path / "out"
    export_project(store, out, format=format)
    assert (out / "log.jsonl").exists()
    if format in ("fallax", "doccano", "label-studio", "brat"):  # the others keep no ids, or no texts
        path = next(p for p in out.iterdir() if p.stem == "ann")
        records = read_corpus(path, format=format).records
        assert import_answers(store, records, "cid") == {"imported": 2}
        one, two = store.answer(1, "cid"), store.answer(2, "cid")
        assert one is not None
        assert two is not None
        assert one.value["spans"] == plain["spans"]
        assert two.value["nothing"] is True


@pytest.mark.parametrize("name", ["both", "None", "union", "log", "adjudicated", "a/b", "../ann", ".ann", "cid ", " "])
def test_a_name_that_means_something_else_or_no_file_is_refused(store: AnnotationStore, name: str) -> None:
    with pytest.raises(InputError, match="annotator: the name must"):
        store.add_annotator(name)
    assert name not in store.annotators()


@pytest.mark.parametrize(("known", "name"), [("Zo\u00eb", "Zoe\u0308"), ("Zo\u00eb", "ZO\u00cb")])
def test_two_spellings_of_one_name_are_refused(store: AnnotationStore, known: str, name: str) -> None:
    token = store.add_annotator(known)
    with pytest.raises(InputError, match="too like 'Zo\u00eb'"):
        store.add_annotator(name)
    assert store.add_annotator(known) == token


def test_imported_work_never_replaces_what_was_said_here(store: AnnotationStore) -> None:
    store.save(1, "ann", SAID, done=True, revision=0)
    assert import_answers(store, [Record("t1", TEXT, ())], "ann") == {
        "imported": 0,
        "answered in the project already": 1,
    }
    with pytest.raises(InputError, match="must have the text of the project"):
        import_answers(store, [Record("t2", "Something.", ())], "ann")


def test_an_import_says_what_it_leaves_out_and_matches_other_ids_by_text(
    store: AnnotationStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cid.jsonl"
    write_corpus(
        [Record("7", TEXT, (GoldSpan(2, 16, ("ad hominem",)),)), Record("8", "Nothing."), Record("9", "?", ())], path
    )
    with pytest.raises(SystemExit) as stop:
        main(["annotate", str(store.path), "--import", f"cid={path}", "--export", str(tmp_path / "out")])
    assert not stop.value.code
    told = capsys.readouterr().err
    assert "should begin and end between words, got 2..16" in told
    assert f"1 texts of cid from {path}" in told
    assert f"{path}: 1 texts left out: not annotated" in told
    assert f"{path}: 1 texts left out: not in the project" in told
    assert [r.id for r in export_records(store, "cid")] == ["t1"]


def test_texts_that_stand_twice_are_imported_each_once(tmp_path: Path) -> None:
    with closing(AnnotationStore(tmp_path / "p.sqlite")) as store:
        store.create("spans", {"taxonomy": "mafalda"})
        store.add_items([("a", {"text": TEXT}), ("b", {"text": TEXT})])
        marked = GoldSpan(0, 3, ("ad hominem",))
        records = [Record("1", TEXT, (marked,)), Record("2", TEXT, ()), Record("3", TEXT, ())]
        assert import_answers(store, records, "cid") == {"imported": 2, "not in the project": 1}
        first, second = (store.answer(i.number, "cid") for i in store.items())
        assert first is not None
        assert first.value["spans"]
        assert second is not None
        assert second.value["nothing"]


def test_an_import_with_an_edited_text_imports_nothing_and_says_where_it_differs(store: AnnotationStore) -> None:
    records = [Record("t1", TEXT, ()), Record("t2", "Nothing!", ())]
    with pytest.raises(InputError, match=r"'t2': must have the text of the project, got '!' instead of '\.' from char"):
        import_answers(store, records, "cid")
    assert store.answer(1, "cid") is None


def test_agreement_and_gold_from_a_project(store: AnnotationStore) -> None:
    for name in ("ann", "bob"):
        store.save(1, name, SAID, done=True, revision=0)
    store.save(1, ADJUDICATOR, SAID, done=True, revision=0)
    found = annotations_of(store)
    assert found.annotators == ("ann", "bob")
    assert export_records(store, ADJUDICATOR)[0].gold == (GoldSpan(0, 16, ("ad hominem", NO_FALLACY, "straw man")),)


def test_a_decision_counts_only_for_the_answers_it_was_made_on(
    store: AnnotationStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "bob"):
        store.save(1, name, SAID, done=True, revision=0)
    made_on = store.made_on([1])[1]
    store.save(1, ADJUDICATOR, {**SAID, "made_on": made_on}, done=True, revision=0)
    store.save(1, "ann", {**SAID, "note": "hard"}, done=True, revision=1)
    assert store.outdated() == set()
    store.save(1, "ann", {"spans": [], "nothing": True}, done=True, revision=2)
    assert (store.outdated(), store.outdated(numbers=[2])) == ({1}, set())
    assert export_records(store, ADJUDICATOR) == []
    with pytest.raises(SystemExit):
        main(["annotate", str(store.path), "--export", str(tmp_path / "out")])
    assert (
        "left out of adjudicated, since answers changed after the decision: 1 of the texts" in capsys.readouterr().err
    )
    assert not (tmp_path / "out" / "adjudicated.jsonl").exists()
    store.save(1, "ann", SAID, done=True, revision=3)  # as it was: the decision holds again
    assert len(export_records(store, ADJUDICATOR)) == 1


def test_a_decision_of_an_older_project_is_outdated_by_any_later_answer(store: AnnotationStore) -> None:
    store.save(1, "ann", SAID, done=True, revision=0)
    store.save(1, ADJUDICATOR, SAID, done=True, revision=0)
    assert store.outdated() == set()
    store.save(1, "bob", SAID, done=True, revision=0)
    assert store.outdated() == {1}


def test_a_reason_without_a_rule_is_kept_as_such() -> None:
    value = {"spans": [], "decisions": {"0-16": {"rule": None, "reason": "slip"}}}
    checked = check_answer(JOBS["spans"], value, Item(1, "t1", {"text": TEXT}), taxonomy="mafalda", done=False)
    assert checked["decisions"] == {"0-16": {"rule": None, "reason": "slip"}}


def test_a_question_that_need_not_be_answered_may_be_left_out() -> None:
    item = Item(1, "p1", {"document": "It rained.", "summary": "It snowed."})
    said = {"label": "unfaithful", "ambiguous": "no"}
    checked = check_answer(JOBS["faithfulness"], said, item, taxonomy="mafalda", done=True)
    assert checked == {"spans": [], "label": "unfaithful", "ambiguous": "no", "types": []}


def test_the_other_jobs_read_their_files_and_give_tables(tmp_path: Path) -> None:
    path = tmp_path / "summaries.csv"
    path.write_text("id,document,summary\n1,It rained on Monday.,It rained.\n", encoding="utf-8")
    store = AnnotationStore(tmp_path / "p.sqlite")
    store.create("faithfulness", {})
    store.add_items(read_items(path, "faithfulness"))
    store.add_annotator("ann")
    said = {"label": "unfaithful", "ambiguous": "yes", "types": [], "spans": [{"start": 3, "end": 9}]}
    value = check_answer(JOBS["faithfulness"], said, store.item(1), taxonomy="mafalda", done=True)
    store.save(1, "ann", value, done=True, revision=0)
    assert annotations_of(store).ratings == {"ann": {"1": frozenset({"faithful", "unfaithful"})}}
    export_project(store, tmp_path / "out")
    lines = (tmp_path / "out" / "answers.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "item,annotator,label,ambiguous,types,seconds,note"
    assert lines[1].startswith("1,ann,unfaithful,yes,,")
    with pytest.raises(InputError, match="must be answered"):
        check_answer(JOBS["rating"], {}, Item(1, "1", {"text": "x"}), taxonomy="mafalda", done=True)
    store.close()


def test_two_projects_of_one_annotator_name_are_refused_and_do_not_replace_ratings(tmp_path: Path) -> None:
    paths = [tmp_path / "a.sqlite", tmp_path / "b.sqlite"]
    for path, label in zip(paths, ("faithful", "unfaithful"), strict=True):
        store = AnnotationStore(path)
        store.create("faithfulness", {})
        store.add_items([("r1", {"document": "It rained.", "summary": "It snowed."})])
        store.add_annotator("me")
        store.save(1, "me", {"label": label, "ambiguous": "no"}, done=True, revision=0)
        store.close()
    with pytest.raises(
        InputError, match=r"b\.sqlite: 'me' must rate an item once, got 'r1' again; give each annotator"
    ):
        read_annotations(paths)


def test_another_file_is_no_project(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_text("not a database, but long enough to be looked at as one", encoding="utf-8")
    with pytest.raises(InputError, match="must be an annotation project"):
        AnnotationStore(path)
    other = sqlite3.connect(tmp_path / "y.sqlite")
    other.execute("CREATE TABLE project (key TEXT PRIMARY KEY, value TEXT)")
    other.execute("INSERT INTO project VALUES ('format', '\"other/1\"')")
    other.commit()
    other.close()
    with pytest.raises(InputError, match="must have the format 'fallax-annotation/1'"):
        AnnotationStore(tmp_path / "y.sqlite")


@pytest.mark.parametrize("schema", ["CREATE TABLE calls (key TEXT)", "CREATE TABLE project (name TEXT)"])
def test_the_database_of_another_program_is_refused_and_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], schema: str
) -> None:
    path, other = tmp_path / "calls.sqlite", tmp_path / "other.csv"
    with closing(sqlite3.connect(path)) as database:
        database.execute(schema)
    other.write_text("item,annotator,label\n1,ann,yes\n", encoding="utf-8")
    before = path.read_bytes()
    out = str(tmp_path / "out")
    for command in (
        ["agree", str(path), str(other)],
        ["annotate", str(path), "--export", out],
        ["serve", "--project", str(path), "--port", "0"],
    ):
        with pytest.raises(SystemExit, match="2"):
            main(command)
        assert f"{path}: must be an annotation project" in capsys.readouterr().err
    with pytest.raises(InputError, match="must be an annotation project or a new file"):
        AnnotationStore(path)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["calls.sqlite", "other.csv"]


def test_a_project_that_was_only_begun_is_no_project_to_read_but_one_to_go_on_with(tmp_path: Path) -> None:
    path = tmp_path / "begun.sqlite"
    AnnotationStore(path).close()
    with pytest.raises(InputError, match="must be an annotation project, got one without a job"):
        AnnotationStore(path, read_only=True)
    with pytest.raises(SystemExit, match="2"):
        main(["annotate", str(path), "--export", str(tmp_path / "out")])
    store = AnnotationStore(path)
    with pytest.raises(InputError, match=r"begun\.sqlite: must be a project with a job"):
        annotations_of(store)
    store.create("spans", {})
    store.close()
    reading = AnnotationStore(path, read_only=True)
    assert annotations_of(reading).records == {}
    with pytest.raises(InputError, match="cannot be read or written"):
        reading.add_annotator("ann")
    reading.close()
    assert [p.name for p in tmp_path.iterdir()] == ["begun.sqlite"]


@pytest.fixture
def client(store: AnnotationStore) -> Any:
    pytest.importorskip("starlette", reason="needs the extra serve")
    from starlette.testclient import TestClient

    from fallax.web import ServerSettings
    from fallax.web.annotate import annotate_app

    return TestClient(
        annotate_app(store, ServerSettings(port=80)), base_url="http://127.0.0.1:80", follow_redirects=False
    )


def enter(client: Any, store: AnnotationStore, name: str) -> None:
    client.cookies.clear()
    answer = client.get("/annotate/enter", params={"name": name, "key": store.token_of(name)})
    assert answer.status_code == 303


def test_nobody_without_a_link_and_no_annotator_sees_anothers_work(client: Any, store: AnnotationStore) -> None:
    assert client.get("/annotate").status_code == 401
    assert client.get("/annotate/v1/items/1").status_code == 401
    assert client.get("/annotate/enter", params={"name": "ann", "key": "wrong"}).status_code == 401
    enter(client, store, "ann")
    assert client.put("/annotate/v1/items/1", json={"value": SAID, "done": True, "revision": 0}).status_code == 200
    enter(client, store, "bob")
    found = client.get("/annotate/v1/items/1").json()
    assert found["answer"] is None
    assert "ad hominem" not in json.dumps(found["payload"])
    for path in ("/annotate/adjudicate", "/annotate/adjudicate/1", "/annotate/agreement", "/annotate/v1/decisions/1"):
        assert client.get(path).status_code == 403
    assert "ann" not in client.get("/annotate").text.split("<tbody>")[1].split("</tbody>")[0]
    enter(client, store, "eve")
    assert client.get("/annotate/v1/decisions/1").json()["answers"]["ann"]["spans"][0]["labels"] == [
        "ad hominem", NO_FALLACY, "straw man",
    ]  # fmt: skip


def test_agreement_of_texts_that_nobody_did_twice_says_so(client: Any, store: AnnotationStore) -> None:
    enter(client, store, "eve")
    said = "No text is done by two annotators yet"
    for name in ("ann", "bob"):
        assert said in client.get("/annotate/agreement").text
        store.save(1, name, SAID, done=True, revision=0)
    assert said not in client.get("/annotate/agreement").text


def test_a_page_of_somebody_else_is_refused(client: Any, store: AnnotationStore) -> None:
    store.add_annotator("Zoë")
    enter(client, store, "bob")
    body = {"value": SAID, "done": True, "revision": 0}
    for method, path in (("PUT", "items/1"), ("GET", "items/1"), ("POST", "items/1/suggestions")):
        refused = client.request(method, f"/annotate/v1/{path}", json=body, headers={"x-fallax-annotator": "Zo%C3%AB"})
        assert refused.status_code == 401
        assert "this page is Zoë's, but the link of bob was opened" in refused.json()["error"]
    assert store.answers() == []
    enter(client, store, "Zoë")
    kept = client.put("/annotate/v1/items/1", json=body, headers={"x-fallax-annotator": "Zo%C3%AB"})
    assert kept.status_code == 200


def test_two_projects_on_one_host_do_not_end_each_others_sessions(client: Any, store: AnnotationStore) -> None:
    from fallax.web import ServerSettings
    from fallax.web.annotate import annotate_app

    other = AnnotationStore(store.path.with_name("other.sqlite"))
    other.create("spans", {})
    other.add_annotator("cid")
    second = type(client)(
        annotate_app(other, ServerSettings(port=80)), base_url="http://127.0.0.1:80", follow_redirects=False
    )
    enter(client, store, "ann")
    enter(second, other, "cid")
    jar = {**client.cookies, **second.cookies}  # a browser has one for all ports of a host
    client.cookies, second.cookies = jar, jar
    assert [client.get("/annotate").status_code, second.get("/annotate").status_code] == [200, 200]
    other.close()


def test_decisions_are_listed_as_open_when_answers_changed(client: Any, store: AnnotationStore) -> None:
    for name in ("ann", "bob"):
        store.save(1, name, SAID, done=True, revision=0)
    enter(client, store, "eve")
    seen = client.get("/annotate/v1/decisions/1").json()
    store.save(1, "bob", {"spans": [], "nothing": True}, done=True, revision=1)  # while eve looks at the page
    body = {"value": {**SAID, "made_on": seen["made_on"]}, "done": True, "revision": 0}
    assert client.put("/annotate/v1/decisions/1", json=body).status_code == 200
    assert "open: answers changed since the decision" in client.get("/annotate/adjudicate").text
    seen = client.get("/annotate/v1/decisions/1").json()
    assert seen["outdated"]
    assert '<td>adjudicated</td><td class="number">0</td>' in client.get("/annotate").text
    body = {"value": {**SAID, "made_on": seen["made_on"]}, "done": True, "revision": 1}
    assert client.put("/annotate/v1/decisions/1", json=body).status_code == 200
    assert ">decided</span>" in client.get("/annotate/adjudicate").text
    seen = client.get("/annotate/v1/decisions/1").json()
    assert (seen["outdated"], seen["decision"]["done"]) == (False, True)
    store.save(1, "ann", SAID, done=False, revision=1)  # begun again: one answer is left, the text stays in the list
    assert "open: answers changed since the decision" in client.get("/annotate/adjudicate").text


def test_conflicts_bad_answers_and_foreign_pages_are_refused(client: Any, store: AnnotationStore) -> None:
    enter(client, store, "ann")
    body = {"value": SAID, "done": False, "revision": 0}
    assert client.put("/annotate/v1/items/1", json=body).json()["revision"] == 1
    again = client.put("/annotate/v1/items/1", json={**body, "value": {"spans": [], "nothing": True}})
    assert (again.status_code, again.json()["current"]["revision"]) == (409, 1)
    bad = client.put("/annotate/v1/items/1", json={**body, "value": {"spans": [{"start": 5, "end": 2}]}})
    assert (bad.status_code, "must lie inside its text" in bad.json()["error"]) == (422, True)
    assert client.put("/annotate/v1/items/9", json=body).status_code == 404
    assert client.put("/annotate/v1/items/1", json=body, headers={"origin": "http://evil.example"}).status_code == 403
    assert client.get("/annotate", headers={"host": "evil.example"}).status_code == 403


def test_a_number_that_is_too_large_is_no_fault_of_the_server(client: Any, store: AnnotationStore) -> None:
    enter(client, store, "ann")
    shown = client.get("/annotate?from=1" + "0" * 30)
    assert shown.status_code == 200
    assert "/annotate/text/1" in shown.text
    missing = client.get("/annotate/text/1" + "0" * 30)
    assert missing.status_code == 404
    assert "known: 1 to 2" in missing.text


def test_a_title_that_is_cut_says_so(store: AnnotationStore) -> None:
    store.add_items([("t3", {"text": "word " * 40}), ("t4", {"text": "x" * 90})])
    assert store.titles("text", [3, 4]) == [(3, "word " * 17 + "word…"), (4, "x" * 90)]


def test_guidelines_show_html_as_text(client: Any, store: AnnotationStore) -> None:
    store.create("spans", {"guidelines": "# Rules\n\n<script>alert(1)</script> [x](javascript:alert(1)) **bold**"})
    enter(client, store, "ann")
    page = client.get("/annotate/guidelines").text
    assert "<strong>bold</strong>" in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page


def test_the_pages_can_be_mounted_by_the_server_of_the_verbs(store: AnnotationStore) -> None:
    pytest.importorskip("starlette", reason="needs the extra serve")
    from fallax.web.annotate import annotate_part

    part = annotate_part(store)
    assert part.folder is not None
    assert (part.folder / "static" / "spans.js").is_file()
    assert "/annotate" in {getattr(r, "path", "") for r in part.routes}


def test_write_corpus_of_a_note_and_of_filled_slots(store: AnnotationStore, tmp_path: Path) -> None:
    value = {"spans": [{**SPAN, "slots": {"ad hominem": {"entity": [0, 3]}}}], "nothing": False, "note": "hard"}
    store.save(1, "ann", value, done=True, revision=0)
    write_corpus(export_records(store, "ann"), tmp_path / "a.jsonl")
    meta = read_corpus(tmp_path / "a.jsonl")[0].meta
    assert meta == {"note": "hard", "slots": {"0-16": {"ad hominem": {"entity": "You"}}}}


def test_labels_of_a_project_are_checked_and_a_project_is_no_text(store: AnnotationStore) -> None:
    store.save(1, "ann", SAID, done=True, revision=0)
    assert read_annotations([store.path], taxonomy="mafalda").annotators == ("ann",)
    with pytest.raises(UnknownNameError, match=r"project\.sqlite: 'ann', record 't1': unknown label"):
        read_annotations([store.path], taxonomy="smartypat")
    with pytest.raises(FormatError, match="got a database; export a project with fallax annotate FILE --export FOLDER"):
        read_corpus(store.path)


def test_an_export_of_one_annotator_has_that_ones_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "rating.sqlite", tmp_path / "out.csv"
    with closing(AnnotationStore(path)) as rated:
        rated.create("rating", {})
        rated.add_items([("1", {"text": "You lie.", "label": "ad hominem", "meta": {}})])
        for name in ("ann", "bob", "cid"):
            rated.add_annotator(name)
        for name, value in (("ann", "3"), ("bob", "1")):
            rated.save(1, name, {"rating": value}, done=True, revision=0)

    def export(of: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as stop:
            main(["annotate", str(path), "--export", str(out), "--of", of])
        return int(stop.value.code or 0), capsys.readouterr().err

    assert export("bob")[0] == 0
    assert [row.split(",")[:3] for row in out.read_text().splitlines()[1:]] == [["1", "bob", "1"]]
    assert "nothing to export yet: 'cid' has no finished item" in export("cid")[1]
    code, told = export("bop")
    assert (code, "unknown annotator of --of 'bop'; did you mean 'bob'?" in told) == (2, True), told


def test_the_same_name_twice_is_no_second_annotator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.txt").write_text("You lie.")
    with pytest.raises(SystemExit) as stop:
        main(["annotate", str(tmp_path / "t.txt"), "--annotator", "ann", "--annotator", "ann", "--no-open"])
    assert stop.value.code == 2
    assert "--annotator: two people need two names, got 'ann' twice" in capsys.readouterr().err
