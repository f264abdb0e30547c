"""The published contract: tables, pipeline file and shards.json, generated from the code."""

import json

import msgspec

from corpusforge.formats.shard_folder import Description
from corpusforge.pipeline.config import PipelineConfig
from corpusforge.tables.publish import published_tables


def published() -> dict[str, str]:
    """File name in schemas/ to its content."""
    pipeline = msgspec.json.schema(PipelineConfig)
    pipeline["$defs"]["TrainConfig"]["required"].remove("model")  # a preset may bring it
    shards = msgspec.json.schema(Description)
    return {
        **published_tables(),
        "pipeline.schema.json": json.dumps(pipeline, indent=2) + "\n",
        "shards.schema.json": json.dumps(shards, indent=2) + "\n",
    }
