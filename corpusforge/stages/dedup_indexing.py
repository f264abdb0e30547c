"""The phases of dedup that read an index of an earlier run, and those that leave one.

    settle     once            which documents of the index are gone, for all tasks to come
    supersede  once            documents of the index for which a better copy has come
    remember … seal            see `dedup_remember`

What a run over new documents finds beside an index, and a run over all of them at once:

* Every pair of copies of which one is new and the other was kept is found by both. Of a key that
  more than 34 documents share, both compare a part of the pairs, not the same one.
* Documents that were removed before are not remembered, but their identifiers are, where the kept
  one had none of the kind. A new one that resembles only a removed one stays in both, but in a
  cluster of its own here. Where a new one supersedes the document that a
  third one was removed for, the third is not looked at again; one run would keep it if it does not
  resemble the new one enough itself.
* Where all copies of a work resemble each other, the same documents survive, but that of equals the
  remembered one stays: it is out already, and taking it back would gain nothing.
* A record that comes again under its doc_id is one with the remembered one, whatever it says now,
  as it is in extract; which of the two stays is a matter of `keep`.
* What a remembered document lacks it does not get from new copies: it is released already.

Limits may differ from those of the earlier run: pairs are verified by those of this one.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from corpusforge.errors import ConfigError, FormatError
from corpusforge.formats.dedup_index import (
    CLAIMS,
    FACTS,
    GONE,
    MANIFEST,
    SETS,
    Index,
    Parameters,
    generation_name,
    open_index,
)
from corpusforge.formats.run import key_ranges
from corpusforge.stages.dedup_places import Places
from corpusforge.stages.dedup_recall import settle
from corpusforge.stages.dedup_remember import carry, merge, remember, seal
from corpusforge.stages.dedup_superseded import FILE, tell_superseded
from corpusforge.stages.stage import SCRATCH, Phase, Phases, partition_targets
from corpusforge.work import Task

INDEX = "index"  # in the folder of the stage


@dataclass(frozen=True)
class Keeping:
    """An index that is read, and one that may be left."""

    out: Path  # folder of the stage
    old: Path | None
    parameters: Parameters
    documents: list[Path]

    @property
    def gone(self) -> Path:
        return self.out / SCRATCH / "gone.run"

    @property
    def decisions(self) -> Path:
        return self.out / SCRATCH / "decisions.run"


def agreeing_index(folder: Path, parameters: Parameters) -> Index:
    """An index that a run with these parameters can be held against.

    Raises:
        ConfigError: It is none, is damaged, or was made with other parameters.
    """
    try:
        index = open_index(folder)
    except FormatError as error:
        raise ConfigError(f"stages.dedup.against: {error}") from error
    theirs, ours = (msgspec.structs.asdict(p) for p in (index.manifest.parameters, parameters))
    differing = [
        f"{name} {_told(theirs[name])} (here {_told(ours[name])})"
        for name in ours
        if theirs[name] != ours[name]
    ]
    if differing:
        raise ConfigError(
            f"stages.dedup.against: {folder} was made with {', '.join(differing)}; set these as "
            f"they were, or make the index anew from all documents"
        )
    return index


def _told(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else str(value)


def settling(keeping: Keeping) -> Phases:
    """The phase before all others, where there is an index."""
    if keeping.old is not None:
        yield Phase("settle", settle, [Task("all", (keeping.old,), (keeping.gone,))])


def superseding(keeping: Keeping, places: Places) -> Phase:
    """The phase after annotate, where there is an index."""
    task = Task("all", (keeping.decisions,), (keeping.out / FILE,))
    return Phase("supersede", partial(tell_superseded, places=places), [task])


def remembering(keeping: Keeping, records_per_range: int) -> Phases:
    """The last phases, where an index is wanted."""
    out, scratch, index = keeping.out, keeping.out / SCRATCH, keeping.out / INDEX
    before = () if keeping.old is None else open_index(keeping.old).manifest.generations
    added = index / generation_name(len(before))
    claims, listed = scratch / "kept-claims", scratch / "listed"
    kept = yield Phase(
        "remember",
        partial(
            remember,
            generation=len(before),
            shingle_words=keeping.parameters.shingle_words,
        ),
        [
            Task(
                p.stem,
                (
                    p,
                    partition_targets(out, p.stem)[0],
                    scratch / "facts" / f"{p.stem}.arrow",
                    scratch / "claims" / f"{p.stem}.run",
                ),
                (
                    added / FACTS / f"{p.stem}.arrow",
                    added / SETS / f"{p.stem}.arrow",
                    claims / f"{p.stem}.run",
                    listed / f"{p.stem}.json",
                ),
                (part,),
            )
            for part, p in enumerate(keeping.documents)
        ],
    )
    ranges = key_ranges(kept.counts.get("claims_remembered", 0), records_per_range)
    names = [f"range-{i:05d}" for i in range(len(ranges))]
    yield Phase(
        "merge",
        merge,
        [
            Task(name, (claims,), (added / CLAIMS / f"{name}.run", listed / f"{name}.json"), bounds)
            for name, bounds in zip(names, ranges, strict=True)
        ],
    )
    if keeping.old is not None:
        folder = keeping.old
        yield Phase(
            "carry",
            carry,
            [
                Task(
                    generation_name(i),
                    tuple(folder / name for name in generation.files),
                    tuple(index / name for name in generation.files),
                )
                for i, generation in enumerate(before)
            ],
        )
    earlier = () if keeping.old is None else (keeping.gone, keeping.decisions)
    yield Phase(
        "seal",
        partial(seal, parameters=keeping.parameters, old=keeping.old),
        [Task("all", (listed, *earlier), (index / GONE, index / MANIFEST))],
    )
