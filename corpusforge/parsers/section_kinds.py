"""What the title of a section says of its kind, in sources that say it nowhere else."""

import re
from functools import lru_cache

from corpusforge.kernels.marks import ACKNOWLEDGEMENT, REFERENCE

INTERESTS = r"(?:(?:competing|conflicts?\ of|conflicting|financial)\ (?:financial\ )?interests?)"
THANKS = re.compile(
    rf"""\W*(?:[\dIVX]+(?:\.\d+)*\W+)?(?:
        acknowledge?ments?(?:\s(?:and|&)\s.{{0,40}})?
      | (?:sources?\ of\ |research\ |grant\ |financial\ )?(?:funding|support)
        (?:\ (?:sources?|information|statement|acknowledge?ments?))?
      | (?:declarations?\ of\ |statement\ of\ |potential\ )?{INTERESTS}
        (?:\ (?:statement|disclosure)s?)?
      | (?:financial\ |author\ )?disclosures?(?:\ statements?)?
      | (?:credit\ )?(?:authors?['\u2019]?s?\ |authorship\ )(?:contributions?|roles)
        (?:\ (?:statements?|to\ .{{0,30}}))?
      | contributions?\ of\ authors?|contributors|contributorship(?:\ statement)?
    )\W*""",
    re.I | re.X,
)
LISTS = re.compile(
    r"\W*(?:[\dIVX]+\W+)?(?:references?(?:\ (?:and\ notes|cited|list))?|bibliography|"
    r"literature\ cited|works\ cited|list\ of\ references)\W*",
    re.I | re.X,
)


@lru_cache(4096)  # most papers have the same
def kind_of_section(title: str) -> str:
    """The mark of the paragraphs under this title, or "" for what is the paper itself.

    >>> [kind_of_section(title) != "" for title in ("Acknowledgments", "7. Funding", "Results")]
    [True, True, False]
    """
    if THANKS.fullmatch(title):
        return ACKNOWLEDGEMENT
    return REFERENCE if LISTS.fullmatch(title) else ""
