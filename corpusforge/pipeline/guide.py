"""The pages about sources: what each is, from its text, and what may be set, from the code.

The texts are `sources/guide/<kind>.md`. The first line of each says in one sentence what it is.
"""

from importlib.resources import files
from typing import get_args

from msgspec import Struct

from corpusforge.errors import ConfigError
from corpusforge.pipeline.field_list import field_list
from corpusforge.sources.catalogue import Kind
from corpusforge.sources.network import NetworkConfig
from corpusforge.stages.extract import SourceConfig
from corpusforge.stages.fetch import Download

INDEX = "README.md"
DOWNLOADS = "Downloads: what `fetch` brings (`stages.fetch.downloads.<name>.kind`)"
NETWORK = "How fast and how patiently all of them are asked (`network.<name>`)"
READINGS = "Kinds of files: what `extract` reads (`stages.extract.sources.<name>.kind`)"


def downloads() -> dict[str, type[Struct]]:
    """The config of every kind of download, by the name of the kind."""
    return {str(config.__struct_config__.tag): config for config in get_args(Download)}


def readings() -> list[str]:
    """Every kind of files that can be read."""
    return list(get_args(Kind))


def overview() -> str:
    """Every kind, with one line about it, in Markdown."""
    brought = {kind: _first_line(config.__doc__ or "") for kind, config in downloads().items()}
    read = {kind: _first_line(_text(kind)) for kind in readings()}
    sections = {
        DOWNLOADS: _lines(brought),
        READINGS: _lines(read),
        NETWORK: field_list(NetworkConfig),
    }
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in sections.items())


def page(kind: str) -> str:
    """All about one kind, in Markdown.

    Raises:
        ConfigError: There is no such kind.
    """
    known = sorted({*downloads(), *readings()})
    if kind not in known:
        raise ConfigError(f"there is no source {kind!r}; there are {', '.join(known)}")
    sections = [f"# {kind}", _text(kind).strip()]
    if (config := downloads().get(kind)) is not None:
        sections += [
            f"## What a download of `kind: {kind}` may set",
            _paragraph(config.__doc__ or ""),
            field_list(config),
        ]
    if kind in readings():
        others = () if kind == "mapped" else ("mapping",)
        sections += [
            f"## What a source of `kind: {kind}` may set",
            _paragraph(SourceConfig.__doc__ or ""),
            field_list(SourceConfig, others),
        ]
    return "\n\n".join(sections) + "\n"


def published_guide() -> dict[str, str]:
    """File name in docs/sources/ to its content."""
    kinds = sorted({*downloads(), *readings()})
    linked = overview()
    for kind in kinds:
        linked = linked.replace(f"* `{kind}`:", f"* [`{kind}`]({kind}.md):")
    index = (
        f"# Sources\n\nMade by `make docs`; `corpusforge sources` prints the same.\n\n{linked}\n"
    )
    return {INDEX: index, **{f"{kind}.md": page(kind) for kind in kinds}}


def _lines(kinds: dict[str, str]) -> str:
    return "\n".join(f"* `{kind}`: {line}" for kind, line in sorted(kinds.items()))


def _text(kind: str) -> str:
    return (files("corpusforge") / "sources" / "guide" / f"{kind}.md").read_text("utf-8")


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]


def _paragraph(docstring: str) -> str:
    return " ".join(docstring.split())
