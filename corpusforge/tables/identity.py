"""Names of documents."""

import xxhash


def uid_of(doc_id: str) -> int:
    """64-bit identity of a document: xxh3 of its `source:source_id`.

    >>> uid_of("pubmed:399296")
    17264476249756324570
    """
    return xxhash.xxh3_64_intdigest(doc_id.encode())
