"""A harvest from an emulator into a folder, again and again."""

from corpusforge.sources.harvest import Surroundings, harvest
from corpusforge.sources.network import NetworkConfig
from corpusforge.sources.records import Found


class Harvest:
    """Each call is another run, with the same landing zone.

    Args:
        kind: Type of the config.
        read: Reads the landing files.
        server: Whom to ask.
        folder: Of the zone and of what a run brings.
        clock: A FakeClock.
    """

    def __init__(self, kind, read, server, folder, clock):
        self.kind, self.read, self.server, self.folder = kind, read, server, folder
        self.clock = clock
        self.environment = {}
        self.network = {"per_second": 1000.0, "concurrency": 1}
        self.files = []

    def __call__(self, **settings):
        config = self.kind(address=self.server.url, **settings)
        around = Surroundings(
            self.folder,
            self.folder / "zone",
            NetworkConfig(**self.network),
            self.environment,
            self.clock.clock,
        )
        self.files, summary = harvest(config, self.folder / "out", around)
        return summary

    def records(self):
        return [record for path in self.files for record in self.read(path)]

    def papers(self):
        """By source id; none may come twice."""
        found = [record.paper for record in self.records() if isinstance(record, Found)]
        papers = {paper.source_id: paper for paper in found}
        assert len(papers) == len(found)
        return papers

    def missing(self):
        lines = (self.folder / "out" / "missing.tsv").read_text().splitlines()
        return [tuple(line.split("\t")) for line in lines]
