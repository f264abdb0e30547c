"""Scopus and CORE, fetched from servers on this machine, to token shards: no key needed.

The servers answer with papers of the demo's PubMed file, some of them from both, so that dedup has
work to do. Run by `make demo-api`, after the demo's extract stage.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))

from corpusforge import Corpus  # noqa: E402
from emulators.core import CoreEmulator  # noqa: E402
from emulators.documents import Document  # noqa: E402
from emulators.scopus import ScopusEmulator  # noqa: E402

ROOT = HERE.parents[2]
FOLDER = ROOT / "work" / "demo-api"
KEY = "emulator-key-0001"
EACH = 2000  # records of each source; half of them are in both
PIPELINE = """
output: output
network: {{per_second: 200}}
stages:
  fetch:
    downloads:
      scopus: {{kind: scopus, query: TITLE-ABS-KEY(the), address: "{scopus}"}}
      core: {{kind: core, query: the, address: "{core}/v3"}}
  extract:
    sources:
      scopus: {{kind: scopus, fetched: scopus, files: "landing-*.gz"}}
      core: {{kind: core, fetched: core, files: "landing-*.gz"}}
  tokenizer: {{vocabulary: 4096}}
cluster: {{dashboard: 0}}
"""


def papers():
    """Papers of the demo's second PubMed file, which have DOIs and abstracts."""
    table = Corpus.open(ROOT / "pipelines" / "demo.yaml").table(
        "extract", ["pmid", "doi", "title", "abstract", "year"]
    )
    rows = [row for row in table.to_pylist() if row["doi"] and row["abstract"] and row["year"]]
    return [Document(number, **row) for number, row in enumerate(rows[: EACH + EACH // 2])]


def main():
    documents = papers()
    with (
        ScopusEmulator(documents[:EACH]) as scopus,
        CoreEmulator(documents[EACH // 2 :]) as core,
    ):
        FOLDER.mkdir(parents=True, exist_ok=True)
        pipeline = FOLDER / "pipeline.yaml"
        pipeline.write_text(PIPELINE.format(scopus=scopus.url, core=core.url))
        command = [sys.executable, "-m", "corpusforge", "run", str(pipeline)]
        keys = {"SCOPUS_API_KEY": KEY, "CORE_API_KEY": KEY}
        done = subprocess.run(command, env={**os.environ, **keys}, check=False)
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
