"""What a receipt is worth: a task done, while its targets have the sizes it records."""

import os
import re
from pathlib import Path

import msgspec
import pytest

from corpusforge.errors import ContractError, FormatError
from corpusforge.formats.atomic import write_atomic
from corpusforge.pipeline.manifest import NAME, read_manifest
from corpusforge.pipeline.receipts import (
    perform,
    phases_done,
    read_receipts,
    renew_receipts,
    results_in_place,
    valid_receipts,
)
from corpusforge.work import Tally, Task

TALLY = Tally(read=3, kept=2, rejected={"language": 1}, bytes_read=9, counts={"x": 1})


def write_targets(task):
    for path in task.targets:
        write_atomic(path, b"content")
    return TALLY


def done(folder, name="part-00000", phase="map"):
    """A task of two targets that has been performed."""
    task = Task(name, (), (folder / "table" / f"{name}.bin", folder / "rejects" / f"{name}.bin"))
    assert perform(task, write_targets, folder, phase) == TALLY
    return task


def test_a_task_leaves_a_receipt_of_what_it_counted_and_wrote(tmp_path, monkeypatch):
    monkeypatch.setenv("SLURMD_NODENAME", "node-7")
    done(tmp_path)
    receipt = valid_receipts(tmp_path, "map")["part-00000"]
    assert receipt.tally == TALLY
    assert receipt.targets == {"table/part-00000.bin": 7, "rejects/part-00000.bin": 7}
    assert receipt.worker == f"node-7:{os.getpid()}"
    assert receipt.peak_memory > 10_000_000
    assert receipt.seconds < 10


def test_receipts_name_targets_relative_to_the_folder_so_it_can_be_moved(tmp_path):
    done(tmp_path / "here")
    (tmp_path / "here").rename(tmp_path / "there")
    assert list(valid_receipts(tmp_path / "there", "map")) == ["part-00000"]


@pytest.mark.parametrize("name", ["table", "rejects"])
@pytest.mark.parametrize("content", [b"conten", b"content!", b"", None])
def test_a_receipt_is_worth_nothing_when_one_target_has_another_size(tmp_path, name, content):
    done(tmp_path)
    done(tmp_path, "part-00001")
    path = tmp_path / name / "part-00001.bin"
    path.unlink() if content is None else path.write_bytes(content)
    assert list(valid_receipts(tmp_path, "map")) == ["part-00000"]
    assert len(read_receipts(tmp_path, "map")) == 2


def test_receipts_of_one_phase_say_nothing_of_another(tmp_path):
    done(tmp_path, phase="sign")
    assert valid_receipts(tmp_path, "pair") == {}
    assert phases_done(tmp_path) == ["sign"]


def test_a_folder_without_receipts_has_none(tmp_path):
    assert valid_receipts(tmp_path, "map") == {}
    assert phases_done(tmp_path) == []


def test_a_task_that_does_not_write_its_target_breaks_its_promise(tmp_path):
    task = Task("part-00007", (), (tmp_path / "a.bin", tmp_path / "b.bin"))

    def forgetful(task):
        write_atomic(task.targets[0], b"")
        return TALLY

    message = f"task map/part-00007 ended without writing ['{tmp_path}/b.bin']"
    with pytest.raises(ContractError, match=re.escape(message)):
        perform(task, forgetful, tmp_path, "map")
    assert read_receipts(tmp_path, "map") == []


def test_a_task_that_fails_leaves_no_receipt(tmp_path):
    def failing(_task):
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        perform(Task("t", (), (tmp_path / "a",)), failing, tmp_path, "map")
    assert phases_done(tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"{", b'{"task": 5}', b"[]"])
def test_a_file_that_is_no_receipt_is_named_with_what_to_do(tmp_path, content):
    done(tmp_path)
    path = tmp_path / "receipts" / "map" / "part-00000.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"{re.escape(str(path))}: .*; delete it, and its task"):
        valid_receipts(tmp_path, "map")


def test_a_partly_written_receipt_is_not_looked_at(tmp_path):
    done(tmp_path)
    (tmp_path / "receipts" / "map" / ".part-00001.json.0123abcd.partial").write_bytes(b"{")
    assert list(valid_receipts(tmp_path, "map")) == ["part-00000"]


def test_a_receipt_written_by_an_earlier_version_can_be_read(tmp_path):
    """Golden bytes. If this fails, runs that were interrupted could not be continued."""
    content = (
        b'{"task":"part-00000","tally":{"read":3,"kept":2,"rejected":{"language":1},'
        b'"bytes_read":9,"counts":{"x":1}},"targets":{"a.bin":2},"seconds":0.5,'
        b'"peak_memory":1000,"worker":"node:1"}'
    )
    write_atomic(tmp_path / "receipts" / "map" / "part-00000.json", content)
    (tmp_path / "a.bin").write_bytes(b"ab")
    [receipt] = valid_receipts(tmp_path, "map").values()
    assert receipt.tally == TALLY
    assert msgspec.json.encode(receipt) == content


# --- manifests


def test_a_file_that_is_no_manifest_is_named_with_what_to_do(tmp_path):
    (tmp_path / NAME).write_bytes(b'{"stage": "clean"}')
    message = rf"{tmp_path}/{NAME}: .*missing.*; delete {tmp_path} and run the stage again"
    with pytest.raises(FormatError, match=message):
        read_manifest(tmp_path)


@pytest.mark.parametrize("folder", [".", "absent"])
def test_a_folder_without_manifest_is_not_complete(tmp_path, folder):
    assert read_manifest(tmp_path / Path(folder)) is None


def test_a_receipt_can_be_made_to_promise_another_size_of_some_files(tmp_path):
    done(tmp_path)
    (tmp_path / "table" / "part-00000.bin").write_bytes(b"new")
    assert not results_in_place(tmp_path)
    renew_receipts(tmp_path, {"table/part-00000.bin": 3, "table/part-00001.bin": 9})
    [receipt] = read_receipts(tmp_path, "map")
    assert receipt.targets == {"table/part-00000.bin": 3, "rejects/part-00000.bin": 7}
    assert receipt.tally == TALLY
    assert results_in_place(tmp_path)
