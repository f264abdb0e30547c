"""The four MinHash stages of `datatrove` on the texts of a folder of partitions.

Run as a program it deduplicates a folder with two workers and prints seconds, seconds of the
processor, documents read and documents removed, as JSON:

    python benchmarks/datatrove_dedup.py FOLDER SCRATCH
"""

import json
import resource
import struct
import sys
import time
from pathlib import Path

import xxhash
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import ParquetReader
from datatrove.utils.hashing import HashConfig
from datatrove.utils.logging import logger

WORKERS = 2
BANDS, ROWS, WORDS = 20, 6, 5  # those of corpusforge's dedup


def digest(text):
    """Its default hash, which it calls with strings; xxhash 4 takes bytes alone."""
    return xxhash.xxh64_intdigest(text.encode())


def signature_block(folder, bands, rows):
    config = MinhashConfig(
        n_grams=WORDS,
        num_buckets=bands,
        hashes_per_bucket=rows,
        hash_config=HashConfig(hash_fc="sha1"),
    )
    block = MinhashDedupSignature(str(folder), config)
    block._hash_func = digest
    return block


def sign_texts(texts, block):
    """What the block does with a reader before it: signatures into files."""
    block.run(Document(text=text, id=str(i)) for i, text in enumerate(texts))


def reader(folder):
    return ParquetReader(
        str(folder), glob_pattern="*.parquet", id_key="doc_id", read_metadata=False
    )


def dedup(folder, scratch):
    """All four stages. The kept documents go nowhere: corpusforge does not write them either."""
    signing = signature_block(scratch / "signatures", BANDS, ROWS)
    stages = [
        (WORKERS, [reader(folder), signing]),
        (
            BANDS,
            [
                MinhashDedupBuckets(
                    str(scratch / "signatures"), str(scratch / "buckets"), config=signing.config
                )
            ],
        ),
        (
            1,
            [
                MinhashDedupCluster(
                    str(scratch / "buckets"), str(scratch / "removed"), config=signing.config
                )
            ],
        ),
        (WORKERS, [reader(folder), MinhashDedupFilter(str(scratch / "removed"))]),
    ]
    for number, (tasks, pipeline) in enumerate(stages):
        LocalPipelineExecutor(
            pipeline,
            tasks=tasks,
            workers=min(tasks, WORKERS),
            logging_dir=str(scratch / f"log-{number}"),
            start_method="fork",
        ).run()


def removed(scratch):
    size = struct.calcsize("<I")
    return sum(p.stat().st_size // size for p in (scratch / "removed").glob("*.remove"))


def processor_seconds():
    """Of this process and of those that it started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def main():
    folder, scratch = map(Path, sys.argv[1:])
    logger.disable("datatrove")
    started, used = time.perf_counter(), processor_seconds()
    dedup(folder, scratch)
    seconds = time.perf_counter() - started
    print(json.dumps([seconds, processor_seconds() - used, removed(scratch)]))


if __name__ == "__main__":
    main()
