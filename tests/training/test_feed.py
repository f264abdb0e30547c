"""What reading ahead promises."""

import threading
from contextlib import closing

import numpy as np
import pytest

from corpusforge.training.data import Batch
from corpusforge.training.feed import AHEAD, HINTED, portions


class Noted:
    """Steps that say when they are read, and by whom."""

    def __init__(self, broken=None):
        self.read, self.hinted, self.threads, self.broken = [], [], set(), broken
        self.advanced = threading.Condition()

    def batch(self, step, rank, ranks):
        with self.advanced:
            self.read.append(step)
            self.threads.add(threading.current_thread().name)
            self.advanced.notify_all()
        if step == self.broken:
            raise ValueError(f"step {step} cannot be read")
        values = np.array([[step, rank, ranks]])
        return Batch(values, values, values)

    def targets(self, step):
        return 10 * step

    def will_need(self, step, _rank, _ranks):
        self.hinted.append(step)

    def wait_for(self, steps):
        with self.advanced:
            assert self.advanced.wait_for(lambda: len(self.read) >= steps, timeout=30)


def test_steps_come_in_order_each_read_and_hinted_once_by_one_thread():
    noted = Noted()
    taken = list(portions(noted, range(3, 40, 2), 1, 4))
    assert [portion.batch.inputs.tolist() for portion in taken] == [
        [[step, 1, 4]] for step in range(3, 40, 2)
    ]
    assert [portion.targets for portion in taken] == list(range(30, 400, 20))
    assert noted.read == noted.hinted == list(range(3, 40, 2))
    assert len(noted.threads) == 1
    assert threading.current_thread().name not in noted.threads


def test_batches_are_read_ahead_but_not_further_than_they_are_to_be():
    noted = Noted()
    with closing(portions(noted, range(10**12), 0, 1)) as feed:
        next(feed)
        noted.wait_for(1 + AHEAD)
        next(feed)
        noted.wait_for(2 + AHEAD)
    assert noted.read == list(range(2 + AHEAD))
    assert noted.hinted == list(range(2 + AHEAD + HINTED))


def test_a_closed_feed_leaves_no_thread():
    before = threading.active_count()
    feed = portions(Noted(), range(100), 0, 1)
    next(feed)
    assert threading.active_count() == before + 1
    feed.close()
    assert threading.active_count() == before


def test_what_goes_wrong_in_the_thread_is_raised_where_the_batch_is_taken():
    feed = portions(Noted(broken=2), range(9), 0, 1)
    for _ in range(2):
        next(feed)
    with pytest.raises(ValueError, match="step 2 cannot be read"):
        next(feed)


def test_no_steps_are_no_batches():
    assert list(portions(Noted(), range(0), 0, 1)) == []
