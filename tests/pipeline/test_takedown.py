"""What a takedown promises: these documents are gone and no others, even if it is cut short."""

import os
import shutil

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stages.folders import rejects_of, run_stage

from corpusforge.errors import FormatError
from corpusforge.formats.partition import read_columns
from corpusforge.formats.shard_folder import read_description
from corpusforge.formats.takedowns import read_takedowns
from corpusforge.pipeline import takedown as module
from corpusforge.pipeline.shard_verify import verify
from corpusforge.pipeline.takedown import PENDING, takedown
from corpusforge.stages import shards
from pipeline.shard_folders import CONFIG, DOCUMENTS, contents, files_of, make_folder, rows_of


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_folder(tmp_path_factory.mktemp("taken"))


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made[0], tmp_path / "shards")
    return tmp_path / "shards"


def without(folder, gone):
    """What a folder holds but for these documents."""
    return {
        split: [(row, tokens) for row, tokens in rows if row["doc_id"] not in gone]
        for split, rows in contents(folder).items()
    }


def faults(folder):
    return [fault for verdict in verify(folder, everything=True) for fault in verdict.faults]


@given(chosen=st.sets(st.sampled_from([doc_id for doc_id, _ in DOCUMENTS if doc_id != "s:7"])))
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_documents_are_gone_and_all_others_are_as_they_were(made, chosen, tmp_path_factory):
    folder = tmp_path_factory.mktemp("chosen") / "shards"
    shutil.copytree(made[0], folder)
    expected = without(folder, chosen)
    result = takedown(folder, sorted(chosen))
    assert contents(folder) == expected
    assert result.removed == sorted(chosen)
    assert faults(folder) == []
    assert not (folder / PENDING).exists()


def test_only_the_shards_that_held_one_are_written_anew(folder):
    before = files_of(folder)
    rows = [found for split in rows_of(folder).values() for found in split]
    [place] = [place for row, _, place in rows if row["doc_id"] == "s:3"]
    takedown(folder, ["s:3"])
    after = files_of(folder)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    record = next(name for name in after if name.startswith("takedowns/"))
    touched = {f"{place['split']}/{place['shard']}{s}" for s in (".bin", ".idx", ".parquet")}
    assert changed == {*touched, "shards.json", record}


def test_a_translation_goes_with_its_paper_and_not_with_another(folder):
    expected = without(folder, {"s:7", "s:7#fr"})
    assert takedown(folder, ["s:7"]).removed == ["s:7", "s:7#fr"]
    assert contents(folder) == expected  # s:77#fr is still there


def test_a_record_says_where_the_documents_were(folder):
    before, places = read_description(folder), rows_of(folder)
    takedown(folder, ["s:3", "s:4"])
    [record] = read_takedowns(folder)
    expected = {
        (row["doc_id"], place["split"], place["shard"], place["start"], row["tokens"])
        for rows in places.values()
        for row, _, place in rows
        if row["doc_id"] in ("s:3", "s:4")
    }
    assert {tuple(msgspec.structs.astuple(removed)) for removed in record.documents} == expected
    assert (record.before, record.after) == (before.revision, read_description(folder).revision)
    assert record.shard_tokens["train"] == {s.name: s.tokens for s in before.splits["train"].shards}


def test_the_same_takedown_again_changes_nothing_and_says_so(folder):
    takedown(folder, ["s:3"])
    before = files_of(folder)
    result = takedown(folder, ["s:3", "s:99"])
    assert (result.removed, result.already, result.unknown) == ([], ["s:3"], ["s:99"])
    assert result.record is None
    assert files_of(folder) == before


def test_two_takedowns_leave_what_one_of_both_leaves(folder, tmp_path):
    together = tmp_path / "together"
    shutil.copytree(folder, together)
    takedown(together, ["s:3", "s:4"])
    takedown(folder, ["s:3"])
    takedown(folder, ["s:4"])
    assert contents(folder) == contents(together)
    assert read_description(folder) == read_description(together)
    assert len(read_takedowns(folder)) == 2


class KilledError(Exception):
    """The moment at which the process is killed."""


@pytest.mark.parametrize("survived", range(7))
def test_a_takedown_that_was_cut_short_is_finished_by_the_same_command(
    folder, tmp_path, monkeypatch, survived
):
    whole = tmp_path / "whole"
    shutil.copytree(folder, whole)
    takedown(whole, ["s:3", "s:4", "s:5"])
    left = survived
    replace = os.replace

    def killed_after(source, target):
        nonlocal left
        if PENDING in str(source) and PENDING not in str(target):
            left -= 1
            if left < 0:
                raise KilledError
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(module.os, "replace", killed_after)
        with pytest.raises(KilledError):
            takedown(folder, ["s:3", "s:4", "s:5"])
    takedown(folder, ["s:3", "s:4", "s:5"])
    assert files_of(folder) == files_of(whole)


def test_a_takedown_that_was_cut_short_while_it_wrote_has_changed_nothing(folder, monkeypatch):
    before = files_of(folder)

    def killed(_folder, _description):
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_description", killed)
        with pytest.raises(KilledError):
            takedown(folder, ["s:3"])
    assert before.items() <= files_of(folder).items()
    module.finish(folder)
    assert files_of(folder) == before


def test_a_stage_that_runs_again_leaves_out_what_was_taken_down(made, tmp_path):
    folder, reads = tmp_path / "shards", made[1]
    run_stage(shards.STAGE, CONFIG, folder, reads)
    expected = without(folder, {"s:3", "s:7", "s:7#fr"})
    takedown(folder, ["s:3", "s:7"])
    tally = run_stage(shards.STAGE, CONFIG, folder, reads)
    assert {s: sorted(r["doc_id"] for r, _ in rows) for s, rows in contents(folder).items()} == {
        s: sorted(row["doc_id"] for row, _ in rows) for s, rows in expected.items()
    }
    assert tally.rejected == {"taken_down": 3}
    assert {row["doc_id"] for row in rejects_of(folder)} == {"s:3", "s:7", "s:7#fr"}
    assert tally.read == tally.kept + tally.total_rejected


@pytest.mark.parametrize("suffix", [".bin", ".idx"])
def test_from_a_damaged_shard_nothing_is_taken(folder, suffix):
    """Written anew it would have the digest of its damage, and nobody could see it any more."""
    path = folder / "train" / f"train-00000{suffix}"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    doc_id = read_columns(path.with_suffix(".parquet"), ["doc_id"])["doc_id"][0].as_py()
    with pytest.raises(FormatError, match=rf"{path} has .* expected .*; copy it again"):
        takedown(folder, [doc_id])
    assert path.read_bytes() == content


def test_a_record_that_cannot_be_read_stops_everything(folder):
    takedown(folder, ["s:3"])
    [record] = (folder / "takedowns").iterdir()
    record.write_text("{")
    with pytest.raises(FormatError, match="bring it back from a copy, or the shards would"):
        takedown(folder, ["s:4"])
