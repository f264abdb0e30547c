"""`corpusforge sources`: what there is, and all about one of them."""

from io import StringIO

import pytest
from rich.console import Console

from corpusforge.cli import run_command
from corpusforge.pipeline.guide import downloads, page, published_guide, readings
from corpusforge.sources.network import NetworkConfig


def say(*words):
    out = StringIO()
    status = run_command(["sources", *words], Console(file=out, width=80))
    return status, out.getvalue()


def test_without_a_name_every_kind_is_listed_on_one_line():
    status, text = say()
    assert status == 0
    listed = [line.split("`")[1] for line in text.splitlines() if line.startswith("* ")]
    network = NetworkConfig.__struct_fields__
    assert listed == [*sorted(downloads()), *sorted(readings()), *network]


@pytest.mark.parametrize("kind", ["files", "scopus", "mapped"])
def test_a_page_is_printed_as_it_is_published(kind):
    assert say(kind) == (0, page(kind))


def test_an_unknown_kind_is_an_error(capsys):
    assert say("pubmde") == (1, "")
    assert "there is no source 'pubmde'" in capsys.readouterr().err


def test_all_pages_are_written(tmp_path):
    say("--write", str(tmp_path))
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert written == published_guide()
