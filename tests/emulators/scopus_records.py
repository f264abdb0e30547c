"""A document as Scopus shows it: a search entry, or an abstract retrieval response."""

BASE = 85_000_000_000
API = "https://api.elsevier.com/content"
HOLDERS = ("Elsevier Ltd", "American Meteorological Society", "Springer-Verlag GmbH Germany")
MANY = 100  # authors; the rest are cut off, with a message


def eid_of(document):
    return f"2-s2.0-{BASE + document.number}"


def noisy(document, noise):
    """The abstract with the copyright statement where Scopus happens to put it."""
    text = document.abstract
    kinds = ("prefix", "suffix", "glued", "none")
    kind = kinds[document.number % 4] if noise == "mixed" else noise
    holder = HOLDERS[document.number % len(HOLDERS)]
    statement = f"© {document.year} {holder}"
    return {
        "none": text,
        "prefix": f"{statement}. {text}",
        "glued": f"{statement}.{text}",
        "suffix": f"{text} {statement}. All rights reserved.",
    }[kind]


def entry_of(document, view, shown, noise):
    """A search entry. Every scalar is a string but `openaccessFlag`."""
    number = BASE + document.number
    family, given = (document.authors or (("Anon", "A"),))[0]
    entry = {
        "@_fa": "true",
        "link": [
            {"@_fa": "true", "@ref": "self", "@href": f"{API}/abstract/scopus_id/{number}"},
        ],
        "prism:url": f"{API}/abstract/scopus_id/{number}",
        "dc:identifier": f"SCOPUS_ID:{number}",
        "eid": eid_of(document),
        "dc:title": document.title,
        "dc:creator": f"{family} {given}.",
        "prism:publicationName": document.venue,
        "prism:isbn": [{"@_fa": "true", "$": f"978{number}"}],
        "prism:pageRange": None if document.number % 8 == 0 else "1-10",
        "prism:coverDate": f"{document.year}-06-01",
        "prism:doi": document.doi,
        "pubmed-id": document.pmid,
        "citedby-count": "0",
        "prism:aggregationType": "Journal",
        "subtype": "ar",
        "subtypeDescription": "Article",
        "openaccess": "0",
        "openaccessFlag": False,
        "fund-no": "undefined",
    }
    if view == "COMPLETE" and shown:
        entry |= {
            "dc:description": noisy(document, noise) if document.abstract else None,
            "author-count": {"@limit": str(MANY), "$": str(len(document.authors))},
            "author": [
                {
                    "@_fa": "true", "@seq": str(seq), "authname": f"{family} {given}.",
                    "surname": family, "given-name": given, "afid": [{"@_fa": "true", "$": "6001"}],
                }
                for seq, (family, given) in enumerate(document.authors[:MANY], 1)
            ],
            "authkeywords": "carbon | wave",
        }  # fmt: skip
        if len(document.authors) > MANY:
            entry["message"] = (
                f"Author list of {len(document.authors)} truncated at {MANY}; retrieve the full "
                f"abstract for a complete list of authors."
            )
    always = ("prism:pageRange",)
    return {name: value for name, value in entry.items() if value is not None or name in always}


def collapsed(items):
    """As abstract retrieval does: nothing, the only one, or a list."""
    return None if not items else items[0] if len(items) == 1 else items


def retrieval_of(document, view, shown, noise):
    """An abstract retrieval response; in FULL view the abstract is in one of two places."""
    number = BASE + document.number
    coredata = {
        "srctype": "j",
        "eid": eid_of(document),
        "dc:identifier": f"SCOPUS_ID:{number}",
        "dc:title": document.title,
        "prism:publicationName": document.venue,
        "prism:coverDate": f"{document.year}-06-01",
        "prism:doi": document.doi,
        "pubmed-id": document.pmid,
        "subtypeDescription": "Article",
        "publishercopyright": f"© {document.year} {HOLDERS[document.number % len(HOLDERS)]}",
    }
    authors = [
        {"@_fa": "true", "@seq": str(seq), "ce:surname": family, "ce:given-name": given}
        for seq, (family, given) in enumerate(document.authors, 1)
    ]
    response = {"coredata": {k: v for k, v in coredata.items() if v is not None}}
    response["affiliation"] = collapsed(
        [{"@id": "6001", "affilname": "University"}] * (document.number % 3)
    )
    if shown:
        response["authors"] = {"author": collapsed(authors)} if authors else None
        if document.abstract and not (view == "FULL" and document.number % 2):
            response["coredata"]["dc:description"] = noisy(document, noise)
        response["authkeywords"] = None
    if shown and view == "FULL":
        response["language"] = {"@xml:lang": "eng"}
        text = noisy(document, noise) if document.abstract and document.number % 2 else None
        response["item"] = {"bibrecord": {"head": {"abstracts": text, "author-group": None}}}
    return {"abstracts-retrieval-response": response}
