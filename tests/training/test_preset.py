"""Presets are whole configurations, and give way to what a file says itself."""

import json

import msgspec
import pytest
import yaml

from corpusforge.errors import ConfigError
from corpusforge.training.config import TrainConfig, load_config
from corpusforge.training.preset import PRESETS, preset_text, with_preset
from corpusforge.training.shapes import MLSTMConfig, NeoXConfig


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_configuration_and_says_what_it_is(name):
    config = msgspec.convert(with_preset({"preset": name}), TrainConfig)
    assert config.preset is None
    assert yaml.safe_load(preset_text(name))["about"].endswith(".")


def test_a_preset_with_all_its_settings_written_out_is_the_same_run():
    written = yaml.safe_load(preset_text("forge-s"))
    del written["about"]
    assert with_preset({"preset": "forge-s"}) == written


def test_own_settings_are_laid_over_those_of_the_preset():
    own = {"preset": "forge-s", "steps": 9, "warmup": 1, "model": {"layers": 2}}
    config = msgspec.convert(with_preset(own), TrainConfig)
    assert (config.steps, config.model.layers, config.model.hidden) == (9, 2, 2048)
    assert config.optimizer == "lamb"
    assert own["model"] == {"layers": 2}


def test_a_model_of_another_kind_replaces_that_of_the_preset():
    own = {"preset": "demo", "model": {"kind": "mlstm", "hidden": 8}}
    assert msgspec.convert(with_preset(own), TrainConfig).model == MLSTMConfig(hidden=8)


@pytest.mark.parametrize(("name", "size"), [("forge-s", 128), ("forge-m", 128), ("forge-l", 128)])
def test_heads_of_forge_have_a_size_that_attention_kernels_take(name, size):
    model = msgspec.convert(with_preset({"preset": name}), TrainConfig).model
    assert isinstance(model, NeoXConfig)
    assert model.head_size == size


def test_a_file_may_name_a_preset(tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps({"preset": "demo", "steps": 30}))
    assert load_config(path).steps == 30


def test_an_unknown_preset_is_named(tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps({"preset": "forge-xl"}))
    with pytest.raises(ConfigError, match=r"Invalid enum value 'forge-xl' - at `\$.preset`"):
        load_config(path)


def test_a_preset_that_nobody_replaced_is_refused():
    settings = {"model": {"kind": "mlstm", "hidden": 8}, "preset": "demo"}
    message = "preset=demo was not replaced by its settings; give what the file says to with_preset"
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert(settings, TrainConfig)
