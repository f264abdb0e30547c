"""Pages made one text, and lists of references found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.pages import joined_pages, without_references

HEAD, FOOT = "Journal of Mice 12 (2010) {}", "Page {} of 4"
TEXTS = ["We grow", "mice in water.", "They were well", "and so were we."]
ENTRIES = ["[1] J. Ito, Mice, 2001.", "[2] A. Ny, More mice, 2002."]


def paged(texts, head=HEAD, foot=FOOT):
    return "\f".join(f"{head.format(n)}\n\n{t}\n\n{foot.format(n)}" for n, t in enumerate(texts, 1))


def test_running_heads_and_page_numbers_go_and_sentences_go_on():
    assert (
        joined_pages(paged(TEXTS)) == "We grow\nmice in water.\n\nThey were well\nand so were we."
    )


@pytest.mark.parametrize("number", ["3", "- 3 -", "Page 3", "page 3 of 12", "\u2013 3 \u2013"])
def test_a_number_at_the_edge_of_a_page_is_its_number(number):
    assert joined_pages(f"{number}\nWe grow.\fMice\n{number}") == "We grow.\n\nMice"


def test_what_stands_on_few_pages_stays():
    text = "Results\nWe grow mice.\fResults\nThey were well."
    assert joined_pages(text) == "Results\nWe grow mice.\n\nResults\nThey were well."


def test_a_line_that_is_no_edge_stays_however_often_it_comes():
    page = "a{0}\nb{0}\nThe same line\nc{0}\nd{0}"
    text = "\f".join(page.format("xyz"[n]) for n in range(3))
    assert joined_pages(text).count("The same line") == 3


@given(st.text(alphabet="ab 1.\n", max_size=60))
def test_a_text_of_one_page_is_left_as_it_is(text):
    assert joined_pages(text) == text


@given(st.lists(st.text(alphabet="abc.\n ", max_size=30), max_size=6))
def test_no_word_of_different_pages_is_lost(pages):
    edge = "{0} {1}\n{0} of {1}"  # as many lines as may be a running head
    numbered = [
        "\n".join([edge.format("start", "xyzuvw"[i]), page, edge.format("end", "xyzuvw"[i])])
        for i, page in enumerate(pages)
    ]
    assert joined_pages("\f".join(numbered)).split() == " ".join(numbered).split()


@pytest.mark.parametrize("title", ["References", "REFERENCES", "7. References", "Bibliography:",
                                   "## Literature cited", "Literaturverzeichnis"])  # fmt: skip
def test_the_list_of_references_goes_and_its_entries_are_counted(title):
    body = "We grow mice. " * 20
    text = "\n".join([body, title, *ENTRIES])
    assert without_references(text) == (body.rstrip(), 2)


def test_an_appendix_behind_the_list_stays():
    text = "\n".join(
        ["We grow mice. " * 20, "References", *ENTRIES, "", "Appendix A", "More mice."]
    )
    kept, entries = without_references(text)
    assert kept.endswith("Appendix A\nMore mice.")
    assert entries == 2


@pytest.mark.parametrize(
    "text",
    [
        "References\n" + "We grow mice with references to others. " * 20,  # in front
        "We grow mice. " * 20 + "\nReferences to mice are many.\nThey are here.",
        "We grow mice. " * 20 + " References",
        "",
    ],
)
def test_what_is_no_title_of_such_a_list_takes_nothing_away(text):
    assert without_references(text) == (text, 0)


@pytest.mark.parametrize("piece", ["\f", "1\f", "a\n\f", "References\n", "\n", "# "])
def test_a_megabyte_of_one_piece_is_read_through(piece):
    text = piece * (1_000_000 // len(piece))
    joined_pages(text)
    without_references(text)
