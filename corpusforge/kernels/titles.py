"""Titles of papers in a form in which the copies of one title are equal, and how alike two are.

The same title reaches us with LaTeX, with tags, with Unicode or with none of them: "$\\beta$-sheet"
and "Beta sheet" are one. Letters and digits stay, whatever their script; Greek letters are spelled
out; case, accents, punctuation and markup go.
"""

import html
import re
import unicodedata

MIN_INFORMATIVE = 10  # bytes of words that are not generic; "Muon Colliders" has 13

_FROM_ALPHA_ON = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma
tau upsilon phi chi psi omega
"""
_GREEK = _FROM_ALPHA_ON.split()  # in the order of Unicode, which has a final sigma
_SPELLED = {0x3B1 + place: name for place, name in enumerate(_GREEK)}
# Letters that Unicode does not take apart into a letter and a mark.
_SPELLED |= {ord("ð"): "d", ord("đ"): "d", ord("ħ"): "h", ord("\u0131"): "i", ord("ł"): "l"}
_SPELLED |= {ord("ø"): "o", ord("ŧ"): "t", ord("þ"): "th", ord("æ"): "ae", ord("œ"): "oe"}

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")  # "(< lambda)" is none
_BREAK = re.compile(r"<(?:br|p|title)\b[^<>]*>", re.I)
_ACCENT = re.compile(r"\\[`'^\"~=.]\s*|\\[cvHukrdb](?:\s+(?=[a-zA-Z])|\s*(?=\{))")
_COMMAND = re.compile(r"\\([a-zA-Z]+)(\{|\s?)")
_SPACES = re.compile(r"\\[,;:! \\]|~")
_LAYOUT = str.maketrans("", "", "${}^_\\")
_SAID = {*_GREEK, "log", "ln", "exp", "sin", "cos", "tan", "min", "max", "sup", "inf", "lim"}
_SAID |= {"det", "dim", "mod", "ker", "gcd"}
_LETTERS = {"i": "i", "j": "j", "o": "o", "l": "l", "ell": "l", "aa": "a", "ss": "ss"}
_LETTERS |= {"ae": "ae", "oe": "oe"}
_WORD = re.compile(r"[^\W_]+")
_NOTE = re.compile(  # at the end, as in "A title (Preprint)"
    r"[(\[]\s*(?:preprint|(?:extended|full|long|short|technical)\s+"
    r"(?:version|abstract|paper|report))\s*[)\]]\W*\Z",
    re.I,
)
_NUMBER = re.compile(r"[0-9]+(?:st|nd|rd|th)?|(?=[ivx])x{0,3}(?:i[xv]|v?i{0,3})")

# Words of which whole titles are made that name no work: "Guest editorial", "Introduction to the
# special issue", "Letters to the editor", "Chapter 4", "Vorwort".
_GENERIC_WORDS = """
a about an and as at by for from in into of on or our the their this to us with your au aux con
da das de del den der des die dos du e el en et ein eine im l la las le les los mit o os para
per por pour sur und van von y zu zum zur abstract abstracts acknowledgement acknowledgements
acknowledgment acknowledgments address announcement announcements annual appendix article
articles author authors available back board book books briefs brief calendar case chair chairs
chapter column comment commentary comments conclusion conclusions conference contents
contributors correction corrections corrigenda corrigendum correspondence cover current data
department diagnosis discussion discussions editor editorial editorials editors erratum errata
error events expression figure figures foreword front general guest guidelines highlights image
images inaugural index information instructions introduction introductory invited issue issues
journal keynote lecture letter letters list literature masthead matter meeting meetings memoriam
memory message minutes miscellaneous miscellany new news no none not note notes notice notices
number obituaries obituary opening opinion outlook overview page pages paper papers part
perspective perspectives postscript poster posters preface preliminary president proceedings
program programme prologue publication publications publisher question questions recent received
reflections rejoinder remarks replies reply report reports response responses retracted
retraction review reviewer reviewers reviews section session sessions short special study
subject summary supplement supplementary supporting symposium table tables talk thanks title
titles toc tribute tutorial unknown untitled update updates viewpoint vol volume volumes welcome
words workshop year january february march april may june july august september october november
december spring summer autumn fall winter aufsatz avant buchbesprechung buchbesprechungen compte
comptes einfuhrung einleitung geleitwort inhalt inhaltsverzeichnis introduccion introducao
mitteilung mitteilungen nachruf nachrichten nota notas presentacion prologo propos rendu rendus
resena resenas sommaire vorwort zusammenfassung
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())


def folded(text: str) -> str:
    """Lower case without accents; Greek letters spelled out, "ø" as "o", "ß" as "ss".

    >>> folded("Strauß, Świątek & Ærø")
    'strauss, swiatek & aero'
    """
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in apart if not unicodedata.combining(c)).translate(_SPELLED)


def plain_title(title: str) -> str:
    """The words of a title, folded, with one blank between them.

    >>> plain_title("CO<sub>2</sub> at {\\\\it ab initio} M\\\\\\"obius $\\\\alpha_1$-helices")
    'co2 at ab initio mobius alpha1 helices'
    """
    if "&" in title:
        title = html.unescape(title)
    if "<" in title:
        title = _TAG.sub("", _BREAK.sub(" ", title))
    if "\\" in title:
        title = _SPACES.sub(" ", _COMMAND.sub(_said, _ACCENT.sub("", title)))
    return " ".join(_WORD.findall(folded(title.translate(_LAYOUT))))


def _said(command: re.Match[str]) -> str:
    """What is read of a LaTeX command: letters and functions, but not fonts and signs."""
    name = command[1].lower().removeprefix("var")
    if name in _LETTERS:
        return _LETTERS[name]  # a blank behind it only ends the command
    if name in _SAID:
        return f"{name}{command[2]}"
    return "" if command[2] == "{" else " "


def title_key(title: str) -> str | None:
    """What equal titles have in common: no blanks, leading article or note of the kind of copy.

    None for a title that names no work: fewer than `MIN_INFORMATIVE` bytes (three per ideograph) of
    words that are neither generic nor numbers.

    >>> title_key("The t-test revisited (Extended Version)"), title_key("Guest Editorial, Part II")
    ('ttestrevisited', None)
    """
    words = plain_title(_NOTE.sub("", title)).split()
    told = sum(len(w.encode()) for w in words if w not in _GENERIC and not _NUMBER.fullmatch(w))
    if told < MIN_INFORMATIVE:
        return None
    return "".join(words[words[0] in ("a", "an", "the") :])


def title_likeness(a: str, b: str) -> float:
    """How alike two titles are, 0..1: shared character trigrams of their words (Dice).

    Words may stand in another order, in another field even if all fields are given as one text.
    0 if one has no word.
    """
    one, other = _trigrams(a), _trigrams(b)
    if not one or not other:
        return 0.0
    return 2 * len(one & other) / (len(one) + len(other))


def _trigrams(title: str) -> set[str]:
    text = f" {plain_title(title)} "
    return {text[i : i + 3] for i in range(len(text) - 2) if text[i + 1] != " "}
