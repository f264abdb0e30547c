r"""An author's macros are written out as TeX would, within limits."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.latex_cursor import Cursor, Finder, matched
from corpusforge.parsers.latex_expansion import expanded


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\newcommand{\a}{b}\a\a{} \a c", "bb{} bc"),
        (r"\newcommand\a{b}\a", "b"),
        (r"\newcommand*{\a}[2]{#2#1}\a{x}{y} \a xy \a {x} y", "yx yx yx"),
        (r"\newcommand{\a}[2][d]{#1#2}\a{x} \a[e]{x} \a [e] x", "dx ex ex"),
        (r"\renewcommand{\a}{1}\renewcommand{\a}{2}\providecommand{\a}{3}\a", "2"),
        (r"\def\a#1#2{#2#1}\gdef\b{x}\a1\b", "x1"),
        (r"\def\a{\b}\def\b{1}\a\def\b{2}\a", "12"),
        (r"\newcommand{\beq}{\begin{equation}}\beq x", r"\begin{equation}x"),
        (r"\let\eps\varepsilon\let\e=\eps$\e x\eps$", r"$\varepsilon x\varepsilon$"),
        (r"\let\old\vec\renewcommand{\vec}[1]{\old{\mathbf{#1}}}\vec x", r"\vec{\mathbf{x}}"),
        (r"\DeclareMathOperator{\tr}{tr}\DeclareMathOperator*{\am}{arg}\tr\am", 
         r"\operatorname{tr}\operatorname*{arg}"),
        (r"\newcommand{\al}{\alpha}$\al x\al$", r"$\alpha x\alpha$"),
        (r"\newcommand{\m}[1]{\mathbf#1}\m{x}\m{\pi}", r"\mathbf x\mathbf\pi"),
        (r"\newcommand{\n}[1]{|#1|}\n{\n{x}}", "||x||"),
        (r"\newcommand{\bold}{\textbf}\bold{x}", r"\textbf{x}"),
        (r"\newcommand{\pair}[2]{<#1,#2>}\newcommand{\same}{\pair{x}}\same{y}", "<x,y>"),
        (r"\newcommand{\mk}[1]{\newcommand{#1}{made}}\mk{\x}\x", "made"),
        (r"\def\outer#1{\def\inner##1{#1##1}}\outer{a}\inner{b}", "ab"),
        (r"\newenvironment{eq}[1]{[#1}{]}\begin{eq}{n}x\end{eq}", "[nx]"),
        (r"\newcommand{\section}{no}\newcommand{\footnote}[1]{}\section{S}\footnote{F}", 
         r"\section{S}\footnote{F}"),
        (r"\def\a(#1){x}\a(y)", r"\a(y)"),
        (r"\\newcommand \\a", r"\\newcommand \\a"),
        (r"\newcommand{\a}{b}\begin{verbatim}\a\end{verbatim}\a", 
         r"\begin{verbatim}\a\end{verbatim}b"),
        (r"\newcommand{\a}", ""),
        (r"\newcommand", ""),
    ],
)  # fmt: skip
def test_macros_are_written_out(tex, text):
    assert expanded(tex) == text


names = st.sampled_from(["a", "b", "c"])
words = st.text("xyz \n$", max_size=5)
bodies = st.lists(words | names.map(lambda name: f"\\{name} "), max_size=4).map("".join)


@given(bodies, bodies, words, bodies)
def test_macros_without_arguments_are_what_replacing_them_gives(a, b, c, text):
    """Each macro uses only those after it, so that replacing ends."""
    definitions = {
        "a": a.replace("\\a ", ""),
        "b": b.replace("\\a ", "").replace("\\b ", ""),
        "c": c,
    }
    source = "".join(f"\\def\\{name}{{{body}}}" for name, body in definitions.items()) + text
    for name in sorted(definitions):
        text = re.sub(rf"\\{name} ", lambda _, n=name: definitions[n], text)
    assert "".join(expanded(source).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "tex",
    [
        r"\def\a{\a\a}\a",
        "".join(f"\\def\\{x}{{\\{y}\\{y}}}" for x, y in zip("abcdefghijklmnopqrstuvw", 
                "bcdefghijklmnopqrstuvwx", strict=True)) + r"\def\x{xxxxxxxx}\a",
        r"\newcommand{\a}[1]{#1#1\a{#1#1}}\a{xxxx}",
    ],
)  # fmt: skip
def test_macros_without_bound_are_refused(tex):
    with pytest.raises(ParseError, match=r"macros, \\\w among them, come to more than [\d,]+ char"):
        expanded(tex)


def test_a_macro_of_itself_is_written_out_to_a_depth_and_no_further():
    assert expanded(r"\def\a{x\a}\a.") == "x" * 40 + "."


@given(st.text("a{}[]\\", max_size=40))
def test_brackets_are_matched_as_a_stack_would(text):
    pairs, stack = {}, []
    place = 0
    while place < len(text):
        mark = text[place]
        if mark == "\\":
            place += 2
            continue
        if mark in "{[":
            stack.append(place)
        elif mark == "]" and stack and text[stack[-1]] == "[":
            pairs[stack.pop()] = place
        elif mark == "}" and any(text[i] == "{" for i in stack):
            while text[stack[-1]] != "{":
                stack.pop()
            pairs[stack.pop()] = place
        place += 1
    assert {i: end for i, end in enumerate(matched(text)) if end} == pairs


@given(st.text("ab", max_size=30), st.lists(st.integers(0, 30), max_size=8))
def test_a_finder_finds_what_find_finds_in_any_order(text, starts):
    finder = Finder(text)
    for start in starts:
        assert finder.after(start, "ab") == text.find("ab", start)


def test_groups_are_passed_over_with_their_brackets():
    at = Cursor("[a][b]{c} {d}e")
    at.skip(2)
    assert at.text[at.place :] == "e"
    at.place = 0
    assert at.inside("[") == "a"
    at.skip(9)
    assert at.text[at.place :] == "e"
