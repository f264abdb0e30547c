r"""The files of a submission become one text: the right ones, in place, without comments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.latex import parse_latex
from corpusforge.parsers.latex_conditionals import settled
from corpusforge.parsers.latex_main import main_file
from corpusforge.parsers.latex_source import (
    LONGEST,
    assembled,
    declared_encoding,
    decoded,
    uncommented,
)

# --- encodings


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("naïve “x”".encode(), "naïve “x”"),
        ("\ufeffx".encode(), "x"),
        ("naïve".encode("latin-1"), "naïve"),
        (b"\x93x\x94", "“x”"),
        (b"\xe9\x81", "é\x81"),  # no character of Windows
        (b"a\r\nb\rc", "a\nb\nc"),
        (b"a\x00\x06\x0c\x7fb\tc", "a    b\tc"),
        ("\ufdd0a\ufdef".encode(), " a "),
    ],
)
def test_text_is_utf8_or_else_latin1(content, text):
    assert decoded(content) == text


def test_the_encoding_that_a_paper_declares_counts():
    text = "Как падают листья"
    preamble = (
        b"\\documentclass{a}\n%\\usepackage[latin1]{inputenc}\n\\usepackage[cp1251]{inputenc}"
    )
    main = preamble + b"\\begin{document}\\input{b}"
    files = {"a.tex": main, "b.tex": text.encode("cp1251")}
    assert declared_encoding(files) == "cp1251"
    assert text in decoded(files["b.tex"], declared_encoding(files))
    assert parse_latex(files, "2101.00001").body == text


# --- comments


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        ("a % b\nc", "a c"),
        ("a% b\n  c", "ac"),
        ("a\n%b\nc", "a\nc"),
        ("a%\n\nb", "a\n\nb"),
        ("a%\n \t\n b", "a\n \t\n b"),
        (r"5\% of a \\% b", r"5\% of a \\"),
        ("a%", "a"),
        ("\\url{a%20b}% c\n\\href{x%y}{z}", "\\url{a%20b}\\href{x%y}{z}"),
        ("\\verb|%|%a", "\\verb|%|"),
        ("\\begin{verbatim}%x\n\\end{verbatim}%y", "\\begin{verbatim}%x\n\\end{verbatim}"),
        ("a\\begin{comment} b % \\end{comment}c", "ac"),
        ("a\\begin{comment} b", "a\\begin{comment} b"),
        ("\\begin {x} \\end{ y }", "\\begin{x} \\end{y}"),
        ("a\\endinput b", "a"),
    ],
)
def test_comments_go_with_their_line_ends(tex, text):
    assert uncommented(tex) == text


@given(st.text("a%\\\n {}", max_size=30))
def test_no_percent_sign_stays_that_is_not_escaped(text):
    left = uncommented(text).replace("\\\\", "")
    assert "%" not in left.replace("\\%", "")


# --- conditionals


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"a\iffalse b\else c\fi d", "a c d"),
        (r"\iftrue a\else b\fi", " a"),
        (r"\iffalse a\ifx\x\y b\else c\fi d\fi e", " e"),
        (r"\newif\iflong\iflong a\else b\fi\longtrue\iflong c\fi\longfalse\iflong d\fi", " b c"),
        (r"\let\ifdraft\iffalse\ifdraft a\else b\fi", " b"),
        (r"\ifx\a\b yes\else no\fi", " yes"),
        (r"\ifnum\a<3 yes\fi \ifdefined\a too\fi", "yes  too"),
        (r"\ifmmode a\else b\fi", r"\ifmmode a\else b\fi"),
        (r"\iffalse\ifmmode a\else b\fi\fi c", " c"),
        (r"$a\iff b$ \ifthenelse{x}{y}{z}", r"$a\iff b$ \ifthenelse{x}{y}{z}"),
        (r"\iftrue a\fi\fi b\else c", " a b c"),
        (r"never \iffalse ended", r"never \iffalse ended"),
        (r"\\iffalse a", r"\\iffalse a"),
    ],
)
def test_conditionals_are_decided_as_far_as_the_text_says(tex, text):
    assert settled(tex) == text


# --- what files bring in


@pytest.mark.parametrize(
    ("command", "path"),
    [
        (r"\input{part}", "part.tex"),
        (r"\input{ part.tex }", "part.tex"),
        (r"\input part ", "part.tex"),
        (r"\include{sections/part}", "sections/part.tex"),
        (r"\subfile{./part}", "part.tex"),
        (r"\import{sections/}{part}", "sections/part.tex"),
        (r"\subimport*{sections}{part.inc}", "sections/part.inc"),
        (r'\input{"part"}', "part"),
        (r"\input{sections/../part}", "part.tex"),
    ],
)
def test_what_a_file_names_stands_in_its_place(command, path):
    whole = assembled({"main.tex": f"a {command}c", path: "PART "}, "main.tex")
    assert whole == "a PART c"


def test_files_are_looked_for_beside_the_main_file_and_beside_their_own():
    files = {"p/main.tex": r"\input{x/a}", "p/x/a.tex": r"\input{b}\input{c}\input{d}"}
    files |= {"p/b.tex": "B", "c.tex": "C", "p/x/d.tex": "D"}
    assert assembled(files, "p/main.tex") == "BCD"


def test_of_a_part_that_is_a_document_the_text_is_taken():
    part = r"\documentclass[main]{subfiles}\begin{document}text\end{document}"
    assert assembled({"m": r"a\subfile{b}", "b.tex": part}, "m") == "atext"


def test_a_file_that_is_not_there_or_outside_leaves_the_command():
    for name in ("none", "../../etc/passwd", "/etc/passwd", "x" * 5000):
        tex = f"a \\input{{{name}}} b"
        assert assembled({"m": tex}, "m") == tex


def test_files_that_bring_in_one_another_end():
    files = {"m": r"m\input{a}", "a.tex": r"a\input{b}\input{a}", "b.tex": r"b\input{a}\input{m}"}
    assert assembled(files, "m") == r"mab\input{a}\input{m}\input{a}"


def test_definitions_of_a_local_style_file_are_read():
    style = r"\newif\if@x\if@x\newcommand{\a}{no}\else\newcommand{\a}{yes}\fi"
    main = r"\documentclass{a}\usepackage[b]{amsmath, mine}\begin{document}\a\end{document}"
    files = {"main.tex": main.encode(), "mine.sty": style.encode()}
    assert parse_latex(files, "2101.00001").body == "yes"


@pytest.mark.parametrize(
    "files",
    [
        {"m": r"\input{a}" * 5, "a.tex": "x" * (LONGEST // 4)},
        {"m": r"\input{a}" * 100, "a.tex": r"\input{b}" * 100, "b.tex": ""},
    ],
)
def test_more_text_than_a_paper_has_is_refused(files):
    with pytest.raises(ParseError, match=r"m brings in [\d,]+ files and [\d,]+ characters; expect"):
        assembled(files, "m")


def test_a_chain_of_files_ends_at_a_depth():
    files = {f"f{i}": f"{i} \\input{{f{i + 1}}}" for i in range(30)}
    assert assembled(files, "f0").startswith("0 1 2 3 ")
    assert "20 " not in assembled(files, "f0")


# --- which file is the paper

DOCUMENT = r"\documentclass{article}\begin{document}text\end{document}"


def chosen(readme="", **files):
    raw = {path.replace("__", "/").replace("_", "."): text for path, text in files.items()}
    return main_file(raw, raw | ({"00README.XXX": readme} if readme else {}))


def test_the_readme_names_the_main_file():
    files = {"a_tex": DOCUMENT, "b_tex": "text"}
    assert chosen(**files) == "a.tex"
    assert chosen("b.tex toplevelfile\nnostamp\n", **files) == "b.tex"
    assert chosen("none.tex toplevelfile", **files) == "a.tex"
    json = '{"sources": [{"filename": "a.tex", "usage": "ignore"}, '
    json += '{"filename": "b.tex", "usage": "toplevel"}], "process": {"compiler": "pdflatex"}}'
    assert chosen(json, **files) == "b.tex"
    assert chosen('{"sources": 7}', **files) == "a.tex"


def test_a_file_that_the_readme_leaves_out_is_not_the_paper():
    files = {"long_tex": DOCUMENT * 9, "short_tex": DOCUMENT}
    assert chosen(**files) == "long.tex"
    assert chosen("long.tex ignore", **files) == "short.tex"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"z_tex": DOCUMENT}, {"a_tex": r"\documentclass{article} no text" + "x" * 999}),
        ({"z_tex": DOCUMENT}, {"a_tex": DOCUMENT.replace("article", "standalone") * 9}),
        ({"z_tex": DOCUMENT}, {"a_tex": DOCUMENT.replace("{art", "[z]{subfiles}{") * 9}),
        ({"z_tex": DOCUMENT}, {"supplement_tex": DOCUMENT * 9}),
        ({"z_tex": DOCUMENT}, {"anc__a_tex": DOCUMENT * 9}),
        ({"z_tex": DOCUMENT}, {"deep__a_tex": DOCUMENT * 9}),
        ({"z_tex": DOCUMENT}, {"a_tex": "%auto-ignore\n" + DOCUMENT * 9}),
        ({"z_tex": DOCUMENT}, {"a_sty": DOCUMENT * 9}),
        ({"z_tex": DOCUMENT + r"\input{x}", "x_tex": "x" * 99}, {"a_tex": DOCUMENT + "x" * 50}),
        ({"z": r"\magnification=1200 text \bye"}, {"a_tex": r"\def\a{b}"}),
        ({"z": r"\magnification=1200 long text \bye"}, {"a_tex": r"\eject \bye"}),
    ],
)
def test_the_main_file_is_the_one_that_reads_like_a_paper(better, worse):
    assert chosen(**worse, **better) == next(iter(better)).replace("_", ".")


def test_documents_that_are_alike_are_chosen_by_name():
    assert chosen(b_tex=DOCUMENT, a_tex=DOCUMENT) == "a.tex"
