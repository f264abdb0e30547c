"""How MPI jobs end: many that should succeed, and one for each way in which a rank can fail.

    python benchmarks/check_exit.py [--jobs 50] [--mpiexec COMMAND] [--python PYTHON]

Each job spreads a small model over two ranks, takes a few steps, writes a checkpoint in the
background and ends. It counts as clean when its status is 0 and it wrote nothing to stderr: an
abort at the interpreter's end, after all work is done, is what this looks for. Then one rank fails
while the other waits for it, and the time until the job is over is printed.

COMMAND and PYTHON are those of another MPI, such as Open MPI's

    --mpiexec "V/bin/mpiexec --bind-to none --oversubscribe" --python V/bin/python
"""

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

CLEAN = """
import sys
import msgspec, torch
from corpusforge.training.checkpoint import Checkpoints, State
from corpusforge.training.config import ExecutionConfig, TrainConfig
from corpusforge.training.identity import Identity
from corpusforge.training.launch import launch
from corpusforge.training.parallel import spread
from pathlib import Path

def body(world):
    torch.manual_seed(1)
    shape = {"kind": "neox", "layers": 1, "hidden": 16, "heads": 2}
    execution = {"async_checkpoints": True}
    config = msgspec.convert({"model": shape, "execution": execution}, TrainConfig)
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8))
    parallel = "fsdp" if int(sys.argv[2]) % 2 else "ddp"
    called = spread(model, parallel, torch.float32, world.device)
    optimizer = torch.optim.AdamW(model.parameters())
    checkpoints = Checkpoints.of(Path(sys.argv[1]) / sys.argv[2], Identity(config, "check"))
    for step in range(3):
        called(torch.ones(4, 8)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    checkpoints.save(3, State(model, optimizer, torch.amp.GradScaler("cpu", enabled=False)))
    checkpoints.finish()
    return 0

sys.exit(launch(body))
"""
FAILING = """
import os, signal, sys, time
from corpusforge.training.launch import launch

def body(world):
    if world.rank == 1:
        {how}
    {waiting}
    return 0

sys.exit(launch(body))
"""
COLLECTIVE, ASLEEP = "world.add(1)", "time.sleep(60)"
FAILURES = [
    ("raise, other in a collective", "raise ZeroDivisionError('on purpose')", COLLECTIVE),
    ("raise, other asleep", "raise ZeroDivisionError('on purpose')", ASLEEP),
    ("sys.exit(3), other asleep", "sys.exit(3)", ASLEEP),
    ("os._exit(3), other asleep", "os._exit(3)", ASLEEP),
    ("os._exit(0), other in a collective", "os._exit(0)", COLLECTIVE),
    ("SIGKILL, other asleep", "os.kill(os.getpid(), signal.SIGKILL)", ASLEEP),
    ("hangs, other in a collective, 5 s allowed", "time.sleep(60)", COLLECTIVE),
]
LIMIT = 60  # seconds until a job counts as hanging


def run(command, *arguments):
    """Exit status (None: it hung), seconds, and what came on stderr."""
    began = time.perf_counter()
    environment = {"OMP_NUM_THREADS": "1", "CORPUSFORGE_COLLECTIVE_SECONDS": "5"}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
        start_new_session=True,
    ) as job:
        try:
            _, complaint = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, 9)
            return None, LIMIT, ""
    return job.returncode, time.perf_counter() - began, complaint


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=50, help="jobs that should succeed")
    parser.add_argument("--mpiexec", default=str(Path(sys.executable).with_name("mpiexec")))
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    job = [*shlex.split(options.mpiexec), "-n", "2", options.python, "-m", "mpi4py", "-c"]
    ended, seconds = Counter(), []
    with TemporaryDirectory() as folder:
        for number in range(options.jobs):
            status, took, complaint = run([*job, CLEAN], folder, str(number))
            name = "clean" if status == 0 and not complaint else f"status {status}"
            if name != "clean" and not ended[name]:
                print(complaint)
            ended[name] += 1
            seconds.append(took)
        written = len(list(Path(folder).glob("*/LATEST")))
    median = sorted(seconds)[len(seconds) // 2]
    how = ", ".join(f"{count} {name}" for name, count in ended.items())
    print(f"{options.jobs} jobs of 2 ranks: {how}; {written} checkpoints; {median:.1f} s each")
    print(f"{'rank 1':<44} status   seconds  traceback")
    for name, failure, waiting in FAILURES:
        status, took, complaint = run([*job, FAILING.format(how=failure, waiting=waiting)])
        told = "yes" if "Traceback" in complaint else "no"
        print(f"{name:<44} {'HANG' if status is None else status:>6} {took:>9.1f}  {told}")


if __name__ == "__main__":
    main()
