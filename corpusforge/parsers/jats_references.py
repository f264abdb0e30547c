"""One entry of a JATS list of references as it reads in print.

A citation with punctuation of its own is that text. One that is only fields is put together from
them: "Ito K, Ny L (2009). On cells. Cell 12(3): 34-45. 10.1000/x".
"""

from lxml import etree

from corpusforge.parsers.fields import one_line
from corpusforge.parsers.markup import (
    LINE_RULES,
    Rule,
    Writer,
    flatten,
    raw_text,
    rules,
)
from corpusforge.parsers.raw_text import bare_line
from corpusforge.parsers.xmldoc import ByName, local_name

PUB_ID = ". %s "
PEOPLE = {"name", "string-name", "collab", "etal"}
# How a field is written behind what is there already.
FORMS = ByName[str](
    {
        **{"year": " (%s).", "article-title": " %s.", "chapter-title": " %s.", "source": " %s"},
        **{"data-title": " %s.", "volume": " %s", "issue": "(%s)", "fpage": ": %s"},
        **{"lpage": "\u2013%s", "elocation-id": ": %s", "edition": ", %s", "comment": ". %s"},
        **{"publisher-name": ". %s", "publisher-loc": ", %s", "pub-id": PUB_ID},
        **{"ext-link": ". %s", "uri": ". %s"},
    },
    lambda _name: "",
)
NUMBERS_OF_INDEXES = {"pmid", "pmcid", "pmc", "medline", "isbn", "issn"}  # of pub-id


def reference_line(entry: etree._Element) -> str:
    """The text of one <ref>, behind its number if it has one; "" if nothing is in it."""
    number, texts = "", []
    for part in entry:
        name = local_name(part)
        if name == "label":
            number = flatten(part)
        elif name == "element-citation":
            texts.append(_composed(part))
        elif name == "citation-alternatives":
            texts += [_citation(choice) for choice in list(part)[:1]]
        else:
            texts.append(_citation(part))
    text = " ".join(filter(None, texts))
    if not (number and text):
        return text
    return f"{number}. {text}" if number.isalnum() else f"{number} {text}"


def _citation(citation: etree._Element) -> str:
    between = [citation.text, *(part.tail for part in citation)]
    if len(citation) and not any(text and not text.isspace() for text in between):
        return _composed(citation)
    return bare_line(raw_text(citation, PRINTED))


def _composed(citation: etree._Element) -> str:
    """The fields in their order, with the punctuation that they lack."""
    people: list[str] = []
    texts: list[str] = []
    for part in citation:
        if form := FORMS[part.tag]:
            if form == PUB_ID and _is_number_of_index(part):
                continue
            if text := part.text if len(part) == 0 else flatten(part):
                texts.append(form % text)
        else:
            people += _people(part)
    names = ", ".join(filter(None, people))
    end = "." if names and not (texts and texts[0].startswith(" (")) else ""
    return one_line("".join((names, end, *texts))).replace("?.", "?").replace("..", ".")


def _people(part: etree._Element) -> list[str]:
    name = local_name(part)
    if name != "person-group":
        return [_person(part)] if name in PEOPLE else []
    names = [field.text or "" for field in part.iter("surname", "given-names")]
    if len(names) == 2 * len(part):  # nothing else, as in nearly all
        return [f"{family} {given}" for family, given in zip(names[::2], names[1::2], strict=True)]
    return [_person(person) for person in part]


def _person(person: etree._Element) -> str:
    """Family name and initials; "et al." for an empty <etal/>."""
    if len(person):
        return " ".join([field.text or "" for field in person])
    return person.text or ("et al." if local_name(person) == "etal" else "")


def _is_number_of_index(part: etree._Element) -> bool:
    return part.get("pub-id-type", "").lower() in NUMBERS_OF_INDEXES


# Citations as printed


def _apart(writer: Writer, _node: etree._Element) -> None:
    """A space, where a field follows another with nothing between them."""
    before = writer.parts[-1][-1:] if writer.parts else ""
    if before.isalnum() or before in (".", "?", "!"):
        writer.parts.append(" ")


def _number(writer: Writer, node: etree._Element) -> bool:
    _apart(writer, node)
    return _is_number_of_index(node)


PRINTED = rules(
    LINE_RULES,
    dict.fromkeys((*map(str, FORMS), *PEOPLE, "person-group", "given-names"), Rule(_apart)),
    {"pub-id": Rule(_number)},
)
