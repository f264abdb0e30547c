"""What dedup will find and need, said before it runs."""

from dataclasses import dataclass

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
FACTS = 250  # bytes of the facts about a document, of real ones
SORTING = 3  # times its records that a task holds while it orders them
SIMILARITIES = (0.7, 0.8, 0.9)


@dataclass(frozen=True)
class Forecast:
    """Bytes unless it says otherwise."""

    documents: int
    chances: tuple[tuple[float, float], ...]  # (similarity, chance that such a pair is compared)
    keys: int  # on disk until dedup is done, as are the next two
    facts: int
    shingles: int  # if every document had a copy; only those with candidates get any
    task: int  # memory of the hungriest task that runs in parallel
    choice: int  # memory of choosing, for each document with a copy

    def __str__(self) -> str:
        chances = ", ".join(f"{chance:.4f} at {at:.2g}" for at, chance in self.chances)
        disk = self.keys + self.facts + self.shingles
        return (
            f"dedup plan: {self.documents:,} documents; chance that a pair is compared, by "
            f"similarity: {chances}; scratch at most {_size(disk)} (keys {_size(self.keys)}, facts "
            f"{_size(self.facts)}, shingles {_size(self.shingles)}); memory of a task "
            f"{_size(self.task)}, of choosing {self.choice} bytes for each document with a copy"
        )


def forecast(config: DedupConfig, documents: int, text_bytes: int) -> Forecast:
    """What dedup of so many documents takes; scratch within a fifth on real papers.

    Args:
        config: Of dedup.
        documents: That clean has kept.
        text_bytes: Of their texts. A word is taken for six bytes, and a shingle for four.
    """
    at = sorted({*SIMILARITIES, config.limits.similarity})
    claims = documents * (config.bands + TOLD)
    record = KEY + max(CLAIM.itemsize, PAIR.itemsize)
    return Forecast(
        documents=documents,
        chances=tuple((s, collision_probability(s, config.bands, config.rows)) for s in at),
        keys=claims * (KEY + CLAIM.itemsize),
        facts=documents * FACTS,
        shingles=text_bytes * 4 // 6,
        task=SORTING * record * min(claims, RECORDS_PER_RANGE),
        choice=2 * (KEY + EDGE.itemsize) + DECISION.itemsize + 5 * KEY,
    )


def dedup_forecast(plan: Plan) -> Forecast | None:
    """The forecast for a plan, or None while clean is not done."""
    clean = read_manifest(plan.step("clean").folder)
    if clean is None:
        return None
    return forecast(plan.config.stages.dedup, clean.tally.kept, clean.tally.bytes_read)


def _size(count: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:,.0f} {unit}"
        count //= 1000
    return f"{count:,.0f} TB"
