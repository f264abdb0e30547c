"""What the record of a file promises."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ContractError
from corpusforge.formats.file_digest import FileRecord, check_written, file_record


@given(content=st.binary(max_size=300))
def test_a_record_is_size_and_sha256(content, tmp_path_factory):
    path = tmp_path_factory.mktemp("digest") / "file"
    path.write_bytes(content)
    expected = FileRecord(len(content), sha256(content).hexdigest())
    assert file_record(path) == expected
    assert check_written(path, expected.sha256) == expected


def test_a_disk_that_returns_other_bytes_is_noticed(tmp_path):
    path = tmp_path / "train-00000.bin"
    path.write_bytes(b"what came back")
    written = sha256(b"what was written").hexdigest()
    message = rf"train-00000.bin does not hold .* expected {written}; .* check it, then run"
    with pytest.raises(ContractError, match=message):
        check_written(path, written)
