"""OAI-PMH pages: read whole or refused, and repaired where that loses nothing."""

from contextlib import suppress
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import ParseError
from corpusforge.parsers.oai import OaiPage, parse_identify, parse_page

# XML 1.0 without the white space that readers and writers may change.
words = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="\ufffe\uffff"), max_size=12
)
records = st.lists(st.tuples(words, st.sampled_from(["2023-01-05", ""]), st.booleans()), max_size=4)


def envelope(content, encoding="UTF-8"):
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>'
        f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        f"<responseDate>2023-05-01T00:00:00Z</responseDate><request>x</request>"
        f"{content}</OAI-PMH>"
    )


def record(identifier="oai:x:1", datestamp="2023-01-05", deleted=False, title="T"):
    status = ' status="deleted"' if deleted else ""
    return (
        f"<record><header{status}><identifier>{escape(identifier)}</identifier>"
        f"<datestamp>{datestamp}</datestamp></header>"
        f"<metadata><title>{title}</title></metadata></record>"
    )


def listed(*parts, token=""):
    return envelope(f"<ListRecords>{''.join(parts)}{token}</ListRecords>").encode()


@given(records, words, st.none() | st.integers(0, 10**9))
def test_a_page_is_read_as_it_was_written(told, token, total):
    size = "" if total is None else f" completeListSize={quoteattr(str(total))}"
    page = parse_page(
        listed(
            *(record(*each) for each in told),
            token=f"<resumptionToken{size}>{escape(token)}</resumptionToken>",
        )
    )
    assert [(r.identifier, r.datestamp, r.deleted) for r in page.records] == told
    assert (page.token, page.total, page.errors) == (token, total, ())


@given(st.binary(max_size=60))
def test_any_bytes_are_a_page_or_refused(body):
    with suppress(ParseError):
        assert isinstance(parse_page(body), OaiPage)


def test_a_page_that_is_cut_anywhere_is_refused():
    whole = listed(record("a"), record("b"), token="<resumptionToken>t</resumptionToken>")
    for end in range(len(whole) - 1):
        with pytest.raises(ParseError):
            parse_page(whole[:end])


def test_the_bytes_of_a_record_are_enough_to_read_it_alone_and_do_not_depend_on_its_page():
    one, other = (
        parse_page(listed(*each)).records
        for each in ([record("a"), record("b")], [record("c"), record("b", title="T")])
    )
    assert one[1].content == other[1].content
    assert one[0].content != other[0].content
    assert b"</metadata></record>" in one[0].content


@pytest.mark.parametrize(
    "bad", ["\x0b", "\x1b", "\0", "\uffff", "&#x1B;", "&#11;", "&#xD83D;&#xDE00;", "&#x110000;"]
)
def test_characters_that_xml_cannot_hold_become_spaces(bad):
    [found] = parse_page(listed(record(title=f"one{bad}two &#233; &amp; &lt;"))).records
    assert b"<title>one  two" in found.content.replace(b"one two", b"one  two")
    assert "é &amp; &lt;".encode() in found.content


def test_bytes_that_are_no_utf_8_cost_one_letter():
    [found] = parse_page(listed(record(title="caf#")).replace(b"caf#", b"caf\xe9")).records
    assert "<title>caf\ufffd</title>".encode() in found.content


def test_another_encoding_that_is_declared_is_kept_to():
    text = envelope(f"<ListRecords>{record(title='café')}</ListRecords>", "ISO-8859-1")
    for garbage in (b"", b"<br />"):
        [found] = parse_page(text.encode("latin-1") + garbage).records
        assert "café".encode() in found.content


@pytest.mark.parametrize(
    ("before", "behind"), [(b"", b"<br />\n<b>Notice</b>: x"), (b"\n\n", b""), (b"Warning\n", b"1")]
)
def test_what_stands_around_the_envelope_is_cut_off(before, behind):
    page = parse_page(before + listed(record("a")) + behind)
    assert [found.identifier for found in page.records] == ["a"]


@pytest.mark.parametrize(
    "token", ["", "<resumptionToken/>", "<resumptionToken> </resumptionToken>"]
)
def test_a_list_ends_with_an_empty_token_or_none(token):
    assert parse_page(listed(record(), token=token)).token == ""


def test_a_total_that_is_no_number_is_none():
    token = '<resumptionToken completeListSize="many">t</resumptionToken>'
    page = parse_page(listed(record(), token=token))
    assert (page.total, page.token) == (None, "t")


def test_prefixes_and_missing_namespaces_do_not_matter():
    body = b"<o:OAI-PMH xmlns:o='urn:x'><o:ListRecords><o:record><o:header><o:identifier>a"
    body += b"</o:identifier></o:header></o:record></o:ListRecords></o:OAI-PMH>"
    for page in (body, body.replace(b"o:", b"").replace(b"xmlns:o='urn:x'", b"")):
        assert [found.identifier for found in parse_page(page).records] == ["a"]


def test_errors_come_with_their_words():
    body = envelope('<error code="badArgument">a</error><error code="badVerb"/>').encode()
    assert parse_page(body).errors == (("badArgument", "a"), ("badVerb", ""))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "cannot be read as XML"),
        (b"broken xml", "cannot be read as XML"),
        (b"<html><body>Login</body></html>", "is a <html>, not one <OAI-PMH>"),
        (envelope("").encode(), "holds neither records nor an error"),
        (envelope("<Identify/>").encode(), "holds neither records nor an error"),
    ],
)
def test_what_is_no_page_is_refused(body, message):
    with pytest.raises(ParseError, match=message):
        parse_page(body)
    with pytest.raises(ParseError, match=f"{message}|has no <earliestDatestamp>"):
        parse_identify(body)


def test_entities_are_not_expanded_and_nothing_is_fetched(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("do not read")
    body = listed(record(title="&e;&f;")).partition(b"?>")[2]
    kinds = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}"><!ENTITY f "expanded">]>'
    [found] = parse_page(kinds.encode() + body).records
    assert b"do not read" not in found.content
    assert b"<title>&amp;e;&amp;f;</title>" in found.content


def test_the_earliest_datestamp():
    body = envelope("<Identify><earliestDatestamp> 2005-09-16 </earliestDatestamp></Identify>")
    assert parse_identify(body.encode()) == "2005-09-16"


def test_the_real_samples(real_data):
    folder = real_data / "samples/oaipmh"
    pages = {}
    for path in sorted(folder.glob("*.xml")):
        with suppress(ParseError):
            pages[path.stem] = parse_page(path.read_bytes())
    codes = {name: page.errors[0][0] for name, page in pages.items() if page.errors}
    assert codes == {
        name: name
        for name in (
            *("badArgument", "badResumptionToken", "cannotDisseminateFormat", "idDoesNotExist"),
            *("noRecordsMatch", "noSetHierarchy", "undefinedError"),
        )
    }
    lists = {name: page for name, page in pages.items() if name.startswith("ListRecords")}
    assert [page.token for page in lists.values()] == [
        *(f"ListRecords{n}.xml" for n in (2, 3, 4)),
        "",
    ]
    assert {page.total for page in lists.values()} == {8, None}
    assert all([r.deleted for r in page.records] == [True, False] for page in lists.values())
    assert lists["ListRecords4"].records[0].identifier == ""
    assert parse_identify((folder / "Identify.xml").read_bytes()) == "1970-01-01T00:00:00Z"
    assert set(pages) == {*codes, *lists, "GetRecord", "GetRecord_utf8test"}
