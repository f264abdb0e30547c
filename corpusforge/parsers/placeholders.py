"""Sentences that stand where a text should be and are none."""

import re

from corpusforge.errors import ParseError

LONGEST = 300  # characters; a longer text says more than that there is none

ABSENT = re.compile(
    r"""\W*(?:
        not\ available\ for\ public\ api\ users
      | (?:no|\(no)\ (?:abstracts?|summary|description|full\ ?text)(?:\ (?:is|was))?
        (?:\ (?:available|provided|supplied|given|included|found))?
        (?:\ (?:for\ this\ (?:article|item|paper|record|publication)))?
      | (?:abstract|summary|full\ ?text|description)(?:\ (?:is|was))?
        \ (?:not|un)\ ?(?:available|provided|supplied|included|found)
      | (?:abstract|summary|resumen|résumé|n/?a|none|null|nil|undefined|unknown|tba|tbd|test|\?+)
      | (?:\[?this\ (?:corrects|retracts|refers\ to)\ the\ article\ doi:?\ \S+\s?)+
      | see\ (?:the\ )?(?:pdf|full\ ?text|paper|article|attached\ (?:pdf|file)|introduction)
    )\W*""",
    re.I | re.X,
)
WITHDRAWN = re.compile(
    r"""\W*(?:this|the|our)\s+(?:\w+\s+){0,3}?
        (?:paper|article|submission|manuscript|work|preprint|comment|note|draft|version|letter)s?\s+
        (?:(?:has|have|was|were|is|are|had|being|been|now|temporarily)\s+){1,4}
        (?:withdrawn|retracted)\b""",
    re.I | re.X,
)


class OnlyPlaceholder(ParseError):  # noqa: N818  (named for what is wrong with the record)
    """All that the record has for a text says that there is none."""


def is_placeholder(text: str) -> bool:
    """Whether this says that there is no text, or that it was withdrawn.

    >>> is_placeholder("Not available for public API users."), is_placeholder("No wind blew.")
    (True, False)
    """
    if len(text) > LONGEST:
        return False
    return bool(ABSENT.fullmatch(text) or WITHDRAWN.match(text))


def real_texts(source_id: str, *texts: str) -> tuple[str, ...]:
    """The texts, each "" if it is a placeholder.

    Raises:
        OnlyPlaceholder: There is a placeholder and no text beside it.
    """
    placeholder = next((text for text in texts if text and is_placeholder(text)), None)
    if placeholder is None:
        return texts
    real = tuple("" if is_placeholder(text) else text for text in texts)
    if not any(real):
        raise OnlyPlaceholder(
            f"record {source_id} has {placeholder!r} and no other text; expected an abstract or "
            f"a body"
        )
    return real
