"""Small papers in LaTeX, and what is read of them."""

from corpusforge.kernels.structure import restructure
from corpusforge.parsers.latex import parse_latex


def paper(source, arxiv="2101.00001", **files):
    files = {path.replace("_", "."): text.encode() for path, text in files.items()}
    return parse_latex({"main.tex": source.encode(), **files}, arxiv)


def body(text, preamble=""):
    """The body of a document that has this text between its begin and its end."""
    document = f"\\documentclass{{article}}{preamble}\\begin{{document}}{text}\\end{{document}}"
    return paper(document).body


def shown(text, dropped=""):
    """The text as clean writes it by the policy "keep"."""
    return restructure(text, "keep", dropped)[0]
