"""Documents that an index forgets, and indexes that dedup refuses."""

import pytest
from corpora import prose

from corpusforge.errors import ConfigError
from corpusforge.formats.dedup_index import (
    open_index,
)
from corpusforge.kernels.evidence import Limits
from corpusforge.stages.dedup import DedupConfig, evidence
from corpusforge.stages.dedup_forget import forget
from stages.folders import rejects_of
from stages.months import clique, months, remembered_ids, removed_of, run, taken_back

# --- forgetting


def test_a_forgotten_document_is_kept_when_it_comes_anew(tmp_path):
    text = prose("forgotten")
    months(tmp_path, [[("s:1", text), ("s:2", prose("other"))]])
    index = open_index(tmp_path / "m0" / "dedup" / "index")
    done = forget(index, ["s:9", "s:1", "s:1"])
    assert (done.forgotten, done.before, done.unknown) == (("s:1",), (), ("s:9",))
    again = forget(index, ["s:1"])
    assert (again.forgotten, again.before, again.unknown) == ((), ("s:1",), ())
    after = open_index(index.folder)
    assert after.documents == index.documents - 1 == 1
    assert after.digest != index.digest
    _, out = run(tmp_path, "m1", [[("s:1", text), ("s:3", text)]], against="m0/dedup/index")
    assert len(rejects_of(out)) == 1
    assert len(remembered_ids(out / "index")) == 2
    assert taken_back(out) == {}


def test_what_is_forgotten_stays_forgotten_in_later_indexes_and_may_be_forgotten_again(tmp_path):
    text = prose("forgotten")
    months(tmp_path, [[("s:1", text)]])
    forget(open_index(tmp_path / "m0" / "dedup" / "index"), ["s:1"])
    _, second = run(tmp_path, "m1", [[("s:2", prose("other"))]], against="m0/dedup/index")
    assert forget(open_index(second / "index"), ["s:1"]).before == ("s:1",)
    _, third = run(tmp_path, "m2", [[("s:1", text)]], against="m1/dedup/index")
    assert remembered_ids(third / "index") == ["s:1", "s:2"]
    assert forget(open_index(third / "index"), ["s:1", "s:2"]).forgotten == ("s:1", "s:2")
    assert remembered_ids(third / "index") == []


def test_forgetting_what_is_not_there_writes_nothing(tmp_path):
    months(tmp_path, [[("s:1", prose("one"))]])
    index = open_index(tmp_path / "m0" / "dedup" / "index")
    assert forget(index, ["s:9"]).unknown == ("s:9",)
    assert open_index(index.folder).digest == index.digest
    assert not (index.folder / "forgotten.run").exists()


# --- what is refused


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"shingle_words": 4}, r"shingle_words 5 \(here 4\)"),
        ({"bands": 30}, r"bands 20 \(here 30\)"),
        ({"rows": 5}, r"rows 6 \(here 5\)"),
        ({"seed": 2}, r"seed 1 \(here 2\)"),
        ({"sources": ("a", "b")}, r"sources \[\] \(here \[a, b\]\)"),
        ({"keep": ("longer",)}, r"keep \[full_text, .*\] \(here \[longer\]\)"),
        ({"bands": 30, "seed": 2}, r"bands 20 \(here 30\), seed 1 \(here 2\); set these as"),
    ],
)
def test_an_index_made_with_other_parameters_is_refused_with_each_that_differs(
    tmp_path, setting, told
):
    months(tmp_path, [[("s:1", prose("one"))]])
    wanted = DedupConfig(against="m0/dedup/index", **setting)
    with pytest.raises(ConfigError, match=rf"stages\.dedup\.against: .* was made with {told}"):
        evidence(wanted, tmp_path)


def test_other_limits_may_be_used_with_an_index(tmp_path):
    months(tmp_path, [clique(0, [0])])
    strict = Limits(similarity=0.99, min_contained=10_000)
    _, out = run(tmp_path, "m1", [clique(0, [1, 9])], against="m0/dedup/index", limits=strict)
    assert removed_of(out) == {"c0:1": "c0:0"}


def test_a_damaged_index_is_refused(tmp_path):
    months(tmp_path, [[("s:1", prose("one"))]])
    folder, config = tmp_path / "m0" / "dedup" / "index", DedupConfig(against="m0/dedup/index")
    name = "gen-000/claims/range-00000.run"
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-1])
    told = rf"{name} has {len(content) - 1:,} bytes, expected {len(content):,}; delete"
    with pytest.raises(ConfigError, match=rf"stages\.dedup\.against: .* is damaged: {told}"):
        evidence(config, tmp_path)
    (folder / name).unlink()
    with pytest.raises(ConfigError, match=rf"is damaged: {name} is missing"):
        evidence(config, tmp_path)


def test_what_is_no_index_is_refused(tmp_path):
    config = DedupConfig(against="nowhere/index")
    with pytest.raises(ConfigError, match="nowhere/index is no index, or was never finished"):
        evidence(config, tmp_path)
    (tmp_path / "nowhere" / "index").mkdir(parents=True)
    manifest = tmp_path / "nowhere" / "index" / "manifest.json"
    manifest.write_text('{"stage": "dedup"}')
    with pytest.raises(ConfigError, match=r"manifest\.json is not the manifest of an index"):
        evidence(config, tmp_path)


def test_the_evidence_changes_with_the_index(tmp_path):
    months(tmp_path, [[("s:1", prose("one"))]])
    config = DedupConfig(against="m0/dedup/index")
    before = evidence(config, tmp_path)
    assert before == evidence(config, tmp_path)
    forget(open_index(tmp_path / "m0" / "dedup" / "index"), ["s:1"])
    assert evidence(config, tmp_path) != before
