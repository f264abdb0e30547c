"""Titles that say what their section is."""

import pytest

from corpusforge.kernels.marks import ACKNOWLEDGEMENT, REFERENCE
from corpusforge.parsers.section_kinds import kind_of_section

THANKS = [
    *("Acknowledgements", "ACKNOWLEDGMENTS", "7. Acknowledgement", "VI. Acknowledgments"),
    *("Acknowledgements and funding", "Funding", "Funding sources", "Financial support"),
    *("Conflict of interest", "Conflicts of interest statement", "Competing interests:"),
    *("Declaration of competing interest", "Author contributions", "Authors\u2019 contributions"),
    *("CRediT authorship contributions", "Author Disclosure Statement", "Disclosure"),
]
PAPERS = [
    *("Introduction", "Results", "Support vector machines", "Contributions", "Our contributions"),
    *("Interest rates", "Conflict", "Funding of hospitals in Kenya", "Disclosure of salaries"),
    *("Reference frames", "References to the past", "Supporting information", ""),
]


@pytest.mark.parametrize("title", THANKS)
def test_titles_of_thanks_and_declarations(title):
    assert kind_of_section(title) == ACKNOWLEDGEMENT


@pytest.mark.parametrize(
    "title", ["References", "REFERENCES", "Bibliography", "8 References cited"]
)
def test_titles_of_lists_of_references(title):
    assert kind_of_section(title) == REFERENCE


@pytest.mark.parametrize("title", PAPERS)
def test_other_titles_say_nothing(title):
    assert kind_of_section(title) == ""
