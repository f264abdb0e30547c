r"""Which file of an arXiv submission is the paper.

arXiv writes a 00README into a submission that names it: JSON since 2024, before that a line such
as "paper.tex toplevelfile" in 00README.XXX. Most submissions have neither; then it is the file
that is a whole document, and of several the one that reads least like something beside the paper.
"""

import re
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from corpusforge.errors import ParseError
from corpusforge.parsers.latex_source import assembled

ENDINGS = (".tex", ".ltx", ".latex", ".txt")
IGNORED = re.compile(r"\s*%\s*auto-ignore", re.I)  # arXiv's own mark for a file that is no paper
CLASS = re.compile(r"\\document(?:class|style)\s*+(?:\[[^\[\]]{0,1000}+\]\s*+)?\{([^{}]{0,80}+)\}")
PARTS = {"standalone", "subfiles", "letter", "beamer", "minimal"}
BESIDE = re.compile(
    r"supp|append|respon|reply|rebut|cover|letter|template|sample|example|readme|slides|poster"
    r"|(?:^|/)(?:anc|si)(?:/|\.)",
    re.I,
)
PLAIN = re.compile(
    r"\\(?:bye|enddocument|magnification|beginsection|centerline|newsec|topmatter|section|eject)"
    r"(?![A-Za-z])|\\input\s*(?:amstex|amsppt|harvmac|phyzzx|lanlmac|jnl|eplain)"
)
COMPARED = 8  # documents of a submission whose full lengths are compared


class NoLatex(ParseError):  # noqa: N818  (named for what is wrong with the record)
    """The submission has no file that is a paper in TeX."""


class _Entry(Struct):
    filename: str = ""
    usage: str | None = None


class _Readme(Struct):
    sources: list[_Entry] = []


def main_file(files: Mapping[str, str], raw: Mapping[str, str]) -> str:
    """The path of the paper's main file.

    Args:
        files: Text without comments, by path.
        raw: The same files as they came, and the 00README.

    Raises:
        NoLatex: No file looks like a paper in TeX.
        ParseError: One of several candidates is longer than a paper can be.
    """
    named, left_out = _told(raw)
    for path in named:
        if path in files:
            return path
    candidates = [
        path
        for path in sorted(files)
        if path not in left_out
        and (path.lower().endswith(ENDINGS) or "." not in path.rpartition("/")[2])
        and not IGNORED.match(raw[path])
    ]
    documents = [path for path in candidates if CLASS.search(files[path])]
    chosen = documents or [path for path in candidates if PLAIN.search(files[path])]
    if not chosen:
        raise NoLatex(
            f"none of {len(candidates)} files of text starts a document of LaTeX or of plain TeX; "
            f"expected a \\documentclass in one of them"
        )
    best = max(_rank(path, files[path]) for path in chosen)
    alike = [path for path in chosen if _rank(path, files[path]) == best]
    if len(alike) == 1:
        return alike[0]
    longest = sorted(alike, key=lambda path: -len(files[path]))[:COMPARED]
    return max(longest, key=lambda path: len(assembled(files, path)))


def _rank(path: str, text: str) -> tuple[bool, bool, bool, int]:
    found = CLASS.search(text)
    return (
        "\\begin{document}" in text,
        found is None or found[1].strip() not in PARTS,
        BESIDE.search(path) is None,
        -path.count("/"),
    )


def _told(raw: Mapping[str, str]) -> tuple[list[str], set[str]]:
    """The main files that a 00README names, and those that it says to leave out."""
    named: list[str] = []
    left_out: set[str] = set()
    for path in sorted(raw):
        if not path.rpartition("/")[2].lower().startswith("00readme"):
            continue
        for name, usage in _usages(raw[path]):
            if usage in ("toplevel", "toplevelfile"):
                named.append(name)
            elif usage == "ignore":
                left_out.add(name)
    return named, left_out


def _usages(readme: str) -> list[tuple[str, str]]:
    if readme.lstrip().startswith("{"):
        try:
            entries = msgspec.json.decode(readme, type=_Readme).sources
        except (msgspec.MsgspecError, RecursionError):
            return []
        return [(entry.filename, entry.usage or "") for entry in entries]
    lines = (line.split() for line in readme.splitlines())
    return [(words[0], words[1].lower()) for words in lines if len(words) == 2]
