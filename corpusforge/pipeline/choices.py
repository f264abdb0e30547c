"""What a setting may be, where what is said of a wrong one does not tell."""

import re
from functools import cache
from typing import Any

import msgspec

ENUM = re.compile(r"Invalid enum value .* - at `\$(?P<path>[^`]*)`")
STEPS = re.compile(r"\.([^.\[]+)|(\[[^]]*\])")


def with_choices(message: str, config: type[msgspec.Struct]) -> str:
    """What msgspec says of a setting that is none of a few words, with those words.

    >>> from typing import Literal
    >>> class Settings(msgspec.Struct):
    ...     precision: Literal["fp32", "bf16"]
    >>> with_choices("Invalid enum value 'fp8' - at `$.precision`", Settings)
    "Invalid enum value 'fp8' - at `$.precision`; it may be bf16, fp32"
    """
    found = ENUM.search(message)
    if found is None:
        return message
    schema = _schema(config)
    reached = [schema]
    for name, _ in STEPS.findall(found["path"]):
        reached = [below for node in reached for below in _below(node, name, schema)]
    words = [word for node in reached for kind in _kinds(node, schema) for word in _words(kind)]
    return f"{message}; it may be {', '.join(words)}" if words else message


@cache
def _schema(config: type[msgspec.Struct]) -> dict[str, Any]:
    return msgspec.json.schema(config)


def _kinds(node: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of a node, with what it refers to in its place."""
    if "$ref" in node:
        return _kinds(schema["$defs"][node["$ref"].rsplit("/", 1)[1]], schema)
    if "anyOf" in node:
        return [kind for part in node["anyOf"] for kind in _kinds(part, schema)]
    return [node]


def _below(node: dict[str, Any], name: str, schema: dict[str, Any]) -> list[dict[str, Any]]:
    """What stands under a name, or, without one, under any."""
    under: list[Any] = []
    for kind in _kinds(node, schema):
        if name:
            under.append(kind.get("properties", {}).get(name))
        else:
            under += [kind.get("additionalProperties"), kind.get("items")]
            under += kind.get("prefixItems", [])
    return [below for below in under if isinstance(below, dict)]


def _words(kind: dict[str, Any]) -> list[str]:
    return [str(word) for word in kind.get("enum", []) if word is not None]
