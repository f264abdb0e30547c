"""The published contract is what the code does: schemas/ is generated, never edited."""

import json
from pathlib import Path

import msgspec
import pytest

from corpusforge.pipeline.config import STAGES, PipelineConfig
from corpusforge.pipeline.publish import published

SCHEMAS = Path(__file__).parents[2] / "schemas"


def test_the_published_schemas_are_those_of_the_code():
    """`make schemas` writes them again."""
    on_disk = {path.name: path.read_text() for path in SCHEMAS.iterdir()}
    assert on_disk == published()


def test_every_setting_of_a_pipeline_file_is_described():
    definitions = json.loads(published()["pipeline.schema.json"])["$defs"]
    stages = [stage.config.__name__ for stage in STAGES]
    for name in [*stages, "SourceConfig", "WheelDownload", "ClusterConfig", "TrainConfig"]:
        for field, schema in definitions[name]["properties"].items():
            described = "description" in schema or field in ("kind", "model")
            assert described, f"{name}.{field} has no description"


@pytest.mark.parametrize("name", ["demo.yaml"])
def test_the_pipelines_of_this_repository_can_be_read(name):
    content = (SCHEMAS.parent / "pipelines" / name).read_bytes()
    assert isinstance(msgspec.yaml.decode(content, type=PipelineConfig), PipelineConfig)
