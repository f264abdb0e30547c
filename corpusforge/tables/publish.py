"""The published contract: table schemas as JSON, generated from the code."""

import json
from typing import Any

import pyarrow as pa

from corpusforge.tables.schemas import TABLES


def published_tables() -> dict[str, str]:
    """File name in schemas/ to its content."""
    return {
        f"{name}.json": json.dumps(_describe(name, schema), indent=2) + "\n"
        for name, schema in TABLES.items()
    }


def _describe(name: str, schema: pa.Schema) -> dict[str, Any]:
    return {
        "table": name,
        "columns": [
            {
                "name": field.name,
                "type": str(field.type),
                "description": field.metadata[b"description"].decode(),
            }
            for field in schema
        ],
    }
