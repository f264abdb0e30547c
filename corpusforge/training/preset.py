"""Presets: whole training configurations by name, to be used as they are or changed in part."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Literal, get_args

import yaml

PresetName = Literal["demo", "forge-s", "forge-m", "forge-l", "mlstm-4096"]
PRESETS: tuple[str, ...] = get_args(PresetName)


def preset_text(name: str) -> str:
    """The YAML of a preset, to copy and change."""
    return (files("corpusforge.training") / "presets" / f"{name}.yaml").read_text("utf-8")


def with_preset(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with those of their `preset`, if they name one, where they say nothing themselves.

    Sections are laid over the preset's key by key; a model of another kind replaces the preset's.
    A name that is no preset stays, for the reader of the whole to complain of.

    >>> with_preset({"preset": "demo", "model": {"layers": 1}})["model"]["layers"]
    1
    """
    if settings.get("preset") not in PRESETS:
        return dict(settings)
    own = {key: value for key, value in settings.items() if key != "preset"}
    preset = yaml.safe_load(preset_text(settings["preset"]))
    return _over(own, {key: value for key, value in preset.items() if key != "about"})


def _over(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`own` laid over `given`."""
    if own.get("kind", given.get("kind")) != given.get("kind"):
        return dict(own)
    both = {
        key: _over(value, given[key])
        for key, value in own.items()
        if isinstance(value, Mapping) and isinstance(given.get(key), Mapping)
    }
    return {**given, **own, **both}
