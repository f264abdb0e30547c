"""The peak of this process, and of nobody else."""

import subprocess
import sys

import numpy as np

from corpusforge.memory import forget_peak, peak_memory

CHILD = "from corpusforge.memory import peak_memory; print(peak_memory())"


def test_what_was_taken_counts_until_it_is_forgotten():
    forget_peak()
    before = peak_memory()
    block = np.ones(10_000_000)  # 80 MB
    del block
    assert peak_memory() > before + 70_000_000
    forget_peak()
    assert peak_memory() < before + 40_000_000


def test_a_child_does_not_inherit_the_peak_of_its_parent():
    block = np.ones(40_000_000)  # 320 MB
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    assert block.size
    assert int(done.stdout) < 200_000_000
