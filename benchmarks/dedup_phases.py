"""One run of dedup in this process, phase by phase: seconds of the processor, and memory."""

import time
import tracemalloc
from dataclasses import replace

from corpusforge.pipeline.plan import Step
from corpusforge.pipeline.receipts import perform
from corpusforge.stages.dedup import STAGE, DedupConfig
from corpusforge.stages.stage import Inputs
from corpusforge.work import Tally

PHASE = "choose"
DEFAULTS = DedupConfig()


def step_of(clean, out, config=DEFAULTS):
    # There is no clean stage whose manifest could be held against what dedup reads.
    stage = replace(STAGE, records_from=None)
    return Step(stage, config, out.name, Inputs(out.parent, {"clean": clean}), out)


def alone(clean, out, config=DEFAULTS):
    """Processor seconds by phase; documents with a copy, and peak memory, of the choice; removed.

    The choice runs twice: on the clock, and with every allocation counted, which is slow.
    """
    seconds, removed = {}, 0
    step = step_of(clean, out, config)
    phases = step.stage.phases(step.config, step.inputs, step.folder)
    phase = next(phases)
    while True:
        started = time.process_time()
        counted = [perform(task, phase.work, out, phase.name) for task in phase.tasks]
        seconds[phase.name] = time.process_time() - started
        tally = sum(counted, Tally())
        if phase.name == PHASE:
            chosen, peak = tally.counts["documents_with_duplicates"], peak_of(phase)
        removed += tally.total_rejected
        try:
            phase = phases.send(tally)
        except StopIteration:
            return seconds, chosen, peak, removed


def peak_of(phase):
    tracemalloc.start()
    for task in phase.tasks:
        phase.work(task)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
