"""What decides the name of a result: everything that changes it, and nothing else."""

import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from corpora import paper, pubmed_file, write_file, write_pipeline

from corpusforge.errors import ConfigError, SourceError
from corpusforge.kernels.evidence import Limits
from corpusforge.pipeline import plan as planning
from corpusforge.pipeline.config import STAGES, PipelineConfig
from corpusforge.pipeline.plan import fingerprint, make_plan, open_plan
from corpusforge.stages.clean_text import TextConfig
from corpusforge.stages.decontamination import ContaminationConfig
from corpusforge.stages.shard_mixture import MixtureConfig
from corpusforge.stages.tokenizer_sample import SampleConfig

NAMES = [stage.name for stage in STAGES]
SOURCE = {"kind": "pubmed", "folder": "papers", "files": "*.xml"}
MODEL = {"kind": "neox", "layers": 1, "hidden": 16, "heads": 1}
RECIPE = {"output": "out", "stages": {"extract": {"sources": {"pubmed": SOURCE}}}}
EVIDENCE = {name: [] for name in NAMES}


def plan(stages=None, evidence=None, **rest):
    recipe = RECIPE | rest
    recipe["stages"] = RECIPE["stages"] | (stages or {})
    return make_plan(msgspec.convert(recipe, PipelineConfig), Path("/base"), evidence or EVIDENCE)


def fingerprints(made):
    return {step.stage.name: step.fingerprint for step in made.steps}


def differing(one, other):
    return [name for name in NAMES if fingerprints(one)[name] != fingerprints(other)[name]]


# --- one fingerprint


class Recipe(msgspec.Struct, frozen=True):
    """A config of which these tests own every field."""

    limit: float = 0.5
    names: tuple[str, ...] = ("a", "b")


def test_the_fingerprint_of_a_fixed_recipe_does_not_change():
    """Golden values. If this fails, every finished corpus would be made again: mend the code."""
    assert fingerprint("clean", 1, Recipe(), ["0123456789ab"]) == "eb4217ad70b6"
    assert fingerprint("train", 1, None, []) == "158788d6db91"
    assert fingerprint("x", 1, Recipe(), [], [["f.xml", 3, "00"]]) == "5706a3c10e23"


@pytest.mark.parametrize(
    "other",
    [
        ("cleaner", 1, Recipe(), ["i"], []),
        ("clean", 2, Recipe(), ["i"], []),
        ("clean", 1, Recipe(limit=0.6), ["i"], []),
        ("clean", 1, Recipe(names=("b", "a")), ["i"], []),
        ("clean", 1, None, ["i"], []),
        ("clean", 1, Recipe(), ["j"], []),
        ("clean", 1, Recipe(), ["i", "i"], []),
        ("clean", 1, Recipe(), [], ["i"]),
        ("clean", 1, Recipe(), ["i"], ["seen"]),
    ],
)
def test_each_part_of_a_recipe_changes_its_fingerprint(other):
    assert fingerprint(*other) != fingerprint("clean", 1, Recipe(), ["i"], [])


def test_the_order_of_keys_in_a_config_changes_nothing():
    one = {"a": 1, "b": {"x": 1, "y": 2}}
    other = {"b": {"y": 2, "x": 1}, "a": 1}
    assert fingerprint("clean", 1, one, []) == fingerprint("clean", 1, other, [])


# --- the fingerprints of a plan

SETTINGS = {
    "fetch": {
        "downloads": {
            "w": {
                "kind": "wheel",
                "package": "p",
                "version": "1",
                "sha256": "0" * 64,
                "members": "*",
            }
        }
    },
    "extract": {"sources": {"pubmed": SOURCE}, "partition_bytes": 99},
    "clean": {"quality": "gopher"},
    "dedup": {"limits": {"similarity": 0.85}},
    "tokenizer": {"vocabulary": 500},
    "shards": {"seed": 7},
}


@pytest.mark.parametrize("stage", NAMES)
def test_a_setting_changes_its_stage_and_all_downstream_and_nothing_upstream(stage):
    found = differing(plan(), plan({stage: SETTINGS[stage]}))
    assert found == NAMES[NAMES.index(stage) :]


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage.name != "fetch"])
def test_every_single_setting_of_a_stage_is_part_of_the_fingerprint(stage):
    base = plan()
    config = getattr(base.config.stages, stage.name)
    for field in msgspec.structs.fields(stage.config):
        value = getattr(config, field.name)
        other = msgspec.structs.replace(config, **{field.name: OTHER[stage.name][field.name]})
        assert getattr(other, field.name) != value
        stages = msgspec.structs.replace(base.config.stages, **{stage.name: other})
        changed_config = msgspec.structs.replace(base.config, stages=stages)
        found = make_plan(changed_config, Path("/base"), EVIDENCE)
        assert differing(base, found)[0] == stage.name, field.name


OTHER = {
    "extract": {"sources": {}, "partition_bytes": 5},
    "clean": {"quality": "forge", "languages": (), "text": TextConfig(figures="drop")},
    "dedup": {
        **{"shingle_words": 6, "bands": 21, "rows": 5, "limits": Limits(similarity=0.9), "seed": 2},
        **{"keep": ("longer",), "sources": ("pubmed",)},
        **{"decontaminate": ContaminationConfig(), "against": "index", "keep_index": True},
    },
    "tokenizer": {
        "preset": "forge",
        "vocabulary": 999,
        "given": "tokenizer.json",
        "end_of_text": "</s>",
        "sample": SampleConfig(bytes=5),
        "diagnostics": None,
        "seed": 2,
    },
    "shards": {
        **{"split": (1, 0, 0), "shard_tokens": 5, "seed": 2, "exclude": "removed.txt"},
        "mixture": MixtureConfig(parts={}),
    },
}


def test_workers_budgets_and_falls_are_no_part_of_any_fingerprint():
    elsewhere = plan(
        cluster={"kind": "address", "address": "tcp://far:1", "workers": 64, "ranks": 9},
        reject_budget={"clean": 0.5},
        max_fall={"pubmed": 0.9},
    )
    assert fingerprints(elsewhere) == fingerprints(plan())


def test_the_output_folder_and_the_place_of_the_file_are_no_part_of_any_fingerprint():
    moved = plan(output="/other")
    assert fingerprints(moved) == fingerprints(plan())
    assert moved.output == Path("/other")


@pytest.mark.parametrize("name", NAMES)
def test_what_was_seen_of_the_world_changes_its_stage_and_all_downstream(name):
    found = differing(plan(), plan(evidence=EVIDENCE | {name: ["a file"]}))
    assert found == NAMES[NAMES.index(name) :]


@pytest.mark.parametrize("name", NAMES)
def test_a_raised_version_changes_its_stage_and_all_downstream(name, monkeypatch):
    before = plan()
    raised = [replace(s, version=s.version + (s.name == name)) for s in STAGES]
    monkeypatch.setattr(planning, "STAGES", tuple(raised))
    assert differing(before, plan()) == NAMES[NAMES.index(name) :]


def test_how_training_is_carried_out_changes_nothing():
    executions = ({}, {"accumulate": 2, "parallel": "fsdp"})
    one, other = (plan({"train": {"model": MODEL, "execution": each}}) for each in executions)
    assert one.train_folder == other.train_folder


def test_a_setting_of_training_changes_the_model_and_no_stage():
    one, other = (plan({"train": {"model": MODEL, "steps": steps}}) for steps in (50, 51))
    assert fingerprints(one) == fingerprints(other)
    assert one.train_folder != other.train_folder


def test_other_shards_are_another_model():
    one, other = (
        plan({"train": {"model": MODEL}, "clean": {"quality": q}}) for q in ("forge", "gopher")
    )
    assert one.train_folder != other.train_folder


# --- folders and steps


def test_a_step_has_a_folder_named_by_its_fingerprint_and_reads_the_folders_before_it():
    made = plan()
    for step in made.steps:
        assert step.folder == Path(f"/base/out/{step.stage.name}-{step.fingerprint}")
        reads = {name: made.step(name).folder for name in step.stage.reads}
        assert dict(step.inputs.stages) == reads
        assert re.fullmatch("[0-9a-f]{12}", step.fingerprint)


def test_steps_until_a_stage_end_with_it():
    made = plan()
    assert [step.stage.name for step in made.until("clean")] == ["fetch", "extract", "clean"]
    assert made.until(None) == made.steps


def test_an_unknown_stage_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match="there is no stage 'cook'; stages are fetch, extract"):
        plan().until("cook")


# --- files


@pytest.fixture
def pipeline(tmp_path):
    for i in range(3):
        write_file(tmp_path / "papers" / f"{i}.xml", pubmed_file([paper(i + 1)]))
    return write_pipeline(tmp_path, {"pubmed": SOURCE})


def test_the_same_files_in_another_place_have_the_same_fingerprints(pipeline, tmp_path):
    here = open_plan(pipeline)
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("papers", "pipeline.yaml"):
        (tmp_path / name).rename(moved / name)
    assert fingerprints(open_plan(moved / "pipeline.yaml")) == fingerprints(here)


@pytest.mark.parametrize("change", ["edit", "add", "remove", "rename"])
def test_a_change_of_the_input_files_is_a_new_corpus(pipeline, change):
    before = open_plan(pipeline)
    papers = pipeline.parent / "papers"
    match change:
        case "edit":
            content = (papers / "1.xml").read_bytes()
            (papers / "1.xml").write_bytes(content.replace(b"Annals", b"annals"))
        case "add":
            write_file(papers / "9.xml", pubmed_file([paper(9)]))
        case "remove":
            (papers / "1.xml").unlink()
        case "rename":
            (papers / "1.xml").rename(papers / "9.xml")
    assert differing(before, open_plan(pipeline)) == NAMES[NAMES.index("extract") :]


def test_a_file_that_no_source_reads_changes_nothing(pipeline):
    before = open_plan(pipeline)
    write_file(pipeline.parent / "papers" / "notes.txt", b"notes")
    assert fingerprints(open_plan(pipeline)) == fingerprints(before)


def test_touching_a_file_changes_nothing(pipeline):
    before = open_plan(pipeline)
    (pipeline.parent / "papers" / "1.xml").touch()
    assert fingerprints(open_plan(pipeline)) == fingerprints(before)


def test_a_source_without_files_stops_before_anything_runs(tmp_path):
    path = write_pipeline(tmp_path, {"pubmed": SOURCE})
    with pytest.raises(SourceError, match=f"source pubmed: {tmp_path}/papers is not a folder"):
        open_plan(path)
    assert not (tmp_path / "output").exists()
