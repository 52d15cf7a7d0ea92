"""Label sets of one's own: read from files, known by name, refused where they cannot be right."""

from pathlib import Path

import pytest

from fallax.core.taxonomies import crosswalk, flat_taxonomy, keep_taxonomy, label_set, load_taxonomy, read_taxonomy
from fallax.errors import FormatError, InputError


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "forum.toml").write_text('labels = ["crowd", "insult"]\n', encoding="utf-8")
    (tmp_path / "forum.json").write_text('{"labels": [{"name": "crowd"}, "insult"]}', encoding="utf-8")
    found = read_taxonomy(tmp_path / "forum.toml")
    assert found == read_taxonomy(tmp_path / "forum.json") == flat_taxonomy("forum", ["insult", "no fallacy", "crowd"])


def test_a_file_is_known_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "named.toml"
    path.write_text('name = "of-a-test"\nlabels = ["crowd"]\n', encoding="utf-8")
    assert label_set(str(path)) == label_set(str(path)) == "of-a-test"
    assert load_taxonomy("of-a-test").names == ("crowd",)
    assert [row.relation for row in crosswalk("of-a-test", "of-a-test")] == ["exact"]
    with pytest.raises(InputError, match="'of-a-test' is a label set of your own and has none"):
        crosswalk("of-a-test", "mafalda")
    with pytest.raises(InputError, match="label set 'of-a-test': has the name of another one"):
        keep_taxonomy(flat_taxonomy("of-a-test", ["insult"]))
    with pytest.raises(InputError, match="label set 'mafalda': has the name of another one"):
        keep_taxonomy(flat_taxonomy("mafalda", ["insult"]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labels = []", "must have labels, a list of at least one"),
        ("label = ['a']", "must have labels, a list of at least one"),
        ("labels = ['a', 'a']", "label 'a': is given twice"),
        ("labels = ['a', 'A']", "must mean one label"),
        ("labels = ['no fallacy']", "label 'no fallacy': is no label"),
        ("labels = [3]", "must be"),
        ("labels = [{name = 'a', defintion = 'x'}]", "unknown key of a label 'defintion'; did you mean 'definition'"),
        ("labels = [{name = 'a', groups = ['g']}, 'b']", "every label must have the same number of levels"),
        ("titel = 'x'\nlabels = ['a']", "unknown key of a label set 'titel'; did you mean 'title'"),
        ("labels = [", "must be TOML"),
    ],
)
def test_a_wrong_file_is_one_line_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        read_taxonomy(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1
