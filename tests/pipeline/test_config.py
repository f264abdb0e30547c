"""What a pipeline file may say, and what is said of one that is wrong."""

import re

import msgspec
import pytest
from corpora import write_pipeline

from corpusforge.errors import ConfigError
from corpusforge.pipeline.config import ClusterConfig, PipelineConfig, load_pipeline

SOURCE = {"kind": "pubmed", "folder": "papers", "files": "*.xml"}
SCOPUS = {"kind": "scopus", "query": "KEY(graphene)"}
WHEEL = {"kind": "wheel", "package": "p", "version": "1", "sha256": "0" * 64, "members": "*"}
RECIPE = {"output": "out", "stages": {"extract": {"sources": {"pubmed": SOURCE}}}}


def load(folder, recipe):
    path = folder / "pipeline.yaml"
    path.write_bytes(msgspec.yaml.encode(recipe))
    return load_pipeline(path)


def with_stage(name, **settings):
    return RECIPE | {"stages": RECIPE["stages"] | {name: settings}}


def with_source(**settings):
    return with_stage("extract", sources={"pubmed": SOURCE | settings})


def test_a_source_and_an_output_are_enough(tmp_path):
    config = load(tmp_path, RECIPE)
    assert config.output == "out"
    assert config.stages.dedup.limits.similarity == 0.8
    assert config.cluster == ClusterConfig()
    assert config.stages.train is None


def test_training_may_begin_with_a_preset(tmp_path):
    train = load(tmp_path, with_stage("train", preset="forge-s", steps=700)).stages.train
    assert (train.steps, train.optimizer, train.model.layers) == (700, "lamb", 24)
    with pytest.raises(
        ConfigError, match=r"Invalid enum value 'forge' - at `\$.stages.train.preset"
    ):
        load(tmp_path, with_stage("train", preset="forge"))


def test_every_default_survives_being_written_out(tmp_path):
    config = load(tmp_path, RECIPE)
    assert load(tmp_path, msgspec.to_builtins(config)) == config


def test_a_key_given_twice_is_an_error_and_says_where(tmp_path):
    path = tmp_path / "pipeline.yaml"
    path.write_bytes(msgspec.yaml.encode(RECIPE) + b"output: elsewhere\n")
    with pytest.raises(ConfigError, match=r"the key 'output' is given twice .*line \d+"):
        load_pipeline(path)


WRONG = {
    "a language by its name": (
        with_stage("clean", languages=["english"]),
        "Expected `str` matching regex '^[a-z]{2,3}$' - at `$.stages.clean.languages[0]`",
    ),
    "files outside the folder": (
        with_source(files="/papers/*.xml"),
        "files: '/papers/*.xml': expected a pattern inside the folder",
    ),
    "no files": (with_source(files=""), "files: '': expected a pattern inside the folder"),
    "a mapping for a known kind": (
        with_source(mapping={"source_id": "id"}),
        "kind: pubmed with mapping: only kind: mapped has one, and must",
    ),
    "no mapping for a mapped kind": (
        with_source(kind="mapped"),
        "kind: mapped with mapping: only kind: mapped has one, and must",
    ),
    "an unknown key": (
        with_stage("dedup", band=20),
        "Object contains unknown field `band` - at `$.stages.dedup`",
    ),
    "an unknown stage": (
        with_stage("dedupe"),
        "Object contains unknown field `dedupe` - at `$.stages`",
    ),
    "a key on top": (
        RECIPE | {"outptu": "x"},
        "Object contains unknown field `outptu`",
    ),
    "a word for a number": (
        with_stage("dedup", bands="many"),
        "Expected `int`, got `str` - at `$.stages.dedup.bands`",
    ),
    "a number out of range": (
        with_stage("dedup", bands=0),
        "Expected `int` >= 1 - at `$.stages.dedup.bands`",
    ),
    "settings that contradict each other": (
        with_stage("dedup", bands=2, rows=8),
        "bands=2, rows=8 would find only 31% of pairs at similarity 0.8; raise bands or lower "
        "rows - at `$.stages.dedup`",
    ),
    "an unknown kind of source": (
        with_source(kind="pdf"),
        "Invalid enum value 'pdf' - at `$.stages.extract.sources[...].kind`",
    ),
    "a source without a place": (
        with_source(folder=None),
        "a source needs either folder or fetched - at `$.stages.extract.sources[...]`",
    ),
    "a download that nobody makes": (
        with_source(folder=None, fetched="wheel"),
        "source pubmed wants the download 'wheel', but fetch has none - at `$.stages`",
    ),
    "no source": (
        with_stage("extract", sources={}),
        "Expected `object` of length >= 1 - at `$.stages.extract.sources`",
    ),
    "no extract": (
        {"output": "out", "stages": {}},
        "Object missing required field `extract` - at `$.stages`",
    ),
    "no output": (
        {"stages": RECIPE["stages"]},
        "Object missing required field `output`",
    ),
    "a budget for an unknown stage": (
        RECIPE | {"reject_budget": {"sharding": 0.5}},
        "reject_budget.sharding: 0.5 - expected one of fetch, extract, clean, dedup, tokenizer, "
        "shards and a share from 0 to 1",
    ),
    "a budget above the whole": (
        RECIPE | {"reject_budget": {"clean": 1.5}},
        "reject_budget.clean: 1.5 - expected one of",
    ),
    "a budget below nothing": (
        RECIPE | {"reject_budget": {"clean": -0.1}},
        "reject_budget.clean: -0.1 - expected one of",
    ),
    "a fall of an unknown source": (
        RECIPE | {"max_fall": {"core": 0.5}},
        "max_fall.core: 0.5 - expected a source (pubmed) and a share from 0 to 1",
    ),
    "a loss of an unknown source": (
        RECIPE | {"max_loss": {"core": 0.5}},
        "max_loss.core: 0.5 - expected a source (pubmed) and a share from 0 to 1",
    ),
    "a fall of more than the whole": (
        RECIPE | {"max_fall": {"pubmed": 1.5}},
        "max_fall.pubmed: 1.5 - expected a source (pubmed) and a share from 0 to 1",
    ),
    "an address that is missing": (
        RECIPE | {"cluster": {"kind": "address"}},
        "kind: address needs address, such as tcp://host:8786 - at `$.cluster`",
    ),
    "a scheduler file that is missing": (
        RECIPE | {"cluster": {"kind": "scheduler-file"}},
        "kind: scheduler-file needs scheduler_file - at `$.cluster`",
    ),
    "no worker": (
        RECIPE | {"cluster": {"workers": 0}},
        "Expected `int` >= 1 - at `$.cluster.workers`",
    ),
    "a digest that is none": (
        with_stage("fetch", downloads={"x": WHEEL | {"sha256": "?"}}),
        "Expected `str` matching regex '^[0-9a-f]{64}$' - at `$.stages.fetch.downloads.x.sha256`",
    ),
    "a key where the name of its variable belongs": (
        with_stage("fetch", downloads={"x": SCOPUS | {"key": "0123456789abcdef"}}),
        "Expected `str` matching regex '^[A-Z][A-Z0-9_]*$' - at `$.stages.fetch.downloads.x.key`",
    ),
    "a password in an address": (
        with_stage("fetch", downloads={"x": SCOPUS | {"address": "https://me:sesame@host"}}),
        "Expected `str` matching regex '^https?://[^/@]+(/.*)?$' - at "
        "`$.stages.fetch.downloads.x.address`",
    ),
    "the second of two downloads": (
        with_stage("fetch", downloads={"x": SCOPUS, "y": SCOPUS | {"view": "ALL"}}),
        "Invalid enum value 'ALL' - at `$.stages.fetch.downloads.y.view`",
    ),
    "a download of an unknown kind": (
        with_stage("fetch", downloads={"x": {"kind": "scorpus"}}),
        "Invalid value 'scorpus' - at `$.stages.fetch.downloads.x.kind`; a download is of kind "
        "core, crossref, files, oai-pmh, openalex, scopus, wheel",
    ),
    "a download of no kind": (
        with_stage("fetch", downloads={"x": {}}),
        "Object missing required field `kind` - at `$.stages.fetch.downloads.x`; a download is of "
        "kind core, ",
    ),
    "a download that is no block": (
        with_stage("fetch", downloads={"x": "scopus"}),
        "Expected `object`, got `str` - at `$.stages.fetch.downloads.x`; a download is of kind ",
    ),
    "a download that would lie elsewhere": (
        with_stage("fetch", downloads={"../x": WHEEL}),
        "download name '../x' may hold letters, digits, - and _ only - at `$.stages.fetch`",
    ),
    "a list": (["output"], "Expected `object`, got `array`"),
}


@pytest.mark.parametrize(("recipe", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_recipe_is_refused_by_file_and_key(tmp_path, recipe, message):
    with pytest.raises(ConfigError, match=re.escape(f"{tmp_path}/pipeline.yaml: {message}")):
        load(tmp_path, recipe)


def test_a_download_that_fetch_does_make_is_accepted(tmp_path):
    recipe = with_source(folder=None, fetched="wheel")
    recipe["stages"]["fetch"] = {"downloads": {"wheel": WHEEL}}
    assert load(tmp_path, recipe).stages.extract.sources["pubmed"].fetched == "wheel"
    recipe["stages"]["extract"]["sources"]["pubmed"]["fetched"] = "whale"
    with pytest.raises(ConfigError, match="wants the download 'whale', but fetch has wheel"):
        load(tmp_path, recipe)


@pytest.mark.parametrize("content", ["", "# nothing yet\n", "---\n"])
def test_an_empty_file_is_told_what_it_needs(tmp_path, content):
    path = tmp_path / "pipeline.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=f"{path} is empty; expected output: and stages:"):
        load_pipeline(path)


def test_a_file_that_is_not_yaml_is_refused_with_its_path(tmp_path):
    path = tmp_path / "pipeline.yaml"
    path.write_text("output: [unclosed")
    with pytest.raises(ConfigError, match=f"{path}: "):
        load_pipeline(path)


def test_a_missing_file_is_named_by_its_whole_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = (tmp_path / "absent.yaml").relative_to(tmp_path)
    message = f"{tmp_path}/absent.yaml cannot be read: No such file or directory"
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_pipeline(path)


def test_a_folder_is_no_pipeline_file(tmp_path):
    with pytest.raises(ConfigError, match=re.escape(f"{tmp_path} cannot be read: Is a directory")):
        load_pipeline(tmp_path)


def test_a_pipeline_written_by_the_tests_can_be_read(tmp_path):
    path = write_pipeline(tmp_path, {"pubmed": SOURCE}, {"clean": {"quality": "gopher"}})
    config = load_pipeline(path)
    assert isinstance(config, PipelineConfig)
    assert config.stages.clean.quality == "gopher"
