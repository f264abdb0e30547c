"""Which files of a file server to bring, and under what names: decisions only."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Annotated, Literal
from urllib.parse import unquote, urljoin, urlsplit

from msgspec import Meta, Struct

from corpusforge.errors import ConfigError, SourceError
from corpusforge.sources.network import Address
from corpusforge.sources.secrets import SECRET_PARAMETER

NUMBERS = re.compile(r"\{(\d+)\.\.(\d+)\}")
MAX_FILES = 100_000  # that one address with numbers may stand for
SHOWN = 5  # links that a message quotes

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Md5 = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]


class FileAddress(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file, with what is known of it."""

    url: Annotated[Address, Meta(description="Of the file.")]
    name: Annotated[
        str | None, Meta(description="To give it, instead of the last part of its address.")
    ] = None
    sha256: Annotated[Sha256 | None, Meta(description="Its digest, which is checked.")] = None
    md5: Annotated[Md5 | None, Meta(description="The same, if there is no sha256.")] = None


class FilesConfig(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="files", tag_field="kind"
):
    """Files of a web server: those of a list, those that a page links to, or both."""

    urls: Annotated[
        list[Address | FileAddress],
        Meta(description="Addresses. {00..99} in one stands for 100 of them, numbered like that."),
    ] = []
    listings: Annotated[
        list[Address],
        Meta(description="Pages with links to files: an index in HTML, or a manifest in JSON."),
    ] = []
    files: Annotated[
        str, Meta(description="Glob pattern of the names to bring from the listings.")
    ] = "*"
    as_of: Annotated[
        date | None,
        Meta(description="Day of the listings. Another day has them read anew, for new files."),
    ] = None
    checksums: Annotated[
        Literal["md5", "sha256"] | None,
        Meta(description="Beside each file, at its address and .md5 or .sha256, is its digest."),
    ] = None

    def __post_init__(self) -> None:
        if not self.urls and not self.listings:
            raise ValueError("files needs urls, or listings, or both")
        if self.as_of is not None and not self.listings:
            raise ValueError("as_of is about listings, but files has none")
        urls = [url if isinstance(url, str) else url.url for url in self.urls]
        for url in (*urls, *self.listings):
            if named := SECRET_PARAMETER.search(url.encode()):
                raise ValueError(
                    f"an address with {named['name'].decode()} in it would be in every log and "
                    f"manifest: files are asked for without keys, bring this one by other means"
                )


@dataclass(frozen=True)
class Wanted:
    """One file to bring."""

    name: str  # path in the folder of the download, with /
    url: str
    promise: str = ""  # its digest, such as "sha256:00ff…", or ""


def wanted_by_address(config: FilesConfig) -> Iterator[Wanted]:
    """The files of the config's list."""
    for given in config.urls:
        address = given if isinstance(given, FileAddress) else FileAddress(url=given)
        promise = f"md5:{address.md5}" if address.md5 else ""
        promise = f"sha256:{address.sha256}" if address.sha256 else promise
        for url in spelled_out(address.url):
            name = address.name or PurePosixPath(unquote(urlsplit(url).path)).name
            yield Wanted(name, url, promise)


def wanted_by_listing(page: str, hrefs: Iterable[str], pattern: str) -> Iterator[Wanted]:
    """The files that a page links to, with names that match a pattern.

    A file below the page's own folder keeps the folders between in its name; any other has the
    last part of its address as its name.

    Args:
        page: Address of the page.
        hrefs: Addresses on it, relative or not.
        pattern: Of names; `*` matches `/` too.

    Raises:
        SourceError: No name matches.
    """
    seen: dict[str, None] = {}
    matched = False
    for href in hrefs:
        url = urljoin(page, href).partition("#")[0]
        name = _name_below(page, url)
        if name and name not in seen:
            seen[name] = None
            if fnmatchcase(name, pattern):
                matched = True
                yield Wanted(name, url)
    if not matched:
        raise SourceError(
            f"{page} links to {len(seen):,} files, such as {list(seen)[:SHOWN]}, but to none that "
            f"matches {pattern!r}; correct `files` or the address in the pipeline file"
        )


def _name_below(page: str, url: str) -> str:
    """
    >>> _name_below("https://host/data/index.html", "https://host/data/a=1/b.gz?x")
    'a=1/b.gz'
    """
    here, there = urlsplit(page), urlsplit(url)
    folder, path = here.path.rpartition("/")[0] + "/", there.path
    if there.scheme not in {"http", "https"} or path.endswith("/"):
        return ""
    inside = here.netloc == there.netloc and path.startswith(folder)
    return unquote(path.removeprefix(folder) if inside else path.rpartition("/")[2])


def spelled_out(url: str) -> list[str]:
    """The addresses that one with numbers stands for.

    >>> spelled_out("https://host/{08..10}.gz")
    ['https://host/08.gz', 'https://host/09.gz', 'https://host/10.gz']

    Raises:
        ConfigError: The numbers go backwards, or are too many.
    """
    match = NUMBERS.search(url)
    if match is None:
        return [url]
    first, last = int(match[1]), int(match[2])
    if not 0 <= last - first < MAX_FILES:
        raise ConfigError(
            f"{match[0]} in {url} stands for {last - first + 1:,} files, expected 1 to "
            f"{MAX_FILES:,}: give the smaller number first"
        )
    numbers = [f"{number:0{len(match[1])}}" for number in range(first, last + 1)]
    before, after = url[: match.start()], url[match.end() :]
    return [address for number in numbers for address in spelled_out(before + number + after)]


def by_name(wanted: Iterable[Wanted]) -> list[Wanted]:
    """The files in the order of their names, each once.

    Raises:
        ConfigError: Two of them would have the same name, or one no proper name.
    """
    named: dict[str, Wanted] = {}
    for file in wanted:
        parts = file.name.split("/")
        if any(part in {"", ".", ".."} for part in parts) or "\0" in file.name:
            raise ConfigError(
                f"{file.url} would be called {file.name!r}, which is no name of a file; give it "
                f"a `name`"
            )
        other = named.setdefault(file.name, file)
        if other.url != file.url:
            raise ConfigError(
                f"{other.url} and {file.url} would both be called {file.name}; give one of them "
                f"another `name`"
            )
    return [named[name] for name in sorted(named)]
