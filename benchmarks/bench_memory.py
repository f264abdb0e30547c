"""Most memory of every reader, each in a process of its own, whatever the size of its file.

First a file of every kind at two sizes, which shows whether memory grows with the file; kinds whose
file is one document, which is held whole, get smaller ones. Then a file of JSON lines and a dump of
CORE as large as they come: 4 GB, and 2 GB of `.tar.xz` in a tar, of which one provider is half and
has a manifest of a million records. Peaks count the interpreter and all that is imported.

    CORPUSFORGE_DATA=… python benchmarks/bench_memory.py [--json-gb 4] [--dump-gb 2] [--folder TMP]

Exits with 1 if a reader takes 300 MB or more, or reads nothing.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sample_files import core_provider, dump_of, empty_provider, makers

from corpusforge.sources.catalogue import READERS

MOST = 300_000_000  # bytes
STREAMED = (16_000_000, 96_000_000)
WHOLE = (4_000_000, 32_000_000)
DOCUMENTS = {"acl", "jats", "tei"}  # and all "-pages"
LISTED = 1_000_000  # records that the manifest of the largest provider has
SMALL_PROVIDERS = 16

READ = """
import json, sys, time
from pathlib import Path
from corpusforge.memory import peak_memory
from corpusforge.parsers.field_mapping import FieldMapping
from corpusforge.sources.catalogue import reader_of
from corpusforge.sources.records import Found
kind, path = sys.argv[1], Path(sys.argv[2])
mapping = FieldMapping(source_id="key", title="heading", abstract="summary")
reader = reader_of(kind, mapping if kind == "mapped" else None)
started = time.perf_counter()
papers = others = 0
for record in reader(path):
    papers += isinstance(record, Found)
    others += not isinstance(record, Found)
print(json.dumps([papers, others, time.perf_counter() - started, peak_memory()]))
"""


def measured(kind, path):
    """Papers, other records, seconds and peak of a process that does nothing but read a file."""
    command = [sys.executable, "-c", READ, kind, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def show(name, path, result):
    """One line; whether the reader kept within its bounds."""
    papers, others, seconds, peak = result
    size = path.stat().st_size
    good = peak < MOST and papers > 0
    print(
        f"{name:<24}{size / 1e6:9,.0f}{papers:12,}{others:8,}{size / 1e6 / seconds:8.0f}"
        f"{peak / 1e6:9.0f}{'' if good else '  TOO MUCH' if papers else '  NOTHING READ'}",
        flush=True,
    )
    return good


def every_kind(folder):
    """Whether all kinds at both sizes are good."""
    made = makers()
    good = True
    for name, make in sorted(made.items()):
        kind = name.partition(" ")[0]
        whole = kind in DOCUMENTS or kind.endswith("-pages")
        for size in WHOLE if whole else STREAMED:
            path = folder / "file"
            make(path, size)
            good &= show(name, path, measured(kind, path))
            path.unlink()
    missing = sorted(READERS.keys() - made.keys())
    if missing:
        print(f"no records to make files of: {', '.join(missing)}")
    return good


def long_lines(folder, size):
    path = folder / "openalex.jsonl"
    makers()["openalex"](path, size)
    good = show("openalex, large", path, measured("openalex", path))
    path.unlink()
    return good


def large_dump(folder, size):
    """Half of it is one provider, the rest are copies of a small one; some have no records."""
    giant, small, empty = (folder / name for name in ("giant", "small", "empty"))
    core_provider(giant, size // 2, LISTED, range(1, 6001))
    core_provider(small, size // 2 // SMALL_PROVIDERS)
    empty.write_bytes(empty_provider())
    path = folder / "resync_dump.tar"
    dump_of([small, empty, giant, *[small, empty] * (SMALL_PROVIDERS - 1)], path)
    for part in (giant, small, empty):
        part.unlink()
    good = show("core-2020, dump", path, measured("core-2020", path))
    path.unlink()
    return good


def main():
    parser = argparse.ArgumentParser(description="Memory of every reader.")
    parser.add_argument("--json-gb", type=float, default=4)
    parser.add_argument("--dump-gb", type=float, default=2)
    parser.add_argument("--folder", help="where files are made, and removed again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        need = max(options.json_gb, 1.7 * options.dump_gb) * 1e9
        free = shutil.disk_usage(name).free
        if free < need:
            raise SystemExit(f"{name} has {free / 1e9:.1f} GB, {need / 1e9:.1f} GB are needed")
        print(f"{'':<24}{'MB':>9}{'papers':>12}{'other':>8}{'MB/s':>8}{'peak MB':>9}")
        good = every_kind(Path(name))
        good &= long_lines(Path(name), int(options.json_gb * 1e9))
        good &= large_dump(Path(name), int(options.dump_gb * 1e9))
    print(f"the limit is {MOST / 1e6:.0f} MB: {'kept' if good else 'BROKEN'}")
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
