"""The original files of CORE's works, mostly PDF: for whoever reads them better than CORE did.

Each is asked for at the API, which redirects to CORE's file server, on another host; not rarely
there is nothing there. What came lies in the landing zone as `<id of the work>.pdf`, what is not
there is noted as `<id>.missing`: each costs tokens once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

from corpusforge.errors import CorpusforgeError, ParseError, QuotaStop, SourceError
from corpusforge.formats.atomic import write_atomic
from corpusforge.parsers.core_api import output_with_file, work_id
from corpusforge.sources.at_once import all_at_once, place
from corpusforge.sources.collection import MAX_IN_A_ROW
from corpusforge.sources.core_plan import CoreConfig, file_address
from corpusforge.sources.core_records import works_in
from corpusforge.sources.download import RefusedError, download
from corpusforge.sources.http import Client
from corpusforge.sources.landing_file import Place, read_member

ORIGINALS = "originals"  # folder of the files, in the landing zone and in a download's folder
NOT_THERE = (404, 410)
MAGIC, WITHIN = b"%PDF-", 1024  # readers look for the one within the other


@dataclass(frozen=True)
class Original:
    """The original file of one work."""

    work: str
    url: str | None  # None if CORE names no file


def originals_of(config: CoreConfig, used: Sequence[Place]) -> list[Original]:
    """The files of all works in these answers, each work once, in their order."""
    found: dict[str, Original] = {}
    for work in _works(used):
        try:
            name, output = work_id(work), output_with_file(work)
        except ParseError:
            continue  # told when the records are read
        url = None if output is None else file_address(config, output)
        if found.get(name, Original(name, None)).url is None:
            found[name] = Original(name, url)
    return list(found.values())


def _works(used: Sequence[Place]) -> Iterator[bytes]:
    for answered in used:
        if answered.status == 200:
            yield from works_in(read_member(answered).answer.body)


def fetch_originals(
    originals: Sequence[Original], client: Client, store: Path, folder: Path
) -> tuple[list[Path], tuple[tuple[str, str], ...]]:
    """Bring files into the store and from there into a folder.

    Args:
        originals: What to bring; what is there, or known not to be, is not asked for.
        client: Asks with the key, and follows CORE to its file server.
        store: Of all files, shared by all pipelines.
        folder: Of these.

    Returns:
        Where they are, and (id of the work, why) of those that did not come.

    Raises:
        QuotaStop: The tokens are used up; the same call later goes on.
        SourceError: CORE refuses the key, or several files in a row failed.
    """
    store.mkdir(parents=True, exist_ok=True)
    row = _Row()
    bring = partial(_bring, client=client, store=store, row=row)
    faults = all_at_once(bring, originals, client)
    if row.end is not None:
        raise row.end
    placed: list[Path] = []
    missing: list[tuple[str, str]] = []
    for original, fault in zip(originals, faults, strict=True):
        if fault:
            missing.append((original.work, fault))
        else:
            placed.append(folder / _name(original))
            place(store / _name(original), placed[-1])
    return placed, tuple(missing)


class _Row:
    """How many files failed one after the other, and whether that or another error ended it all.

    The end lets the files that are under way arrive: their tokens are spent.
    """

    def __init__(self) -> None:
        self._failures = 0
        self._lock = Lock()
        self.end: CorpusforgeError | None = None

    def note(self, error: QuotaStop | SourceError | None) -> None:
        """A file failed, or with None did not."""
        final = isinstance(error, QuotaStop) or getattr(error, "status", None) == 401
        with self._lock:
            self._failures = 0 if error is None else self._failures + 1
            if final or self._failures >= MAX_IN_A_ROW:
                self.end = self.end or error


def _bring(original: Original, client: Client, store: Path, row: _Row) -> str:
    """Bring one file into the store; why that cannot be, or ""."""
    path, note = store / _name(original), store / f"{original.work}.missing"
    if original.url is None:
        return "CORE names no file of this work"
    if note.exists():
        return note.read_text("utf-8")
    if row.end is not None:
        return str(row.end)
    try:
        fault = _ask(client, original.url, path)
    except (QuotaStop, SourceError) as error:
        row.note(error)
        return str(error)
    row.note(None)
    if fault:
        write_atomic(note, fault.encode())
        path.unlink(missing_ok=True)
    return fault


def _ask(client: Client, url: str, path: Path) -> str:
    """Bring one file; what CORE says for good in its stead, or ""."""
    try:
        download(client, url, path)
    except RefusedError as error:
        if error.status not in NOT_THERE:
            raise
        return f"CORE's file server answers HTTP {error.status}: it does not have the file"
    return _fault_of(path)


def _fault_of(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(WITHIN)
    return "" if MAGIC in head else f"what came is no PDF: it starts with {head[:40]!r}"


def _name(original: Original) -> str:
    return f"{original.work}.pdf"
