"""What is promised of waiting: every form of "come back then" is understood."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.errors import QuotaStop
from corpusforge.sources.waits import SKEW_MARGIN, delay_of, jitter, moment_of

NOW = 1_566_798_000.0  # 2019-08-26 05:40:00 UTC


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        pytest.param("661", NOW + 661, id="seconds from now"),
        pytest.param("0.5", NOW + 0.5, id="fraction"),
        pytest.param("1566798661", NOW + 661, id="epoch seconds"),
        pytest.param("1566798661000", NOW + 661, id="epoch milliseconds"),
        pytest.param("2019-08-26 05:51:01", NOW + 661, id="Elsevier 2019"),
        pytest.param("2019-08-26T05:51:01+0000", NOW + 661, id="CORE"),
        pytest.param("2019-08-26T07:51:01+02:00", NOW + 661, id="another zone"),
        pytest.param("Mon, 26 Aug 2019 05:51:01 GMT", NOW + 661, id="HTTP date"),
        pytest.param("soon", None, id="words"),
        pytest.param("", None, id="nothing"),
        pytest.param("-5", None, id="negative"),
    ],
)
def test_every_form_of_a_moment_is_read(text, moment):
    assert moment_of(text, NOW) == moment


@given(st.text(max_size=40))
def test_no_header_breaks_the_reading(text):
    moment_of(text, NOW)
    delay_of({"retry-after": text, "date": text}, NOW)


def test_a_moment_is_compared_with_the_servers_own_clock():
    """The server is an hour ahead of us."""
    headers = {
        "date": "Mon, 26 Aug 2019 06:40:00 GMT",
        "x-ratelimit-retry-after": "2019-08-26T06:41:00+0000",
    }
    assert delay_of(headers, NOW) == 60


def test_without_the_servers_clock_a_margin_is_added_to_moments_but_not_to_seconds():
    assert (
        delay_of({"x-ratelimit-retry-after": "2019-08-26T05:41:00+0000"}, NOW) == 60 + SKEW_MARGIN
    )
    assert delay_of({"retry-after": "60"}, NOW) == 60


def test_retry_after_counts_before_the_end_of_the_quotas_week():
    assert delay_of({"x-ratelimit-reset": "1567300000", "retry-after": "2"}, NOW) == 2


def test_a_moment_in_the_past_is_now_and_silence_is_none():
    assert delay_of({"x-ratelimit-reset": "1500000000", "date": "x"}, NOW) == SKEW_MARGIN
    assert delay_of({"content-type": "text/xml"}, NOW) is None


@given(st.integers(0, 10_000), st.integers(0, 99))
def test_jitter_stays_inside_its_bounds_and_follows_its_seed(attempt, seed):
    pause = jitter(attempt, 1.0, 60.0, Random(seed))
    assert 0 <= pause <= min(60, 2.0 ** min(attempt, 30))
    assert pause == jitter(attempt, 1.0, 60.0, Random(seed))


def test_a_quota_stop_says_when_to_come_back():
    assert str(QuotaStop("the quota is used up", NOW)).endswith(
        "continues it: run it again after 2019-08-26 05:40:00 UTC"
    )
    assert "does not say when" in str(QuotaStop("the quota is used up", None))
    assert "after 1000" in str(QuotaStop("used up", 1e300))
