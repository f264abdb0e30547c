"""What the serial executor promises: every task has its turn, and every failure is told by name."""

from threading import Event

import pytest

from corpusforge.errors import ConfigError, QuotaStop, RunError, SourceError, Stopped
from corpusforge.work import SerialExecutor, Tally, Task

NAMES = ("a", "b", "c", "d")
TASKS = [Task(name, (), ()) for name in NAMES]


def run(troubles, stop=None):
    """Tasks that ended well, and the error that was raised after them."""
    began, ended = [], []

    def work(task):
        began.append(task.name)
        if task.name in troubles:
            raise troubles[task.name]
        return Tally(counts={task.name: 1})

    try:
        for tally in SerialExecutor(stop).run("fetch.download", work, TASKS):
            ended += tally.counts
    except Exception as error:
        return began, ended, error
    pytest.fail("nothing was raised")


def test_a_task_that_fails_keeps_no_other_from_its_turn():
    began, ended, error = run({"a": SourceError("a refuses"), "c": ConfigError("no key")})
    assert (tuple(began), ended) == (NAMES, ["b", "d"])
    assert type(error) is RunError
    assert str(error).startswith(
        "fetch.download: 2 of 4 tasks failed (a: a refuses; c: no key). The others are done"
    )


def test_quotas_that_are_used_up_are_one_stop_until_the_first_of_them_is_free():
    stops = {"a": QuotaStop("weekly", 2e9), "b": QuotaStop("daily", 1e9), "d": QuotaStop("?", None)}
    _, ended, error = run(stops)
    assert ended == ["c"]
    assert isinstance(error, QuotaStop)
    assert error.come_back == 1e9
    assert str(error).startswith("a: weekly; b: daily; d: ?; what is fetched is kept")
    assert str(error).endswith("run it again after 2001-09-09 01:46:40 UTC")


def test_a_quota_whose_end_nobody_tells_is_still_a_quota():
    _, _, error = run({"a": QuotaStop("spent", None)})
    assert isinstance(error, QuotaStop)
    assert error.come_back is None


def test_an_error_counts_more_than_a_quota_and_is_told_before_it():
    _, _, error = run({"a": QuotaStop("spent", 1e9), "b": SourceError("b refuses")})
    assert type(error) is RunError
    assert "2 of 4 tasks failed (b: b refuses; a: spent; what is fetched is kept" in str(error)


@pytest.mark.parametrize("trouble", [Stopped("Ctrl-C"), ZeroDivisionError("a defect")])
def test_a_request_to_stop_and_a_defect_end_a_run_at_once(trouble):
    began, _, error = run({"b": trouble})
    assert began == ["a", "b"]
    assert error is trouble


def test_a_stop_that_is_asked_for_between_tasks_starts_no_other():
    stop = Event()
    stop.set()
    began, _, error = run({}, stop)
    assert began == []
    assert isinstance(error, Stopped)
