"""The alarm for a source of which dedup leaves hardly anything.

Copies are meant to go, and of a source that another one contains nearly all may go. But where that
is not expected, a wrong field or a wrong limit has made strangers one work. Records that
an index has, come again, count neither as documents nor as removed.
"""

from collections.abc import Mapping

from corpusforge.errors import RunError
from corpusforge.stages.dedup_annotate import AGAIN_OF, OF, REMOVED_OF
from corpusforge.work import Tally

MAX_LOSS = 0.9  # of sources that `max_loss` does not name
MIN_DOCUMENTS = 100  # of fewer, nearly all may be copies by chance


def check_losses(tally: Tally, max_loss: Mapping[str, float]) -> None:
    """Hold what was removed of each source against its limit.

    Args:
        tally: Of a stage; one that does not count removals by source loses nothing here.
        max_loss: By source, the largest share of its documents that may be removed.

    Raises:
        RunError: More is gone of a source.
    """
    for name, every in tally.counts.items():
        source = name.removeprefix(OF)
        again = tally.counts.get(AGAIN_OF + source, 0)
        count = every - again
        if not name.startswith(OF) or count < MIN_DOCUMENTS:
            continue
        removed = tally.counts.get(REMOVED_OF + source, 0) - again
        limit = max_loss.get(source, MAX_LOSS)
        if removed > limit * count:
            raise RunError(
                f"dedup removed {removed:,} of the {count:,} documents of {source} "
                f"({removed / count:.0%}), more than {limit:.0%}; `corpusforge rejects --stage "
                f"dedup` says for which. If they are copies indeed, set max_loss.{source} in the "
                f"pipeline file"
            )
