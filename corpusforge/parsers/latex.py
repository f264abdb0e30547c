r"""One paper in the LaTeX that its authors sent to arXiv, to a Paper.

Formulas stay TeX between dollars. Captions, notes, acknowledgments, the list of references and
citations are marked as of every source. Cross-references, which are keys here, leave nothing.
"""

import re
from collections.abc import Iterator, Mapping

from corpusforge.kernels.marks import HEADING, MARK, PARAGRAPH
from corpusforge.parsers.fields import family_name
from corpusforge.parsers.latex_conditionals import settled
from corpusforge.parsers.latex_expansion import expanded
from corpusforge.parsers.latex_main import NoLatex, main_file
from corpusforge.parsers.latex_parts import GONE, LINE, PERSON, Parts
from corpusforge.parsers.latex_source import assembled, declared_encoding, decoded, uncommented
from corpusforge.parsers.latex_text import read_text
from corpusforge.parsers.paper import Paper
from corpusforge.parsers.placeholders import real_texts
from corpusforge.parsers.raw_text import BREAK, bare_line, marked_paragraphs
from corpusforge.parsers.section_kinds import kind_of_section

# "(\6, \6)" with nothing but references in it; spaces before a mark that closes up.
BRACKETS = re.compile(rf"(?<!\s)\s*+[(\[][\s,;]*+{GONE}[\s,;{GONE}]*+[)\]]")
CLOSED_UP = re.compile(rf"(?<![\s{GONE}])\s*+{GONE}[\s{GONE}]*+(?=[,.;:!?)\]])")
TITLED = re.compile(f"#*{HEADING}")
FORMULA = re.compile(r"\$[^$]*+\$|\([^()]*+\)")
BETWEEN = re.compile(rf"{PERSON}|[,;]|\s(?:and|&)\s|^and\s")
INITIALS = re.compile(
    r"(?:\w\b\.?[\s-]*){1,4}|(?-i:[A-Z]{2,3})|[JS]r\.?|I{1,3}|IV|Ph\.?D\.?|M\.?D\.?", re.I
)
PLACES = re.compile(
    r"universi|institut|departm|d[eé]partement|laborato|school|college|cent(?:er|re)\b|academy|"
    r"facult|hospital|observator|division|e-?mail|@|\d|ieee|member|fellow|google|microsoft",
    re.I,
)
LONGEST_NAME = 6  # words


def parse_latex(files: Mapping[str, bytes], arxiv: str, version: int = 1) -> Paper:
    """The paper of one submission.

    Args:
        files: Its files of text by path, and its 00README.
        arxiv: The id, without version.
        version: Which version of the paper this is.

    Raises:
        NoLatex: No file is a paper in TeX.
        OnlyPlaceholder: All that it says is that it was withdrawn.
        ParseError: Its parts or macros come to more than a paper can have.
    """
    encoding = declared_encoding(files)
    raw = {path: decoded(content, encoding) for path, content in files.items()}
    texts = {path: uncommented(text) for path, text in raw.items()}
    try:
        main = main_file(texts, raw)
    except NoLatex:
        real_texts(arxiv, " ".join(" ".join(texts.values()).split()))
        raise
    parts = read_text(expanded(settled(assembled(texts, main))))
    abstract, body = real_texts(arxiv, _text(parts.abstract), _text(parts.body))
    return Paper(
        source_id=arxiv,
        version=version,
        title=next(filter(None, map(_line, parts.titles)), ""),
        abstract=abstract,
        body=body,
        arxiv=arxiv,
        authors=tuple(_family_names(parts)),
        year=_year(arxiv),
        version_kind="preprint",
        url=f"https://arxiv.org/abs/{arxiv}",
    )


def _text(pieces: list[str]) -> str:
    return PARAGRAPH.join(_with_kinds(marked_paragraphs(_closed_up("".join(pieces)))))


def _with_kinds(paragraphs: list[str]) -> Iterator[str]:
    """The paragraphs, with the mark of its kind on those of a section whose title tells one."""
    kind, under = "", 0  # the mark, and the level of the title that gave it
    for paragraph in paragraphs:
        level = paragraph.find(" ") if TITLED.match(paragraph) else 0
        if level and (not kind or level <= under):
            kind, under = kind_of_section(paragraph[level + 1 :]), level
        yield paragraph if MARK.match(paragraph) else kind + paragraph


def _closed_up(raw: str) -> str:
    """The raw text without the marks of `latex_parts`."""
    if GONE in raw:
        raw = CLOSED_UP.sub("", BRACKETS.sub("", raw)).replace(GONE, " ")
    return raw.replace(LINE, " ").replace(PERSON, " ")


def _line(raw: str) -> str:
    return bare_line(_closed_up(raw).replace(BREAK, " "))


def _family_names(parts: Parts) -> Iterator[str]:
    r"""Family names in order, from \author with \and, lists with commas, or one each."""
    for text in parts.authors:
        for person in FORMULA.sub(" ", text).split(PERSON):
            for name in BETWEEN.split(_names(person)):
                bare = name.replace(GONE, " ").strip(" \t\n*\u2020\u2021\u00a7\u00b6~^.")
                words = len(bare.split())
                if 0 < words <= LONGEST_NAME and not (
                    PLACES.search(bare) or INITIALS.fullmatch(bare)
                ):
                    yield family_name(bare)


def _names(person: str) -> str:
    """The lines that hold names; below them stands where the authors work."""
    kept: list[str] = []
    for line in re.split(f"[{LINE}{BREAK}]", person):
        text = " ".join(line.split())
        if text:
            kept.append(text)
            if not text.endswith((",", " and", "&")):
                break
    return " ".join(kept)


def _year(arxiv: str) -> int:
    """The year that an id was given in: 0704.0001, hep-th/9901001."""
    digits = int(arxiv.rpartition("/")[2][:2])
    return 1900 + digits if digits > 90 else 2000 + digits
