"""What dedup will find and need, said before it runs."""

from dataclasses import dataclass

from corpusforge.formats.dedup_index import CLAIMS, Index, open_index
from corpusforge.formats.partition import ROW_GROUP
from corpusforge.kernels.lsh import collision_probability
from corpusforge.pipeline.manifest import read_manifest
from corpusforge.pipeline.plan import Plan
from corpusforge.stages.dedup import RECORDS_PER_RANGE, DedupConfig
from corpusforge.stages.dedup_choice import DECISION
from corpusforge.stages.dedup_pairs import PAIR
from corpusforge.stages.dedup_sign import CLAIM
from corpusforge.stages.dedup_verify import EDGE

KEY = 8  # bytes
TOLD = 4  # claims of a document beside its bands: its words, and what it says of itself
BY_RECORD = 1  # and its doc_id, where there is an index
PAGE = 4096  # bytes that the look-up of a key reads from a generation; what is above is in memory
FACTS = 250  # bytes of the facts about a document, of real ones
SORTING = 3  # times its records that a task holds while it orders them
PROCESS = 400_000_000  # bytes of a process with its libraries and kernels, before it has documents
HELD = 2  # times the texts of a row group that a task holds while it signs them
SIMILARITIES = (0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Forecast:
    """Bytes unless it says otherwise."""

    documents: int
    chances: tuple[tuple[float, float], ...]  # (similarity, chance that such a pair is compared)
    keys: int  # on disk until dedup is done, as are the next two
    facts: int
    shingles: int  # if every document had a copy; only those with candidates get any
    task: int  # memory of the hungriest task that runs in parallel, its process included
    pair: int  # more of it for each two candidates, where a document has many
    choice: int  # memory of choosing, for each document with a copy
    edge: int  # and for each two documents that are copies
    index: str = ""  # what is known of the index that is read
    leaves: int = 0  # of the index that is left; what it has of earlier ones are links

    def __str__(self) -> str:
        chances = ", ".join(f"{chance:.4f} at {at:.2g}" for at, chance in self.chances)
        disk = self.keys + self.facts + self.shingles
        return (
            f"dedup plan: {self.documents:,} documents; chance that a pair is compared, by "
            f"similarity: {chances}; scratch at most {_size(disk)} (keys {_size(self.keys)}, facts "
            f"{_size(self.facts)}, shingles {_size(self.shingles)}); memory of a task "
            f"{_size(self.task)}, and {self.pair} bytes for each pair of candidates where they are "
            f"more than the documents; of choosing {self.choice} bytes for each document with a "
            f"copy and {self.edge} for each pair of copies"
            f"{self.index}" + (f"; leaves an index of {_size(self.leaves)}" if self.leaves else "")
        )


def forecast(
    config: DedupConfig, documents: int, text_bytes: int, index: Index | None = None
) -> Forecast:
    """What dedup of so many documents takes; scratch within a fifth on real papers.

    Memory was measured: on 10,000 copies of one text 385 MB, on 1,000,000 claims of which each has
    met another 139 bytes for each claim, and 180 for each further pair.

    Args:
        config: Of dedup.
        documents: That clean has kept.
        text_bytes: Of their texts. A word is taken for six bytes, and a shingle for four.
        index: That the documents are held against.
    """
    at = sorted({*SIMILARITIES, config.limits.similarity})
    by_record = BY_RECORD if config.keep_index or index is not None else 0
    claims = documents * (config.bands + TOLD + by_record)
    record = KEY + max(CLAIM.itemsize, PAIR.itemsize)
    signing = HELD * text_bytes * min(documents, ROW_GROUP) // max(documents, 1)
    keys, facts, shingles = claims * (KEY + CLAIM.itemsize), documents * FACTS, text_bytes * 4 // 6
    return Forecast(
        documents=documents,
        chances=tuple((s, collision_probability(s, config.bands, config.rows)) for s in at),
        keys=keys,
        facts=facts,
        shingles=shingles,
        task=PROCESS + max(signing, SORTING * record * min(claims, RECORDS_PER_RANGE)),
        pair=4 * (KEY + PAIR.itemsize),
        choice=DECISION.itemsize + 6 * KEY,
        edge=2 * (KEY + EDGE.itemsize) + 5 * KEY,
        index="" if index is None else _of_index(index, claims),
        leaves=keys + facts + shingles if config.keep_index else 0,
    )


def dedup_forecast(plan: Plan) -> Forecast | None:
    """The forecast for a plan, or None while clean is not done."""
    clean = read_manifest(plan.step("clean").folder)
    if clean is None:
        return None
    config = plan.config.stages.dedup
    index = None if config.against is None else open_index(plan.base / config.against)
    return forecast(config, clean.tally.kept, clean.tally.bytes_read, index)


def _of_index(index: Index, claims: int) -> str:
    """What the index has, and the most that so many new claims make one read of its keys."""
    generations = len(index.manifest.generations)
    read = min(index.size(CLAIMS), claims * generations * PAGE)
    return (
        f"; index of {index.documents:,} documents in {generations} generations, "
        f"{_size(index.size())}, of which looking up keys reads at most {_size(read)}"
    )


def _size(count: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:,.0f} {unit}"
        count //= 1000
    return f"{count:,.0f} TB"
