"""Every document of the demo's shards, read by Megatron's own reader: does it decode to its text?

The texts are those of clean, without what dedup cut out, in the normal form of the tokenizer; how
many documents and tokens there are is held against shards.json.

    corpusforge run pipelines/demo.yaml && python benchmarks/check_shards.py [PIPELINE]
"""

import importlib
import sys
import warnings
from pathlib import Path

import pyarrow.parquet as pq

from corpusforge import Corpus
from corpusforge.formats.shard_folder import TOKENIZER, read_description
from corpusforge.formats.vocabulary import open_tokenizer
from corpusforge.tables.annotation import surviving_batches

DEMO = Path(__file__).parents[1] / "pipelines" / "demo.yaml"


def megatron_reader():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of optional packages that are not there
        return importlib.import_module("megatron.core.datasets.indexed_dataset").IndexedDataset


def texts_of(inputs, normalize):
    """Every document that dedup keeps, as the tokenizer sees it."""
    return {
        doc_id: normalize(text)
        for pair in zip(inputs.partitions("clean"), inputs.partitions("dedup"), strict=True)
        for batch, _ in surviving_batches(*pair)
        for doc_id, text in zip(*(batch[n].to_pylist() for n in ("doc_id", "text")), strict=True)
    }


def main():
    step = Corpus.open(sys.argv[1] if len(sys.argv) > 1 else DEMO).plan.step("shards")
    reader, described = megatron_reader(), read_description(step.folder)
    tokenizer = open_tokenizer(step.folder / TOKENIZER)
    normalizer = tokenizer.normalizer
    texts = texts_of(step.inputs, normalizer.normalize_str if normalizer else str)
    documents = tokens = wrong = 0
    for split, record in described.splits.items():
        for name in (shard.name for shard in record.shards):
            prefix = step.folder / split / name
            shard = reader(str(prefix))
            rows = pq.read_table(prefix.with_name(f"{name}.parquet"), columns=["doc_id"])
            wrong += abs(len(shard) - rows.num_rows)
            for i, doc_id in enumerate(rows["doc_id"].to_pylist()):
                # A copy: the reader's arrays lie in a map that it closes when it goes.
                ids = shard[i].tolist()
                found = tokenizer.decode(ids[:-1], skip_special_tokens=False)
                # Some tokenizers put a blank before a text.
                same = found in (texts[doc_id], " " + texts[doc_id])
                wrong += not same or ids[-1] != described.eod_id
                documents += 1
                tokens += len(ids)
    told = sum(s.documents for s in described.splits.values())
    told_tokens = sum(s.tokens for s in described.splits.values())
    print(
        f"{documents:,} documents read by megatron-core, {wrong:,} that are not their text; "
        f"{tokens:,} tokens; shards.json tells of {told:,} and {told_tokens:,}"
    )
    raise SystemExit(wrong > 0 or (documents, tokens) != (told, told_tokens))


if __name__ == "__main__":
    main()
