"""A document as Crossref shows it."""

from html import escape

CC_BY = "https://creativecommons.org/licenses/by/4.0/"
ABSTRACTS = (
    "<jats:p>{}</jats:p>",
    "<jats:title>Abstract</jats:title><jats:p>{}</jats:p>",
    "<p>{}</p>",
    "&lt;jats:p&gt;{}&lt;/jats:p&gt;",
)


def item_of(document):
    """A work, with the oddities of real ones: a title is a list, an abstract is a snippet of JATS,
    and now and then a date is [[null]].
    """
    number = document.number
    item = {
        "DOI": (document.doi or "").lower(),
        "URL": f"http://dx.doi.org/{document.doi}",
        "type": "journal-article" if number % 4 else "posted-content",
        "title": [document.title],
        "container-title": [document.venue] if number % 6 else [],
        "author": [
            {"given": given, "family": family, "sequence": "first", "affiliation": []}
            for family, given in document.authors
        ],
        "issued": {"date-parts": [[document.year, 6]] if number % 3 else [[None]]},
        "published-print": {"date-parts": [[document.year]]},
        "is-referenced-by-count": number,
        "reference": [{"key": f"ref{n}", "unstructured": "A reference."} for n in range(3)],
        "indexed": {"date-time": "2026-06-16T20:53:18Z"},
        "member": "78",
    }
    if document.abstract:
        item["abstract"] = ABSTRACTS[number % 4].format(escape(document.abstract, quote=False))
    if number % 2:
        item["license"] = [{"URL": CC_BY, "content-version": "vor", "delay-in-days": 0}]
        item["language"] = "en"
    return item
