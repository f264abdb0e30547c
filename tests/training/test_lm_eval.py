"""An exported model under lm-evaluation-harness; needs the extra `evaluate`."""

import importlib.util
import math
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from corpusforge.training.config import TrainConfig, padded_vocabulary
from corpusforge.training.corpus import open_corpus
from corpusforge.training.export import export_model
from corpusforge.training.generate import open_model
from corpusforge.training.model import build_model
from corpusforge.training.shapes import NeoXConfig

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "check_lm_eval.py"


@pytest.fixture
def exported(folder, tmp_path):
    corpus, shape = open_corpus(folder.shards).description, NeoXConfig(layers=1, hidden=32, heads=2)
    weights = build_model(shape, padded_vocabulary(corpus.vocab_size), seed=3).state_dict()
    config = TrainConfig(model=shape, sequence_length=128)
    export_model(weights, config, corpus, folder.tokenizer, tmp_path / "model")
    return tmp_path / "model"


def test_a_model_without_an_opinion_takes_the_same_bits_for_each_token(exported):
    spec = importlib.util.spec_from_file_location("check_lm_eval", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script  # where dataclasses look for it
    spec.loader.exec_module(script)
    weights = load_file(exported / "model.safetensors")
    weights["embed_out.weight"].zero_()
    save_file(weights, exported / "model.safetensors")
    model, texts = open_model(exported), ["alpha théta", "beta beta beta"]
    tokens = sum(len(model.tokenizer.encode(text).ids) for text in texts)
    expected = tokens * math.log2(384) / (12 + 14)
    assert script.bits_per_byte(model, texts) == pytest.approx(expected)


@pytest.mark.cluster
def test_the_harness_measures_the_bits_per_byte_that_we_measure(exported):
    pytest.importorskip("lm_eval", reason="needs the extra `evaluate`")
    done = subprocess.run(
        [sys.executable, SCRIPT, exported], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr  # 1 if they differ
    assert "bits per byte: harness " in done.stdout
    assert "accuracy " in done.stdout
