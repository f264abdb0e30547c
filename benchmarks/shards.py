"""The shards stage against `datatrove`'s DocumentTokenizer and the way of Megatron's script.

PubMed abstracts (the demo's) and arXiv abstracts, one 52,000-token vocabulary (benchmarks/encode.py
keeps it). Each side makes files of all texts of a corpus, in turn, twice; the better time counts.
The stage reads Parquet, encodes with a cold cache, digests, orders, writes, and reads back what it
wrote; the others get strings in memory. Megatron's and GPT-NeoX's scripts encode one document after
another and give it to the builder of the format, here megatron-core's. All have one thread.

Then: most memory of the stage on a corpus and on eight times as much, each in a process of its own;
and `verify --all` on these shards, and on those of the demo.

    corpusforge run pipelines/demo.yaml && python benchmarks/shards.py [MEGABYTES]

MEGABYTES of each corpus, 30 unless said otherwise.
"""

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # before the libraries start their threads
os.environ["RAYON_NUM_THREADS"] = "1"

import importlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import pyarrow as pa
from bench_ftfy import PIPELINE, arxiv, pubmed
from encode import SPECIALS, trained, up_to

from corpusforge import Corpus
from corpusforge.formats.megatron import token_dtype
from corpusforge.formats.partition import write_partition
from corpusforge.formats.shard_folder import read_description
from corpusforge.formats.vocabulary import open_tokenizer
from corpusforge.memory import peak_memory
from corpusforge.pipeline.shard_verify import verify
from corpusforge.stages import shards
from corpusforge.stages.shard_encoding import open_codec
from corpusforge.stages.shards import ShardsConfig
from corpusforge.stages.stage import TABLE, Inputs, part_name
from corpusforge.stages.tokenizer_files import TOKENIZER
from corpusforge.tables.identity import uid_of
from corpusforge.tables.schemas import DOCUMENTS, SURVIVORS
from corpusforge.work import Tally

ROUNDS = 2
PARTITION = 16_000  # documents
CONFIG = ShardsConfig(shard_tokens=4_000_000)
TIMES = 8


def rows(schema, given, count):
    """A table of these columns; the others are empty."""
    columns = [
        pa.array(given[f.name], f.type) if f.name in given else pa.nulls(count, f.type)
        for f in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def lay(folder, texts, file, times=1):
    """What the stage reads, of texts that are all kept; `times` has each so often."""
    folders = {name: folder / name for name in ("clean", "dedup", "tokenizer")}
    (folders["tokenizer"] / TOKENIZER).mkdir(parents=True)
    shutil.copy(file, folders["tokenizer"] / TOKENIZER / "tokenizer.json")
    starts = [(again, at) for again in range(times) for at in range(0, len(texts), PARTITION)]
    for number, (again, at) in enumerate(starts):
        some = texts[at : at + PARTITION]
        ids = [f"bench:{again}-{at + i}" for i in range(len(some))]
        uids = [uid_of(doc_id) for doc_id in ids]
        sizes = [len(text.encode()) for text in some]
        shared = {"uid": uids, "doc_id": ids, "cluster": uids, "text_bytes": sizes}
        own = {"source": ["bench"] * len(ids), "text": some, "content": ["abstract"] * len(ids)}
        empty = {"copies": [[]] * len(ids), "cuts": [[]] * len(ids)}
        name = f"{part_name(number)}.parquet"
        write_partition(folders["clean"] / TABLE / name, rows(DOCUMENTS, shared | own, len(ids)))
        write_partition(folders["dedup"] / TABLE / name, rows(SURVIVORS, shared | empty, len(ids)))
    return folders


def opening(folders):
    """Seconds of the processor to open the tokenizer, which the stage does once in a process."""
    open_codec.cache_clear()  # and with it the cache of words
    started = time.process_time()
    open_codec(folders["tokenizer"] / TOKENIZER / "tokenizer.json")
    return time.process_time() - started


def run_stage(folders, out):
    """Every task of the stage, one after another, in this process; the tokens it wrote."""
    open_codec.cache_clear()
    phases = shards.STAGE.phases(CONFIG, Inputs(Path(), folders), out)
    phase, total = next(phases), Tally()
    while True:
        counted = sum((phase.work(task) for task in phase.tasks), Tally())
        total += counted
        try:
            phase = phases.send(counted)
        except StopIteration:
            return total.counts["tokens"]


def by_datatrove(texts, file, out):
    """Tokens that its block writes, shuffled within the file; None if it is not installed."""
    try:
        data = importlib.import_module("datatrove.data")
        tokens = importlib.import_module("datatrove.pipeline.tokens")
    except ImportError as error:
        print(f"  no datatrove: {error}")
        return None
    block = tokens.DocumentTokenizer(
        output_folder=str(out), tokenizer_name_or_path=str(file), eos_token=SPECIALS[0], seed=1
    )
    block.run(data.Document(text=text, id=str(i)) for i, text in enumerate(texts))
    return sum(path.stat().st_size for path in out.glob("*.ds")) // 2


def megatron_builder():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of optional packages that are not there
        return importlib.import_module("megatron.core.datasets.indexed_dataset")


def by_megatron(texts, file, out):
    """Tokens that the scripts' loop writes; None if megatron-core is not installed."""
    try:
        module, torch = megatron_builder(), importlib.import_module("torch")
    except ImportError as error:
        print(f"  no megatron-core: {error}")
        return None
    tokenizer = open_tokenizer(file)
    end, size = tokenizer.token_to_id(SPECIALS[0]), tokenizer.get_vocab_size()
    out.mkdir()
    builder = module.IndexedDatasetBuilder(str(out / "all.bin"), dtype=token_dtype(size).type)
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        ids.append(end)
        builder.add_item(torch.IntTensor(ids))
        builder.end_document()
    builder.finalize(str(out / "all.idx"))
    return (out / "all.bin").stat().st_size // 2


def compare(name, texts, file, scratch):
    """Print the rate of every side; the folder of the stage's last round."""
    folders, out = lay(scratch / name, texts, file), scratch / name / "shards"
    sides = {
        "shards stage": lambda _: run_stage(folders, out),
        "datatrove": lambda target: by_datatrove(texts, file, target),
        "megatron's way": lambda target: by_megatron(texts, file, target),
    }
    best = {}
    for _ in range(ROUNDS):
        for side, work in sides.items():
            shutil.rmtree(out if side == "shards stage" else scratch / side, ignore_errors=True)
            wall, cpu = time.perf_counter(), time.process_time()
            tokens = work(scratch / side)
            spent = time.process_time() - cpu, time.perf_counter() - wall
            if tokens is not None:
                best[side] = min((*spent, tokens), best.get(side, (*spent, tokens)))
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(
        f"{name}: {len(texts):,} documents, {megabytes:.1f} MB; MB/s by the processor and by wall"
    )
    ours = best["shards stage"]
    for side, (cpu, wall, tokens) in best.items():
        ratio = "" if side == "shards stage" else f"   stage is {cpu / ours[0]:.1f} x as fast"
        differ = "" if tokens == ours[2] else f", {tokens - ours[2]:,} tokens more than the stage"
        print(f"  {side:<16}{megabytes / cpu:7.1f}{megabytes / wall:7.1f}{ratio}{differ}")
    opened = min(opening(folders) for _ in range(ROUNDS))
    rest = ours[0] - opened
    ratios = ", ".join(
        f"{cpu / rest:.1f} x {side}" for side, (cpu, _, _) in best.items() if side != "shards stage"
    )
    print(
        f"  the stage opens its tokenizer in {opened:.2f} s, once in a process; "
        f"without that {megabytes / rest:.1f} MB/s, {ratios}"
    )
    return out


def peak_of(folder):
    """Most memory of a process that runs the stage and nothing else."""
    command = [sys.executable, __file__, "--stage", str(folder)]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def check(name, folder):
    """Print what `verify --all` finds."""
    started, checked, faults = time.process_time(), Counter(), 0
    for verdict in verify(folder, everything=True):
        checked += verdict.checked
        faults += len(verdict.faults)
    seconds = time.process_time() - started
    described = read_description(folder)
    size = sum(split.text_bytes for split in described.splits.values()) / 1e6
    print(
        f"verify --all, {name}: {checked['documents']:,} documents, {checked['texts']:,} texts "
        f"compared, {faults:,} faults, {size / seconds:.0f} MB/s of text"
    )
    return faults


def main():
    characters = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 30_000_000
    every = {source.__name__: source() for source in (pubmed, arxiv)}
    # Trained on the first texts of each corpus, measured on the last ones.
    file = trained([text for texts in every.values() for text in up_to(texts, 15_000_000)])
    last = {name: up_to(texts[::-1], characters) for name, texts in every.items()}
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        run_stage(lay(scratch / "first", ["compiled before the clock " * 9], file), scratch / "x")
        for corpus, texts in last.items():
            faults += check(corpus, compare(corpus, texts, file, scratch))
        for times in (1, TIMES):
            lay(scratch / str(times), last["arxiv"], file, times)
            peak = peak_of(scratch / str(times)) / 1e6
            print(f"most memory of the stage on {times} x arxiv: {peak:,.0f} MB")
    demo = Corpus.open(PIPELINE).plan.step("shards").folder
    if (demo / "shards.json").exists():
        faults += check("demo", demo)
    else:
        print("no shards of the demo: corpusforge run pipelines/demo.yaml makes them")
    raise SystemExit(faults > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stage"]:
        base = Path(sys.argv[2])
        run_stage({name: base / name for name in ("clean", "dedup", "tokenizer")}, base / "out")
        print(json.dumps(peak_memory()))
    else:
        main()
