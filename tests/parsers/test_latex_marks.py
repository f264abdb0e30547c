r"""What clean decides on is marked: citations, captions, notes, thanks and references."""

import pytest

from corpusforge.kernels.marks import ACKNOWLEDGEMENT, FIGURE, FOOTNOTE, REFERENCE, TABLE
from corpusforge.kernels.structure import restructure
from parsers.latex_papers import body, paper, shown

NUMBERED = r"\begin{thebibliography}{9}\bibitem{b} B. \bibitem[x]{a} A.\end{thebibliography}"
NAMED = r"""\begin{thebibliography}{9} \bibitem[Ito \& Ny(2009)]{a} Ito.
\bibitem[{{Ek} et~al.(2010a)Ek, Ito, and Ny}]{b} Ek.
\bibitem[\protect\citeauthoryear{Oz}{Oz}{1999}]{c} Oz. \end{thebibliography}"""


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"known~\cite{a}.", "known [2]."),
        (r"known \citep[see][p. 1]{a,b}, too", "known [2, 1], too"),
        (r"as \citet*{a} shows\nocite{b}", "as [2] shows"),
        (r"\cite{other} \cite{a} \cite{other}", "[3] [2] [3]"),
    ],
)
def test_a_citation_has_the_number_of_its_entry(tex, text):
    assert shown(body(tex + NUMBERED), REFERENCE) == text


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"as \citet{a} show", "as Ito & Ny (2009) show"),
        (r"as \cite{a,c} show", "as Ito & Ny (2009), Oz (1999) show"),
        (r"known \citep[see][]{b,c}.", "known (Ek et al., 2010a; Oz, 1999)."),
        (r"\citeauthor{b} in \citeyear{b}", "Ek et al. in 2010a"),
        (r"known \citep{a,nobody}", "known [1, 4]"),
    ],
)
def test_a_citation_has_the_names_that_the_bibliography_labels_it_with(tex, text):
    assert shown(body(tex + NAMED), REFERENCE) == text


@pytest.mark.parametrize(
    "preamble",
    [
        r"\usepackage[sort,numbers]{natbib}",
        r"\usepackage{natbib}\bibpunct{[}{]}{,}{n}{}{;}",
        r"\usepackage{natbib}\setcitestyle{numbers,square}",
    ],
)
def test_a_style_of_numbers_prints_no_names(preamble):
    assert shown(body(r"known \citep{b}" + NAMED, preamble), REFERENCE) == "known [2]"


def test_citations_are_dropped_by_policy_but_for_those_that_a_sentence_needs():
    text = body(r"As \citet{a} found \citep{b,c}, so." + NAMED)
    assert restructure(text, "drop", REFERENCE)[0] == "As Ito & Ny (2009) found, so."


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"in Eq.~(\ref{e}) and \eqref{f}; \autoref{g}", "in Eq. and;"),
        (r"(Fig.~\ref{e}), as in \ref\name{Somebody, 1990}, too", "(Fig.), as in, too"),
    ],
)
def test_a_cross_reference_leaves_no_gap(tex, text):
    """What stands in the source is a key; as of unarXive, nothing is put in its place."""
    assert body(tex) == text


@pytest.mark.parametrize(
    ("name", "mark"),
    [("figure", FIGURE), ("wrapfigure", FIGURE), ("table*", TABLE), ("longtable", TABLE)],
)
def test_of_a_float_the_caption_follows_the_paragraph(name, mark):
    inside = r"\centering x $y$ & z \caption[short]{A \emph{leaf}\footnote{B}\label{f}}\par w"
    text = body(f"One \\begin{{{name}}}[t]{inside}\\end{{{name}}} sentence.\n\nTwo.")
    assert text.split("\n\n") == ["One sentence.", f"{FOOTNOTE}B", f"{mark}A leaf", "Two."]


def test_a_float_without_end_hides_nothing():
    assert body(r"a \begin{figure} b \caption{c} d") == f"a b d\n\n{FIGURE}c"


def test_notes_stand_behind_the_paragraph_and_not_in_titles():
    document = r"""\documentclass{a}\title{T\footnote{x}}\author{A. Leaf\footnote{y}}
    \begin{document}One\footnote{A note with\par two parts.} sentence.

    Two.\end{document}"""
    found = paper(document)
    assert (found.title, found.authors) == ("T", ("Leaf",))
    assert found.body.split("\n\n") == [
        "One sentence.",
        f"{FOOTNOTE}A note with two parts.",
        "Two.",
    ]


@pytest.mark.parametrize(
    ("tex", "paragraphs"),
    [
        (r"\begin{acknowledgments}We thank.\end{acknowledgments}", ["We thank."]),
        (r"\acknowledgments{We thank.}", ["We thank."]),
        (r"\acknowledgments We thank.", ["## Acknowledgments", "We thank."]),
        (r"\section*{Acknowledgements}We thank.", ["## Acknowledgements", "We thank."]),
    ],
)
def test_acknowledgments_are_marked(tex, paragraphs):
    text = body(rf"a {tex} \section{{Next}} b")
    marked = [ACKNOWLEDGEMENT + paragraph for paragraph in paragraphs]
    assert text.split("\n\n") == ["a", *marked, "## Next", "b"]


def test_the_list_of_references_is_marked():
    assert body("a" + NUMBERED).split("\n\n") == ["a", f"{REFERENCE}1. B.", f"{REFERENCE}2. A."]


def test_a_list_of_references_that_bibtex_made_is_read_and_one_for_biblatex_is_not():
    document = r"\documentclass{a}\begin{document}See \cite{a}.\bibliography{refs}\end{document}"
    assert shown(paper(document, main_bbl=NUMBERED).body) == "See [2].\n\n1. B.\n\n2. A."
    biblatex = r"\refsection{0}\entry{a}{article}{}\field{title}{A}"
    assert shown(paper(document, main_bbl=biblatex).body) == "See [1]."


@pytest.mark.parametrize("name", ["tabular", "tikzpicture", "algorithmic", "keywords"])
def test_pictures_and_cells_are_left_out(name):
    assert body(f"a\\begin{{{name}}}x $y$ \\end{{{name}}} b") == "a b"


def test_a_table_in_a_table_is_left_out_with_it():
    inner = r"\begin{tabular}{c}x\begin{tabular}{c}y\end{tabular}z\end{tabular}"
    assert body(f"a {inner} b {inner} c") == "a b c"


def test_an_environment_that_never_ends_costs_only_its_name():
    assert body(r"a \begin{tabular} b \begin{equation} c \begin{verbatim} d") == "a b c d"
