"""What a file server says of its files: where they are, and what their digests are."""

import re
from urllib.parse import quote

import msgspec
from lxml import etree
from msgspec import Struct

from corpusforge.errors import ParseError

DIGITS = {"md5": 32, "sha256": 64}  # hexadecimal ones of a digest
SHOWN = 80  # bytes of a page that a message quotes


class _Entry(Struct):
    url: str


class _Manifest(Struct):
    entries: list[_Entry] | None = None
    files: list[_Entry] | None = None


def addresses(page: bytes) -> list[str]:
    """The addresses on a page, in its order, as they stand there.

    Args:
        page: HTML, of which every `href` counts; or a manifest in JSON, as Amazon Redshift's
            `{"entries": [{"url": "s3://bucket/key"}]}` or OpenAlex's `{"files": […]}`, whose
            objects are given by their public addresses over HTTPS.

    Raises:
        ParseError: It is neither.
    """
    if page.lstrip().startswith(b"{"):
        try:
            manifest = msgspec.json.decode(page, type=_Manifest)
        except msgspec.DecodeError as error:
            raise _unreadable(page, str(error)) from error
        listed = manifest.entries if manifest.files is None else manifest.files
        if listed is None:
            raise _unreadable(page, "it has neither `entries` nor `files`")
        return [_public(entry.url) for entry in listed]
    root = etree.fromstring(page, etree.HTMLParser(no_network=True))
    if root is None:
        raise _unreadable(page, "it holds no text")
    return [href.strip() for tag in root.iter() if (href := tag.get("href")) is not None]


def _unreadable(page: bytes, why: str) -> ParseError:
    return ParseError(
        f"a listing of {len(page):,} bytes cannot be read: {why}; it starts with {page[:SHOWN]!r}; "
        f"expected HTML with links, or a manifest in JSON"
    )


def _public(url: str) -> str:
    """
    >>> _public("s3://openalex/data/jsonl/works/updated_date=2026-06-24/part_0000.gz")
    'https://openalex.s3.amazonaws.com/data/jsonl/works/updated_date%3D2026-06-24/part_0000.gz'
    """
    if not url.startswith("s3://"):
        return url
    bucket, _, key = url.removeprefix("s3://").partition("/")
    return f"https://{bucket}.s3.amazonaws.com/{quote(key)}"


def digest_of(sums: bytes, name: str, algorithm: str) -> str:
    """The digest of a file, in lower case, from the file of digests beside it.

    Known forms: `MD5(a.gz)= hex` of openssl, `hex  a.gz` of md5sum, and the hex alone.

    Args:
        sums: What that file holds.
        name: Of the file that it is about; decides if there are several.
        algorithm: "md5" or "sha256".

    Raises:
        ParseError: There is no digest, or several and none with this name.
    """
    pattern = re.compile(rf"(?<![0-9a-f])[0-9a-f]{{{DIGITS[algorithm]}}}(?![0-9a-f])", re.I)
    lines = sums.decode("utf-8", "replace").splitlines()
    found = [(line, match[0].lower()) for line in lines if (match := pattern.search(line))]
    own = [digest for line, digest in found if name in line]
    digests = set(own or (digest for _, digest in found))
    if len(digests) != 1:
        raise ParseError(
            f"the {algorithm} of {name} cannot be read: its file has {len(digests)} of them and "
            f"starts with {sums[:SHOWN]!r}; expected one of {DIGITS[algorithm]} hexadecimal digits"
        )
    return digests.pop()
