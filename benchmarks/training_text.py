"""The text of a pipeline as `train.py` needs it: by split, as bytes, and as it was before clean."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from training_setup import write_shards

from corpusforge.kernels.bpe_training import byte_characters
from corpusforge.stages.encoder import open_encoder
from corpusforge.stages.tokenizer_files import SPECIALS
from corpusforge.training.corpus import open_corpus
from corpusforge.training.tokenizer import byte_lengths

END = 0  # id of the end of a document in tokenizers made here
SEED = 7
COLUMNS = ["doc_id", "title", "abstract", "body"]


def clean_texts(corpus, split):
    """The texts of a split, in the order of its shards."""
    shards = corpus.table("shards", ["uid", "shard"])
    clean = corpus.table("clean", ["uid", "text"])
    texts = dict(zip(clean["uid"].to_pylist(), clean["text"].to_pylist(), strict=True))
    rows = zip(shards["uid"].to_pylist(), shards["shard"].to_pylist(), strict=True)
    return [texts[uid] for uid, shard in rows if shard.startswith(split)]


def raw_texts(corpus):
    """Titles, abstracts and bodies as extract gives them, but of nothing that is held out.

    Copies of what is held out are left out too, in a random order that is always the same.
    """
    shards = corpus.table("shards", ["doc_id", "shard"]).to_pylist()
    held = {row["doc_id"] for row in shards if not row["shard"].startswith("train")}
    for row in corpus.table("dedup", ["doc_id", "copies"]).to_pylist():
        if row["doc_id"] in held:
            held.update(row["copies"])
    papers = corpus.table("extract", COLUMNS).to_pylist()
    texts = [
        "\n\n".join(paper[part] for part in COLUMNS[1:] if paper[part])
        for paper in sorted(papers, key=lambda paper: paper["doc_id"])
        if paper["doc_id"] not in held
    ]
    return [texts[i] for i in np.random.default_rng(SEED).permutation(len(texts))]


def encoded(tokenizer, texts, end):
    """Token ids of each text, ended by `end`."""
    ids, bounds = open_encoder(tokenizer).encode(pa.array(texts, pa.large_string()))
    return [np.append(ids[a:b], end) for a, b in pairwise(bounds)]


def byte_shards(corpus, folder, sizes):
    """Shards of the clean text in which each byte is a token; so many bytes of each split."""
    alphabet = [*SPECIALS, *byte_characters()]
    tokenizer = Tokenizer(models.BPE({name: i for i, name in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(SPECIALS))
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    splits = {}
    for split, size in sizes.items():
        texts = clean_texts(corpus, split)
        ends = np.cumsum([len(text.encode()) for text in texts])
        some = texts[: int(np.searchsorted(ends, size)) + 1]
        splits[split] = encoded(folder / "tokenizer.json", some, END)
    return write_shards(folder, splits, len(alphabet), END)


def raw_shards(corpus, clean, folder):
    """Shards of the text before clean and dedup, with the clean tokenizer and validation text."""
    described, tokenizer = open_corpus(clean), clean / "tokenizer.json"
    end, vocab_size = described.description.eod_id, described.description.vocab_size
    held = [shard.document(i) for shard in described.shards("valid") for i in range(len(shard))]
    folder.mkdir()
    (folder / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    splits = {"train": encoded(tokenizer, raw_texts(corpus), end), "valid": held}
    return write_shards(folder, splits, vocab_size, end)


def made_up_shards(folder, tokens, vocab_size):
    """Random ids in documents of random lengths, about 600 tokens each as abstracts and more."""
    random, documents, left = np.random.default_rng(SEED), [], tokens
    while left > 0:
        length = min(left, int(random.lognormal(5.9, 1.0)) + 2)
        documents.append(random.integers(1, vocab_size, length).astype(np.uint16))
        left -= length
    return write_shards(folder, {"train": documents}, vocab_size, END)


def described(folder):
    """Documents, tokens and bytes of a folder's training text, for people."""
    corpus = open_corpus(folder)
    lengths = byte_lengths(folder / "tokenizer.json", corpus.description.vocab_size)
    size = sum(int(lengths[shard.tokens].sum()) for shard in corpus.shards("train"))
    split = corpus.description.splits["train"]
    return f"{split.documents:,} documents, {split.tokens:,} tokens, {size / 1e6:.1f} MB"
