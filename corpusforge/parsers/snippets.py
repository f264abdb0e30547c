"""Text with pieces of HTML, JATS or MathML in it, as aggregators hand it on, to plain text.

Only tags that occur in these vocabularies go: "<p^n>" and "p < 0.05" are text.
"""

import re
from html import unescape

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import PARAGRAPH
from corpusforge.parsers.fields import one_line, paragraphed
from corpusforge.parsers.formulas import math_line, tex_line
from corpusforge.parsers.xmldoc import read_xml

PREFIX = r"(?:(?:jats1?|mml|m|ns\d+|ce|sb|xocs|html)\s?:\s?)?"
# Told from "a <b and c> d" by their equals signs.
ATTRIBUTES = r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>\"']+))*\s*"
# Left without a trace: "CO<sub>2</sub>" is read as "CO2".
INLINE = "a|abbr|b|bold|em|ext-link|font|i|inf|italic|monospace|named-content|roman|sc|small|span"
INLINE += "|strike|strong|sub|sup|styled-content|tt|u|underline|uri|xref|inline-formula|email|label"
INLINE += "|fixed-case|overline|mark|big|code|cite|inter-ref|cross-ref|hsp|bdi|wbr|tex-math"
# What surrounds a token of a formula.
MATHML = "math|mrow|mi|mn|mo|ms|mtext|msup|msub|msubsup|mfrac|msqrt|mroot|mover|munder|munderover"
MATHML += (
    "|mstyle|mspace|mpadded|mfenced|menclose|mtable|mtr|mtd|mphantom|mmultiscripts|mprescripts"
)
MATHML += "|none|semantics|alternatives"
# Ends a paragraph.
BLOCKS = "p|para|sec|simple-para|abstract-sec|div|section|list|list-item|ul|ol|li|h[1-6]|br|break"
BLOCKS += "|table|tbody|tr|td|th|blockquote|disp-quote|title|section-title|abstract|trans-abstract"
BLOCKS += "|disp-formula|html|body|dl|dt|dd|center|hr|pre|article|header|footer|label-sec"

TAG = re.compile(
    rf"</?{PREFIX}(?:(?P<inline>{INLINE})|(?P<math>{MATHML})|(?P<block>{BLOCKS})){ATTRIBUTES}/?>",
    re.I,
)
HIDDEN = re.compile(  # scripts, and pictures of formulas
    rf"<{PREFIX}(?P<name>script|style|annotation|annotation-xml|inline-graphic|graphic)"
    rf"(?:\s[^<>]*)?(?:/>|>.*?(?:</{PREFIX}(?P=name)\s*>|\Z))",
    re.I | re.S,
)
MOST = 100_000  # characters of a formula: none is longer, and no search goes farther
MATH = re.compile(rf"<{PREFIX}math\b[^<>]*>.{{0,{MOST}}}?</{PREFIX}math\s*>", re.I | re.S)
TEX = re.compile(rf"<{PREFIX}tex-math\b[^<>]*>(.{{0,{MOST}}}?)</{PREFIX}tex-math\s*>", re.I | re.S)
RENDERINGS = re.compile(
    rf"<{PREFIX}(?P<name>alternatives|inline-formula|disp-formula)\b[^<>]*>.{{0,{MOST}}}?"
    rf"</{PREFIX}(?P=name)\s*>",
    re.I | re.S,
)
CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
COMMENT = re.compile(r"<!--.*?-->|<!\[CDATA\[|\]\]>|<\?xml[^>]*>", re.S)
# "<b> is the impact parameter": a tag of one letter that nothing closes stands before no blank.
ALONE = re.compile(r"<([abiu])>(?=[\s.,;:=)]|\Z)", re.I)
DANGLING = re.compile(r"</?(?:jats1?|mml):[\w-]*(?:\s[^<>]*)?\Z", re.I)  # cut in a tag
TITLED = re.compile(
    rf"<{PREFIX}(?P<tag>title|section-title|h[1-6])(?:\s[^<>]*)?>(?P<title>[^<>]*)"
    rf"</{PREFIX}(?P=tag)\s*>\s*(?:<{PREFIX}(?:p|simple-para|para)(?:\s[^<>]*)?>)?",
    re.I,
)
OWN_TITLE = re.compile(r"\W*(?:abstract|summary|background and summary)\W*", re.I)
LEADING = re.compile(r"(?i:abstract)\s*[.:\-\u2013\u2014]\s+(?=\S)|ABSTRACT\s+(?=[A-Z])")
ESCAPE = re.compile(r"\\u(?:00)?(27|3c|3e|26|22)(?![0-9a-f])", re.I)  # as CORE leaves them
ROUNDS = 3  # "&amp;amp;lt;" is the most that was seen


def plain_text(text: str | None) -> str:
    """Paragraphs without markup; the title of a section labels its first paragraph.

    >>> plain_text("<jats:title>Abstract</jats:title><jats:p>CO<jats:sub>2</jats:sub></jats:p>")
    'CO2'
    """
    if not text:
        return ""
    if "\\u" in text:
        text = ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    if "math" in text:
        text = _formulas(text)  # before "&lt;" in one becomes the start of a tag
    if "&" in text:
        text = _unescaped(text)
    if "<" not in text:
        return _without_label(paragraphed(text))
    text = TITLED.sub(_label, HIDDEN.sub(" ", _formulas(COMMENT.sub(" ", text))))
    closed = text.lower()
    quantities = {n for n in set(ALONE.findall(text)) if f"</{n.lower()}>" not in closed}
    if quantities:
        text = ALONE.sub(lambda f: f"\1{f[1]}\2" if f[1] in quantities else f[0], text)
    parts = PARAGRAPH.join(DANGLING.sub("", TAG.sub(_replaced, text)).split("\0"))
    if quantities:
        parts = parts.replace("\1", "<").replace("\2", ">")
    return _without_label(paragraphed(parts))


def plain_line(text: str | None) -> str:
    """The same on one line, for titles."""
    if text and ("<" in text or "&" in text or "\\u" in text):
        text = plain_text(text)
    return one_line(text)


def _unescaped(text: str) -> str:
    for _ in range(ROUNDS):
        if (bare := unescape(text)) == text:
            break
        text = bare
    return text


def _formulas(text: str) -> str:
    """The text with each formula once, as LaTeX: its TeX where there is some, else its MathML."""
    if "math" not in text:
        return text
    if "tex-math" in text:
        text = TEX.sub(_tex, RENDERINGS.sub(_preferred, text))
    return MATH.sub(_math, text)


def _preferred(found: re.Match[str]) -> str:
    tex = TEX.search(found[0])
    return tex[0] if tex else found[0]


def _tex(found: re.Match[str]) -> str:
    return _spaced(tex_line(_unescaped(CDATA.sub("", found[1]))))


def _math(found: re.Match[str]) -> str:
    """A formula as one line, or as it was where it is not well-formed."""
    try:
        return _spaced(math_line(read_xml(found[0].encode(), "one <math>")))
    except ParseError:
        return found[0]


def _spaced(formula: str) -> str:
    """No "<" in it begins a tag."""
    return formula.replace("<", " < ")


def _label(found: re.Match[str]) -> str:
    title = " ".join(found["title"].split()).rstrip(":. ")
    return "\0" if not title or OWN_TITLE.fullmatch(title) else f"\0{title}: "


def _replaced(found: re.Match[str]) -> str:
    return "\0" if found["block"] else ""


def _without_label(text: str) -> str:
    found = LEADING.match(text)
    return text[found.end() :] if found else text
