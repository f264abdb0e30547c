"""Archives like CORE's, of made-up records: a provider's, and a dump of several."""

import io
import json
import lzma
import tarfile
from collections.abc import Iterable

EMPTY_MANIFEST = b'<urlset xmlns:rs="http://www.openarchives.org/rs/terms/"></urlset>'


def core_record(core: int, year: int | None = None) -> bytes:
    """One record, of no year unless told."""
    stated = {} if year is None else {"year": year}
    own = {"coreId": str(core), "title": f"Title {core}", "abstract": f"Abstract of {core}."}
    return json.dumps(own | stated).encode()


def provider_archive(records: Iterable[tuple[int, int | None]]) -> bytes:
    """The `.tar.xz` of a provider of these records, each its number and its year."""
    files = [(f"{core}.json", core_record(core, year)) for core, year in records]
    return lzma.compress(tar_of([("manifest.xml", EMPTY_MANIFEST), *files]), preset=0)


def tar_of(members: Iterable[tuple[str, bytes]]) -> bytes:
    """An archive of these members."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return held.getvalue()
