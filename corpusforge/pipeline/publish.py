"""The published contract: tables and pipeline file, generated from the code."""

import json

import msgspec

from corpusforge.pipeline.config import PipelineConfig
from corpusforge.tables.publish import published_tables


def published() -> dict[str, str]:
    """File name in schemas/ to its content."""
    pipeline = msgspec.json.schema(PipelineConfig)
    return {**published_tables(), "pipeline.schema.json": json.dumps(pipeline, indent=2) + "\n"}
