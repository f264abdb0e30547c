r"""Whatever a submission holds, reading it ends, with a paper or a ParseError.

Texts of a megabyte of one thing are in the suite because any step that is not linear in the text
takes hours for them.
"""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.kernels.marks import MARK
from corpusforge.kernels.structure import restructure
from corpusforge.parsers.latex import parse_latex
from corpusforge.parsers.paper import Paper

START = r"\documentclass{a}\newcommand{\b}[1]{#1}\newcommand{\o}[2][x]{#1#2}\begin{document}"
LISTED = r"""
    \b \o \section \begin{figure} \end{figure} \begin{equation} \end{equation} \begin{tabular}
    \end{tabular} \begin{verbatim} \end{verbatim} \begin{abstract} \end{abstract}
    \begin{theorem} \begin{thebibliography} \bibitem \cite \ref \footnote \caption \title
    \author \item \input{x} \newcommand \def \let \newenvironment{a} \newtheorem{a} \iffalse
    \else \fi \newif\ifx \ifmmode \verb| \' \" \SI \ensuremath \vskip 1pt plus \font\x
    \textcolor \href \url \head \endhead \Refs \end{document} \usepackage \bibliography \and \\
    \[ \] \( \) $ $$ { } [ ] % & ~ # ^ _ --- `` '' \acknowledgments \statement@ \catcode`
    \advance \textsuperscript \documentclass 1 x . ,
"""
WORDS = LISTED.split()
texts = st.lists(st.sampled_from([*WORDS, " ", "\n", "\n\n"]) | st.text(max_size=3), max_size=40)


def read(source):
    """The paper of these bytes, or None where it is refused."""
    with suppress(ParseError):
        return parse_latex({"main.tex": source}, "2101.00001")
    return None


@given(st.sampled_from(["", START]), texts.map("".join))
def test_any_text_is_a_paper_or_is_refused(start, text):
    paper = read((start + text).encode("utf-8", "surrogatepass"))
    assert paper is None or isinstance(paper, Paper)
    if start:
        assert paper is None or not any(mark in paper.title + paper.body for mark in "\0\1\6\7\b")


@given(texts.map("".join))
def test_no_mark_survives_the_policies(text):
    paper = read((START + text).encode("utf-8", "surrogatepass"))
    if paper is not None:
        assert not MARK.search(paper.title + "".join(paper.authors))
        assert not MARK.search(restructure(paper.body, "keep", "")[0])


@given(st.dictionaries(st.text(max_size=8), st.binary(max_size=60), max_size=4))
def test_any_files_are_a_paper_or_are_refused(files):
    with suppress(ParseError):
        parse_latex(files, "2101.00001")


SIZE = 1 << 20
UNITS = [
    "{", "}", "[", "$", "${", "\\[", "\\b{", "\\b[", "\\o[x", "\\begin{x", "\\begin{figure}",
    "\\begin{tabular}", "\\begin{tabular}\\begin{tabular}\\end{tabular}", "\\begin{equation}",
    "\\begin{verbatim}", "\\begin{comment}", "\\begin{theorem}[", "\\title", "\\title{",
    "\\section{", "\\item[", "\\item[\\item", "\\cite{", "\\cite{a}", "(\\ref{a}", "\\footnote{",
    "\\caption{", "\\bibitem[", "\\'{", "\\verb|", "$\\ifmmode", "\\iffalse", "\\iffalse\\else",
    "\\usepackage[", "\\input{", "%\n", "\n ", "\n\n", "\\\\[", "\\SI{", "\\statement@{}{",
    "\\vskip plus", "\\newcommand{\\q}[9][", "\\def\\q{", "\\author{a\\and", "$\\mbox{$",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_megabyte_of_one_thing_is_read_to_its_end(unit):
    text = unit * (SIZE * 3 // 4 // len(unit))
    read((START + text + "}" * (SIZE // 4)).encode())
