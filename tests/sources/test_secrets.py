"""What is promised of keys: they are read with care and never shown."""

import copy
import pickle

import pytest

from corpusforge.errors import ConfigError
from corpusforge.sources.secrets import Scrubber, Secret, read_secret

KEY = "k3y+with/odd=chars"


def test_a_secret_never_shows_itself():
    secret = Secret(KEY)
    shown = [repr(secret), str(secret), f"{secret}", f"{secret:>30}", repr([secret]), "%s" % secret]  # noqa: UP031
    assert not any(KEY in text for text in shown)
    assert secret.reveal() == KEY


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_secret_does_not_travel(take):
    with pytest.raises(TypeError, match="a Secret is not pickled"):
        take(Secret(KEY))


def test_the_environment_counts_before_the_key_file(tmp_path):
    path = tmp_path / "keys"
    path.write_text("# mine\nSCOPUS = from-the-file\nOTHER=1234567890\n")
    path.chmod(0o600)
    assert read_secret("SCOPUS", {"SCOPUS": KEY}, path).reveal() == KEY
    assert read_secret("SCOPUS", {}, path).reveal() == "from-the-file"
    assert read_secret("NONE", {}, path) is None
    assert read_secret("NONE", {}, None) is None


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_key_file_that_others_may_open_is_refused(tmp_path, mode):
    path = tmp_path / "keys"
    path.write_text("SCOPUS=1234567890\n")
    path.chmod(mode)
    with pytest.raises(ConfigError, match=rf"has mode {mode:o}, so others may .*chmod 600"):
        read_secret("SCOPUS", {}, path)


def test_a_missing_key_file_is_told(tmp_path):
    with pytest.raises(ConfigError, match="keys cannot be read: FileNotFoundError"):
        read_secret("SCOPUS", {}, tmp_path / "keys")


@pytest.mark.parametrize(
    "value", ["short", "has a space in it", "ключ-ключ-ключ", "line\nbreak-in-it"]
)
def test_what_cannot_be_a_key_is_refused_without_being_shown(value):
    with pytest.raises(ConfigError, match="characters that cannot be a key") as told:
        read_secret("SCOPUS", {"SCOPUS": value}, None)
    assert value not in str(told.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://host/a?apiKey=abc&view=X", "https://host/a?apiKey=***&view=X"),
        ("https://host/a?q=1&api_key=abc", "https://host/a?q=1&api_key=***"),
        ('{"@href": "https://host?insttoken=abc%2B"}', '{"@href": "https://host?insttoken=***"}'),
        (f"key {KEY}!", "key ***!"),
        ("q=k3y%2Bwith%2Fodd%3Dchars&b", "q=***&b"),
        ("the keys= of the piano", "the keys= of the piano"),
    ],
)
def test_keys_are_replaced_and_nothing_else(before, after):
    assert Scrubber([Secret(KEY)]).text(before) == after


def test_without_keys_only_named_ones_are_replaced():
    assert Scrubber([]).data(b"a \xff apiKey=x b") == b"a \xff apiKey=*** b"


def test_headers_that_carry_keys_lose_their_value():
    headers = {"X-ELS-APIKey": "other", "Authorization": "Bearer x", "Via": KEY, "Allow": "GET"}
    assert Scrubber([Secret(KEY)]).headers(headers) == {
        "allow": "GET",
        "authorization": "***",
        "via": "***",
        "x-els-apikey": "***",
    }
