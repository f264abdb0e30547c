"""The command line: what every verb has in common."""

import sys

from rich.console import Console

from corpusforge.cli.parser import make_parser
from corpusforge.errors import CorpusforgeError, QuotaStop, Stopped

STOPPED = 75  # EX_TEMPFAIL of sysexits.h: run the same command again
NO_QUOTA = 69  # EX_UNAVAILABLE: run the same command again when the message says


def main() -> None:
    """Entry point of the `corpusforge` command."""
    sys.exit(run_command(sys.argv[1:], Console()))


def run_command(arguments: list[str], console: Console) -> int:
    """Carry out one command; the exit status."""
    options = make_parser().parse_args(arguments)
    try:
        return options.verb(options, console)
    except Stopped as stopped:
        console.print(f"stopped: {stopped}", style="yellow", markup=False)
        return STOPPED
    except QuotaStop as quota:
        console.print(f"stopped: {quota}", style="yellow", markup=False, soft_wrap=True)
        return NO_QUOTA
    except (CorpusforgeError, OSError) as error:
        # An OSError names its file and what the system said, such as "No space left on device".
        sorry = Console(stderr=True)
        sorry.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        return 1
