r"""What is read of a paper in LaTeX: its title, names, abstract and body."""

import json
import re

import pytest

from corpusforge.parsers.latex_main import NoLatex
from corpusforge.parsers.placeholders import OnlyPlaceholder
from parsers.latex_papers import body, paper, shown

PAPER = r"""
\documentclass[12pt]{article}
\usepackage{amsmath}
\title[Short]{On Falling\\ Leaves\thanks{Paid by nobody.}}
\author{Ann B. Tree\thanks{a@b.org} \and Luc van Gool\\ Institute of Wood\\ Ghent}
\date{\today}
\begin{document}
\maketitle
\begin{abstract}
Leaves fall~\cite{newton}. We measure   how fast,
and why.
\end{abstract}
\section{Introduction}\label{sec:intro}
It is known \citep[see][p.~3]{a,b} that leaves fall; see Section~\ref{sec:intro}.

\noindent A second paragraph.
\subsection{Model}
A leaf obeys $m\ddot{x}=-mg$ and so
\begin{equation}\label{eq:fall}
  x(t) = x_0 - \tfrac12 g t^2 .
\end{equation}
\begin{figure}\includegraphics{a.eps}\caption{A leaf.}\end{figure}
\section*{Results}
Slow\footnote{Very slow.}.
\begin{thebibliography}{9}\bibitem{newton} I. Newton.\end{thebibliography}
\end{document}
After the end.
"""


def test_a_paper_is_read_whole():
    found = paper(PAPER)
    assert (found.source_id, found.arxiv, found.version) == ("2101.00001", "2101.00001", 1)
    assert found.title == "On Falling Leaves"
    assert found.authors == ("Tree", "van Gool")
    assert shown(found.abstract) == "Leaves fall [1]. We measure how fast, and why."
    assert shown(found.body).split("\n\n") == [
        "## Introduction",
        "It is known [2, 3] that leaves fall; see Section.",
        "A second paragraph.",
        "### Model",
        r"A leaf obeys $m\ddot{x}=-mg$ and so",
        r"$$x(t) = x_0 - \tfrac12 g t^2 .$$",
        "A leaf.",
        "## Results",
        "Slow.",
        "Very slow.",
        "1. I. Newton.",
    ]
    assert (found.year, found.version_kind) == (2021, "preprint")
    assert found.url == "https://arxiv.org/abs/2101.00001"


@pytest.mark.parametrize(
    ("arxiv", "year"), [("0704.0001", 2007), ("hep-th/9108001", 1991), ("math/0001001", 2000)]
)
def test_the_year_is_that_of_the_id(arxiv, year):
    assert paper(PAPER, arxiv).year == year


def test_what_follows_the_appendix_stays_and_a_paper_needs_no_sections():
    assert body(r"Only text. \appendix Proofs are here.") == "Only text.\n\nProofs are here."


def test_the_character_before_a_comment_stays():
    assert body("a leaf% of a tree\n falls. 5\\% of them% do not") == "a leaffalls. 5% of them"


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (
            r"\'etude na\"{\i}ve Erd\H{o}s \v{C}ech \c{c}a \r{a} \k a \'\i",
            "étude naïve Erdős Čech ça å ą í",
        ),
        (r"stra\ss e \OE uvre \o re \L{}\'od\'z \aa", "straße Œuvre øre Łódź å"),
        ("``quoted'' --- 3--5, `so'", "“quoted” \u2014 3\u20135, 'so'"),
        (r"5\,km, A~B, \& \% \$ \# \_ \{\}, 1\textsuperscript{st}", "5 km, A B, & % $ # _ {}, 1st"),
        (r"10\textsuperscript{-5} and \ldots\ \S 3 \copyright\ \alpha", "10^-5 and … §3 © \u03b1"),
        (r"{\bf bold} \emph{not} \textcolor{red}{red} {\large big}", "bold not red big"),
        (r"\href{http://a.b/%20}{there}, \url{http://a.b/~c%20d}", "there, http://a.b/~c%20d"),
        (r"\verb|a_b{%}| \verb+$x$+", "a_b{%} $x$"),
        (r"\unknown{kept} \other[opt]{kept too} \third[opt] end", "kept kept too end"),
        (r"a\hspace{1cm}b \vskip 3pt plus 1pt c \parindent=0pt d", "ab c d"),
        (r"co\-op\-er\-ate, \mbox{no break}, \TeX nical", "cooperate, no break, TeXnical"),
    ],
)
def test_marks_of_the_line_become_characters(tex, text):
    assert body(tex) == text


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        ("a $x\n + y$ b", "a $x + y$ b"),
        (r"\(a\) and \[b\] c", "$a$ and\n\n$$b$$\n\nc"),
        ("$$a$$", "$$a$$"),
        (r"$x \mbox{ if $y$ or \$}$ z", r"$x \mbox{ if \(y\) or \$}$ z"),
        (r"$a \mbox{ $}$ z", r"$a \mbox{ }$ z"),
        (r"$a \\ b \[ c$", r"$a \\ b \[ c$"),
        (
            "\\begin{align}a &= b \\label{q}\\\\ c &= d \\nonumber\\end{align}",
            r"$$\begin{aligned}a &= b \\ c &= d\end{aligned}$$",
        ),
        (r"\begin{gather*}a\\b\end{gather*}", r"$$\begin{gathered}a\\b\end{gathered}$$"),
        (r"\begin{alignat}{2}a&b\end{alignat}", r"$$\begin{aligned}a&b\end{aligned}$$"),
        (
            r"\begin{equation}\begin{split}a\end{split}\end{equation}",
            r"$$\begin{split}a\end{split}$$",
        ),
        (r"\begin{math}x\end{math} y", "$x$ y"),
        (r"\ensuremath{x^2} of \SI{5}{\metre} \ce{H2O}", r"$x^2$ of $\SI{5}{\metre}$ $\ce{H2O}$"),
        (r"$\ensuremath{x}$", "${x}$"),
        (r"as $x\ $ is, $y\\$", "as $x$ is, $y$"),
        ("it costs $5 today.\n\nAnd $x$", "it costs $5 today.\n\nAnd $x$"),
        ("$ $ and ${}$ nothing", "and nothing"),
        (r"\ifmmode a\else b\fi $\ifmmode a\else b\fi$", "b$a$"),
    ],
)
def test_mathematics_stays_tex_between_dollars(tex, text):
    assert body(tex) == text


def test_lists_give_a_paragraph_each_item_and_keep_labels_that_are_words():
    tex = r"""Two: \begin{enumerate}\item one \item[(b)] two\end{enumerate}
    \begin{description}\item[\emph{Leaf} $L$] a thing \item[$\bullet$] x \item[--] y
    \end{description} end"""
    assert body(tex).split("\n\n") == [
        "Two:", "- one", "- (b) two", "- Leaf $L$ a thing", r"- $\bullet$ x", "- y", "end",
    ]  # fmt: skip


def test_statements_are_named_as_the_reader_sees_them():
    preamble = r"\newtheorem{thm}[eq]{Main Theorem}[section]"
    tex = r"""\begin{thm}[Leaf]\label{l} All fall. \end{thm}
    \begin{lemma} So. \end{lemma} \begin{proof} Clear. \end{proof}
    \begin{proof}[Proof of it] Too.\end{proof}"""
    assert body(tex, preamble).split("\n\n") == [
        "Main Theorem (Leaf). All fall.", "Lemma. So.", "Proof. Clear.", "Proof of it. Too.",
    ]  # fmt: skip


def test_headings_nest_and_one_without_text_is_left_out():
    tex = r"""\section[s]{One {\it two} $x$}a\subsection{Sub}b\paragraph{Run in.} c
    \section{Empty}\section*{Last}d"""
    assert body(tex).split("\n\n") == [
        "## One two $x$", "a", "### Sub", "b", "##### Run in.", "c", "## Last", "d",
    ]  # fmt: skip


def test_of_a_book_chapters_are_the_first_level():
    assert body(r"\chapter{A}\section{B}c") == "## A\n\n### B\n\nc"


def test_code_is_kept_as_it_is():
    tex = "See \\begin{verbatim}\nif x % 2:\n  {\\bf}\n\\end{verbatim} there"
    assert body(tex) == "See\n\nif x % 2: {\\bf}\n\nthere"


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        (r"\author{A. Tree, B. C. Leaf and D. Root}", ("Tree", "Leaf", "Root")),
        (r"\author{A. Tree$^{1,2}$, B. Leaf\textsuperscript{1,*}\\ $^1$Forest}", ("Tree", "Leaf")),
        (r"\author{A. Tree,\\ B. Leaf \\ University of X}", ("Tree", "Leaf")),
        (r"\author{A. Tree}\affiliation{X}\author[b]{B. Leaf}\email{b@c}", ("Tree", "Leaf")),
        (r"\author{\IEEEauthorblockN{A. Tree}\IEEEauthorblockA{Forest}}", ("Tree",)),
        (r"\author{Tree, A. B.}\author{Leaf, C.}", ("Tree", "Leaf")),
        (r"\author{A. Tree\inst{1} \and B. \'Erable\inst{2}}\institute{X}", ("Tree", "Érable")),
        (r"\author{Department of Wood}", ()),
    ],
)  # fmt: skip
def test_authors_are_found_in_every_style(authors, names):
    document = rf"\documentclass{{a}}{authors}\begin{{document}}x\end{{document}}"
    assert paper(document).authors == names


@pytest.mark.parametrize(
    "front",
    [
        r"\abstract{Leaves fall.}\begin{document}",
        r"\begin{document}\begin{abstract}Leaves fall.\end{abstract}",
        r"\begin{document}\begin{abstract}Leaves fall.\section{A}",
    ],
)
def test_an_abstract_is_found_wherever_it_stands(front):
    found = paper(rf"\documentclass{{a}}{front} Text.\end{{document}}")
    assert found.abstract == "Leaves fall."
    assert found.body.endswith("Text.")


def test_the_five_parts_of_an_abstract_of_astronomers_are_its_paragraphs():
    front = r"\abstract {Context.}{Aims.} {Methods.}{Results.}{}"
    found = paper(rf"\documentclass{{aa}}{front}\begin{{document}}Text.\end{{document}}")
    assert found.abstract.split("\n\n") == ["Context.", "Aims.", "Methods.", "Results."]


PLAIN = r"""\magnification=1200 \hsize 6in \font\big=cmr10 scaled 1440
\newsec{Introduction} \advance\pageno by 1 Leaves $x$ fall.
\subsec{More} And stop. \bye not this"""

AMSTEX = r"""\input amstex \documentstyle{amsppt} \define\R{\Bbb R}
\topmatter \title On Leaves \endtitle \author A. Tree \endauthor
\abstract They fall. \endabstract \endtopmatter \document
\head 1. Introduction \endhead In $\R$ they \cite{1} fall.
\proclaim{Theorem 1} All. \endproclaim \Refs \ref \by X \endref \endRefs \enddocument no"""


def test_plain_tex_is_read_too():
    assert paper(PLAIN).body.split("\n\n") == [
        "## Introduction", "Leaves $x$ fall.", "### More", "And stop.",
    ]  # fmt: skip


def test_ams_tex_is_read_too():
    found = paper(AMSTEX)
    assert (found.title, found.authors) == ("On Leaves", ("Tree",))
    assert found.abstract == "They fall."
    assert shown(found.body).split("\n\n") == [
        "## 1. Introduction", r"In $\Bbb R$ they [1] fall.", "Theorem 1 All.", "X",
    ]  # fmt: skip


def test_the_old_latex_is_read_too():
    found = paper(r"\documentstyle[12pt]{article}\title{T}\begin{document}{\it x}\end{document}")
    assert (found.title, found.body) == ("T", "x")


def test_a_submission_that_only_says_that_it_is_withdrawn_is_a_placeholder():
    text = "%auto-ignore\nThis paper has been withdrawn by the author due to an error.\n"
    with pytest.raises(OnlyPlaceholder, match="has been withdrawn"):
        paper(text)
    with pytest.raises(OnlyPlaceholder, match="has been withdrawn"):
        paper(rf"\documentclass{{a}}\begin{{document}}{text}\end{{document}}")


@pytest.mark.parametrize("text", ["", "Some words and no TeX.", "\\newcommand{\\a}{b}"])
def test_what_is_no_document_is_refused(text):
    with pytest.raises(NoLatex, match=r"none of 1 files of text .* expected a \\documentclass"):
        paper(text)


def test_real_abstracts_without_tex_outside_of_formulas_stay_as_they_are(real_data):
    """Of arXiv's metadata; quotation marks and dashes are TeX too."""
    lines = real_data / "samples/arxiv/kaggle_arxiv-metadata-oai-snapshot.head.jsonl"
    texts = [json.loads(line)["abstract"] for line in lines.read_text("utf-8").splitlines()]
    texts = [" ".join(text.split()) for text in texts if "withdrawn" not in text]
    outside = [re.sub(r"\$[^$]*\$", "", text) for text in texts]
    pairs = zip(texts, outside, strict=True)
    plain = [text for text, rest in pairs if not re.search(r"[\\{}%&~`$]|''|--", rest)]
    assert len(plain) > 140
    for text in plain:
        found = " ".join(body(text).split())
        assert re.sub(r"\$[^$]*\$", "", found) == re.sub(r"\$[^$]*\$", "", text)
        assert re.findall(r"\$[^$]*\$", "".join(found.split())) == re.findall(
            r"\$[^$]*\$", "".join(text.split())
        )
