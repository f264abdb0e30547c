"""peS2o: S2ORC as AI2 cleaned it, one text per line, with little beside it."""

from msgspec import Struct

from corpusforge.parsers.fields import one_line, paragraphed, sane_year, whole_id
from corpusforge.parsers.json_record import RecordDecoder
from corpusforge.parsers.paper import MissingIdentifier, Paper
from corpusforge.parsers.placeholders import real_texts


class _Line(Struct):
    id: int | str | None = None
    text: str | None = None
    source: str | None = None
    created: str | None = None


DECODER = RecordDecoder(_Line, "one line of peS2o")


def parse_pes2o(record: bytes) -> Paper:
    """The paper of one line; its source id is Semantic Scholar's corpus id.

    The first line of a text is the title. What follows is an abstract in the subset s2ag, and
    the body in the subset s2orc, where the abstract is the first of it and is not marked.

    Raises:
        MissingIdentifier: There is no id.
        OnlyPlaceholder: The text only says that there is none.
        ParseError: The line is not a JSON object.
    """
    line = DECODER.decode(record)
    corpus = whole_id(line.id)
    if corpus is None:
        raise MissingIdentifier(f"peS2o line has id {line.id!r}; expected a whole number")
    title, _, rest = (line.text or "").strip().partition("\n")
    [text] = real_texts(corpus, paragraphed(rest))
    is_abstract = (line.source or "").startswith("s2ag")
    return Paper(
        source_id=corpus,
        title=one_line(title),
        abstract=text if is_abstract else "",
        body="" if is_abstract else text,
        year=sane_year(line.created),
    )
