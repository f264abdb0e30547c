"""Which answers of a repository are taken, and what is read of them."""

import pytest
import xxhash

from corpusforge.parsers.oai import parse_page
from corpusforge.reasons import Reason
from corpusforge.sources.answers import Answer, Request, Verdict
from corpusforge.sources.landing import Landing
from corpusforge.sources.oai_records import judge_oai, read_oai
from corpusforge.sources.records import Found, Lost, Withdrawn

DC = "<dc><title>T</title><description>A text of more than thirty characters.</description></dc>"
IDENTIFY = "<Identify><earliestDatestamp>2005-09-16</earliestDatestamp></Identify>"


def envelope(content):
    return f"<OAI-PMH>{content}</OAI-PMH>".encode()


def record(name, metadata=DC, status="", datestamp="2023-01-05"):
    identifier = f"<identifier>{name}</identifier>" if name else ""
    body = f"<metadata>{metadata}</metadata>" if metadata else ""
    return (
        f'<record><header status="{status}">{identifier}<datestamp>{datestamp}</datestamp>'
        f"</header>{body}</record>"
    )


def page(*records):
    return envelope(f"<ListRecords>{''.join(records)}</ListRecords>")


@pytest.fixture
def read(tmp_path):
    """Lands some bodies, one after the other, and reads the file."""

    def read(*bodies, status=200):
        landing = Landing(tmp_path)
        for number, body in enumerate(bodies):
            landing.append(Request(f"u{number}"), Answer(status, {}, body), 0)
        [path] = landing.files()
        return list(read_oai(path))

    return read


@pytest.mark.parametrize(
    ("status", "body", "verdict"),
    [
        (200, page(record("a")), Verdict.DONE),
        (200, envelope('<error code="badResumptionToken"/>'), Verdict.DONE),
        (422, envelope('<error code="noRecordsMatch"/>'), Verdict.DONE),
        (200, envelope(IDENTIFY), Verdict.DONE),
        (200, page(record("a"))[:-5], Verdict.RETRY),
        (200, b"", Verdict.RETRY),
        (200, b"<html>Login</html>", Verdict.RETRY),
        (503, b"Retry after 20 seconds", Verdict.RETRY),
        (500, b"<html/>", Verdict.RETRY),
        (429, b"", Verdict.WAIT),
        (404, b"<html>Not Found</html>", Verdict.DONE),
    ],
)
def test_verdicts(status, body, verdict):
    assert judge_oai(Answer(status, {}, body)) is verdict


def test_a_paper_has_the_digest_of_its_record(read):
    body = page(record("a"), record("b"))
    first, second = read(body)
    contents = [each.content for each in parse_page(body).records]
    assert [first.digest, second.digest] == [xxhash.xxh3_64_intdigest(each) for each in contents]
    assert [first.paper.source_id, second.paper.source_id] == ["a", "b"]


def test_what_cannot_be_read_is_lost_with_its_place(read):
    records = read(
        envelope('<error code="noRecordsMatch"/>'),
        page(record("a"), record("b", "<mods/>"), record("")),
        page(record("c", ""), record("", "", "deleted")),
    )
    assert [(r.key, r.rejection.reason) for r in records if isinstance(r, Lost)] == [
        ("landing-00000.gz@1.1", Reason.UNREADABLE),
        ("landing-00000.gz@1.2", Reason.NO_IDENTIFIER),
        ("landing-00000.gz@2.0", Reason.UNREADABLE),
        ("landing-00000.gz@2.1", Reason.NO_IDENTIFIER),
    ]
    assert [r.paper.source_id for r in records if isinstance(r, Found)] == ["a"]


def test_answers_that_are_no_pages_are_passed_over(read):
    assert read(b"broken xml", page(record("a"))[:-3], envelope(IDENTIFY), b"") == []


def test_an_identical_copy_is_left_out_and_another_state_is_not(read):
    again = record("a", datestamp="2023-01-06")
    found = read(page(record("a"), record("b")), page(record("a"), again))
    assert [record.paper.source_id for record in found] == ["a", "b", "a"]


def test_a_deletion_and_a_placeholder_take_back_what_was_said_before(read):
    words = "<dc><description>No abstract is available for this item.</description></dc>"
    deleted, placeholder, taken_back = read(page(record("a", "", "deleted"), record("b", words)))
    assert (deleted, taken_back) == (Withdrawn("a", 1), Withdrawn("b", 1))
    assert placeholder.rejection.reason is Reason.PLACEHOLDER


def test_the_real_samples_are_read(real_data, read):
    folder = real_data / "samples"
    lists = [path.read_bytes() for path in sorted((folder / "oaipmh").glob("ListRecords*.xml"))]
    records = read(*lists, (folder / "arxiv/oai_arXivRaw_1810.09584.xml").read_bytes())
    found = [record.paper.source_id for record in records if isinstance(record, Found)]
    assert found == ["oai:test.example.com:1585322", "1810.09584"]
    assert records.count(Withdrawn("oai:test.example.com:1585310", 1)) == 3
    [lost] = [record for record in records if isinstance(record, Lost)]
    assert lost.key == "landing-00000.gz@3.0"
