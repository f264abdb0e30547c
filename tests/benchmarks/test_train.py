"""What the figures of training rest on: equal sides, text held out, honest distances."""

import json
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
import torch

from corpusforge.training.data import IGNORED, Batch, Order, Shuffled, windows_of
from corpusforge.training.feed import Portion, portions


@pytest.fixture(scope="module")
def script(benchmark_script):
    return benchmark_script


@pytest.fixture
def source(script, tmp_path):
    """Windows of made-up text in a random order."""
    text = script("training_text")
    text.made_up_shards(tmp_path / "shards", tokens=4000, vocab_size=50)
    windows = windows_of([tmp_path / "shards" / "train" / "train-00000"], 16)
    return Shuffled(windows, Order(len(windows), batch=4, seed=1))


def test_both_sides_of_the_feed_see_the_same_batches(script, source):
    (parts, targets), steps = script("training_feed").in_memory(source, range(3, 6)), range(3, 6)
    for number, portion in enumerate(portions(source, steps, 0, 1)):
        batch = portion.batch
        assert np.array_equal(parts[number], [batch.inputs, batch.targets, batch.positions])
        assert targets[number] == portion.targets


def test_windows_for_a_peer_are_one_document_without_a_last_target(script):
    inputs = np.arange(12).reshape(2, 6)
    batch = Batch(inputs, inputs + 1, np.array([[0, 1, 0, 1, 2, 3], [0, 0, 0, 1, 2, 3]]))
    shown = script("training_job").as_one_document(Portion(batch, 12))
    assert shown.batch.positions.tolist() == [list(range(6))] * 2
    assert shown.batch.targets.tolist() == [[*range(1, 6), IGNORED], [*range(7, 12), IGNORED]]
    assert shown.targets == 10


def test_a_distance_is_a_share_of_what_the_parameters_moved(script):
    start = {"a": torch.zeros(2), "b": torch.zeros(1)}
    alone = {"a": torch.tensor([3.0, 0.0]), "b": torch.tensor([4.0])}
    spread = {"a": torch.tensor([3.0, 0.5]), "b": torch.tensor([4.0])}
    distance = script("training_exact").distance
    assert distance(spread, alone, start) == pytest.approx(0.1)
    assert distance({"a": spread["a"]}, alone, start) == pytest.approx(1 / 6)
    assert distance(alone, alone, start) == 0


@dataclass
class Tables:
    """A corpus of these tables."""

    tables: dict

    def table(self, name, columns):
        return pa.table(self.tables[name]).select(columns)


def test_raw_text_has_nothing_that_is_held_out_nor_a_copy_of_it(script):
    names = ["kept", "rejected", "held", "copy of held", "tested"]
    corpus = Tables(
        {
            "shards": {
                "doc_id": ["kept", "held", "tested"],
                "shard": ["train-00000", "valid-00000", "test-00000"],
            },
            "dedup": {
                "doc_id": ["kept", "held", "tested"],
                "copies": [["other"], ["copy of held"], []],
            },
            "extract": {
                "doc_id": names,
                "title": names,
                "abstract": ["About it.", None, "", "About it.", "About it."],
                "body": [None] * 5,
            },
        }
    )
    raw = script("training_text").raw_texts(corpus)
    assert sorted(raw) == ["kept\n\nAbout it.", "rejected"]


def test_a_log_is_read_up_to_a_line_that_is_half_written(script, tmp_path):
    logged = script("training_exact").logged
    assert logged(tmp_path) == {}
    entries = [
        {"step": 1, "loss": 2.5},
        {"step": 1, "validation_loss": 2.0},
        {"step": 2, "loss": 2},
    ]
    lines = "\n".join(json.dumps(entry) for entry in entries)
    (tmp_path / "log.jsonl").write_text(lines + '\n{"step": 3, "lo')
    assert logged(tmp_path) == {1: 2.5, 2: 2}


@pytest.mark.skipif(torch.cuda.is_available(), reason="it would measure")
def test_without_a_gpu_its_section_runs_on_tiny_shapes_and_measures_nothing(
    script, tmp_path, capsys
):
    setup = script("training_setup")
    with setup.threads(1):
        bench = setup.Bench(tmp_path / "none.yaml", tmp_path, quick=True)
        found = script("training_gpu").gpu(bench)
    printed = capsys.readouterr().out
    assert found == {}
    assert printed.startswith("not measured: no GPU here")
    assert printed.count(": done") == 3
