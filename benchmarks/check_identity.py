"""The same bytes from every way of running the demo: serial, one worker, two workers, and through
the death of a worker and of the driver.

Every run gets an output folder of its own; compared are all files of tables, rejects, tokenizer and
shards. Takes about five times as long as the demo's data stages.

    python benchmarks/check_identity.py [PIPELINE]
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

DEMO = Path(__file__).parents[1] / "pipelines" / "demo.yaml"
# They tell when and how long, not what.
DIARY = {"manifest.json", ".lock", "report.html", "evidence.json"}


def published(output):
    """Digest of every file that a run leaves, its diary aside."""
    files = [p for p in sorted(output.rglob("*")) if p.is_file() and p.name not in DIARY]
    return {
        str(path.relative_to(output)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if "receipts" not in path.parts
    }


def settings(source, folder, workers):
    """A copy of the pipeline file beside it, with an output folder of its own."""
    lines = source.read_text().splitlines()
    lines = [f"output: {folder}" if line.startswith("output:") else line for line in lines]
    lines = [f"  workers: {workers}" if line.startswith("  workers:") else line for line in lines]
    lines = ["  dashboard: 0" if line.startswith("  dashboard:") else line for line in lines]
    copy = source.with_name(f".identity-{folder.name}.yaml")
    copy.write_text("\n".join(lines) + "\n")
    return copy


def start(pipeline, *options):
    command = [sys.executable, "-m", "corpusforge", "run", str(pipeline), *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def first_receipt(output, pattern, process):
    while process.poll() is None:
        found = sorted(output.glob(pattern))
        if found:
            return json.loads(found[0].read_bytes())
        time.sleep(0.02)
    raise SystemExit(f"the run ended before it wrote {pattern}")


@dataclass(frozen=True)
class Way:
    """How the pipeline is run once."""

    name: str
    workers: int = 2
    options: tuple[str, ...] = ()
    kill: str = ""  # whom: "worker" or "driver"


WAYS = [
    Way("serial", options=("--executor", "serial")),
    Way("one-worker", workers=1),
    Way("two-workers"),
    Way("worker-killed", kill="worker"),
    Way("driver-killed", kill="driver"),
]


def run(source, folder, way):
    """What one way of running leaves, and how long it took."""
    output = folder / way.name
    pipeline = settings(source, output, way.workers)
    try:
        started = time.monotonic()
        process = start(pipeline, *way.options)
        if way.kill == "worker":
            receipt = first_receipt(output, "extract-*/receipts/parse/*.json", process)
            os.kill(int(receipt["worker"].rpartition(":")[2]), signal.SIGKILL)
        if way.kill == "driver":
            first_receipt(output, "clean-*/receipts/map/*.json", process)
            process.kill()
            process.wait()
            process = start(pipeline, *way.options)
        if process.wait() != 0:
            raise SystemExit(f"{way.name}: ended with status {process.returncode}")
        seconds = time.monotonic() - started
    finally:
        pipeline.unlink()
    return published(output), seconds


def main():
    source = Path(sys.argv[1] if len(sys.argv) > 1 else DEMO).absolute()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        reference = None
        for way in WAYS:
            files, seconds = run(source, folder, way)
            reference = reference or files
            verdict = "the same bytes" if files == reference else "OTHER BYTES"
            print(f"{way.name:<14} {len(files):>4} files  {seconds:6.1f} s  {verdict}", flush=True)
            if files != reference:
                raise SystemExit(1)


if __name__ == "__main__":
    main()
