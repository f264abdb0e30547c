"""What a sorted run promises."""

import struct
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import FormatError
from corpusforge.formats.run import gather, key_ranges, open_run, write_run

DTYPE = np.dtype([("row", "<u4"), ("bytes", "<u8")])
TOP = 2**64 - 1
EDGES = [0, 1, 2, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, TOP - 1, TOP]
keys = st.lists(st.sampled_from(EDGES) | st.integers(0, TOP), max_size=20)
bounds = st.sampled_from([*EDGES, 2**64]) | st.integers(0, 2**64)


def records(count):
    return np.array([(i, i * i) for i in range(count)], DTYPE)


def write(path, listed):
    write_run(path, np.array(listed, np.uint64), records(len(listed)))
    return path


def pairs(run):
    return list(zip(run.keys.tolist(), run.records.tolist(), strict=True))


def in_order(listed):
    """The definition: a stable sort by key."""
    return sorted(zip(listed, records(len(listed)).tolist(), strict=True), key=lambda p: p[0])


def within(listed, low, high):
    return [pair for pair in in_order(listed) if low <= pair[0] < high]


@given(keys)
def test_records_come_back_ordered_by_key_and_equal_keys_in_the_order_given(
    tmp_path_factory, listed
):
    path = write(tmp_path_factory.mktemp("run") / "a.run", listed)
    assert pairs(open_run(path, DTYPE)) == in_order(listed)


@given(keys, bounds, bounds)
def test_a_range_is_what_a_filter_gives(tmp_path_factory, listed, low, high):
    low, high = sorted((low, high))
    run = open_run(write(tmp_path_factory.mktemp("run") / "a.run", listed), DTYPE)
    assert pairs(run.between(low, high)) == within(listed, low, high)


def test_every_boundary_falls_on_the_right_side(tmp_path):
    run = open_run(write(tmp_path / "a.run", EDGES), DTYPE)
    for low in EDGES:
        for high in [edge for edge in [*EDGES, 2**64] if edge >= low]:
            found = run.between(low, high).keys.tolist()
            assert found == [edge for edge in EDGES if low <= edge < high]


@given(st.lists(keys, max_size=4), bounds, bounds)
def test_gathering_filters_all_runs_in_the_order_of_their_paths(tmp_path_factory, runs, low, high):
    low, high = sorted((low, high))
    folder = tmp_path_factory.mktemp("run")
    paths = [write(folder / f"{i}.run", listed) for i, listed in enumerate(runs)]
    expected = [pair for listed in runs for pair in within(listed, low, high)]
    assert pairs(gather(paths, DTYPE, low, high)) == expected


@given(st.lists(keys, max_size=3), st.integers(0, 100), st.integers(1, 10))
def test_ranges_part_the_records_without_loss_or_overlap(tmp_path_factory, runs, total, limit):
    folder = tmp_path_factory.mktemp("run")
    paths = [write(folder / f"{i}.run", listed) for i, listed in enumerate(runs)]
    parts = [gather(paths, DTYPE, int(a), int(b)) for a, b in key_ranges(total, limit)]
    assert sorted(k for part in parts for k in part.keys.tolist()) == sorted(chain(*runs))


@given(st.integers(0, 10_000), st.integers(1, 100))
def test_ranges_are_nearly_equal_and_cover_every_key(total, limit):
    ranges = [(int(low), int(high)) for low, high in key_ranges(total, limit)]
    assert len(ranges) == 1 + total // limit
    assert (ranges[0][0], ranges[-1][1]) == (0, 2**64)
    assert all(left[1] == right[0] for left, right in pairwise(ranges))
    widths = [high - low for low, high in ranges]
    assert max(widths) - min(widths) <= 1


def test_the_bytes_are_those_of_the_specification(tmp_path):
    """Golden bytes. If this fails, a run of another version would be misread."""
    path = write(tmp_path / "a.run", [TOP, 3])
    assert path.read_bytes() == b"".join(
        [
            b"CFRUN001" + struct.pack("<QQ", 2, 12),
            struct.pack("<QQ", 3, TOP),
            struct.pack("<IQ", 1, 1) + struct.pack("<IQ", 0, 0),
        ]
    )


def test_an_empty_run_is_a_header(tmp_path):
    path = write(tmp_path / "a.run", [])
    assert path.stat().st_size == 24
    assert pairs(open_run(path, DTYPE)) == []
    assert pairs(gather([], DTYPE, 0, 2**64)) == []


def test_keys_and_records_must_be_as_many(tmp_path):
    with pytest.raises(ValueError, match="2 keys for 3 records"):
        write_run(tmp_path / "a.run", np.arange(2, dtype=np.uint64), records(3))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("head", [b"", b"CFRUN001", b"PAR1" + bytes(40)])
def test_a_file_that_is_no_run_is_refused_by_its_first_bytes(tmp_path, head):
    (tmp_path / "a.run").write_bytes(head)
    with pytest.raises(
        FormatError, match=r"a\.run is not a sorted run: it starts with b'"
    ) as error:
        open_run(tmp_path / "a.run", DTYPE)
    assert repr(head[:8]) in str(error.value)


def test_a_run_cut_anywhere_is_refused(tmp_path):
    content = write(tmp_path / "a.run", [1, 2, 3]).read_bytes()
    for size in range(24, len(content)):
        (tmp_path / "a.run").write_bytes(content[:size])
        with pytest.raises(FormatError, match=f"holds 3 records of 12 bytes in {size} bytes"):
            open_run(tmp_path / "a.run", DTYPE)


def test_a_run_with_bytes_too_many_is_refused(tmp_path):
    path = write(tmp_path / "a.run", [1])
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(FormatError, match=r"in 45 bytes, expected records of 12 bytes in 44"):
        open_run(path, DTYPE)


def test_a_run_of_other_records_is_refused(tmp_path):
    path = write(tmp_path / "a.run", [1])
    with pytest.raises(FormatError, match=r"records of 12 bytes .* expected records of 8 bytes in"):
        open_run(path, np.dtype("<u8"))


def test_a_header_that_promises_more_than_there_is_is_refused(tmp_path):
    (tmp_path / "a.run").write_bytes(b"CFRUN001" + struct.pack("<QQ", 2**63, 12))
    with pytest.raises(FormatError, match="holds 9,223,372,036,854,775,808 records"):
        open_run(tmp_path / "a.run", DTYPE)
