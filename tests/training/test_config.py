"""What a training configuration accepts, and what makes two runs the same run."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ConfigError
from corpusforge.training.config import TrainConfig, load_config, padded_vocabulary
from corpusforge.training.identity import Identity

NEOX = {"kind": "neox", "layers": 1}
AGAIN = {"activation_checkpointing": True}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"band": 1}, "unknown field `band`"),
        ({"steps": "9"}, r"Expected `int`, got `str` - at `\$.steps`"),
        ({"batch": 0}, r"Expected `int` >= 1 - at `\$.batch`"),
        ({"precision": "fp64"}, r"Invalid enum value 'fp64'"),
        ({"model": {"layers": 1, "hidden": 16, "heads": 2}}, "missing required field `kind`"),
        ({"decay": "cubic"}, "Invalid enum value 'cubic'"),
        (
            {"model": {"kind": "mlstm", "hidden": 8}, "execution": AGAIN},
            "activation_checkpointing is for the layers of kind neox",
        ),
        ({"warmup": 21}, "warmup=21 is longer than steps=20; lower warmup"),
        ({"betas": [0.9, 1.0]}, r"betas=\[0.9, 1.0\] must both be at least 0 and below 1"),
        (
            {"model": NEOX | {"hidden": 32, "heads": 3}},
            "hidden=32 does not divide among heads=3",
        ),
        (
            {"model": NEOX | {"hidden": 24, "heads": 2}},
            "hidden=24 over heads=2 makes heads of 12; .* multiple of 8",
        ),
        (
            {
                "model": NEOX
                | {
                    "hidden": 16,
                    "heads": 2,
                    "rotary_fraction": 0.4,
                }
            },
            "rotary_fraction=0.4 rotates 3 of 8 values per head; rotation works on pairs",
        ),
    ],
)
def test_a_wrong_setting_is_named(change, message, config, tmp_path):
    (tmp_path / "train.json").write_text(json.dumps(config | change))
    with pytest.raises(ConfigError, match=f"train.json: .*{message}"):
        load_config(tmp_path / "train.json")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"train.json cannot be read: No such file"):
        load_config(tmp_path / "train.json")


def test_every_setting_is_described():
    schema = msgspec.json.schema(TrainConfig)["$defs"]
    for struct in ("TrainConfig", "NeoXConfig", "MLSTMConfig", "ExecutionConfig"):
        for name, field in schema[struct]["properties"].items():
            assert name == "kind" or "description" in field or "$ref" in field, name


@given(st.integers(1, 10**6))
def test_the_embedding_has_the_fewest_rows_that_are_a_multiple_of_128(vocab_size):
    rows = padded_vocabulary(vocab_size)
    assert rows % 128 == 0
    assert vocab_size <= rows < vocab_size + 128


def test_a_run_is_itself_again_after_a_round_trip_through_json(config, tmp_path):
    identity = Identity(msgspec.convert(config, TrainConfig), "f1")
    identity.check(tmp_path, json.loads(json.dumps(identity.record())))


def test_another_corpus_or_setting_makes_another_run_and_is_named(config, tmp_path):
    identity = Identity(msgspec.convert(config, TrainConfig), "f1")
    model = config["model"] | {"layers": 3}
    other = Identity(msgspec.convert(config | {"seed": 5, "model": model}, TrainConfig), "f2")
    message = (
        r"corpus f1 \(now f2\), model.layers 2 \(now 3\), seed 0 \(now 5\); give another --out"
    )
    with pytest.raises(ConfigError, match=message):
        other.check(tmp_path / "DONE", identity.record())


def test_how_a_run_is_carried_out_does_not_make_another_run(config, tmp_path):
    execution = {"accumulate": 3, "activation_checkpointing": True, "compile": True}
    other = msgspec.convert(config | {"execution": execution}, TrainConfig)
    first = msgspec.convert(config, TrainConfig)
    Identity(other, "f1").check(tmp_path, Identity(first, "f1").record())
    assert other.recipe == first.recipe
    assert other.recipe != other


@pytest.mark.parametrize(
    ("reset", "streams"), [("stream", True), ("document", True), ("window", False)]
)
def test_an_mlstm_that_carries_its_state_reads_streams(config, reset, streams):
    model = {"kind": "mlstm", "hidden": 8, "reset": reset}
    assert msgspec.convert(config | {"model": model}, TrainConfig).streams == streams


def test_a_neox_reads_windows_in_any_order(config):
    assert not msgspec.convert(config, TrainConfig).streams
