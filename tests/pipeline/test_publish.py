"""Every setting is described where it is published, and the pipelines here can be read."""

import json
from pathlib import Path

import pytest

from corpusforge.pipeline.config import STAGES, load_pipeline
from corpusforge.pipeline.publish import published

PIPELINES = Path(__file__).parents[2] / "pipelines"


def test_every_setting_of_a_pipeline_file_is_described():
    definitions = json.loads(published()["pipeline.schema.json"])["$defs"]
    stages = [stage.config.__name__ for stage in STAGES]
    for name in [*stages, "SourceConfig", "WheelDownload", "ClusterConfig", "TrainConfig"]:
        for field, schema in definitions[name]["properties"].items():
            described = "description" in schema or field in ("kind", "model")
            assert described, f"{name}.{field} has no description"


def test_a_preset_need_not_name_a_model():
    definitions = json.loads(published()["pipeline.schema.json"])["$defs"]
    assert "model" not in definitions["TrainConfig"]["required"]


@pytest.mark.parametrize("path", sorted(PIPELINES.rglob("*.yaml")), ids=lambda path: path.name)
def test_the_pipelines_of_this_repository_can_be_read(path):
    assert load_pipeline(path).output
