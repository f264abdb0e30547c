"""What notebooks use: one corpus, its tables, its losses, its tokens.

corpus = Corpus.open("pipelines/demo.yaml")
corpus.ledger()                      # what every stage read, kept and rejected
corpus.table("clean")                # documents, as an Arrow table
corpus.measured()                    # what clean measured of every paper, kept or not
corpus.would_reject("gopher")        # what other limits would leave out, without a rerun
corpus.similar("A text of yours …")  # documents like it
corpus.tokens("pubmed:33728380")     # what the model reads of one paper
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import msgspec
import pyarrow as pa
from numpy.typing import NDArray
from tokenizers import Tokenizer

from corpusforge.errors import ConfigError
from corpusforge.lock import exclusive
from corpusforge.pipeline.copies import cluster_sizes, removals, source_losses
from corpusforge.pipeline.diff import Change, changes
from corpusforge.pipeline.duplicates import Family, family, superseded
from corpusforge.pipeline.export_documents import export_documents
from corpusforge.pipeline.export_folder import FILE_BYTES, Exported
from corpusforge.pipeline.export_samples import export_samples
from corpusforge.pipeline.ledger import Entry, ledger
from corpusforge.pipeline.licences import licences
from corpusforge.pipeline.plan import Plan, reopen_plan
from corpusforge.pipeline.rejects import first_rejects, measured, samples, would_reject
from corpusforge.pipeline.shard_verify import Verdict, verify
from corpusforge.pipeline.similar import Index, Match, index_documents
from corpusforge.pipeline.takedown import Result, takedown
from corpusforge.pipeline.tokenizer import diagnostics_of, tokenizer_of
from corpusforge.pipeline.trace import (
    Event,
    explain,
    lookup,
    partitions,
    provenance_table,
    tokens_of,
)
from corpusforge.stages.clean_quality import Quality, preset
from corpusforge.stages.stage import REJECTED, TABLE
from corpusforge.stages.tokenizer_diagnostics import Diagnostics
from corpusforge.tables.schemas import REJECTS


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
            whole = provenance_table(self.plan)
            return whole.select(columns) if columns else whole
        dataset = partitions(self.plan.step(stage).folder / TABLE)
        if dataset is None:
            raise ConfigError(
                f"{stage} has written no table; `corpusforge run PIPELINE --until {stage}` makes it"
            )
        return dataset.to_table(columns=columns)

    def rejects(self, stage: str | None = None) -> pa.Table:
        """The records left out, with their reasons, by one stage or by all."""
        names = [stage] if stage else [step.stage.name for step in self.plan.steps]
        datasets = [partitions(self.plan.step(name).folder / REJECTED) for name in names]
        tables = [dataset.to_table() for dataset in datasets if dataset is not None]
        return pa.concat_tables([REJECTS.empty_table(), *tables])

    def first_rejects(self, stage: str | None, limit: int) -> list[dict[str, Any]]:
        """The first rows of `rejects`, without reading the others."""
        return first_rejects(self.plan, stage, limit)

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
        return removals(self.rejects("dedup"))

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

    def superseded(self) -> pa.Table:
        """Documents of earlier runs that a better copy replaces; empty without `against`.

        Raises:
            ConfigError: Dedup is not done.
        """
        return superseded(self.plan)

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
        return tokenizer_of(self.plan)

    def tokenizer_diagnostics(self) -> Diagnostics:
        """How the tokenizer spells documents that were held out of its training.

        Raises:
            ConfigError: It is not there, or nothing was measured.
        """
        return diagnostics_of(self.plan)

    def tokens(self, doc_id: str) -> NDArray[Any]:
        """The token ids of a document as training reads them, its end-of-document token included.

        Raises:
            ConfigError: The document is in no shard.
        """
        return tokens_of(self.plan, doc_id)

    def verify(self, everything: bool = False) -> list[Verdict]:
        """Whether the shards are what was written; of all texts, or of a sample.

        Returns:
            A verdict on the folder, and one on each shard; they are good if none has `faults`.

        Raises:
            ConfigError: There are no shards.
        """
        return list(verify(self.plan.step("shards").folder, everything))

    def takedown(self, doc_ids: Sequence[str]) -> Result:
        """Take documents out of the shards; nothing happens to those that are out already.

        Raises:
            ConfigError: There are no shards, or a run is at work in the output folder.
        """
        with exclusive(self.plan.output):
            return takedown(self.plan.step("shards").folder, doc_ids)

    def licences(self) -> pa.Table:
        """What the shards hold: source, licence, documents, tokens, text_bytes.

        Raises:
            ConfigError: There are no shards.
        """
        groups = licences(self.plan.step("shards").folder).groups
        return pa.Table.from_pylist([msgspec.structs.asdict(group) for group in groups])

    def export_texts(self, into: str | Path, max_bytes: int = FILE_BYTES) -> Exported:
        """Write the clean texts as Parquet for `datasets`; documents and files of each split.

        Raises:
            ConfigError: The folder is not empty, or there are no shards.
        """
        with exclusive(self.plan.output):
            return export_documents(self.plan, Path(into), max_bytes)

    def export_samples(
        self, into: str | Path, window: int | None = None, max_bytes: int = FILE_BYTES
    ) -> Exported:
        """Write documents, or windows of `window` + 1 tokens, as WebDataset.

        Returns:
            Samples and files of each split.

        Raises:
            ConfigError: The library is missing, the folder is not empty, or there are no shards.
        """
        with exclusive(self.plan.output):
            shards = self.plan.step("shards").folder
            return export_samples(shards, Path(into), max_bytes, window)

    def training_log(self) -> list[dict[str, Any]]:
        """One entry per logged training step; empty before training."""
        path = self.plan.train_folder / "log.jsonl"
        if not path.exists():
            return []
        *lines, _ = path.read_bytes().split(b"\n")  # after the last end may be half a line
        return [msgspec.json.decode(line) for line in lines]

    def training_result(self) -> dict[str, Any] | None:
        """Final metrics of training, or None before it is done."""
        path = self.plan.train_folder / "DONE"
        return msgspec.json.decode(path.read_bytes()) if path.exists() else None
