"""What may be set in a part of a pipeline file, in words: read from the type that checks it."""

from collections.abc import Collection, Iterator
from typing import Any

import msgspec
from msgspec import Struct

Schema = dict[str, Any]
WORDS = {
    "string": "text",
    "boolean": "true or false",
    "integer": "whole number",
    "date": "day, such as 2024-01-31",
}
REFERENCE = "#/$defs/"


def field_list(config: type[Struct], leave_out: Collection[str] = ()) -> str:
    """Every field in Markdown, those of the structs inside it after it.

    Args:
        config: A config type; its fields have descriptions.
        leave_out: Fields not to tell of.
    """
    definitions: Schema = msgspec.json.schema(config)["$defs"]
    sections: list[str] = []
    waiting = [config.__name__]
    told: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        told.add(name)
        shown = {
            field: schema
            for field, schema in definitions[name]["properties"].items()
            if field not in (*leave_out, "kind")
        }
        needed = definitions[name].get("required", [])
        head = [f"`{name}`: {definitions[name]['description']}", ""] if sections else []
        lines = [_line(field, schema, field in needed) for field, schema in shown.items()]
        sections.append("\n".join([*head, *lines]))
        found = [inner for schema in shown.values() for inner in _references(schema)]
        waiting += [inner for inner in dict.fromkeys(found) if inner not in {*told, *waiting}]
    return "\n\n".join(sections)


def _line(name: str, schema: Schema, needed: bool) -> str:
    kind = _words(schema)
    if needed:
        kind += ", must be given"
    elif (default := schema.get("default")) not in (None, [], {}):
        shown = msgspec.json.encode(default).decode().strip('"')
        kind += f", `{shown}` if not given" if shown else ", empty if not given"
    description = schema.get("description", "")
    return f"* `{name}` ({kind}): {description}".rstrip(": ")


def _words(schema: Schema) -> str:
    """
    >>> _words({"anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "null"}]})
    'whole number from 1 to 9'
    """
    if "anyOf" in schema:
        words = " or ".join(_words(one) for one in schema["anyOf"] if one != {"type": "null"})
    elif "$ref" in schema:
        words = f"a `{schema['$ref'].removeprefix(REFERENCE)}`"
    elif "enum" in schema:
        words = " or ".join(f"`{value}`" for value in schema["enum"] if value is not None)
    elif "prefixItems" in schema:
        words = f"[{', '.join(_words(item) for item in schema['prefixItems'])}]"
    elif "items" in schema:
        words = f"list of {_words(schema['items'])}"
    elif "additionalProperties" in schema:
        words = f"mapping of names to {_words(schema['additionalProperties'])}"
    else:
        kind: str = schema["format"] if "format" in schema else schema["type"]
        words = WORDS.get(kind, kind) + _range(schema)
    return words


def _range(schema: Schema) -> str:
    bounds = {
        "minimum": "from {}",
        "exclusiveMinimum": "above {}",
        "maximum": "to {}",
        "exclusiveMaximum": "below {}",
        "pattern": "like `{}`",
    }
    found = [words.format(schema[name]) for name, words in bounds.items() if name in schema]
    return "".join(f" {words}" for words in found)


def _references(schema: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].removeprefix(REFERENCE)
    for inner in [*schema.get("anyOf", []), *schema.get("prefixItems", [])]:
        yield from _references(inner)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            yield from _references(schema[name])
