"""`corpusforge presets` and `corpusforge diff`: what clean asks of a text, and does to it."""

from io import StringIO

import msgspec
import pytest
from corpora import JATS_SOURCE, Record, finish, jats_file, prose, write_file, write_pipeline
from rich.console import Console

from corpusforge.cli import run_command
from corpusforge.stages.clean import CleanConfig
from corpusforge.stages.clean_quality import PRESETS, preset, preset_text
from corpusforge.stages.clean_text import RULES
from corpusforge.training import preset as training


def say(*words, terminal=False):
    """The status of a command and what it prints."""
    out = StringIO()
    colours = "standard" if terminal else None
    console = Console(file=out, width=80, force_terminal=terminal, color_system=colours)
    return run_command([*map(str, words)], console), out.getvalue()


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    """One paper with something for several rules, after clean."""
    folder = tmp_path_factory.mktemp("verbs")
    body = ["the in-\nfluence of mice", "Write to a@b.org.", prose("body", sentences=9)]
    article = Record("PMC7", "Mice.", f"© 2016 {prose('abstract')}", body)
    write_file(folder / "sources" / "pmc" / "article.nxml", jats_file(article))
    path = write_pipeline(folder, {"pmc": JATS_SOURCE}, {"clean": {"quality": "forge"}})
    finish(path, until="clean")
    return path


# --- presets


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_printed_under_its_name_as_it_is(name):
    assert say("presets", name) == (0, f"# {name}\n{preset_text(name)}\n")


def test_without_a_name_all_presets_are_printed():
    status, text = say("presets")
    assert status == 0
    names = [line[2:] for line in text.splitlines() if line.startswith("# ")]
    assert names == [*PRESETS, *training.PRESETS]


@pytest.mark.parametrize("name", training.PRESETS)
def test_a_preset_of_training_is_printed_too(name):
    assert say("presets", name) == (0, f"# {name}\n{training.preset_text(name)}\n")


@pytest.mark.parametrize("name", PRESETS)
def test_a_printed_preset_can_be_pasted_under_quality(name):
    _, text = say("presets", name)
    pasted = "quality:\n" + "".join(f"  {line}\n" for line in text.splitlines())
    config = msgspec.yaml.decode(pasted, type=CleanConfig)
    assert config.quality == preset(name)


def test_an_unknown_preset_is_refused_with_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        say("presets", "beauty")
    message = capsys.readouterr().err
    assert "invalid choice: 'beauty'" in message
    assert all(name in message for name in PRESETS)


# --- diff


def test_diff_tells_each_rule_and_what_it_took_away_and_put_in(pipeline):
    status, text = say("diff", "pmc:PMC7", "-p", pipeline)
    assert status == 0
    names = tuple(f"{rule.name}: " for rule in RULES)
    rules = [line for line in text.splitlines() if line.startswith(names)]
    assert rules == ["boilerplate: title", "boilerplate: abstract", "personal_data: body"]
    assert "  Mice[-.-]\n" in text
    assert "[-© 2016 -]" in text
    assert "{+[email]+}" in text


def test_on_a_terminal_a_diff_is_in_colours(pipeline):
    _, text = say("diff", "pmc:PMC7", "-p", pipeline, terminal=True)
    assert "\x1b[9;31m.\x1b[0m" in text  # struck through, red
    assert "[-" not in text


def test_a_document_that_extract_has_not_kept_is_an_error(pipeline, capsys):
    assert say("diff", "pmc:none", "-p", pipeline) == (1, "")
    assert "extract has not kept 'pmc:none'" in capsys.readouterr().err


def test_before_clean_is_done_a_diff_is_an_error(pipeline, tmp_path, capsys):
    fresh = tmp_path / "pipeline.yaml"
    sources = pipeline.parent / "sources"
    fresh.write_text(pipeline.read_text().replace("sources/", f"{sources}/"))
    assert say("diff", "pmc:PMC7", "-p", fresh) == (1, "")
    assert "clean is not done; `corpusforge run PIPELINE --until clean`" in capsys.readouterr().err
