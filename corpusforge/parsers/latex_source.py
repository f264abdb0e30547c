r"""The files of one LaTeX paper to one text: encodings, comments, and what \input brings in.

Nothing is compiled. A file that is named and not there leaves a gap, as a file of figures would.
"""

import re
from collections.abc import Iterator, Mapping

from corpusforge.errors import ParseError
from corpusforge.parsers.latex_conditionals import settled
from corpusforge.parsers.latex_cursor import Finder

LONGEST = 4 << 20  # characters of a paper with all its parts; the longest books have 3 million
MOST_INPUTS = 2_000  # of one paper; a book of 300 files has 300
DEEPEST = 16  # files that bring in one another

CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f\ufdd0-\ufdef]")  # also what later passes use as marks
INPUTENC = re.compile(rb"^[^%\n]{0,200}\\usepackage\s*\[([a-z0-9-]{1,20})\]\s*\{inputenc\}", re.M)
ENCODINGS = {  # of the package inputenc; the others that people use are Latin-1 or UTF-8
    **{f"cp{page}": f"cp{page}" for page in (437, 850, 852, 866, 1250, 1251, 1257)},
    **{f"latin{i}": f"iso8859-{part}" for i, part in ((2, 2), (3, 3), (4, 4), (5, 9), (9, 15))},
    **{"koi8-r": "koi8-r", "koi8-u": "koi8-u", "applemac": "mac-roman"},
}
BIBLATEX = "\\entry{"
DROPPED = {"comment", "filecontents", "filecontents*"}
# What can hold a "%" that starts no comment, and comments with the line end that goes with them:
# it stays where an empty line follows, which ends the paragraph.
SKIPPED = re.compile(
    r"""\\[\\%]
    | %[^\n]*+(?:\n[ \t]*+(?!\n))?
    | \\begin\s*+\{(?P<name>(?:[vV]erbatim|filecontents)\*?|lstlisting|minted|comment|alltt)\}
    | \\(?:url|path|href|nolinkurl)\s*+\{[^{}\n]*+\}
    | \\verb\*?+(?P<mark>[^A-Za-z\s*{%])[^\n]{0,500}?(?P=mark)""",
    re.X,
)
ENVIRONMENT = re.compile(r"\\(begin|end)[ \t]*+\{[ \t]*+([A-Za-z@]+\*?)[ \t]*+\}")
OPTION = r"(?:\s*+\[[^\[\]{}]{0,1000}+\])?"
INPUT = re.compile(
    rf"""(?<!\\)\\(?:
      (?P<word>input|include|subfile|subfileinclude|InputIfFileExists)\s*+\{{(?P<name>[^{{}}\n]*+)\}}
    | input[ \t]++(?P<bare>[^\s{{}}\\]++)[ ]?
    | (?:sub)?(?:import|inputfrom|includefrom)\*?\s*+
      \{{(?P<folder>[^{{}}\n]*+)\}}\s*+\{{(?P<from>[^{{}}\n]*+)\}}
    | (?P<bibliography>bibliography\s*+\{{[^{{}}]*+\}}|printbibliography(?![A-Za-z]){OPTION})
    | (?:usepackage|RequirePackage){OPTION}\s*+\{{(?P<packages>[^{{}}]*+)\}}
    )""",
    re.X,
)


def declared_encoding(files: Mapping[str, bytes]) -> str:
    """The encoding that a paper's files say they are in; Latin-1, as Windows has it, if none."""
    for path in sorted(files):
        for found in INPUTENC.finditer(files[path]):
            if encoding := ENCODINGS.get(found[1].decode()):
                return encoding
    return "cp1252"


def decoded(content: bytes, encoding: str = "cp1252") -> str:
    """The text of one file: UTF-8, or else the encoding given, or else Latin-1."""
    for name in ("utf-8-sig", encoding, "latin-1"):
        try:
            text = content.decode(name)
            break
        except UnicodeDecodeError:
            continue
    return CONTROL.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


def uncommented(text: str) -> str:
    r"""The text without comments, commented environments and what follows \endinput."""
    pieces: list[str] = []
    finder = Finder(text)
    start = place = 0
    while found := SKIPPED.search(text, place):
        place = found.end()
        if found[0].startswith("%"):
            pieces.append(text[start : found.start()])
            start = place
        elif name := found["name"]:
            end = finder.after(place, f"\\end{{{name}}}")
            if end >= 0:
                place = end
                if name in DROPPED:
                    pieces.append(text[start : found.start()])
                    start = place = end + len(f"\\end{{{name}}}")
    pieces.append(text[start:])
    whole = ENVIRONMENT.sub(r"\\\1{\2}", "".join(pieces))
    return whole.partition("\\endinput")[0]


def assembled(files: Mapping[str, str], main: str) -> str:
    r"""The main file with everything that it brings in, in place; `files` are without comments.

    Definitions of a local style file stand where it is loaded.

    Raises:
        ParseError: All of it is longer than a paper can be.
    """
    return "".join(_Assembly(files, main).text_of(main, ()))


class _Assembly:
    """The files of one paper on their way into one text."""

    def __init__(self, files: Mapping[str, str], main: str) -> None:
        self._files = files
        self._main = main
        self._inputs = self._size = 0

    def text_of(self, path: str, around: tuple[str, ...]) -> Iterator[str]:
        """Pieces of one file's text and of those in it; `around` are the files that it is in."""
        text = self._files[path]
        if around:
            text = _inside(text)
        start = 0
        for found in INPUT.finditer(text):
            names = [name for name in self._named(found, path) if name not in (path, *around)]
            if not names or len(around) >= DEEPEST:
                continue
            yield self._counted(text[start : found.start()])
            start = found.end()
            for name in names:
                self._inputs += 1
                if name.endswith(".sty"):
                    yield self._counted(settled(self._files[name]))
                elif BIBLATEX in self._files[name]:
                    continue  # fields without their order in print
                else:
                    yield from self.text_of(name, (*around, path))
        yield self._counted(text[start:])

    def _counted(self, piece: str) -> str:
        self._size += len(piece)
        if self._size > LONGEST or self._inputs > MOST_INPUTS:
            raise ParseError(
                f"{self._main} brings in {self._inputs:,} files and {self._size:,} characters; "
                f"expected no more than {MOST_INPUTS:,} and {LONGEST:,} of one paper"
            )
        return piece

    def _named(self, found: re.Match[str], path: str) -> list[str]:
        """The files of this archive that one command names."""
        if found["bibliography"]:
            asked = [("", f"{_stem(self._main)}.bbl")]
        elif found["packages"] is not None:
            asked = [("", f"{name.strip()}.sty") for name in found["packages"].split(",")]
        else:
            name = found["name"] or found["bare"] or found["from"] or ""
            asked = [(found["folder"] or "", name.strip().strip('"'))]
        held = (self._held(folder.strip(), name, path) for folder, name in asked)
        return [name for name in held if name is not None]

    def _held(self, folder: str, name: str, path: str) -> str | None:
        """The file of this name: beside the main file, at the top, or beside the file it is in."""
        for base in (_folder(self._main), "", _folder(path)):
            for ending in ("", ".tex"):
                place = normal_path(f"{base}/{folder}/{name}{ending}")
                if place is not None and place in self._files:
                    return place
        return None


def normal_path(path: str) -> str | None:
    """The path without ".", ".." and doubled slashes; None if it leads out of the archive.

    >>> normal_path("./a//b/../c.tex"), normal_path("a/../../c.tex")
    ('a/c.tex', None)
    """
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _stem(path: str) -> str:
    """The name of the file without its ending."""
    return path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2]


def _inside(text: str) -> str:
    """Of a part that can be compiled alone, what it adds to the whole."""
    _, begins, rest = text.partition("\\begin{document}")
    return rest.partition("\\end{document}")[0] if begins else text
