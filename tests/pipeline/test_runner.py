"""What the runner promises: what is done stays done, and nothing vanishes."""

import hashlib
import shutil

import msgspec
import pytest
from corpora import finish, results, write_corpus

from corpusforge.errors import ContractError, RunError, Stopped
from corpusforge.pipeline.manifest import read_manifest, write_manifest
from corpusforge.pipeline.runner import run_step
from corpusforge.stages.stage import SCRATCH
from corpusforge.work import SerialExecutor, Tally
from pipeline.toys import BreakingExecutor, Toy, ToyConfig, TwiceBackwardsExecutor, step

SERIAL = SerialExecutor()


def run(made, executor=SERIAL, budget=None):
    """Run a step to its end; every update."""
    return list(run_step(made, executor, budget))


# --- from nothing to complete


def test_a_step_runs_every_task_of_every_phase_in_order(tmp_path):
    toy = Toy()
    made = step(tmp_path, toy)
    run(made)
    assert toy.marked == ["task-0", "task-1", "task-2", "sum"]
    assert (made.folder / "table" / "sum.txt").read_bytes() == b"x" * 6


def test_a_stage_is_told_the_tally_of_each_phase(tmp_path):
    toy = Toy()
    run(step(tmp_path, toy))
    assert toy.between == [Tally(6, 3, {"too_short": 3}, counts={"marks": 3})]


def test_the_manifest_holds_the_tally_of_all_phases(tmp_path):
    made = step(tmp_path, Toy())
    run(made)
    manifest = read_manifest(made.folder)
    assert manifest.tally == Tally(6, 3, {"too_short": 3}, counts={"marks": 3, "sums": 1})
    assert (manifest.stage, manifest.fingerprint) == ("toy", made.fingerprint)
    assert msgspec.json.decode(manifest.config) == {"tasks": 3}


def test_progress_is_told_once_per_task_and_adds_up(tmp_path):
    updates = run(step(tmp_path, Toy()))
    told = [(u.phase, u.done, u.tasks, u.resumed, u.tally.read) for u in updates]
    assert told == [
        ("mark", 0, 3, 0, 0),
        ("mark", 1, 3, 0, 2),
        ("mark", 2, 3, 0, 4),
        ("mark", 3, 3, 0, 6),
        ("sum", 0, 1, 0, 6),
        ("sum", 1, 1, 0, 6),
    ]


def test_a_complete_stage_is_not_run_again(tmp_path):
    toy = Toy()
    made = step(tmp_path, toy)
    run(made)
    assert run(made) == []
    assert len(toy.marked) == 4


def test_scratch_is_removed_when_the_stage_is_complete(tmp_path):
    made = step(tmp_path, Toy())
    run(made)
    assert not (made.folder / SCRATCH).exists()
    assert (made.folder / "table").exists()


def test_the_manifest_comes_last_of_what_a_stage_writes(tmp_path):
    made = step(tmp_path, Toy())
    for update in run_step(made, SERIAL):
        assert read_manifest(made.folder) is None, f"after {update}"
    assert read_manifest(made.folder) is not None


# --- interrupted


def test_an_interrupted_stage_has_no_manifest_and_keeps_its_scratch(tmp_path):
    made = step(tmp_path, Toy())
    with pytest.raises(OSError, match="the power failed"):
        run(made, BreakingExecutor(2))
    assert read_manifest(made.folder) is None
    assert len(list((made.folder / SCRATCH).iterdir())) == 2


@pytest.mark.parametrize("done", [1, 2, 3])
def test_a_second_run_does_only_what_the_first_left(tmp_path, done):
    toy = Toy()
    made = step(tmp_path, toy)
    with pytest.raises(OSError, match="the power failed"):
        run(made, BreakingExecutor(done))
    toy.marked.clear()
    updates = run(made)
    assert toy.marked == [f"task-{i}" for i in range(done, 3)] + ["sum"]
    assert (updates[0].done, updates[0].resumed) == (done, done)
    assert [u.done for u in updates if u.phase == "mark"] == list(range(done, 4))
    assert toy.between[-1].counts == {"marks": 3}  # the stage cannot tell that it was resumed
    assert read_manifest(made.folder).tally.read == 6


def test_asked_to_stop_it_stops_between_tasks_and_says_so(tmp_path):
    made = step(tmp_path, Toy())

    class Event:
        """Set after two tasks."""

        asked = 0

        def is_set(self):
            self.asked += 1
            return self.asked > 2

    with pytest.raises(Stopped, match=r"toy\.mark was stopped; the same command continues it"):
        run(made, SerialExecutor(Event()))
    assert len(list((made.folder / SCRATCH).iterdir())) == 2


@pytest.mark.parametrize("damage", ["cut short", "removed"])
def test_a_task_with_a_damaged_target_runs_again_and_no_other(tmp_path, damage):
    toy = Toy()
    made = step(tmp_path, toy)
    with pytest.raises(OSError, match="the power failed"):
        run(made, BreakingExecutor(3))
    target = made.folder / SCRATCH / "1.txt"
    target.write_bytes(b"x") if damage == "cut short" else target.unlink()
    toy.marked.clear()
    run(made)
    assert toy.marked == ["task-1", "sum"]
    assert (made.folder / "table" / "sum.txt").read_bytes() == b"x" * 6


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The results of a corpus that ran in one go."""
    plan = finish(write_corpus(tmp_path_factory.mktemp("undisturbed"), documents=20))
    return results(plan.output)


@pytest.mark.parametrize("tasks", [4, 7])
def test_a_run_that_fails_again_and_again_ends_with_the_same_bytes(tmp_path, undisturbed, tasks):
    pipeline = write_corpus(tmp_path, documents=20)
    executor = BreakingExecutor(tasks)
    failures = 0
    while True:
        try:
            plan = finish(pipeline, executor)
            break
        except OSError:
            failures += 1
    assert failures > 3
    assert len(undisturbed) > 30
    assert results(plan.output) == undisturbed


def test_tasks_run_twice_and_in_any_order_give_the_same_bytes(tmp_path, undisturbed):
    plan = finish(write_corpus(tmp_path, documents=20), TwiceBackwardsExecutor())
    assert results(plan.output) == undisturbed


def test_a_second_corpus_in_another_place_has_the_same_bytes(tmp_path, undisturbed):
    plan = finish(write_corpus(tmp_path / "elsewhere", documents=20))
    assert results(plan.output) == undisturbed


def test_work_on_a_complete_corpus_changes_no_file(finished, tmp_path):
    shutil.copytree(finished.output, tmp_path / "output")
    shutil.copytree(finished.base / "sources", tmp_path / "sources")
    shutil.copy(finished.base / "pipeline.yaml", tmp_path)
    before = {p: (p.stat().st_mtime_ns, digest(p)) for p in files(tmp_path)}
    finish(tmp_path / "pipeline.yaml")
    assert {p: (p.stat().st_mtime_ns, digest(p)) for p in files(tmp_path)} == before


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- records that vanish


def test_a_work_function_that_loses_a_record_stops_the_run(tmp_path):
    made = step(tmp_path, Toy(mark=lambda _task: Tally(read=1_000, kept=998, rejected={"x": 1})))
    message = r"toy read 3,000 records, kept 2,994 and rejected 3: 3 are unaccounted for"
    with pytest.raises(ContractError, match=message):
        run(made)
    assert read_manifest(made.folder) is None


def test_a_work_function_that_doubles_a_record_stops_the_run(tmp_path):
    made = step(tmp_path, Toy(mark=lambda _task: Tally(read=1, kept=2)))
    with pytest.raises(ContractError, match="read 3 records, kept 6 and rejected 0: -3 are"):
        run(made)


def source(folder, kept):
    """The folder of a stage that kept this many records; complete, unless that is None."""
    made = step(folder, Toy())
    if kept is not None:
        write_manifest(made, Tally(read=kept, kept=kept), 0.0)
    return made.folder


def test_a_stage_reads_exactly_what_the_one_before_kept(tmp_path):
    reads = {"before": source(tmp_path / "before", 6)}
    run(step(tmp_path, Toy(), records_from="before", reads=reads))


@pytest.mark.parametrize(
    ("kept", "said"), [(7_000, "before kept 7,000 records"), (None, "before kept nothing")]
)
def test_a_stage_that_reads_other_records_than_were_kept_stops_the_run(tmp_path, kept, said):
    reads = {"before": source(tmp_path / "before", kept)}
    made = step(tmp_path, Toy(), records_from="before", reads=reads)
    message = rf"{said} but toy read 6; were files added to or removed from {reads['before']}\?"
    with pytest.raises(ContractError, match=message):
        run(made)
    assert read_manifest(made.folder) is None


@pytest.mark.parametrize("damage", ["removed", "cut short"])
def test_a_result_that_somebody_damaged_is_made_again(tmp_path, damage):
    pipeline = write_corpus(tmp_path, documents=9)
    plan = finish(pipeline)
    before = results(plan.output)
    for path in (
        next((plan.step("extract").folder / "table").glob("*.parquet")),
        next((plan.step("shards").folder / "train").glob("*.bin")),
    ):
        if damage == "removed":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:100])
    assert results(finish(pipeline).output) == before


# --- the reject budget


def test_rejects_within_the_budget_are_no_reason_to_stop(tmp_path):
    made = step(tmp_path, Toy())
    run(made, budget=0.5)
    assert read_manifest(made.folder) is not None


def test_rejects_beyond_the_budget_stop_the_run_with_their_reasons(tmp_path):
    def mark(_task):
        return Tally(read=1_000, kept=400, rejected={"too_short": 100, "language": 500})

    made = step(tmp_path, Toy(mark=mark))
    message = (
        r"toy rejected 1,800 of 3,000 records \(60%\), its budget is 59%: "
        r"language 1,500, too_short 300\. .* set reject_budget\.toy"
    )
    with pytest.raises(RunError, match=message):
        run(made, budget=0.59)
    assert read_manifest(made.folder) is None


def test_a_stage_that_rejects_everything_stops_the_run_even_without_a_budget(tmp_path):
    def mark(_task):
        return Tally(read=10, rejected={"language": 10})

    made = step(tmp_path, Toy(mark=mark))
    with pytest.raises(RunError, match=r"rejected 30 of 30 records \(100%\), without a budget"):
        run(made)
    run(made, budget=1.0)
    assert read_manifest(made.folder) is not None


def test_a_raised_budget_continues_without_doing_the_work_again(tmp_path):
    toy = Toy()
    made = step(tmp_path, toy)
    with pytest.raises(RunError, match="its budget is 10%"):
        run(made, budget=0.1)
    toy.marked.clear()
    run(made, budget=0.9)
    assert toy.marked == []


def test_a_stage_without_records_has_no_budget_to_break(tmp_path):
    run(step(tmp_path, Toy(mark=lambda _task: Tally())), budget=0.0)


# --- a stage of nothing


def test_a_stage_of_no_tasks_is_complete_at_once(tmp_path):
    made = step(tmp_path, Toy(), ToyConfig(tasks=0))
    run(made)
    assert read_manifest(made.folder).tally == Tally(counts={"sums": 1})
