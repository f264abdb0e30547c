"""An emulator from the command line: `python tests/emulators scopus --port 8300`.

The first argument names it; the rest are its own (`--help`). Ctrl-C ends it.
"""

import runpy
import sys
from pathlib import Path

NAMES = ("core", "crossref", "files", "oaipmh", "openalex", "scopus")

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
        raise SystemExit(f"usage: python tests/emulators {{{','.join(NAMES)}}} [options]")
    sys.path.insert(0, str(Path(__file__).parents[1]))
    runpy.run_module(f"emulators.{sys.argv.pop(1)}", run_name="__main__")
