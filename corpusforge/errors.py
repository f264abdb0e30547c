"""What can go wrong, by whose move it is to fix it.

Every message says what, where, what was found, what was expected and what to do.
"""


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


class ParseError(Exception):
    """One record cannot be understood. It becomes a reject and never stops a run."""
