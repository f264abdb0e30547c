"""Keys of sources: where they come from, and how they are kept out of everything that is kept.

A key comes from an environment variable or from a key file, never from a pipeline file. It is sent
in a request header only, so addresses never hold one; but servers repeat it, in a response header
(Elsevier: `X-ELS-APIKey`) and in links inside bodies (`…&apiKey=…`). Everything is scrubbed
before it is logged, stored or raised.
"""

import re
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NoReturn
from urllib.parse import quote, quote_plus

from msgspec import Meta

from corpusforge.errors import ConfigError

HIDDEN = "***"
KEY_FILE = "CORPUSFORGE_KEYS"  # environment variable that names the key file
MIN_LENGTH = 8  # a shorter "key" is a mistake, and replacing it would damage ordinary text
SECRET_HEADERS = {
    *("authorization", "proxy-authorization", "cookie", "set-cookie", "apikey", "x-api-key"),
    *("x-els-apikey", "x-els-insttoken", "x-els-authtoken"),
}
SECRET_PARAMETER = re.compile(
    rb"""(?P<name>\b(?:api_?key|insttoken|access_token|authtoken)=)[^&\s"'<>\\]+""", re.I
)


# In a pipeline file. A key itself, given there by mistake, is refused without being quoted.
KeyName = Annotated[str, Meta(pattern="^[A-Z][A-Z0-9_]*$")]


class Secret:
    """A key that shows itself only to who asks for it by name; it cannot be pickled or copied."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself: for a request header, and for nothing else."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"

    __str__ = __repr__

    def __format__(self, format_spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not pickled: it would reach schedulers, workers and caches")


FindSecret = Callable[[str], Secret | None]  # the key of a name, or None where there is none


def read_secret(name: str, environment: Mapping[str, str], key_file: Path | None) -> Secret | None:
    """The key of this name: from the environment, else from the key file; None if in neither.

    Args:
        name: Of the environment variable, and of the line in the key file.
        environment: Such as `os.environ`.
        key_file: Lines `NAME=key`; empty lines and lines that start with # do not count. Only its
            owner may be able to read it (mode 600 or 400).

    Raises:
        ConfigError: The key file is missing or open to others, or the key cannot be one.
    """
    value = environment.get(name)
    where = f"environment variable {name}"
    if value is None and key_file is not None:
        value = _read_key_file(key_file).get(name)
        where = f"{name} in {key_file}"
    if value is None:
        return None
    value = value.strip()
    if len(value) < MIN_LENGTH or not value.isascii() or not value.isprintable() or " " in value:
        raise ConfigError(
            f"{where} has {len(value)} characters that cannot be a key: expected at least "
            f"{MIN_LENGTH}, printable ASCII without spaces; copy the key again"
        )
    return Secret(value)


def _read_key_file(path: Path) -> dict[str, str]:
    try:
        mode = path.stat().st_mode
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"key file {path} cannot be read: {type(error).__name__}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(
            f"key file {path} has mode {stat.S_IMODE(mode):o}, so others may read or change it; "
            f"expected 600: run `chmod 600 {path}`"
        )
    pairs = (line.partition("=") for line in lines if not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}


@dataclass(frozen=True)
class Credential:
    """A header that says who asks."""

    header: str
    secret: Secret
    prefix: str = ""  # such as "Bearer "


class Scrubber:
    """Replaces keys by `***`: those it knows wherever they stand, and what is named like one.

    Args:
        secrets: Every key of this run. Their percent-encoded forms are replaced too.
    """

    def __init__(self, secrets: Iterable[Secret]) -> None:
        values = {secret.reveal() for secret in secrets}
        forms = {form for v in values for form in (v, quote(v, safe=""), quote_plus(v))}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._known = re.compile(b"|".join(re.escape(form.encode()) for form in longest_first))
        self._any = bool(forms)

    def data(self, content: bytes) -> bytes:
        """The content without keys; other bytes stay as they are."""
        named = SECRET_PARAMETER.sub(rb"\g<name>" + HIDDEN.encode(), content)
        return self._known.sub(HIDDEN.encode(), named) if self._any else named

    def text(self, content: str) -> str:
        """The text without keys."""
        return self.data(content.encode("utf-8", "surrogateescape")).decode(
            "utf-8", "surrogateescape"
        )

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Headers by lower-case name, sorted; those that exist to carry keys lose their value."""
        lowered = sorted((name.lower(), value) for name, value in headers.items())
        return {
            name: HIDDEN if name in SECRET_HEADERS else self.text(value) for name, value in lowered
        }
