"""One month after another on the command line: index, superseded, duplicates, forget."""

import shutil
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from subprocess import run as run_process
from threading import Event

import msgspec
import pytest
from corpora import (
    PUBMED_SOURCE,
    finish,
    paper,
    prose,
    pubmed_file,
    results,
    write_file,
    write_pipeline,
)
from rich.console import Console

from corpusforge import Corpus
from corpusforge.cli import run_command
from corpusforge.errors import ConfigError
from corpusforge.executors.clusters import open_client
from corpusforge.executors.dask import DaskExecutor
from corpusforge.formats.dedup_index import open_index
from corpusforge.pipeline.config import ClusterConfig
from corpusforge.pipeline.duplicates import index_folder, superseded
from corpusforge.pipeline.forecast import dedup_forecast
from corpusforge.pipeline.plan import open_plan, reopen_plan
from corpusforge.pipeline.survey import remember
from corpusforge.stages.dedup_forget import forget

OLD = [paper(number) for number in range(1, 9)]
NEW = [
    OLD[0],  # comes again as it was
    replace(OLD[1], abstract=prose("rewritten", sentences=20)),
    replace(OLD[2], key="9003", abstract=OLD[2].abstract.rsplit(" ", 3)[0]),
    replace(OLD[3], key="9004", abstract=f"{OLD[3].abstract} And so it was."),
    *(paper(number) for number in range(20, 24)),
]


def month(folder, records, **dedup):
    """The pipeline file of one month."""
    write_file(folder / "sources" / "pubmed" / "a.xml", pubmed_file(records[::2]))
    write_file(folder / "sources" / "pubmed" / "b.xml", pubmed_file(records[1::2]))
    settings = {"keep_index": True, **dedup}
    return write_pipeline(folder, {"pubmed": PUBMED_SOURCE}, {"dedup": settings})


def two_months(folder, executor=None):
    """The plans of both, after dedup."""
    first = finish(month(folder / "one", OLD), executor, until="dedup")
    index = index_folder(first)
    path = month(folder / "two", NEW, against=f"../{index.relative_to(folder)}")
    second = finish(path, executor, until="dedup")
    remember(second.output, second.config, second.evidence)
    return first, second


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    return two_months(tmp_path_factory.mktemp("months"))


def say(*words):
    """The status of a command and what it prints."""
    out = StringIO()
    return run_command([*map(str, words)], Console(file=out, width=80)), out.getvalue()


def file_of(plan):
    return plan.base / "pipeline.yaml"


def test_the_second_month_removes_and_supersedes_and_everything_balances(plans):
    corpus = Corpus(plans[1])
    went = {row["removed"]: row["kept"] for row in corpus.clusters().to_pylist()}
    assert went == {"pubmed:1": "pubmed:1", "pubmed:9003": "pubmed:3"}
    taken = {row["doc_id"]: row["replaced_by"] for row in corpus.superseded().to_pylist()}
    assert taken == {"pubmed:2": "pubmed:2", "pubmed:4": "pubmed:9004"}
    entry = next(entry for entry in corpus.ledger() if entry.stage == "dedup")
    assert (entry.verdict, entry.tally.read, entry.tally.kept) == ("balanced", 8, 6)
    assert corpus.losses().to_pylist() == [{"source": "pubmed", "documents": 8, "removed": 2}]


def test_what_is_superseded_is_printed_a_doc_id_a_line_and_on_demand_with_the_reason(plans):
    assert say("superseded", "-p", file_of(plans[1])) == (0, "pubmed:2\npubmed:4\n")
    _, told = say("superseded", "--why", "-p", file_of(plans[1]))
    two, four = told.splitlines()
    assert two.startswith("pubmed:2\tpubmed:2\tsame_identifier\t0")
    assert four.startswith("pubmed:4\tpubmed:9004\tnear_duplicate\t0.9")
    assert say("superseded", "-p", file_of(plans[0])) == (0, "")


def test_before_dedup_is_done_nothing_is_superseded_and_there_is_no_index(tmp_path):
    plan = open_plan(month(tmp_path, OLD))
    for ask in (superseded, index_folder):
        with pytest.raises(ConfigError, match="dedup is not done"):
            ask(plan)
    plain = open_plan(month(tmp_path / "plain", OLD, keep_index=False))
    with pytest.raises(ConfigError, match=r"leaves no index; set stages\.dedup\.keep_index: true"):
        index_folder(plain)


def test_an_index_is_told_and_verified(plans):
    status, told = say("index", "-p", file_of(plans[1]), "--verify")
    assert status == 0
    lines = dict(line.split(maxsplit=1) for line in told.splitlines()[:-2])
    assert lines["index"] == str(index_folder(plans[1]))
    assert (lines["documents"], lines["gone"], lines["generations"]) == ("12", "2", "8, 6")
    assert told.splitlines()[-1] == "every file is as it was written"
    assert say("index", lines["index"])[0] == 0


def test_a_changed_byte_is_found_by_verify(plans, tmp_path, capsys):
    folder = shutil.copytree(index_folder(plans[1]), tmp_path / "index")
    name = "gen-001/sets/part-00001.arrow"
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    assert say("index", folder)[0] == 0
    assert say("index", folder, "--verify")[0] == 1
    assert f"{folder} is damaged: {name}; the content is not what" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("pubmed:1", "pubmed:1 is kept since an earlier run; removed for it: 1\n"),
        ("pubmed:3", "pubmed:9003  near_duplicate 0.9"),
        ("pubmed:9003", "pubmed:3 is kept since an earlier run; removed for it: 1\n"),
        ("pubmed:4", "pubmed:9004 is kept; removed for it: 1\n"),
        ("pubmed:9004", "(of an earlier run)"),
        ("pubmed:2", "pubmed:2 is kept; removed for it: 1\n"),
        ("pubmed:20", "pubmed:20 is kept; removed for it: 0\n"),
    ],
)
def test_duplicates_tells_of_copies_in_the_index(plans, asked, told):
    status, text = say("duplicates", asked, "-p", file_of(plans[1]))
    assert status == 0
    assert told in text


def test_a_document_that_only_the_index_has_is_told_as_unseen(plans):
    with pytest.raises(ConfigError, match="dedup has not seen 'pubmed:7'"):
        Corpus(plans[1]).duplicates("pubmed:7")


def test_the_plan_tells_what_the_index_is_and_what_is_read_of_it(plans):
    told = str(dedup_forecast(plans[1]))
    assert "; index of 8 documents in 1 generations, " in told
    assert "of which looking up keys reads at most " in told
    assert "; leaves an index of " in told
    assert "index" not in str(dedup_forecast(finish_plain(plans[0])))


def finish_plain(plan):
    config = msgspec.structs.replace(plan.config.stages.dedup, keep_index=False)
    stages = msgspec.structs.replace(plan.config.stages, dedup=config)
    return replace(plan, config=msgspec.structs.replace(plan.config, stages=stages))


def test_the_results_can_be_looked_at_when_the_earlier_index_is_gone(tmp_path):
    first, second = two_months(tmp_path)
    shutil.rmtree(first.output)
    assert reopen_plan(file_of(second)).step("dedup").folder == second.step("dedup").folder
    assert len(Corpus.open(file_of(second)).superseded()) == 2
    assert say("index", "-p", file_of(second), "--verify")[0] == 0
    with pytest.raises(ConfigError, match=r"stages\.dedup\.against: .* is no index"):
        open_plan(file_of(second))


def test_another_index_is_not_answered_from_memory(plans):
    text = file_of(plans[1]).read_text()
    other = file_of(plans[1]).with_name("other.yaml")
    other.write_text(text.replace("/index", "/nothing"))
    with pytest.raises(ConfigError, match=r"stages\.dedup\.against: .*/nothing is no index"):
        reopen_plan(other)


def test_forgetting_makes_a_pipeline_that_reads_the_index_run_again(tmp_path):
    first, second = two_months(tmp_path)
    forget(open_index(index_folder(first)), ["pubmed:3"])
    assert first.step("dedup").folder == open_plan(file_of(first)).step("dedup").folder
    again = finish(file_of(second), until="dedup")
    assert again.step("dedup").folder != second.step("dedup").folder
    assert Corpus(again).clusters()["removed"].to_pylist() == ["pubmed:1"]


def test_forget_takes_doc_ids_and_files_and_tells_what_it_does_not_know(plans, tmp_path):
    folder = shutil.copytree(index_folder(plans[1]), tmp_path / "index")
    (tmp_path / "ids").write_text("pubmed:21\n\n  pubmed:77  \n")
    command = [sys.executable, "-m", "corpusforge", "forget", str(folder), "pubmed:5", "pubmed:2"]
    done = run_process(
        [*command, "--file", str(tmp_path / "ids")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "forgotten: 3; gone before: 0\nnot in the index: pubmed:77\n"
    assert open_index(folder).documents == 9
    assert say("forget", folder, "pubmed:5") == (0, "forgotten: 0; gone before: 1\n")


def test_forget_wants_an_index_and_a_doc_id(plans, tmp_path, capsys):
    assert say("forget", index_folder(plans[0]))[0] == 1
    assert "no doc_id is given; name some, or a file" in capsys.readouterr().err
    assert say("forget", tmp_path / "nothing", "pubmed:1")[0] == 1
    assert "nothing is no index, or was never finished" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.cluster
def test_dask_and_one_process_make_the_same_index(plans, tmp_path):
    with open_client(ClusterConfig(workers=2, dashboard=0, memory="1GB"), Path()) as client:
        made = two_months(tmp_path, DaskExecutor(client, Event()))
    for serial, parallel in zip(plans, made, strict=True):
        assert results(parallel.output) == results(serial.output)
