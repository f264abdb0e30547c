"""What is promised of Elsevier's answers: each is recognised, in whichever envelope it comes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.parsers.scopus_envelope import Kind, read_envelope


@pytest.fixture
def samples(real_data):
    return real_data / "samples" / "scopus"


DATA = b'{"search-results": {"opensearch:totalResults": "0", "entry": []}}'
XML = b"""<service-error><status><statusCode>QUOTA_EXCEEDED</statusCode>
<statusText>Quota Exceeded</statusText></status></service-error>"""


def service(code, text):
    return json.dumps(
        {"service-error": {"status": {"statusCode": code, "statusText": text}}}
    ).encode()


def gateway(code, text=""):
    return json.dumps({"error-response": {"error-code": code, "error-message": text}}).encode()


QUOTA = {"x-els-status": "QUOTA_EXCEEDED - Quota Exceeded", "x-ratelimit-reset": "1"}


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind"),
    [
        (200, {}, DATA, Kind.DATA),
        (200, {}, b'{"abstracts-retrieval-response": {"coredata": {}}}', Kind.DATA),
        (200, {}, b"", Kind.UNREADABLE),
        (200, {}, b"<!DOCTYPE html><p>Maintenance", Kind.UNREADABLE),
        (200, {}, DATA[:30], Kind.UNREADABLE),
        (200, {}, b"[]", Kind.UNREADABLE),
        (200, {}, b'{"search-results": null}', Kind.UNREADABLE),
        (200, {}, gateway("APIKEY_INVALID"), Kind.KEY),
        (200, {}, service("RESOURCE_NOT_FOUND", "x"), Kind.NOT_FOUND),
        (401, {}, service("AUTHENTICATION_ERROR", "Invalid API Key"), Kind.KEY),
        (401, {}, gateway("APIKEY_INVALID", "The provided apiKey is invalid."), Kind.KEY),
        (401, {}, service("AUTHORIZATION_ERROR", "The requestor is not authorized"), Kind.VIEW),
        (403, {}, service("AUTHENTICATION_ERROR", "Requestor configuration settings"), Kind.API),
        (403, {}, service("X", "Use of the cursor parameter is restricted"), Kind.CURSOR),
        (400, {}, service("X", "Exceeds the maximum number allowed for the service"), Kind.WINDOW),
        (400, {}, service("X", "Exceeds the number of search results"), Kind.WINDOW),
        (400, {}, service("X", "Use of certain field restrictions is not allowed"), Kind.QUERY),
        (404, {}, service("X", "The resource specified cannot be found."), Kind.NOT_FOUND),
        (301, {}, b"", Kind.NOT_FOUND),
        (413, {}, b"", Kind.TOO_LONG),
        (414, {}, b"<html>URI too long", Kind.TOO_LONG),
        (500, {}, service("X", "Error calling Solr Search Service"), Kind.SERVER),
        (524, {}, b"<html>cloudflare", Kind.SERVER),
        (429, QUOTA, XML, Kind.QUOTA),
        (429, QUOTA, b"", Kind.QUOTA),
        (429, {"x-ratelimit-reset": "1"}, gateway("TOO_MANY_REQUESTS"), Kind.QUOTA),
        (429, {"x-ratelimit-remaining": "0"}, b"", Kind.QUOTA),
        (429, {}, gateway("RATE_LIMIT_EXCEEDED"), Kind.THROTTLE),
        (429, {"x-ratelimit-remaining": "900"}, gateway("TOO_MANY_REQUESTS"), Kind.THROTTLE),
        (429, {}, b"", Kind.THROTTLE),
    ],
)
def test_t08_every_answer_is_recognised(status, headers, body, kind):
    assert read_envelope(status, headers, body).kind is kind


def test_the_servers_words_are_kept():
    assert read_envelope(429, {}, XML).words == "QUOTA_EXCEEDED: Quota Exceeded"
    assert read_envelope(401, {}, gateway("A", "b")).words == "A: b"
    assert read_envelope(500, {}, b"  <html>\n x").words == "<html> x"


@given(st.sampled_from([200, 301, 400, 401, 403, 404, 429, 500]), st.binary(max_size=50))
def test_no_body_breaks_the_reading(status, body):
    read_envelope(status, {}, body)


def test_recorded_refusals(samples):
    kinds = []
    for name in ("error_401_no_key.json", "error_401_invalid_key.json"):
        response = json.loads((samples / name).read_bytes())["response"]
        body = json.dumps(response["body_json"]).encode()
        kinds.append(read_envelope(response["status"], response["headers"], body).kind)
    assert kinds == [Kind.KEY, Kind.KEY]
    listed = json.loads((samples / "error_bodies_from_issues.json").read_bytes())
    got = [
        read_envelope(
            case["status"],
            {name.lower(): value for name, value in case.get("headers", {}).items()},
            json.dumps(case.get("body", {"service-error": {"status": case}})).encode(),
        ).kind
        for case in listed
    ]
    assert got == [
        *(Kind.VIEW, Kind.API, Kind.CURSOR, Kind.WINDOW, Kind.WINDOW, Kind.QUERY, Kind.SERVER),
        *(Kind.QUOTA, Kind.DATA),
    ]
