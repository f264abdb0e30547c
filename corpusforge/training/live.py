"""The live view: a table in a terminal that is drawn anew while a run goes on.

The first rank writes it, as the control characters of a terminal, into its standard output. That is
a pipe to the launcher, which passes everything on to the terminal as it comes; so the rank has to
be told how wide the terminal is. Lines of text appear above the table.
"""

import sys
import time

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from corpusforge.training.moment import Moment, duration

EVERY = 0.25  # seconds between two drawings


class View:
    """A table in a terminal of so many columns, from now until it is closed."""

    def __init__(self, columns: int) -> None:
        self._console = Console(file=sys.stdout, force_terminal=True, width=columns)
        self._live = Live(console=self._console, auto_refresh=False)
        self._live.start()
        # A run may end without a last word, and would leave a terminal without a cursor.
        self._console.show_cursor(True)
        self._drawn = 0.0

    def say(self, line: str) -> None:
        """Print a line above the table."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def show(self, moment: Moment) -> None:
        """Draw the table, unless it was drawn a moment ago; the last step is always drawn."""
        now = time.monotonic()
        if now >= self._drawn + EVERY or moment.steps_done == moment.steps:
            self._live.update(live_table(moment), refresh=True)
            self._drawn = now

    def close(self) -> None:
        """Leave the table as it is."""
        self._live.stop()


def live_table(moment: Moment) -> Group:
    """Where a run is: a bar, and a row of numbers."""
    reading = moment.reading
    facts = {
        "step": f"{moment.steps_done:,}/{moment.steps:,}",
        "loss": f"{moment.taken.loss:.3f}",
        "tokens/s": f"{reading.tokens_per_second:,.0f}",
        "of peak FLOPs": f"{reading.utilisation:.1%}",
        "waiting": f"{reading.waited:.1%}",
        "memory": f"{reading.memory / 1e9:,.2f} GB",
        "time left": duration(reading.seconds_left),
    }
    table = Table(*facts, box=SIMPLE_HEAD, pad_edge=False)
    table.add_row(*facts.values())
    bar = ProgressBar(total=moment.steps, completed=moment.steps_done, width=60)
    return Group(bar, table)
