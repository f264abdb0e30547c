"""Placeholders for personal data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.personal import mask


@pytest.mark.parametrize(
    ("text", "masked", "counts"),
    [
        ("to a.b+c@d-e.org.", "to [email].", {"emails": 1}),
        ("mailto:x@y.de, {a, b.c}@y.z.edu", "[email], [email]", {"emails": 2}),
        ("x [at] y.org", "[email]", {"emails": 1}),
        ("call +1 (555) 010-9999 now", "call [phone] now", {"phones": 1}),
        ("Tel.: 030 123 45678; Fax: +49-30-123456", "Tel.: [phone]; Fax: [phone]", {"phones": 2}),
        ("at 192.168.17.4, or", "at [IP address], or", {"ips": 1}),
        ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", "[IP address]", {"ips": 1}),
    ],
)
def test_personal_data_gets_a_placeholder_and_is_counted(text, masked, counts):
    assert mask(text) == (masked, counts)


@pytest.mark.parametrize(
    "text",
    [
        "trypsin (EC 3.4.21.42) and EC 10.13.11.12",
        "as in 2.1.3.4 and section 10.11.12.13",
        "version 10.12.14.1 of it",
        "a charge of +10 000 000 e",
        "doi 10.1000/182, ISSN 1234-5678",
        "(+1.5 +2.5 +3.5 +4.5)",
        "x = +12 34 56 78",
        "grant 2012-12345678-1234",
        "we paid $+12 345 678 9$",
        "tel aviv 1999 2001",
        "a@b is an operator, u@v.w is f(x)@3",
    ],
)
def test_numbers_of_science_stay(text):
    assert mask(text) == (text, {})


@given(st.text(alphabet="a1@.+-() :{}[]tel\n2", max_size=60))
def test_a_second_time_finds_nothing_more_to_replace(text):
    once, _ = mask(text)
    assert mask(once)[0] == once


@pytest.mark.parametrize("piece", ["1", "+1 ", "a.", "{a ", "1.2.", "tel 1", "a:", "+1 2 ", "x@y."])
def test_a_megabyte_of_one_piece_is_read_through(piece):
    mask(piece * (1_000_000 // len(piece)))
