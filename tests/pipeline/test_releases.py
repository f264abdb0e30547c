"""T22: a release that lost a large part of what the last one had is not accepted unseen."""

import msgspec
import pytest
from core_archives import provider_archive, tar_of
from corpora import write_file, write_pipeline
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from corpusforge.cli import run_command
from corpusforge.errors import FormatError, RunError
from corpusforge.pipeline import runner
from corpusforge.pipeline.manifest import write_manifest
from corpusforge.pipeline.plan import open_plan
from corpusforge.pipeline.releases import MAX_FALL, MIN_PAPERS, accept_releases, falls
from corpusforge.stages.extract_census import CENSUS, Census

# --- the comparison

counts = st.integers(0, 3 * MIN_PAPERS)
censuses = st.builds(
    Census,
    papers=counts,
    years=st.dictionaries(st.integers(2000, 2003), counts),
    providers=st.dictionaries(st.sampled_from("abc"), counts),
)
shares = st.floats(0, 1)


def groups_of(census):
    """Every group of a census by its name."""
    years = {f"year {year}": papers for year, papers in census.years.items()}
    providers = {f"provider {name}": papers for name, papers in census.providers.items()}
    return {"the source": census.papers, **years, **providers}


@given(censuses, censuses, shares)
def test_what_fell_is_what_had_enough_and_lost_more_than_the_limit(before, after, limit):
    left = groups_of(after)
    wanted = {
        group: (was, left.get(group, 0))
        for group, was in groups_of(before).items()
        if was >= MIN_PAPERS and (was - left.get(group, 0)) / was > limit
    }
    found = falls(before, after, limit)
    assert {fall.group: (fall.was, fall.now) for fall in found} == wanted
    assert [f.was - f.now for f in found] == sorted((w - n for w, n in wanted.values()), reverse=1)


@given(censuses, censuses, shares)
def test_what_only_grows_never_falls(before, more, limit):
    both = {
        field: {
            key: getattr(before, field).get(key, 0) + getattr(more, field).get(key, 0)
            for key in getattr(before, field) | getattr(more, field)
        }
        for field in ("years", "providers")
    }
    assert falls(before, Census(before.papers + more.papers, **both), limit) == []


@given(censuses, censuses, shares, shares)
def test_a_higher_limit_lets_more_pass(before, after, one, other):
    low, high = sorted((one, other))
    assert set(falls(before, after, high)) <= set(falls(before, after, low))


@given(censuses, censuses)
def test_a_limit_of_everything_lets_everything_pass(before, after):
    assert falls(before, after, 1.0) == []


def of_year(papers):
    return Census(10_000, {2015: papers, 2016: 10_000}, {})


def test_a_fall_to_the_limit_passes_and_one_paper_more_does_not():
    assert falls(of_year(1000), of_year(500), 0.5) == []
    [fall] = falls(of_year(1000), of_year(499), 0.5)
    assert str(fall) == "year 2015 had 1,000 and has 499 (-50%)"


def test_what_has_vanished_lost_everything():
    [year, provider] = falls(Census(9000, {2015: 900}, {"86": 4000}), Census(9000, {}, {}), 0.5)[
        ::-1
    ]
    assert str(year) == "year 2015 had 900 and has 0 (-100%)"
    assert str(provider) == "provider 86 had 4,000 and has 0 (-100%)"


def test_a_group_that_chance_may_halve_is_not_looked_at():
    assert falls(of_year(MIN_PAPERS - 1), of_year(0), 0.5) == []
    assert len(falls(of_year(MIN_PAPERS), of_year(0), 0.5)) == 1


# --- what was accepted last


def leave(folder, **sources):
    """The census of each source, as a stage leaves them in its folder."""
    for name, census in sources.items():
        write_file(folder / CENSUS / f"{name}.json", msgspec.json.encode(census))
    return folder


def accepted(output):
    return {path.name: path.read_bytes() for path in sorted((output / CENSUS).glob("*"))}


def test_a_first_release_is_accepted_and_kept_byte_for_byte(tmp_path):
    stage = leave(tmp_path / "stage", a=of_year(7), b=of_year(8))
    accept_releases(stage, tmp_path, {})
    assert accepted(tmp_path) == {
        path.name: path.read_bytes() for path in (stage / CENSUS).iterdir()
    }


def test_a_source_that_fell_keeps_every_source_at_what_it_was(tmp_path):
    accept_releases(leave(tmp_path / "one", a=of_year(700), b=of_year(1000)), tmp_path, {})
    before = accepted(tmp_path)
    worse = leave(tmp_path / "two", a=of_year(701), b=of_year(100))
    last = tmp_path / CENSUS / "b.json"
    message = (
        rf"source b lost more than 50% since the last run that was accepted: year 2015 had 1,000 "
        rf"and has 100 \(-90%\)\. If files are missing, get them and run again; if the fall is "
        rf"meant, set max_fall\.b in the pipeline file or delete {last}"
    )
    with pytest.raises(RunError, match=message):
        accept_releases(worse, tmp_path, {"a": 0.0})
    assert accepted(tmp_path) == before
    accept_releases(worse, tmp_path, {"b": 0.9})
    assert accepted(tmp_path) != before


def test_without_the_last_census_there_is_nothing_to_fall_from(tmp_path):
    accept_releases(leave(tmp_path / "one", a=of_year(700)), tmp_path, {})
    (tmp_path / CENSUS / "a.json").unlink()
    accept_releases(leave(tmp_path / "two", a=Census(0, {}, {})), tmp_path, {})


def test_many_falls_are_counted_and_the_largest_three_told(tmp_path):
    providers = {str(i): 1000 + i for i in range(9)}
    accept_releases(leave(tmp_path / "one", a=Census(9036, {}, providers)), tmp_path, {})
    worse = leave(tmp_path / "two", a=Census(9036, {}, {}))
    message = r"provider 8 had 1,008 .*; provider 7 .*; provider 6 had [^;]*; and 6 more\. If files"
    with pytest.raises(RunError, match=message):
        accept_releases(worse, tmp_path, {})


def test_a_last_census_that_cannot_be_read_is_named(tmp_path):
    write_file(tmp_path / CENSUS / "a.json", b"{")
    with pytest.raises(FormatError, match=f"{tmp_path / CENSUS / 'a.json'} is no census"):
        accept_releases(leave(tmp_path / "stage", a=of_year(7)), tmp_path, {})


def test_a_stage_that_reads_no_sources_has_nothing_to_judge(tmp_path):
    accept_releases(tmp_path / "stage", tmp_path, {})
    assert list(tmp_path.iterdir()) == []


# --- whole runs

SOURCE = {"core": {"kind": "core-2020", "folder": "core", "files": "*.tar*"}}
YEARS = [2012] * 130 + [2013] * 170
FIRST = {"7": YEARS, "86": [2013] * 120, "99": [2013] * 5}
# Provider 86 and the year 2012 are gone; of the little provider 99 nobody expects anything.
SECOND = {"7": [2013] * 300}
EXECUTORS = ["serial", pytest.param("dask", marks=pytest.mark.cluster)]


def pipeline(folder, **rest):
    cluster = {"workers": 2, "dashboard": 0, "memory": "1GB"}
    return write_pipeline(folder, SOURCE, rest={"cluster": cluster, **rest})


def release(folder, providers, name="release-1.tar"):
    """A dump of these providers, the only one there."""
    for old in folder.glob("core/*"):
        old.unlink()
    cores = iter(range(1, 10_000))
    archives = [
        (f"{provider}.tar.xz", provider_archive([(next(cores), year) for year in years]))
        for provider, years in providers.items()
    ]
    write_file(folder / "core" / name, tar_of(archives))


def run(path, executor="serial"):
    arguments = ["run", str(path), "--until", "extract", "--executor", executor]
    return run_command(arguments, Console(width=200))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_dump_that_lost_a_provider_and_a_year_is_not_accepted(tmp_path, capsys, executor):
    path = pipeline(tmp_path)
    release(tmp_path, FIRST)
    assert run(path, executor) == 0
    before = accepted(tmp_path / "output")
    assert msgspec.json.decode(before["core.json"]) == {
        "papers": 425,
        "years": {"2012": 130, "2013": 295},
        "providers": {"7": 300, "86": 120, "99": 5},
    }

    release(tmp_path, SECOND, "release-2.tar")
    capsys.readouterr()
    assert run(path, executor) == 1
    told = capsys.readouterr().err
    assert "year 2012 had 130 and has 0 (-100%); provider 86 had 120 and has 0 (-100%)." in told
    step = open_plan(path).step("extract")
    assert not (step.folder / "manifest.json").exists()
    assert accepted(tmp_path / "output") == before

    parsed = step.folder / "receipts" / "parse" / "part-00000.json"
    written = parsed.stat().st_mtime_ns
    pipeline(tmp_path, max_fall={"core": 1.0})
    assert run(path, executor) == 0
    assert open_plan(path).step("extract").folder == step.folder
    assert parsed.stat().st_mtime_ns == written  # nothing was read again
    after = accepted(tmp_path / "output")
    assert after["core.json"] == (step.folder / CENSUS / "core.json").read_bytes()
    assert after != before

    pipeline(tmp_path)
    assert run(path, executor) == 0  # what is complete is not judged again
    assert accepted(tmp_path / "output") == after


def test_a_dump_that_grew_and_lost_a_little_is_accepted(tmp_path):
    path = pipeline(tmp_path)
    release(tmp_path, FIRST)
    assert run(path) == 0
    release(tmp_path, {"7": YEARS[20:], "86": [2013] * 90, "100": [2014] * 300}, "release-2.tar")
    assert run(path) == 0
    assert b'"100":300' in accepted(tmp_path / "output")["core.json"]


def test_a_run_killed_just_before_its_manifest_has_left_its_census_and_passes_again(
    tmp_path, monkeypatch
):
    """The other way round, the release after it would be held against the one before it."""

    def power_failure(step, *rest):
        if step.stage.name == "extract":
            raise OSError("the power failed")
        return write_manifest(step, *rest)

    path = pipeline(tmp_path)
    release(tmp_path, FIRST)
    with monkeypatch.context() as patched:
        patched.setattr(runner, "write_manifest", power_failure)
        assert run(path) == 1
    assert list(accepted(tmp_path / "output")) == ["core.json"]
    assert run(path) == 0


def test_half_is_what_may_fall_where_nothing_is_said(tmp_path):
    assert MAX_FALL == 0.5
    accept_releases(leave(tmp_path / "one", a=of_year(1000)), tmp_path, {"b": 0.1})
    accept_releases(leave(tmp_path / "two", a=of_year(500)), tmp_path, {"b": 0.1})
    with pytest.raises(RunError, match="source a lost more than 50%"):
        accept_releases(leave(tmp_path / "three", a=of_year(249)), tmp_path, {"b": 0.1})
