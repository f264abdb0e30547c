"""What the OAI-PMH emulator promises: to behave like a repository, difficult sides included."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from lxml import etree

from emulators.documents import generate
from emulators.oaipmh import OaiEmulator, OaiKnobs
from emulators.oaipmh_records import FORMATS, SETS, items_of

ITEMS = items_of(generate(42), days=40)


@pytest.fixture
def server():
    with OaiEmulator(ITEMS, oai=OaiKnobs(page=10)) as server:
        yield server


def ask(server, **params):
    """Name, text and attributes of every element of the answer."""
    response = requests.get(server.address, params=params, timeout=10)
    root = etree.fromstring(response.content)
    return [(etree.QName(e).localname, e.text, dict(e.attrib)) for e in root.iter()]


def texts(answer, name):
    return [text for found, text, _ in answer if found == name]


def errors(answer):
    return [attributes["code"] for found, _, attributes in answer if found == "error"]


def records(server, **params):
    return ask(server, verb="ListRecords", metadataPrefix="oai_dc", **params)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "badVerb"),
        ({"verb": "ListAll"}, "badVerb"),
        ({"verb": "Identify", "set": "cs"}, "badArgument"),
        ({"verb": "ListRecords"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "marc"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "resumptionToken": "x", "set": "cs"}, "badArgument"),
        ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
    ],
)
def test_errors_come_with_status_200(server, params, code):
    assert errors(ask(server, **params)) == [code]
    assert server.statuses == {200: 1}


@pytest.mark.parametrize(
    ("dates", "code"),
    [
        ({"from": "2023-02-02", "until": "2023-02-01"}, "badArgument"),
        ({"from": "2023-02-30"}, "badArgument"),
        ({"from": "2023-02-01T00:00:00Z"}, "badArgument"),
        ({"from": "2023-12-01"}, "noRecordsMatch"),
        ({"set": "nothing"}, "noRecordsMatch"),
    ],
)
def test_dates_and_sets_that_match_nothing_or_are_wrong(server, dates, code):
    assert errors(records(server, **dates)) == [code]


def test_seconds_where_the_repository_knows_them(server):
    server.oai.seconds = True
    [first] = [item for item in ITEMS if item.datestamp == min(i.datestamp for i in ITEMS)]
    moment = f"{first.datestamp:%Y-%m-%dT%H:%M:%SZ}"
    found = records(server, **{"from": moment, "until": moment})
    assert texts(found, "datestamp") == [moment]
    assert "YYYY-MM-DDThh:mm:ssZ" in texts(ask(server, verb="Identify"), "granularity")
    assert errors(records(server, **{"from": "2023-01-01", "until": moment})) == ["badArgument"]


def test_a_repository_tells_what_it_has(server):
    assert texts(ask(server, verb="ListMetadataFormats"), "metadataPrefix") == list(FORMATS)
    assert texts(ask(server, verb="ListSets"), "setSpec") == list(SETS)
    earliest = min(item.datestamp for item in ITEMS)
    assert texts(ask(server, verb="Identify"), "earliestDatestamp") == [f"{earliest:%Y-%m-%d}"]
    server.oai.sets = False
    assert errors(ask(server, verb="ListSets")) == ["noSetHierarchy"]
    assert errors(records(server, set="cs")) == ["noSetHierarchy"]


@pytest.mark.parametrize("stateless", [True, False])
def test_tokens_lead_through_a_list_to_an_empty_one(server, stateless):
    server.oai.stateless = stateless
    server.oai.totals = True
    answer = records(server, **{"from": "2023-01-01"})
    names, sizes = [], []
    while True:
        names += texts(answer, "identifier")
        [(_, token, attributes)] = [e for e in answer if e[0] == "resumptionToken"]
        sizes.append((attributes["completeListSize"], attributes["cursor"]))
        if token is None:
            break
        answer = ask(server, verb="ListRecords", resumptionToken=token)
    assert sizes == [("42", str(cursor)) for cursor in (0, 10, 20, 30, 40)]
    own = [name for name in names if name.startswith("oai:arXiv.org:")]
    assert sorted(own) == sorted(item.identifier for item in ITEMS)


def test_a_deleted_record_has_a_header_only(server):
    server.items = [ITEMS[0].changed(ITEMS[0].datestamp, deleted=True)]
    answer = records(server)
    assert ("header", None, {"status": "deleted"}) in answer
    assert texts(answer, "metadata") == []


def test_faults_of_a_repository(server):
    server.script.extend(["503", "broken"])
    busy = requests.get(server.address, params={"verb": "Identify"}, timeout=10)
    assert (busy.status_code, busy.headers["Retry-After"]) == (503, "20")
    with pytest.raises(etree.XMLSyntaxError):
        records(server)
    [token] = texts(records(server), "resumptionToken")
    server.script.append("expire")
    dead = ask(server, verb="ListRecords", resumptionToken=token)
    assert errors(dead) == errors(ask(server, verb="ListRecords", resumptionToken=token))


@pytest.mark.cluster
def test_it_starts_from_the_command_line():
    command = [sys.executable, str(Path(__file__).parent), "oaipmh", "--records", "12"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        process.terminate()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/oai2 serves 12 papers\n", line)
