"""The command line on a small corpus: real processes, real signals, the same bytes every time."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from corpora import EXACT_COPY, NEAR_COPY, UPDATED, write_corpus

pytestmark = pytest.mark.cluster
COMMAND = [sys.executable, "-m", "corpusforge"]
CLUSTER = "\ncluster: {{workers: {workers}, dashboard: 0, memory: 1GB}}\n"
STOPPED = 75
# Seconds after which something hangs. The first run compiles all kernels where Numba has no cache
# of them, which takes more than a minute on two cores that have other work as well.
PATIENCE = 600


def make_pipeline(folder, workers=2):
    folder.mkdir()
    pipeline = write_corpus(folder, documents=240)
    with pipeline.open("a") as file:
        file.write(CLUSTER.format(workers=workers))
    return pipeline


def start(pipeline, *options, **environment):
    return subprocess.Popen(
        [*COMMAND, "run", str(pipeline), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
        start_new_session=True,
    )


def finish(process, expected=0):
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == expected, output
    return output


def say(*words, expected=0):
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
    assert done.returncode == expected, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    # Errors go beside what was asked for, so that `corpusforge rejects > file` holds rejects alone.
    assert bool(done.stderr) == bool(expected), done.stderr
    return " ".join((done.stderr if expected else done.stdout).split())


def published(pipeline):
    """Digest of every file a run leaves, but for its diary: receipts, manifests, report."""
    output = pipeline.parent / "output"
    return {
        str(path.relative_to(output)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(output.rglob("*"))
        if path.is_file()
        and "receipts" not in path.parts
        and path.name not in {"manifest.json", ".lock", "report.html", "evidence.json"}
    }


def receipts(pipeline, stage):
    return sorted((pipeline.parent / "output").glob(f"{stage}-*/receipts/*/*.json"))


def wait_for(found, process):
    """Until something is there."""
    deadline = time.monotonic() + PATIENCE
    while not found():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.005)


def wait_for_receipt(pipeline, stage, process):
    wait_for(lambda: receipts(pipeline, stage), process)
    return receipts(pipeline, stage)[0]


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """A finished serial run: the pipeline file, and what the run published."""
    pipeline = make_pipeline(tmp_path_factory.mktemp("serial") / "corpus")
    finish(start(pipeline, "--executor", "serial", PYTHONHASHSEED="0"))
    return pipeline, published(pipeline)


@pytest.mark.parametrize("workers", [1, 2])
def test_dask_publishes_what_a_serial_run_does(serial, tmp_path, workers):
    pipeline = make_pipeline(tmp_path / "corpus", workers)
    output = finish(start(pipeline, PYTHONHASHSEED="1"))
    assert published(pipeline) == serial[1]
    assert "dashboard at http://" in output


def test_nothing_unfinished_is_left_behind(serial):
    names = serial[1]
    assert any(name.endswith(".bin") for name in names)
    assert not [name for name in names if "scratch" in name or name.endswith(".partial")]


def test_a_worker_killed_in_the_middle_changes_nothing(serial, tmp_path):
    pipeline = make_pipeline(tmp_path / "corpus")
    process = start(pipeline)
    receipt = wait_for_receipt(pipeline, "extract", process)
    os.kill(int(json.loads(receipt.read_bytes())["worker"].rpartition(":")[2]), signal.SIGKILL)
    finish(process)
    assert published(pipeline) == serial[1]


def test_a_killed_driver_leaves_work_that_the_next_run_keeps(serial, tmp_path):
    pipeline = make_pipeline(tmp_path / "corpus")
    process = start(pipeline)
    receipt = wait_for_receipt(pipeline, "clean", process)
    process.kill()
    process.communicate(timeout=PATIENCE)  # returns when its workers have noticed and are gone too
    before = receipt.stat().st_mtime_ns
    finish(start(pipeline))
    assert receipt.stat().st_mtime_ns == before
    assert published(pipeline) == serial[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_run_says_so_and_continues(serial, tmp_path, number):
    pipeline = make_pipeline(tmp_path / "corpus")
    process = start(pipeline)
    wait_for_receipt(pipeline, "extract", process)
    process.send_signal(number)
    output = finish(process, expected=STOPPED)
    assert "stopping: tasks in flight are finished first" in output
    assert "was stopped; the same command continues it" in output
    finish(start(pipeline))
    assert published(pipeline) == serial[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stage", ["fetch", "extract", "dedup"])
def test_a_signal_to_the_whole_terminal_stops_in_order_too(serial, tmp_path, number, stage):
    """As Ctrl-C does: every process of the run gets it, the workers included."""
    pipeline = make_pipeline(tmp_path / "corpus")
    process = start(pipeline)
    if stage == "fetch":
        wait_for((pipeline.parent / "output" / "evidence.json").exists, process)
        time.sleep(0.5)  # about when the workers start
    else:
        wait_for_receipt(pipeline, stage, process)
    os.killpg(process.pid, number)
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode in {0, STOPPED}, output  # 0 where it came too late
    assert "Traceback" not in output
    finish(start(pipeline))
    assert published(pipeline) == serial[1]


def test_a_second_run_in_the_same_folder_is_refused(tmp_path):
    pipeline = make_pipeline(tmp_path / "corpus")
    first = start(pipeline)
    wait_for_receipt(pipeline, "extract", first)
    refused = finish(start(pipeline), expected=1)
    assert f"is in use by process {first.pid}" in " ".join(refused.split())
    finish(first)


def test_a_finished_run_is_not_run_again(serial):
    pipeline, published_before = serial
    times = {path: path.stat().st_mtime_ns for path in receipts(pipeline, "*")}
    output = finish(start(pipeline))
    assert "dashboard" not in output  # no cluster is started for nothing
    assert {path: path.stat().st_mtime_ns for path in receipts(pipeline, "*")} == times
    assert published(pipeline) == published_before


def test_until_stops_after_that_stage(tmp_path):
    pipeline = make_pipeline(tmp_path / "corpus")
    finish(start(pipeline, "--until", "clean", "--executor", "serial"))
    assert receipts(pipeline, "clean")
    assert not receipts(pipeline, "dedup")


def test_a_run_with_a_changed_setting_keeps_what_the_setting_does_not_touch(serial, tmp_path):
    copy = tmp_path / "corpus"
    shutil.copytree(serial[0].parent, copy)
    pipeline = copy / "pipeline.yaml"
    text = pipeline.read_text()
    assert "vocabulary: 300" in text
    pipeline.write_text(text.replace("vocabulary: 300", "vocabulary: 310"))
    finish(start(pipeline, "--executor", "serial"))
    folders = [path.name.split("-")[0] for path in (copy / "output").glob("*-*")]
    assert {name: folders.count(name) for name in folders} == {
        "fetch": 1,
        "extract": 1,
        "clean": 1,
        "dedup": 1,
        "tokenizer": 2,
        "shards": 2,
    }


def test_status_shows_that_every_stage_balances(serial):
    told = say("status", "-p", str(serial[0]))
    assert told.count("balanced") == 4  # extract, clean, dedup, shards
    assert "train: not run" in told


def test_explain_tells_the_story_of_a_removed_document(serial):
    told = say("explain", EXACT_COPY, "-p", str(serial[0]))
    assert "extract" in told
    assert "REJECTED" in told
    assert "exact_duplicate" in told


def test_explain_tells_of_both_versions_of_an_updated_document(serial):
    told = say("explain", UPDATED, "-p", str(serial[0]))
    assert "superseded" in told
    assert "shard" in told


def test_explain_of_a_stranger_says_what_a_doc_id_is(serial):
    assert "no stage has seen 'nobody'" in say(
        "explain", "nobody", "-p", str(serial[0]), expected=1
    )


def test_rejects_lists_reasons_and_replacements(serial):
    told = say("rejects", "--stage", "dedup", "-p", str(serial[0]))
    assert NEAR_COPY in told
    assert "near_duplicate" in told


def test_lookup_names_the_document_of_a_token(serial):
    told = say("lookup", "train-00000", "0", "-p", str(serial[0]))
    assert told.startswith("token 0 of train-00000 is token 0 of ")


def test_lookup_beyond_the_end_says_where_the_end_is(serial):
    told = say("lookup", "train-00000", "99999999", "-p", str(serial[0]), expected=1)
    assert "shard train-00000 has tokens 0 to" in told


def test_training_without_a_recipe_for_it_is_refused(serial):
    assert "no stages.train" in say("train", str(serial[0]), expected=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("vocabulary", "vocabulry"), "Object contains unknown field `vocabulry`"),
        (("vocabulary: 300", "vocabulary: many"), "Expected `int`, got `str`"),
        (("sources/pubmed", "sources/nowhere"), "is not a folder"),
        (("*.xml*", "*.parquet"), "no file in"),
        (("output: output", "output: /proc/nowhere"), "cannot be written"),
    ],
    ids=["unknown key", "wrong type", "missing folder", "folder without input", "read-only output"],
)
def test_a_bad_recipe_stops_before_anything_starts(tmp_path, change, message):
    pipeline = make_pipeline(tmp_path / "corpus")
    text = pipeline.read_text()
    assert change[0] in text
    pipeline.write_text(text.replace(*change))
    assert message in say("run", str(pipeline), expected=1)
    assert not (tmp_path / "corpus" / "output").exists()


def test_a_missing_pipeline_file_is_named(tmp_path):
    assert "cannot be read: No such file" in say("run", str(tmp_path / "no.yaml"), expected=1)


@pytest.mark.parametrize(
    "verb", ["run", "train", "status", "rejects", "explain", "lookup", "report"]
)
def test_every_verb_has_help(verb):
    assert "usage: corpusforge" in say(verb, "--help")


def test_a_finished_run_has_a_report(serial):
    page = (serial[0].parent / "output" / "report.html").read_text()
    assert "exact_duplicate" in page


def test_the_api_is_where_the_readme_says():
    code = "import corpusforge; print(corpusforge.Corpus.open)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Corpus" in done.stdout


def test_importing_the_package_does_not_load_what_training_does_not_need():
    code = "import sys, corpusforge; print('pyarrow' in sys.modules, 'dask' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_an_unreadable_source_file_costs_one_reject(tmp_path):
    pipeline = make_pipeline(tmp_path / "corpus")
    damaged = tmp_path / "corpus" / "sources" / "pubmed" / "pubmed-0002.xml.gz"
    damaged.write_bytes(damaged.read_bytes()[:-200])
    output = finish(start(pipeline, "--until", "extract", "--executor", "serial"))
    assert "truncated" in output
    assert "balanced" in output
    assert damaged.name in say("rejects", "--stage", "extract", "-p", str(pipeline))
