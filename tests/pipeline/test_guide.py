"""The pages about sources: one for each kind, and every example on them is a pipeline."""

import re
from pathlib import Path
from typing import get_args

import pytest

import corpusforge
from corpusforge.errors import ConfigError
from corpusforge.pipeline.config import load_pipeline
from corpusforge.pipeline.field_list import field_list
from corpusforge.pipeline.guide import downloads, overview, page, published_guide, readings
from corpusforge.sources.catalogue import READERS, Kind
from corpusforge.sources.web_files_plan import FilesConfig
from corpusforge.stages.extract import SourceConfig
from corpusforge.stages.fetch import Download

KINDS = sorted({*downloads(), *readings()})
TEXTS = Path(corpusforge.__file__).parent / "sources" / "guide"
EXAMPLE = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)
DOCS = Path(__file__).parents[2] / "docs" / "sources"
every_kind = pytest.mark.parametrize("kind", KINDS)


def examples(text):
    return EXAMPLE.findall(text)


def test_every_kind_has_a_text_and_every_text_a_kind():
    assert {path.stem for path in TEXTS.glob("*.md")} == set(KINDS)
    assert set(readings()) == {*READERS, "mapped"} == set(get_args(Kind))
    assert len(downloads()) == len(get_args(Download))


@every_kind
def test_every_example_is_a_pipeline_file_and_one_of_them_uses_the_kind(kind, tmp_path):
    text = page(kind)
    assert examples(text)
    assert text.count("```") == 2 * len(examples(text))
    used = set()
    for number, example in enumerate(examples(text)):
        path = tmp_path / f"{number}.yaml"
        path.write_text(example)
        stages = load_pipeline(path).stages
        used |= {str(d.__struct_config__.tag) for d in stages.fetch.downloads.values()}
        used |= {source.kind for source in stages.extract.sources.values()}
    assert kind in used


@every_kind
def test_a_page_tells_every_field_with_its_description(kind):
    text = page(kind)
    told = set(re.findall(r"^\* `(\w+)` \(.+\): .+", text, re.M))
    if kind in downloads():
        assert told >= set(downloads()[kind].__struct_encode_fields__)
    if kind in readings():
        assert told >= {*SourceConfig.__struct_fields__} - {"kind", "mapping"}


@every_kind
def test_a_page_begins_with_one_sentence_and_stays_within_its_lines(kind):
    title, _, first, *rest = page(kind).split("\n")
    assert title == f"# {kind}"
    assert first.endswith(".")
    assert f"`{kind}`: " in overview()
    assert not rest[0]
    assert all(len(line) <= 120 for line in (TEXTS / f"{kind}.md").read_text().split("\n"))


def test_an_unknown_kind_is_told_with_the_known_ones():
    with pytest.raises(
        ConfigError, match=r"there is no source 'pubmde'; there are .*pubmed, s2orc"
    ):
        page("pubmde")


def test_a_field_is_told_with_its_type_bounds_and_default():
    told = field_list(FilesConfig)
    assert "* `checksums` (`md5` or `sha256`): Beside each file" in told
    assert "* `files` (text, `*` if not given): Glob pattern" in told
    assert "`FileAddress`: One file, with what is known of it." in told
    assert "* `url` (text like `^https?://[^/@]+(/.*)?$`, must be given): Of the file." in told
    assert "`mapping`" not in field_list(SourceConfig, ("mapping",))


def test_the_published_pages_are_those_the_code_makes():
    found = {path.name: path.read_text(encoding="utf-8") for path in DOCS.iterdir()}
    wanted = published_guide()
    different = sorted(n for n in found.keys() | wanted.keys() if found.get(n) != wanted.get(n))
    assert not different, f"{different} in docs/sources/ differ from the code: run `make docs`"


def test_the_index_links_to_every_page():
    index = published_guide()["README.md"]
    assert set(re.findall(r"\((.+?)\.md\)", index)) == set(KINDS)
