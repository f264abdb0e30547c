"""Documents like a given text, from an index of `datasketch` on the signatures of dedup.

The signatures are `datasketch`'s own, bit for bit, so its `MinHashLSH` can hold and query them. It
holds them as Python objects: about 14 kB of memory and 0.1 ms of time for each document, which is
for a notebook and a hundred thousand documents. Dedup itself never builds it.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from datasketch import MinHash, MinHashLSH
from numpy.typing import NDArray

from corpusforge.errors import ConfigError
from corpusforge.formats.partition import ROW_GROUP
from corpusforge.kernels.cleaning import repair
from corpusforge.kernels.minhash import HashFamily, text_signatures
from corpusforge.kernels.shingles import letter_table
from corpusforge.pipeline.plan import Plan
from corpusforge.pipeline.trace import partitions
from corpusforge.stages.dedup import DedupConfig
from corpusforge.stages.stage import TABLE
from corpusforge.tables.text import text_buffers

MOST_DOCUMENTS = 300_000  # 4 GB
COLUMNS = ["doc_id", "title", "text"]


@dataclass(frozen=True)
class Match:
    """A document that resembles a text."""

    doc_id: str
    similarity: float  # estimated Jaccard of their shingles, within about 0.04 at 0.8
    title: str


@dataclass(frozen=True, eq=False)
class Signer:
    """Signs texts as dedup does."""

    family: HashFamily
    shingle_words: int
    seed: int

    @classmethod
    def of(cls, config: DedupConfig) -> "Signer":
        family = HashFamily.seeded(config.bands * config.rows, config.seed)
        return cls(family, config.shingle_words, config.seed)

    def sign(self, texts: pa.Array) -> NDArray[np.uint32]:
        """Signatures (D, k) of a large_string array."""
        buffers = text_buffers(texts)
        return text_signatures(*buffers, letter_table(), self.shingle_words, self.family)[0]

    def minhash(self, signature: NDArray[np.uint32]) -> MinHash:
        """A signature as `datasketch` has it; it can be merged and queried with its own."""
        return MinHash(
            seed=self.seed,
            scheme="affine32",
            hashvalues=signature,
            permutations=self.family.coefficients,
        )


@dataclass(frozen=True, eq=False)
class Index:
    """All documents of a corpus, to be asked for those like a text."""

    signer: Signer
    bands: MinHashLSH  # its keys are rows of what follows
    signatures: NDArray[np.uint32]  # (D, k)
    names: pa.Table  # doc_id and title

    def similar(self, text: str, count: int) -> list[Match]:
        """At most `count` documents that share a band with a text, the most similar first.

        The text is repaired first, as clean repairs those of documents.
        """
        [signature] = self.signer.sign(pa.array(repair([text]).texts, pa.large_string()))
        rows = np.array(self.bands.query(self.signer.minhash(signature)), np.int64)
        likeness = (self.signatures[rows] == signature).mean(axis=1)
        doc_ids = self.names["doc_id"].take(rows).to_pylist()
        best = sorted(range(len(rows)), key=lambda i: (-likeness[i], doc_ids[i]))[:count]
        titles = self.names["title"].take(rows[best]).to_pylist()
        return [
            Match(doc_ids[i], float(likeness[i]), title)
            for i, title in zip(best, titles, strict=True)
        ]


def index_documents(plan: Plan) -> Index:
    """An index of clean's documents with the parameters of dedup.

    Raises:
        ConfigError: Clean has kept nothing yet, or more than MOST_DOCUMENTS.
    """
    documents = partitions(plan.step("clean").folder / TABLE)
    if documents is None:
        raise ConfigError(
            "clean has written no table; `corpusforge run PIPELINE --until clean` makes it"
        )
    if (rows := documents.count_rows()) > MOST_DOCUMENTS:
        raise ConfigError(
            f"clean has {rows:,} documents, more than the {MOST_DOCUMENTS:,} that `similar` holds "
            f"in memory; `corpusforge duplicates DOC_ID` shows what dedup found in any number"
        )
    config = plan.config.stages.dedup
    signer = Signer.of(config)
    size = config.bands * config.rows
    bands = MinHashLSH(num_perm=size, params=(config.bands, config.rows))
    signed, names = [np.empty((0, size), np.uint32)], []
    for batch in documents.to_batches(columns=COLUMNS, batch_size=ROW_GROUP, batch_readahead=1):
        signed.append(signer.sign(batch["text"]))
        names.append(batch.select(["doc_id", "title"]))
    signatures = np.concatenate(signed)
    for row, signature in enumerate(signatures):
        bands.insert(row, signer.minhash(signature), check_duplication=False)
    schema = pa.schema([documents.schema.field(name) for name in ("doc_id", "title")])
    return Index(signer, bands, signatures, pa.Table.from_batches(names, schema))
