"""What fetch promises: each download once, listed when all of it is there."""

import json

import pytest
from corpora import Record, pubmed_file
from emulators.documents import generate
from emulators.files import FileEmulator
from emulators.scopus import ScopusEmulator

from corpusforge.errors import ConfigError, SourceError
from corpusforge.formats.atomic import write_atomic
from corpusforge.sources.scopus_plan import ScopusConfig
from corpusforge.sources.web_files_plan import FilesConfig
from corpusforge.stages import extract, fetch
from corpusforge.stages.extract import ExtractConfig, SourceConfig
from corpusforge.stages.fetch import FetchConfig, WheelDownload, doubts
from corpusforge.stages.stage import Inputs
from corpusforge.work import Tally
from stages.folders import run_stage, table_of

DOWNLOAD = WheelDownload(package="papers", version="1.0", sha256="0" * 64, members="data/*.xml")
CONFIG = FetchConfig(downloads={"papers": DOWNLOAD})
FILES = {"a.xml": pubmed_file([Record("1", "One")]), "b.xml": pubmed_file([Record("2", "Two")])}


@pytest.fixture
def wheel(monkeypatch):
    """Instead of the network: puts FILES in place, and notes what it was asked for."""
    asked = []

    def fetch_wheel(package, version, sha256, pattern, folder):
        asked.append((package, version, sha256, pattern))
        for name, content in FILES.items():
            write_atomic(folder / name, content)
        return [folder / name for name in FILES]

    monkeypatch.setattr(fetch, "fetch_wheel", fetch_wheel)
    return asked


def test_a_download_is_put_in_a_folder_of_its_name_and_listed(tmp_path, wheel):
    tally = run_stage(fetch.STAGE, CONFIG, tmp_path, {})
    assert wheel == [("papers", "1.0", "0" * 64, "data/*.xml")]
    sizes = {name: len(content) for name, content in FILES.items()}
    assert json.loads((tmp_path / "files" / "papers.json").read_bytes()) == sizes
    found = {path.name: path.read_bytes() for path in (tmp_path / "files" / "papers").iterdir()}
    assert found == FILES
    assert tally.counts == {"files": 2}
    assert tally.bytes_read == sum(sizes.values())


@pytest.mark.usefixtures("wheel")
def test_extract_reads_what_was_fetched(tmp_path):
    run_stage(fetch.STAGE, CONFIG, tmp_path / "fetch", {})
    source = SourceConfig(kind="pubmed", fetched="papers", files="*.xml")
    config = ExtractConfig(sources={"pubmed": source})
    run_stage(extract.STAGE, config, tmp_path / "out", {"fetch": tmp_path / "fetch"})
    assert [row["title"] for row in table_of(tmp_path / "out")] == ["One", "Two"]


@pytest.mark.usefixtures("wheel")
@pytest.mark.parametrize("damage", ["missing", "short"])
def test_a_fetched_file_that_is_gone_or_changed_is_noticed_before_it_is_read(tmp_path, damage):
    run_stage(fetch.STAGE, CONFIG, tmp_path / "fetch", {})
    path = fetch.fetched_folder(tmp_path / "fetch", "papers") / "b.xml"
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:10])
    config = ExtractConfig(
        sources={"p": SourceConfig(kind="pubmed", fetched="papers", files="*.xml")}
    )
    state = {"missing": "is missing", "short": "has 10 bytes"}[damage]
    message = rf"b\.xml {state}, {len(FILES['b.xml'])} bytes were fetched; delete"
    with pytest.raises(SourceError, match=message):
        run_stage(extract.STAGE, config, tmp_path / "out", {"fetch": tmp_path / "fetch"})


def test_files_of_a_server_are_listed_by_their_path_and_shared_with_other_settings(tmp_path):
    served = {f"/day={n}/part.xml": content for n, content in enumerate(FILES.values())}
    with FileEmulator(served) as server:
        download = FilesConfig(listings=[f"{server.url}/"], files="*.xml")
        for other in ({}, {"again": download}):
            config = FetchConfig(downloads={"papers": download, **other})
            out = tmp_path / f"fetch-{len(other)}"
            tally = run_stage(fetch.STAGE, config, out, {})
    assert json.loads((out / "files" / "papers.json").read_bytes()) == {
        path.removeprefix("/"): len(content) for path, content in served.items()
    }
    assert tally.counts == {"files": 4, "here_before": 4, "requests": 2}
    source = SourceConfig(kind="pubmed", fetched="papers", files="*/*.xml")
    config = ExtractConfig(sources={"pubmed": source})
    run_stage(extract.STAGE, config, tmp_path / "out", {"fetch": out})
    assert [row["title"] for row in table_of(tmp_path / "out")] == ["One", "Two"]


def test_a_download_that_fails_is_not_listed(tmp_path, monkeypatch):
    def fetch_wheel(*_arguments):
        raise SourceError("pip could not download papers==1.0")

    monkeypatch.setattr(fetch, "fetch_wheel", fetch_wheel)
    with pytest.raises(SourceError, match=r"could not download papers==1\.0"):
        run_stage(fetch.STAGE, CONFIG, tmp_path, {})
    assert not (tmp_path / "files" / "papers.json").exists()


def test_a_missing_key_is_told_before_anything_is_asked(tmp_path, wheel, monkeypatch):
    monkeypatch.delenv("SCOPUS_API_KEY", raising=False)
    config = FetchConfig(downloads={"papers": DOWNLOAD, "zzz": ScopusConfig(query="q")})
    with pytest.raises(ConfigError, match=r"download zzz: Scopus needs a key.*SCOPUS_API_KEY"):
        run_stage(fetch.STAGE, config, tmp_path, {})
    assert wheel == []


@pytest.mark.usefixtures("wheel")
def test_the_key_of_a_download_that_is_done_is_not_needed(tmp_path, monkeypatch):
    with ScopusEmulator(generate(3)) as server:
        scopus = ScopusConfig(query="q", address=server.url)
        config = FetchConfig(downloads={"papers": DOWNLOAD, "zzz": scopus})
        monkeypatch.setenv("SCOPUS_API_KEY", "emulator-key-0001")
        run_stage(fetch.STAGE, config, tmp_path / "fetch", {})
    monkeypatch.delenv("SCOPUS_API_KEY")
    [phase] = fetch.STAGE.phases(config, Inputs(tmp_path, {}), tmp_path / "fetch")
    assert [task.name for task in phase.tasks] == ["papers", "zzz"]


RETRIEVED = ScopusConfig(ids=["10.1/a"], ids_by="retrieval")


@pytest.mark.parametrize(
    ("wanted", "records", "without", "doubtful"),
    [
        (RETRIEVED, 3, 3, True),
        (ScopusConfig(query="q"), 49, 49, True),
        (RETRIEVED, 2, 2, False),
        (RETRIEVED, 9, 8, False),
        (ScopusConfig(ids=["10.1/a"], ids_by="retrieval", view="STANDARD"), 3, 3, True),
        (ScopusConfig(query="q", view="STANDARD"), 3, 3, False),
        (ScopusConfig(query="q", max_without_abstract=1.0), 90, 90, False),
        (DOWNLOAD, 3, 3, False),
    ],
)
def test_few_records_that_all_lack_abstracts_are_doubted(wanted, records, without, doubtful):
    tallies = {"x": Tally(counts={"records": records, "without_abstract": without})}
    told = doubts(FetchConfig(downloads={"x": wanted}), tallies)
    assert len(told) == doubtful
    assert not told or f"x: none of {records} records has an abstract; outside the" in told[0]


def test_without_downloads_there_is_nothing_to_do(tmp_path, wheel):
    run_stage(fetch.STAGE, FetchConfig(), tmp_path, {})
    assert wheel == []
    assert list(tmp_path.iterdir()) == []
