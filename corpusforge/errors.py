"""What can go wrong, by whose move it is to fix it.

Every message says what, where, what was found, what was expected and what to do.
"""

from datetime import UTC, datetime


class CorpusforgeError(Exception):
    """Shown to the user as one sentence, without a traceback."""


class ConfigError(CorpusforgeError):
    """The recipe or its surroundings are wrong; nothing has been run yet."""


class SourceError(CorpusforgeError):
    """A source cannot be read at all: missing, empty, or not what it says it is."""


class FormatError(CorpusforgeError):
    """A file of ours does not hold what its header or its receipt promises."""


class ContractError(CorpusforgeError):
    """A promise of the pipeline was broken, such as a record that vanished: stop, do not repair."""


class RunError(CorpusforgeError):
    """A run stopped before its end; what is done is kept and the same command continues it."""


class Stopped(RunError):  # noqa: N818 (an order that was carried out, not an error)
    """Asked to stop; tasks in flight were finished. Worth starting again."""


class QuotaStop(RunError):  # noqa: N818 (an order of the server that is carried out)
    """The server wants no more requests for longer than a run should sleep.

    What was fetched is on disk, and the same command continues there.
    """

    def __init__(self, what: str, come_back: float | None) -> None:
        self.what = what
        self.come_back = come_back  # seconds since the epoch, None if the server does not say
        super().__init__(
            f"{what}; what is fetched is kept, and the same command continues it: "
            f"run it again {_when(come_back)}"
        )


def _when(moment: float | None) -> str:
    if moment is None:
        return "when the quota is free again (the server does not say when)"
    try:
        return f"after {datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return f"after {moment:.0f} seconds since 1970"


class ParseError(Exception):
    """One record cannot be understood. It becomes a reject and never stops a run."""
