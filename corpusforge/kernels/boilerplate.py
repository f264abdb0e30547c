"""What publishers, indexes and repositories put around a text: not its authors' words.

A rule is looked at only where its cue occurs near the end it belongs to, and what it takes is
counted. The rules are those that the samples of fifteen sources call for.
"""

import re
from collections import Counter

from corpusforge.kernels.copyright import prefix_length, suffix_start
from corpusforge.kernels.marks import HEADING, PARAGRAPH

REACH = 700  # characters from the end in which a tail begins
ROUNDS = 6  # tails and heads stand one behind the other

# Words that begin a sentence and end no name: "Abstract We show", "AbstractBackground", but
# "Abstract Syntax".
STARTS = r"We|The|This|These|In|An?|Our|Here|To|It|For|With|On|Background|Objectives?|Purpose|Aims?"
STARTS += r"|Introduction|Methods?|Results?|Motivation"
FOREIGN = "Résumé|RÉSUMÉ|Resumen|RESUMEN|Resumo|RESUMO|Zusammenfassung"
HEAD = re.compile(
    r"(?:(?:Abstract|Summary)\s*(?:[.:]|[-\u2010-\u2015]+)\s*"
    rf"|(?:Abstract(?=[A-Z])|(?:Abstract|Summary)\s+)(?=(?:{STARTS})(?![\w-]))|(?:Abstract|Summary)\s*\n\s*"
    rf"|(?:{FOREIGN})\s*[.:]\s+"
    r"|(?:ABSTRACT|SUMMARY|A B S T R A C T)\s*(?:[.:\u2010-\u2015-]+\s*|\s))"
    r"(?=[^\s\W])|\[1\]\s+(?=[A-Z])"
)
# A second abstract, mostly in another language, behind the first.
LEADS = re.compile(rf"(?<=\n\n)(?:Abstract|ABSTRACT|{FOREIGN})\s*[.:]\s+(?=\w)")
# Cue, in small letters, and what it announces, up to the end of the text.
SENTENCE = r"(?:(?<=[.!?)\]] )|(?<=[.!?)\]])|(?<=\n)|^)"  # what starts here starts a sentence
DASH = r"\u2010-\u2015-"
TAILS: tuple[tuple[str, str], ...] = (
    ("truncated", r"[(*]{0,3}ABSTRACT TRUNCATED (?:AT|TO) \d+ (?:WORDS|CHAR\w*)[)*]{0,3}"),
    ("by copyright", r"This article is protected by copyright\.(?: All rights reserved\.?)?"),
    ("database record", r"\(Psyc\w+ Database Record [^()]*(?:\([^()]*\)[^()]*)*\)\.?"),
    ("comment:", r"(?<=\S)Comment:\s[^\n]*"),
    (
        "comment",
        rf"{SENTENCE}Comments?:\s[^\n]{{0,40}}?(?i:\b\d+ (?:pages?|figures?)\b"
        r"|\baccepted (?:by|for|to|in|at)\b|\bto appear in\b|\bsubmitted to\b)[^\n]{0,200}",
    ),
    (
        "key",
        rf"{SENTENCE}(?:[(\[]?(?i:key\s?words?(?: and phrases)?)\s*[.:{DASH}]+|KEY ?WORDS\s)"
        r"(?:(?!\. [A-Z])[^\n])*",
    ),
    *(
        (cue, rf"{SENTENCE}(?i:{label})\s*[.:{DASH}]+(?:(?!\. [A-Z])[^\n])*")
        for cue, label in (
            ("index terms", "index terms"),
            ("mots", "mots[ -]cl[ée]s"),
            ("pala", "palabras clave|palavras[ -]chave"),
            ("schl", "schlüssel(?:wörter|begriffe)"),
        )
    ),
    ("reserved", rf"{SENTENCE}All rights reserved\.?"),
    (
        "10.",
        r"(?:(?<=[.!?] )|(?<=\n))(?:(?i:doi):?\s?|https?://(?:dx\.)?doi\.org/)10\.\d{4,9}/\S+",
    ),
    (
        "open access article",
        rf"{SENTENCE}This is an open access article (?:under|distributed|published)[^\n]*",
    ),
    ("pacs", r"PACS(?:[ -](?:numbers?|codes?))?\s*:?\s*[\d.+\-a-zA-Z,;:\s]{6,200}"),
    ("msc", r"(?:\d{4} )?MSC\s*(?:\d{4})?\s*:\s*[\dA-Z,;.\s-]{4,200}"),
    (
        "subject class",
        r"(?:\d{4} )?Mathematics Subject Classification[:\s]+[\dA-Z,;.\s-]{4,200}",
    ),
    ("jel", r"JEL(?: [Cc]lassification| [Cc]odes?)?\s*:\s*[A-Z\d,;.\s]{2,100}"),
    (
        "supplementary",
        r"(?:(?i:supplementary (?:information|materials?|data))\s?:\s?)?"
        r"Supplementary \w+ (?:is|are) available (?:at|from|on) [^.\n]*\.?",
    ),
    (
        ";",  # one of the last characters: "Am J Ophthalmol 2021;221:100-110."
        rf"{SENTENCE}(?:[A-Z][a-z]*\.? ){{1,6}}(?:19|20)\d\d;[\dX]+(?:\(\w+\))?"
        rf":[\d\u2022X]+[{DASH}]?[\d\u2022X]*\.?(?: Epub \d\d? [A-Z]\w+ \d{{4}}\.)?",
    ),
)
ENDINGS = tuple((cue, re.compile(rf"(?:{tail})\s*\Z")) for cue, tail in TAILS)
LABELS = (
    r"BACKGROUND|OBJECTIVES?|AIMS?|PURPOSE|INTRODUCTION|METHODS?|MATERIALS?|RESULTS?|DISCUSSION"
)
LABELS += r"|CONCLUSIONS?|FINDINGS|INTERPRETATION|DESIGN|SETTING|PATIENTS|PARTICIPANTS|SIGNIFICANCE"
LABEL = re.compile(rf"({LABELS})((?:[ /,&]+(?:AND )?(?:{LABELS}))*)\s*:\s*")
# Whole paragraphs of a body.
LINES = re.compile(
    r"""(?:
        this\ is\ an\ open[\s-]access\ article\b.*
      | .{0,80}\bdistributed\ under\ the\ terms\ of\ the\ creative\ commons\b.{0,400}
      | the\ pre-publication\ history\ for\ this\ paper\ can\ be\ accessed\ here:?.*
      | (?:https?://)?www\.biomedcentral\.com/\S+/prepub
      | publisher[\u2019']s\ note:?\s.{0,80}\bremains\ neutral\b.{0,200}
      | (?:downloaded|available)\ (?:from|by)\ .{0,160}\b(?:on|at|by)\ .{0,80}
      | arxiv:\d{4}\.\d{4,5}(?:v\d+)?\s+\[[\w.-]+\]\s+\d{1,2}\s\w{3}\s\d{4}
      | \(?page\ (?:number\ not\ for\ citation\ purposes|\d+\ of\ \d+)\)?
      | (?:©|\(c\)|copyright)\s.{0,200}
      | (?:author\ manuscript|accepted\ manuscript|nih-pa\ author\ manuscript|hhs\ public\ access)
      | issn:?\s[\d-]{9}.{0,80}
      | (?:doi:?\s?|https?://(?:dx\.)?doi\.org/)10\.\S+
    )""",
    re.I | re.X | re.S,
)  # fmt: skip
LINE_CUES: tuple[str, ...] = (
    "ccess",
    "ommons",
    "iomedcentral",
    "eutral",
    "ownloaded",
    "vailable",
    "arXiv:",
    "age ",
)
LINE_CUES += ("©", "opyright", "anuscript", "ISSN", "doi", "DOI")
TITLE = re.compile(rf"#*{HEADING}")
LONGEST_LINE = 600  # characters
TRANSLATED = re.compile(r"\s*[(\[]\s*author'?s'? transl(?:ation)?\.?\s*[)\]]\.?\s*\Z", re.I)


def bare_abstract(text: str, taken: Counter[str]) -> str:
    """An abstract without statements of copyright, leads, tails; with labels in one form.

    >>> bare_abstract("© 2016 We show it.(ABSTRACT TRUNCATED AT 250 WORDS)", Counter())
    'We show it.'
    """
    for _ in range(ROUNDS):
        before = text
        text = _without_tail(_without_head(text, taken), taken)
        if text == before:
            break
    if PARAGRAPH in text and (bare := LEADS.subn("", text))[1]:
        taken["leads"] += bare[1]
        text = bare[0]
    if text[:1].isupper() and ":" in text:
        text = PARAGRAPH.join(_with_small_label(part) for part in text.split(PARAGRAPH))
    return text


def bare_title(text: str) -> str:
    """A title without a note on who translated it, the brackets around it, and a last full stop."""
    if text.startswith("[") and text.rstrip(".").endswith("]") and text.count("[") == 1:
        text = text.rstrip(".")[1:-1].strip()
    if "transl" in text[-30:]:
        text = TRANSLATED.sub("", text)
    if text.endswith(".") and not text.endswith(("..", ".C.", ".A.")):
        text = text[:-1]
    return text


def bare_body(text: str, taken: Counter[str]) -> str:
    """A body without paragraphs that are a publisher's, and without titles left alone by them."""
    if not any(cue in text for cue in LINE_CUES):
        return text
    kept: list[str] = []
    gone = False
    for paragraph in text.split(PARAGRAPH):
        is_line = len(paragraph) <= LONGEST_LINE and LINES.fullmatch(paragraph) is not None
        if is_line:
            taken["publisher_lines"] += 1
        else:
            if gone and TITLE.match(paragraph) and kept and TITLE.match(kept[-1]):
                kept.pop()
            kept.append(paragraph)
        gone = is_line
    if gone and kept and TITLE.match(kept[-1]):
        kept.pop()
    return PARAGRAPH.join(kept)


def _without_head(text: str, taken: Counter[str]) -> str:
    if (text[:1] in "©([Cc" or "©" in text[1:6]) and (length := prefix_length(text)):
        taken["copyright"] += 1
        text = text[length:].lstrip()
    if text[:1] in "ASRZ[" and (head := HEAD.match(text)):
        taken["leads"] += 1
        text = text[head.end() :]
    return text


def _without_tail(text: str, taken: Counter[str]) -> str:
    start = max(0, len(text) - REACH)
    near = text[start:].lower()
    for cue, ending in ENDINGS:
        if cue in (near if len(cue) > 1 else near[-40:]) and (found := ending.search(text, start)):
            taken["tails"] += 1
            return text[: found.start()].rstrip()
    claimed = "©" in near or "(c)" in near or "copyright" in near or "published by" in near
    if claimed and (at := suffix_start(text)) < len(text):
        taken["copyright"] += 1
        return text[:at].rstrip()
    return text


def _with_small_label(paragraph: str) -> str:
    found = LABEL.match(paragraph)
    if found is None:
        return paragraph
    return f"{found[1].capitalize()}{found[2].lower()}: {paragraph[found.end() :]}"
