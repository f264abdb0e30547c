"""What the landing zone promises: what was written is read again, a crash costs one response."""

import gzip
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import FormatError
from corpusforge.sources.answers import Answer, Request
from corpusforge.sources.landing import Landing
from corpusforge.sources.landing_file import Landed, landed_responses, member_bytes, places

A = Request("https://host/a", (("q", "x"), ("cursor", "Ao+=/")), (("Accept", "application/json"),))
B = Request("https://host/b")
ANSWER = Answer(200, {"x-els-apikey": "***"}, b'{"line": 1}\n\xff\x00')
NOT_FOUND = Answer(404, {}, b"")


@pytest.fixture
def landing(tmp_path):
    landing = Landing(tmp_path)
    landing.append(A, ANSWER, 1)
    landing.append(B, NOT_FOUND, 2)
    return landing


def test_responses_are_read_again_in_order_as_they_came(landing):
    [path] = landing.files()
    assert path.name == "landing-00000.gz"
    assert list(landed_responses(path)) == [Landed(A, ANSWER), Landed(B, NOT_FOUND)]


def test_a_landing_file_is_an_ordinary_gzip_file(landing):
    [path] = landing.files()
    lines = gzip.decompress(path.read_bytes()).split(b"\n")
    assert lines[0].startswith(b'{"request":{"url":"https://host/a","params":[["q","x"]')
    assert lines[1] == b'{"line": 1}'


def test_the_latest_answer_to_a_request_counts_whatever_the_order_of_its_parameters(landing):
    landing.append(B, ANSWER, 3)
    again = Landing(landing.folder)
    assert again.find(B) == ANSWER
    assert again.find(Request(A.url, A.params[::-1], A.headers)) == ANSWER
    assert again.find(Request(A.url, A.params)) is None  # other headers, other answer
    assert len(again) == 2


def test_a_response_cut_at_any_byte_is_cut_off_and_the_others_stay(landing):
    [path] = landing.files()
    content = path.read_bytes()
    first = next(places(path)).length
    for size in range(first, len(content)):
        path.write_bytes(content[:size])
        assert list(landed_responses(path)) == [Landed(A, ANSWER)]
        again = Landing(landing.folder)
        assert path.stat().st_size == first
        again.append(B, NOT_FOUND, 2)
        assert path.read_bytes() == content


@pytest.mark.parametrize("tail", [bytes(70), bytes(20)])
def test_a_tail_of_zeros_is_cut_off(landing, tail):
    """Some file systems have the length on disk before the bytes."""
    [path] = landing.files()
    content = path.read_bytes()[: next(places(path)).length]
    path.write_bytes(content + tail)
    assert list(landed_responses(path)) == [Landed(A, ANSWER)]
    Landing(landing.folder)
    assert path.read_bytes() == content


def test_a_last_response_with_wrong_bytes_is_left_out(landing):
    [path] = landing.files()
    content = bytearray(path.read_bytes())
    content[-12] ^= 0xFF
    path.write_bytes(content)
    assert list(landed_responses(path)) == [Landed(A, ANSWER)]


def test_damage_inside_is_told(landing):
    [path] = landing.files()
    content = bytearray(path.read_bytes())
    content[80] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(
        FormatError, match=r"landing-00000\.gz is damaged in the response at byte 0"
    ):
        list(landed_responses(path))


def test_another_file_is_not_taken_for_one(tmp_path):
    (tmp_path / "landing-00000.gz").write_bytes(gzip.compress(b"x" * 500) * 9)
    with pytest.raises(FormatError, match="is not a landing file at byte 0"):
        Landing(tmp_path)


def test_a_full_file_is_followed_by_another(tmp_path):
    landing = Landing(tmp_path, file_bytes=1)
    for number in range(3):
        landing.append(Request(f"https://host/{number}"), ANSWER, number)
    assert [p.name for p in landing.files()] == [f"landing-0000{n}.gz" for n in range(3)]
    assert Landing(tmp_path).find(Request("https://host/1")) == ANSWER


@given(st.binary(max_size=300), st.integers(100, 599), st.text(max_size=20))
def test_any_response_survives(body, status, value):
    landed = Landed(Request("u", (("q", value),)), Answer(status, {"name": value}, body))
    member = member_bytes(landed, 0)
    assert gzip.decompress(member).endswith(body)


def test_what_was_written_years_ago_is_still_read(tmp_path):
    """Golden bytes. If this fails, old landing zones cannot be read: keep a reader for them."""
    path = tmp_path / "landing-00000.gz"
    path.write_bytes(bytes.fromhex(GOLDEN))
    assert list(landed_responses(path)) == [Landed(Request("u"), Answer(200, {}, b"body"))]
    assert Landing(tmp_path).find(Request("u")) is not None
    [place] = places(path)
    assert (place.status, place.received_ms) == (200, 5)


GOLDEN = """
1f8b08040000000000ff2800434624007f000000000000002041272d4b8a56c284f4e4d8cddf69c1
c80000000500000000000000ab562a4a2d2c4d2d2e51b2aa562a2dca51b2522a55d2512a482c4acc
2d56b28a8ed551ca484d4c492d02736a75948a4b124b4a811c23030324a9eada5aaea4fc944a000d
2e583c4f000000
"""


def test_several_threads_may_append(tmp_path):
    landing = Landing(tmp_path, file_bytes=2_000)
    requests = [Request(f"https://host/{n}") for n in range(60)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda r: landing.append(r, Answer(200, {}, r.url.encode()), 1), requests))
    again = Landing(tmp_path)
    assert len(again.files()) > 3
    for found in (landing, again):
        assert [found.find(request).body.decode() for request in requests] == [
            request.url for request in requests
        ]
