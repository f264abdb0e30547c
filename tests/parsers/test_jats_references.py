"""Entries of a list of references, as printed or put together."""

import pytest

from corpusforge.parsers.jats_references import reference_line
from corpusforge.parsers.xmldoc import read_xml

NAMES = "".join(
    f"<name><surname>{family}</surname><given-names>{given}</given-names></name>"
    for family, given in (("Ito", "K"), ("Ny", "L"))
)
FIELDS = (
    f"<person-group>{NAMES}</person-group><year>2009</year><article-title>On <i>cells</i>"
    "</article-title><source>Cell</source><volume>12</volume><fpage>34</fpage><lpage>45</lpage>"
    "<pub-id pub-id-type='doi'>10.1000/x</pub-id><pub-id pub-id-type='pmid'>7</pub-id>"
)
PUT_TOGETHER = "Ito K, Ny L (2009). On cells. Cell 12: 34\u201345. 10.1000/x"


def line(inner):
    return reference_line(read_xml(f"<ref>{inner}</ref>".encode(), "a reference"))


@pytest.mark.parametrize("tag", ["element-citation", "mixed-citation", "citation"])
def test_fields_alone_are_put_together(tag):
    assert line(f"<{tag}>{FIELDS}</{tag}>") == PUT_TOGETHER
    pretty = FIELDS.replace("><", ">\n <")
    assert line(f"<{tag}>{pretty}</{tag}>") == PUT_TOGETHER


def test_namespaces_make_no_difference():
    spaced = f"<element-citation xmlns='http://jats.nlm.nih.gov'>{FIELDS}</element-citation>"
    assert line(spaced) == PUT_TOGETHER


def test_a_citation_with_its_own_punctuation_is_that_text():
    printed = (
        "<mixed-citation><name><surname>Ito</surname><given-names>K</given-names></name> "
        "(<year>2009</year>). <article-title>Cells?</article-title><source>Cell</source> 12:34"
        "<pub-id pub-id-type='pmid'>7</pub-id></mixed-citation>"
    )
    assert line(printed) == "Ito K (2009). Cells? Cell 12:34"


@pytest.mark.parametrize(("label", "start"), [("1", "1. "), ("[1]", "[1] "), ("1.", "1. ")])
def test_its_number_stands_before_it(label, start):
    citation = "<mixed-citation>Ito 2009</mixed-citation>"
    assert line(f"<label>{label}</label>{citation}") == f"{start}Ito 2009"


def test_people_other_than_pairs_of_names():
    people = (
        "<person-group><name><surname>Ito</surname><given-names>K</given-names><suffix>Jr</suffix>"
        "</name><collab>The Group</collab><etal/></person-group><source>Cell</source>"
    )
    found = line(f"<element-citation>{people}</element-citation>")
    assert found == "Ito K Jr, The Group, et al. Cell"


def test_titles_keep_their_own_end():
    citation = "<collab>Us</collab><article-title>Why?</article-title><source>Cell</source>"
    assert line(f"<element-citation>{citation}</element-citation>") == "Us. Why? Cell"


def test_an_entry_of_nothing_is_nothing():
    assert line("<label>1</label>") == line("<element-citation/>") == line("") == ""


def test_of_alternatives_the_first_is_taken():
    inner = "<mixed-citation>Ito 2009</mixed-citation><element-citation/>"
    assert line(f"<citation-alternatives>{inner}</citation-alternatives>") == "Ito 2009"
