"""What the plan of an OAI-PMH harvest promises: every record, whatever happens to its lists."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from math import ceil

import msgspec
import pytest
import yaml
from emulators.documents import generate
from emulators.oaipmh import OAI_FAULTS, OaiKnobs
from emulators.oaipmh_records import items_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from corpusforge.errors import SourceError
from corpusforge.parsers.oai import OaiPage, OaiRecord
from corpusforge.sources.http import GaveUpError
from corpusforge.sources.oai_plan import (
    DAY,
    MAX_AGAIN,
    OaiConfig,
    Progress,
    Rest,
    Window,
    day_of,
    estimate_oai,
    first_day,
    identify_request,
    list_request,
    months,
    rest_of,
)
from sources.oai_repository import Repository

UNTIL = date(2023, 5, 31)
DAYS = st.dates(date(2023, 1, 1), date(2024, 12, 31))


def stamped(repository):
    """Identifier and datestamp of everything that the repository has."""
    return {(item.identifier, repository._stamp(item.datestamp)) for item in repository.items}


def days_of(windows):
    """Every day that some windows, by name, cover."""
    covered = set()
    for name in windows:
        first, _, last = name.partition(" to ")
        day = date.fromisoformat(first)
        while day <= date.fromisoformat(last or first):
            covered.add(day)
            day += DAY
    return covered


repositories = st.builds(
    Repository,
    st.builds(
        items_of, st.integers(1, 60).map(generate), seed=st.integers(0, 9), days=st.integers(1, 80)
    ),
    st.builds(
        OaiKnobs,
        page=st.integers(1, 30),
        seconds=st.booleans(),
        order=st.sampled_from(["datestamp", "identifier"]),
        totals=st.booleans(),
        stateless=st.booleans(),
        dies_after=st.none() | st.integers(1, 4),
        error=st.sampled_from(["badResumptionToken", "badArgument", "databaseError"]),
        end=st.sampled_from(["empty", "absent", "nothing"]),
        circle=st.sampled_from([False, False, False, True]),
    ),
)
begins = st.none() | st.just(date(2022, 12, 15))
scripts = st.lists(st.sampled_from(["", "", "", *OAI_FAULTS]), max_size=40)


def tokens_reach(repository):
    """Whether the longest day comes before its tokens die, and it can be known that it came: a
    token that only leads in a circle, or to nothing, is told from a dead one by the total."""
    oai = repository.oai
    longest = max(Counter(item.datestamp.date() for item in repository.items).values())
    pages = ceil(longest / oai.page)
    if oai.circle:
        return oai.totals and pages == 1
    return oai.dies_after is None or pages <= oai.dies_after - (oai.end == "nothing")


@settings(max_examples=60)
@given(repositories, begins)
def test_every_record_comes_whatever_the_pages_are_and_wherever_tokens_die(repository, since):
    assume(tokens_reach(repository))
    summary = repository.fetch(until=UNTIL, since=since)
    assert repository.came() == stamped(repository)
    assert (summary.records, summary.missing) == (len(repository.items), ())
    assert summary.expected == summary.records


@settings(max_examples=60)
@given(repositories, begins, scripts)
def test_what_does_not_come_is_on_a_day_that_is_named_and_comes_the_next_time(
    repository, since, faults
):
    repository.script.extend(faults)
    try:
        summary = repository.fetch(until=UNTIL, since=since)
    except GaveUpError:  # too many in a row
        pass
    else:
        lost = stamped(repository) - repository.came()
        named = days_of(name for name, _ in summary.missing)
        assert {date.fromisoformat(stamp[:10]) for _, stamp in lost} <= named
    repository.script.clear()
    assume(tokens_reach(repository))
    assert repository.fetch(until=UNTIL, since=since).missing == ()
    assert repository.came() == stamped(repository)


@settings(max_examples=60)
@given(repositories)
def test_the_same_fetch_again_asks_nothing_that_was_answered(repository):
    first = repository.fetch(until=UNTIL)
    again = repository.fetch(until=UNTIL)
    assert repository.sent == 0
    assert (again.records, again.missing) == (first.records, first.missing)


@settings(max_examples=60)
@given(repositories, st.integers(1, 90))
def test_a_day_whose_page_is_always_broken_costs_no_other_day(repository, number):
    oai = repository.oai
    oai.dies_after, oai.circle, oai.poison = None, False, {number % len(repository.items)}
    [poisoned] = [item for item in repository.items if item.document.number in oai.poison]
    try:
        summary = repository.fetch(until=UNTIL, since=date(2023, 1, 1))
    except GaveUpError:  # in a month with nothing else, it could be the repository
        assume(False)
    day = poisoned.datestamp.date()
    lost = stamped(repository) - repository.came()
    assert {stamp[:10] for _, stamp in lost} == {day.isoformat()}
    assert day.isoformat() in {name for name, _ in summary.missing}
    assert days_of(name for name, _ in summary.missing if " to " not in name) == {day}


@given(DAYS, DAYS)
def test_months_cover_each_day_once_in_order(one, other):
    first, last = min(one, other), max(one, other)
    windows = list(months(first, last))
    days = [w.first + timedelta(n) for w in windows for n in range((w.last - w.first).days + 1)]
    assert days == [first + timedelta(n) for n in range((last - first).days + 1)]
    assert all((w.first.year, w.first.month) == (w.last.year, w.last.month) for w in windows)


@given(DAYS, DAYS, st.none() | DAYS, st.booleans(), st.none() | st.integers(0, 9))
def test_the_rest_of_a_window_is_all_of_it_in_smaller_windows(one, other, latest, in_order, total):
    window = Window(min(one, other), max(one, other))
    if latest is not None and latest not in window:
        latest = None
    rest = rest_of(window, Progress(1, 1, latest, in_order, total))
    parts = [*rest.windows, *([rest.passed] if rest.passed else [])]
    days = sorted(day for part in parts for day in days_of([str(part)]))
    assert days == sorted(days_of([str(window)]))
    smaller = all(part.last - part.first < window.last - window.first for part in parts)
    assert smaller or rest.windows == (Window(window.first, window.last, again=1),)
    assert (rest.passed is not None) <= (in_order and total is not None)


def test_a_day_is_begun_again_a_few_times_only_and_not_at_all_without_an_answer():
    day = Window(UNTIL, UNTIL)
    for again in range(1, MAX_AGAIN + 1):
        [day] = rest_of(day, Progress(pages=1)).windows
        assert day.again == again
    assert rest_of(day, Progress(pages=1)) is None
    assert rest_of(Window(UNTIL, UNTIL), Progress()) is None


def test_a_list_in_order_with_a_total_goes_on_from_its_last_day_and_no_other_does():
    month = Window(date(2023, 3, 1), date(2023, 3, 31))
    last = date(2023, 3, 17)
    before, after = Window(month.first, last - DAY), Window(last, month.last)
    assert rest_of(month, Progress(3, 150, last, True, 400)) == Rest((after,), passed=before)
    assert rest_of(month, Progress(3, 150, last, True, None)) == Rest((before, after))
    assert rest_of(month, Progress(3, 150, last, False, 400)) == Rest((before, after))
    halves = (Window(month.first, date(2023, 3, 16)), Window(last, month.last))
    assert rest_of(month, Progress(3, 150, month.first, True, 400)) == Rest(halves)


def page_of(*stamps, total=None):
    records = (OaiRecord(str(n), stamp, False, b"") for n, stamp in enumerate(stamps))
    return OaiPage(tuple(records), total=total)


def test_progress_knows_the_last_day_inside_the_window_and_whether_days_were_in_order():
    march = Window(date(2023, 3, 1), date(2023, 3, 31))
    first = Progress().after(page_of("2023-03-02", "2023-03-02", "2023-03-05", total=9), 3, march)
    assert first == Progress(1, 3, date(2023, 3, 5), True, 9)
    assert first.after(page_of("2023-03-05T23:00:00Z", total=7), 1, march) == Progress(
        2, 4, date(2023, 3, 5), True, 9
    )
    for stamp in ("2023-03-04", "2023-04-01", "last week", ""):
        assert not first.after(page_of(stamp), 1, march).in_order
        assert first.after(page_of(stamp), 1, march).latest == date(2023, 3, 5)


def test_requests_hold_what_the_protocol_allows():
    config = OaiConfig(address="https://x.org/oai", set_spec="cs", until=UNTIL)
    window = Window(date(2023, 5, 1), UNTIL)
    assert dict(list_request(config, window, "").params) == {
        "verb": "ListRecords",
        "metadataPrefix": "oai_dc",
        "from": "2023-05-01",
        "until": "2023-05-31",
        "set": "cs",
    }
    token = list_request(config, window, "a%3D1 &b")
    assert dict(token.params) == {"verb": "ListRecords", "resumptionToken": "a%3D1 &b"}
    assert "from" not in dict(list_request(config, Window(UNTIL, UNTIL, True), "").params)
    assert dict(identify_request(config).params) == {"verb": "Identify"}


def test_a_list_that_is_begun_again_is_another_request_with_the_same_parameters():
    config = OaiConfig(address="https://x.org/oai", until=UNTIL)
    once, again = Window(UNTIL, UNTIL), Window(UNTIL, UNTIL, again=1)
    for token in ("", "t"):
        first, second = (list_request(config, window, token) for window in (once, again))
        assert first != second
        assert first.params == second.params


@pytest.mark.parametrize(
    ("promised", "begin"),
    [
        ("2005-09-16", date(2005, 9, 16)),
        ("2017-03-02T01:02:03Z", date(2017, 3, 2)),
        ("0001-01-01T00:00:00Z", date(2001, 1, 1)),
        ("1970-01-01", date(2001, 1, 1)),
        ("long ago", date(2001, 1, 1)),
    ],
)
def test_a_harvest_begins_where_there_can_be_records(promised, begin):
    assert first_day(promised) == begin


def test_days_are_read_from_both_granularities():
    assert day_of("2023-05-31T23:59:59Z") == day_of("2023-05-31") == UNTIL
    assert day_of("31.5.2023") is None


def test_an_estimate_counts_months():
    known = OaiConfig(address="https://x.org/oai", since=date(2022, 12, 31), until=UNTIL)
    estimate = estimate_oai(known, (), 0.5)
    assert (estimate.requests, estimate.seconds) == (6, 12)
    assert "(oai_dc) of https://x.org/oai, 2022-12-31 to 2023-05-31" in estimate.what
    unknown = estimate_oai(OaiConfig(address="https://x.org/oai", until=UNTIL), (), 0.5)
    assert (unknown.requests, unknown.seconds) == (None, None)


def test_in_a_file_the_fields_are_called_from_until_and_set():
    text = (
        b"{kind: oai-pmh, address: https://x.org, from: 2023-05-01, until: '2023-05-31', set: cs}"
    )
    config = msgspec.convert(yaml.safe_load(text), OaiConfig)
    assert config == OaiConfig(
        address="https://x.org", since=date(2023, 5, 1), until=UNTIL, set_spec="cs"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{kind: oai-pmh, address: https://x.org}", "missing required field `until`"),
        (b"{kind: oai-pmh, address: https://x.org, until: soon}", r"Invalid RFC3339.*until"),
        (
            b"{kind: oai-pmh, address: https://x.org, from: 2023-06-01, until: 2023-05-31}",
            "from: 2023-06-01 is after until: 2023-05-31",
        ),
        (
            b"{kind: oai-pmh, address: https://x.org, until: 2023-05-31, metadata_prefix: marc}",
            "marc",
        ),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(text, message):
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert(yaml.safe_load(text), OaiConfig)


@pytest.mark.parametrize("promised", ["0001-01-01", "1970-01-01T00:00:00Z", "unknown"])
def test_records_older_than_what_is_asked_for_by_month_come_in_the_first_list(promised):
    old = items_of(generate(20), first=datetime(1999, 12, 1, tzinfo=UTC))
    repository = Repository(old, OaiKnobs(page=7, earliest=promised))
    assert repository.fetch(until=date(2001, 3, 31)).missing == ()
    assert repository.came() == stamped(repository)
    assert repository.sent == 1 + 3 + 2


def test_a_refusal_is_told_with_what_to_do():
    repository = Repository(items_of(generate(3)), OaiKnobs(sets=False))
    with pytest.raises(
        SourceError, match=r"records of 2023-01-06 to .*\(noSetHierarchy.*leave `set` out"
    ):
        repository.fetch(until=UNTIL, set_spec="cs")
