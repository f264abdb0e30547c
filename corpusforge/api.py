"""What notebooks use: one corpus, its tables, its losses, its tokens.

corpus = Corpus.open("pipelines/demo.yaml")
corpus.ledger()                      # what every stage read, kept and rejected
corpus.table("clean")                # documents, as an Arrow table
corpus.measured()                    # what clean measured of every paper, kept or not
corpus.would_reject("gopher")        # what other limits would leave out, without a rerun
corpus.similar("A text of yours …")  # documents like it
corpus.tokens("pubmed:33728380")     # what the model reads of one paper
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from tokenizers import Tokenizer

from corpusforge.errors import ConfigError
from corpusforge.formats.megatron import open_shard
from corpusforge.pipeline.copies import cluster_sizes, source_losses
from corpusforge.pipeline.diff import Change, changes
from corpusforge.pipeline.duplicates import Family, family
from corpusforge.pipeline.ledger import Entry, ledger
from corpusforge.pipeline.plan import Plan, reopen_plan
from corpusforge.pipeline.rejects import measured, samples, would_reject
from corpusforge.pipeline.similar import Index, Match, index_documents
from corpusforge.pipeline.trace import Event, explain, lookup, partitions, provenance
from corpusforge.stages.clean_quality import Quality, preset
from corpusforge.stages.dedup_annotate import REASONS
from corpusforge.stages.stage import REJECTED, TABLE
from corpusforge.stages.tokenizer import TOKENIZER
from corpusforge.tables.schemas import PROVENANCE, REJECTS


@dataclass(frozen=True)
class Corpus:
    """A view of what a pipeline has made so far. Nothing is read until it is asked for."""

    plan: Plan

    @classmethod
    def open(cls, pipeline: str | Path) -> Self:
        """The corpus of a pipeline file.

        Raises:
            ConfigError: The file is wrong.
            SourceError: A source has no files.
        """
        return cls(reopen_plan(Path(pipeline)))

    def ledger(self) -> list[Entry]:
        """What every stage read, kept and rejected."""
        return ledger(self.plan)

    def table(self, stage: str, columns: list[str] | None = None) -> pa.Table:
        """A stage's whole table in memory: `extract`, `clean`, `dedup`, or `shards` (provenance).

        Raises:
            ConfigError: There is no such stage, or it has written no table yet.
        """
        if stage == "shards":
            return self._provenance(columns)
        dataset = partitions(self.plan.step(stage).folder / TABLE)
        if dataset is None:
            raise ConfigError(
                f"{stage} has written no table; `corpusforge run PIPELINE --until {stage}` makes it"
            )
        return dataset.to_table(columns=columns)

    def _provenance(self, columns: list[str] | None) -> pa.Table:
        tables = [
            pq.read_table(path, schema=PROVENANCE).append_column(
                "shard", pa.array([shard] * pq.read_metadata(path).num_rows, pa.string())
            )
            for shard, path in provenance(self.plan).items()
        ]
        if not tables:
            raise ConfigError("there are no shards; `corpusforge run PIPELINE` makes them")
        whole = pa.concat_tables(tables)
        return whole.select(columns) if columns else whole

    def rejects(self, stage: str | None = None) -> pa.Table:
        """The records left out, with their reasons, by one stage or by all."""
        names = [stage] if stage else [step.stage.name for step in self.plan.steps]
        datasets = [partitions(self.plan.step(name).folder / REJECTED) for name in names]
        tables = [dataset.to_table() for dataset in datasets if dataset is not None]
        return pa.concat_tables([REJECTS.empty_table(), *tables])

    def first_rejects(self, stage: str | None, limit: int) -> list[dict[str, Any]]:
        """The first rows of `rejects`, without reading the others."""
        rows: list[dict[str, Any]] = []
        for step in self.plan.steps:
            dataset = (
                partitions(step.folder / REJECTED) if stage in (None, step.stage.name) else None
            )
            if dataset is not None and len(rows) < limit:
                rows += dataset.head(limit - len(rows)).to_pylist()
        return rows

    def samples(self, rejects: pa.Table, count: int, seed: int = 0) -> pa.Table:
        """Up to `count` rejects of each stage and reason, with a column `text` to read.

        Of clean's rejects it is the paper as extract gave it, of later ones the document.

        Args:
            rejects: From `rejects` or `would_reject`.
            count: Rows of a stage and reason.
            seed: Another one gives other rows; the same one the same.
        """
        return samples(self.plan, rejects, count, seed)

    def measured(self, columns: list[str] | None = None) -> pa.Table:
        """What clean measured of every paper that it judged, kept or not.

        Raises:
            ConfigError: Clean has measured nothing yet.
        """
        return measured(self.plan).to_table(columns=columns)

    @property
    def limits(self) -> Quality:
        """The limits of quality of this corpus, by measurement."""
        return preset(self.plan.config.stages.clean.quality)

    def would_reject(self, quality: str | Quality) -> pa.Table:
        """What `rejects("clean")` would be with another preset, or with other limits.

        Raises:
            ConfigError: There is no such preset, or clean has measured nothing yet.
        """
        return would_reject(self.plan, quality)

    def diff(self, doc_id: str) -> list[Change]:
        """What each rule of clean changed in a document, in order.

        Raises:
            ConfigError: Clean is not done, or extract has not kept this document.
        """
        return changes(self.plan, doc_id)

    def clusters(self) -> pa.Table:
        """Removed duplicates: removed, kept, similarity, limit, rule; one row for each."""
        rejects = self.rejects("dedup")
        removed = rejects.filter(pc.field("reason").isin([*REASONS.values()]))
        return pa.table(
            {
                "removed": removed["doc_id"],
                "kept": removed["detail"],
                "similarity": removed["observed"],
                "limit": removed["limit"],
                "rule": removed["reason"],
            }
        )

    def cluster_sizes(self) -> pa.Table:
        """Clusters of copies: cluster, doc_id (kept), kept, removed, documents; largest first.

        Raises:
            ConfigError: Dedup is not done.
        """
        return cluster_sizes(self.plan)

    def losses(self) -> pa.Table:
        """What dedup removed of each source: source, documents, removed.

        Raises:
            ConfigError: Dedup is not done.
        """
        return source_losses(self.plan)

    def duplicates(self, doc_id: str) -> Family:
        """The document kept in the place of a document, and all that was removed for it.

        Raises:
            ConfigError: Dedup is not done, or has not seen the document.
        """
        return family(self.plan, doc_id)

    def similar(self, text: str, count: int = 10) -> list[Match]:
        """Documents of clean that resemble a text, the most similar first; for notebooks.

        The first call signs all documents and puts them into `datasketch`'s `MinHashLSH`, in
        memory: about 14 kB and 0.1 ms for each, so this is for some hundred thousand of them. A
        document is found with the probability that dedup compares a pair: nearly always at the
        similarity that it asks for, seldom at half of it. A document's text begins with its title.

        Args:
            text: In any form; case, spacing and punctuation do not matter.
            count: At most so many.

        Raises:
            ConfigError: Clean has kept nothing yet, or more than can be held.
        """
        return self._index.similar(text, count)

    @cached_property
    def _index(self) -> Index:
        return index_documents(self.plan)

    def explain(self, doc_id: str) -> list[Event]:
        """Every stage's word on a document."""
        return explain(self.plan, doc_id)

    def lookup(self, shard: str, token: int) -> dict[str, Any]:
        """The document that a token of a shard is from."""
        return lookup(self.plan, shard, token)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of this corpus."""
        folder = self.plan.step("tokenizer").folder / TOKENIZER
        if not (folder / "tokenizer.json").exists():
            raise ConfigError("there is no tokenizer; `corpusforge run PIPELINE` makes it")
        return Tokenizer.from_file(str(folder / "tokenizer.json"))

    def tokens(self, doc_id: str) -> NDArray[Any]:
        """The token ids of a document as training reads them, its end-of-document token included.

        Raises:
            ConfigError: The document is in no shard.
        """
        for shard, path in provenance(self.plan).items():
            ids = pq.read_table(path, columns=["doc_id"])["doc_id"]
            at = pc.index(ids, doc_id).as_py()
            if at >= 0:
                return np.asarray(open_shard(path.with_name(shard)).document(at))
        raise ConfigError(f"{doc_id} is in no shard; `corpusforge explain {doc_id}` says why")

    def training_log(self) -> list[dict[str, Any]]:
        """One entry per logged training step; empty before training."""
        path = self.plan.train_folder / "log.jsonl"
        if not path.exists():
            return []
        return [msgspec.json.decode(line) for line in path.read_bytes().split(b"\n") if line]

    def training_result(self) -> dict[str, Any] | None:
        """Final metrics of training, or None before it is done."""
        path = self.plan.train_folder / "DONE"
        return msgspec.json.decode(path.read_bytes()) if path.exists() else None
