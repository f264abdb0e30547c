"""What the census of a source counts: the papers that are kept, by year and by provider."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from core_archives import provider_archive, tar_of
from corpora import Record, deletion, pubmed_file, write_file
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import FormatError
from corpusforge.parsers.paper import Paper
from corpusforge.sources.records import Found
from corpusforge.stages import extract, extract_papers
from corpusforge.stages.extract import ExtractConfig, SourceConfig
from corpusforge.stages.extract_census import (
    CENSUS,
    Census,
    count,
    provider_runs,
    read_census,
    total,
)
from stages.folders import run_stage

papers = st.lists(
    st.tuples(
        st.none() | st.integers(1990, 1993),  # year
        st.sampled_from(["", "a", "b"]),  # provider
        st.booleans(),  # is kept
    ),
    max_size=20,
)


def found(providers):
    return [Found(Paper(source_id=str(i)), 0, name) for i, name in enumerate(providers)]


def census_of(some):
    years = pa.array([year for year, _, _ in some], pa.int16())
    runs = provider_runs(found(provider for _, provider, _ in some))
    return count(years, runs, np.array([kept for *_, kept in some], bool))


def definition(some):
    """One paper at a time."""
    kept = [(year, provider) for year, provider, stays in some if stays]
    years = Counter(year for year, _ in kept if year is not None)
    providers = Counter(provider for _, provider in kept if provider)
    return Census(len(kept), dict(years), dict(providers))


@given(st.lists(papers, max_size=4))
def test_the_pieces_of_a_source_add_up_to_its_papers_counted_one_by_one(pieces):
    whole = [paper for piece in pieces for paper in piece]
    assert total([census_of(piece) for piece in pieces]) == definition(whole)


@given(st.lists(papers, max_size=4), st.randoms())
def test_the_order_of_the_pieces_does_not_matter(pieces, random):
    parts = [census_of(piece) for piece in pieces]
    shuffled = random.sample(parts, len(parts))
    assert str(total(shuffled)) == str(total(parts))  # the same bytes, not only equal


@given(st.lists(st.sampled_from(["", "a", "b"])))
def test_runs_of_providers_are_the_providers_in_their_order(providers):
    runs = provider_runs(found(providers))
    assert [name for name, length in runs for _ in range(length)] == providers
    assert all(one != other for (one, _), (other, _) in pairwise(runs))


def run(base, **sources):
    """The folder of an extract stage that read these sources."""
    config = ExtractConfig(sources=sources, partition_bytes=1)
    run_stage(extract.STAGE, config, base / "out", {"fetch": base / "fetch"}, base)
    return base / "out"


def test_only_papers_that_stay_are_counted(tmp_path):
    first = [Record("1", year=2001), Record("2", year=2001), Record("3", year=2002)]
    later = [Record("1", year=2003), deletion("2"), "<PubmedArticle/>"]
    write_file(tmp_path / "pubmed" / "a.xml", pubmed_file(first))
    write_file(tmp_path / "pubmed" / "b.xml", pubmed_file(later))
    out = run(tmp_path, pubmed=SourceConfig(kind="pubmed", folder="pubmed", files="*"))
    found = read_census(out / CENSUS / "pubmed.json")
    assert found == Census(papers=2, years={2002: 1, 2003: 1}, providers={})


PROVIDERS = {"7": [(1, 2010), (2, None)], "86": [(3, 2010)], "9": []}
CENSUS_OF_PROVIDERS = Census(papers=3, years={2010: 2}, providers={"7": 2, "86": 1})
CORE = SourceConfig(kind="core-2020", folder="core", files="*")


@pytest.mark.parametrize("batch", [1, 2, 1024])
def test_a_dump_in_one_archive_and_its_providers_one_by_one_have_one_census(
    tmp_path, monkeypatch, batch
):
    monkeypatch.setattr(extract_papers, "BATCH", batch)
    archives = {f"{name}.tar.xz": provider_archive(of) for name, of in PROVIDERS.items()}
    for name, content in archives.items():
        write_file(tmp_path / "single" / "core" / name, content)
    dump = tar_of((f"release-1/{name}", content) for name, content in archives.items())
    write_file(tmp_path / "whole" / "core" / "release-1.tar", dump)
    for way in ("single", "whole"):
        assert read_census(run(tmp_path / way, core=CORE) / CENSUS / "core.json") == (
            CENSUS_OF_PROVIDERS
        )


def test_the_providers_of_the_dump_of_2018_are_its_files(tmp_path):
    lines = b'{"coreId": "1", "title": "T"}\n{"coreId": "2", "title": "T"}\n'
    write_file(tmp_path / "core" / "2018.tar", tar_of([("tmp/86.jsonl", lines)]))
    found = read_census(run(tmp_path, core=CORE) / CENSUS / "core.json")
    assert found.providers == {"86": 2}


def test_each_source_has_a_census_of_its_own(tmp_path):
    write_file(tmp_path / "core" / "7.tar.xz", provider_archive(PROVIDERS["7"]))
    write_file(tmp_path / "pubmed" / "a.xml", pubmed_file([Record("1", year=1999)]))
    pubmed = SourceConfig(kind="pubmed", folder="pubmed", files="*")
    out = run(tmp_path, core=CORE, pubmed=pubmed)
    assert {path.stem: read_census(path).papers for path in (out / CENSUS).iterdir()} == {
        "core": 2,
        "pubmed": 1,
    }


def test_a_file_that_is_no_census_is_refused_by_its_name(tmp_path):
    path = write_file(tmp_path / "core.json", b'{"papers": 3}')
    with pytest.raises(FormatError, match=rf"{path} is no census: .*`years`; delete it and run"):
        read_census(path)
