"""Every document of the demo's shards, read by Megatron's own reader: does it decode to its text?

corpusforge run pipelines/demo.yaml && python benchmarks/check_shards.py [PIPELINE]
"""

import importlib
import sys
import warnings
from pathlib import Path

import pyarrow.parquet as pq

from corpusforge import Corpus

DEMO = Path(__file__).parents[1] / "pipelines" / "demo.yaml"


def megatron_reader():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of optional packages that are not there
        return importlib.import_module("megatron.core.datasets.indexed_dataset").IndexedDataset


def main():
    corpus = Corpus.open(sys.argv[1] if len(sys.argv) > 1 else DEMO)
    reader = megatron_reader()
    clean = corpus.table("clean", ["doc_id", "text"])
    texts = dict(zip(clean["doc_id"].to_pylist(), clean["text"].to_pylist(), strict=True))
    decode = corpus.tokenizer.decode
    documents = wrong = 0
    for index in sorted(corpus.plan.step("shards").folder.glob("*/*.idx")):
        shard, provenance = reader(str(index.with_suffix(""))), index.with_suffix(".parquet")
        doc_ids = pq.read_table(provenance, columns=["doc_id"])["doc_id"].to_pylist()
        wrong += abs(len(shard) - len(doc_ids))
        for i, doc_id in enumerate(doc_ids):
            # A copy: the reader's arrays lie in a map that it closes when it goes.
            ids = shard[i].tolist()
            wrong += decode(ids[:-1], skip_special_tokens=False) != texts[doc_id]
            documents += 1
    print(f"{documents:,} documents read by megatron-core, {wrong:,} that are not their text")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
