"""XML to a tree, and looking things up by the names in it."""

import pytest
from lxml import etree

from corpusforge.parsers.xmldoc import ByName, local_name, read_xml

DOCTYPE = '<!DOCTYPE p SYSTEM "unreachable.dtd" [<!ENTITY own "<b/>">]>'


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("&alpha;&nbsp;x", "\u03b1\u00a0x"),
        ("&lt;b&gt; &amp;alpha;", "<b> &alpha;"),
        ("&own; &no.such;", "&own; &no.such;"),
        ("&bne; and &#945;", "=\u20e5 and \u03b1"),
    ],
)
def test_references_become_the_characters_that_they_stand_for(written, text):
    root = read_xml(f"{DOCTYPE}<p>{written}&eacute;</p>".encode(), "a paragraph")
    assert root.text == text + "\u00e9"
    assert len(root) == 0


def test_many_references_in_one_text_take_no_time():
    root = read_xml(f"{DOCTYPE}<p>{'&alpha;' * 200_000}</p>".encode(), "a paragraph")
    assert root.text == "\u03b1" * 200_000


def test_names_are_found_behind_any_prefix_and_others_are_what_is_made_of_them():
    rules = ByName({"p": "paragraph"}, lambda name: f"no {name}")
    assert [rules[tag] for tag in ("p", "{urn:x}p", "x:p", "q")] == ["paragraph"] * 3 + ["no q"]
    assert rules[etree.Comment] == "no "


def test_any_number_of_names_is_looked_up_and_not_remembered():
    rules = ByName({"p": 1}, lambda _name: 0)
    assert sum(rules[f"{{urn:x}}n{i}"] for i in range(2 * ByName.MOST)) == 0
    assert rules["{urn:x}p"] == 1
    assert len(rules) <= ByName.MOST


def test_comments_have_no_name():
    assert local_name(etree.Comment("note")) == ""
