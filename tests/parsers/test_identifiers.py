"""What the normal forms of identifiers, languages and licences promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.parsers.identifiers import normal_arxiv, normal_doi, normal_pmcid, normal_pmid
from corpusforge.parsers.languages import normal_language
from corpusforge.parsers.licences import licence_of_address, licence_of_prose

PREFIXES = ["", "doi:", "DOI ", "https://doi.org/", "http://dx.doi.org/", "doi.org/", "info:doi/"]
PREFIXES += ["https://doi.org/doi:", "urn:doi:", "  ", "https://www.doi.org/"]
names = st.text("abcXYZ019./-_()", min_size=1).map(lambda tail: f"10.1234/x{tail}")


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("tail", ["", ".", ",", ";", "'", ") and more"])
def test_a_doi_loses_prefix_tail_and_capitals(prefix, tail):
    assert normal_doi(f"{prefix}10.7554/eLife.00270{tail}") == "10.7554/elife.00270"


@given(names)
def test_the_normal_form_of_a_doi_is_its_own_normal_form(name):
    normal = normal_doi(name)
    assert normal is not None
    assert normal_doi(normal) == normal


@given(names, st.sampled_from(PREFIXES))
def test_the_way_a_doi_is_written_does_not_matter(name, prefix):
    assert normal_doi(prefix + name.upper()) == normal_doi(name)


@given(st.text())
def test_any_text_has_a_normal_doi_or_none(text):
    doi = normal_doi(text)
    assert doi is None or doi.startswith("10.")


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("10.1016/0014-5793(85)80257-0", "10.1016/0014-5793(85)80257-0"),
        ("10.1016/S0140(98)", "10.1016/s0140(98)"),
        (
            "10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2",
            "10.1002/(sici)1097-0258(19980815)17:15<1661::aid-sim968>3.0.co;2-2",
        ),
        ("https://doi.org/10.1002%2Fabc.1", "10.1002/abc.1"),
        ("10.1000/one 10.1000/two", "10.1000/one"),
    ],
)
def test_brackets_and_odd_characters_inside_a_doi_stay(written, normal):
    assert normal_doi(written) == normal


@pytest.mark.parametrize("text", [None, "", "PMC123", "10.7554", "10.7554/", "doi:", "10.12/x"])
def test_what_is_no_doi_gives_none(text):
    assert normal_doi(text) is None


def test_other_identifiers_lose_what_sources_write_around_them():
    assert normal_pmcid("PMC0123") == "PMC0123"
    assert normal_pmcid("none") is None
    assert normal_pmid(" 00399296\n") == "399296"
    assert [normal_pmid(text) for text in (None, "", "0", "12a", "١٢")] == [None] * 5
    assert normal_arxiv("https://arxiv.org/abs/hep-th/9901001v3") == "hep-th/9901001"
    assert normal_arxiv("1702.1") is None


@pytest.mark.parametrize(
    ("code", "language"),
    [("ger", "de"), ("deu", "de"), ("EN_us", "en"), ("zh-Hans", "zh"), ("haw", "haw")],
)
def test_a_language_code_becomes_iso_639_1_where_there_is_one(code, language):
    assert normal_language(code) == language


@pytest.mark.parametrize("code", [None, "", "und", "mul"])
def test_an_undetermined_language_is_none(code):
    assert normal_language(code) is None


@pytest.mark.parametrize(
    ("address", "licence"),
    [
        ("http://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
        ("https://creativecommons.org/licenses/by-nc-nd/4.0", "CC-BY-NC-ND-4.0"),
        ("https://creativecommons.org/licenses/by-nc/3.0/legalcode", "CC-BY-NC-3.0"),
        ("http://creativecommons.org/licenses/by/2.0/uk/", "CC-BY-2.0-UK"),
        ("http://creativecommons.org/licenses/by/3.0/igo/", "CC-BY-3.0-IGO"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("http://creativecommons.org/publicdomain/mark/1.0/", "CC-PDM-1.0"),
        ("http://creativecommons.org/licenses/by", "CC-BY"),
        ("https://www.elsevier.com/open-access/userlicense/1.0/", None),
    ],
)
def test_a_licence_address_becomes_an_spdx_like_name(address, licence):
    assert licence_of_address(address) == licence


@pytest.mark.parametrize(
    ("sentence", "licence"),
    [
        ("under the Creative Commons Attribution License, which permits", "CC-BY"),
        ("a Creative Commons Attribution 4.0 International License", "CC-BY-4.0"),
        ("Creative Commons Attribution Non-Commercial No Derivatives License", "CC-BY-NC-ND"),
        ("Creative Commons Attribution-ShareAlike License", "CC-BY-SA"),
        ("All rights reserved.", None),
    ],
)
def test_a_licence_in_words_is_named_as_far_as_the_words_go(sentence, licence):
    assert licence_of_prose(sentence) == licence
