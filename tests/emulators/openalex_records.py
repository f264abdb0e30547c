"""A document as OpenAlex shows it."""

FIRST_WORK = 2_000_000_000
FIELDS = (
    "id", "doi", "title", "display_name", "publication_year", "publication_date", "ids",
    "language", "primary_location", "type", "type_crossref", "authorships", "cited_by_count",
    "is_retracted", "is_paratext", "referenced_works", "abstract_inverted_index", "updated_date",
)  # fmt: skip
TYPES = ("article", "review", "preprint", "book-chapter")


def number_of(document):
    return FIRST_WORK + document.number


def work_of(document):
    """A work, with the oddities of real ones."""
    key = f"https://openalex.org/W{number_of(document)}"
    doi = f"https://doi.org/{document.doi.lower()}" if document.doi else None
    ids = {"openalex": key, "doi": doi}
    ids["mag"] = str(number_of(document)) if document.number % 2 else number_of(document)
    if document.pmid:
        ids["pmid"] = f"https://pubmed.ncbi.nlm.nih.gov/{document.pmid}"
    location = {
        "is_oa": True,
        "landing_page_url": doi or key,
        "source": {"id": "https://openalex.org/S1", "display_name": document.venue},
        "license": "cc-by" if document.number % 2 else None,
        "version": "publishedVersion",
    }
    values = (
        key, doi, document.title, document.title, document.year, f"{document.year}-06-01", ids,
        "en" if document.number % 5 else None, location if document.number % 7 else None,
        TYPES[document.number % len(TYPES)], "journal-article", authorships_of(document), 3,
        False, False, [f"https://openalex.org/W{n}" for n in range(5)], index_of(document.abstract),
        f"{document.year + 1}-01-01T00:00:00",
    )  # fmt: skip
    return dict(zip(FIELDS, values, strict=True))


def authorships_of(document):
    return [
        {
            "author_position": "first",
            "author": {"id": "https://openalex.org/A1", "display_name": f"{given}. {family}"},
            "raw_author_name": f"{given}. {family}",
            "institutions": [],
        }
        for family, given in document.authors
    ]


def index_of(abstract):
    """Where each word stands; null where there is no abstract."""
    index = {}
    for place, word in enumerate(abstract.split()):
        index.setdefault(word, []).append(place)
    return index or None
