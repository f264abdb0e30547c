"""One JSON record to a Struct of the fields that are needed; a wrong field costs only itself.

Fields that no Struct names are passed over without making an object of them, which is what makes
this several times faster than reading the whole record.
"""

from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Raw, Struct

from corpusforge.errors import ParseError

SHOWN = 80  # bytes of a record that a message quotes

S = TypeVar("S", bound=Struct)


class RecordDecoder(Generic[S]):
    """Reads records of one source; every field of its Struct has a default."""

    def __init__(self, kind: type[S], what: str) -> None:
        """Take what to read, and what to call it in messages, such as "one OpenAlex work"."""
        self._kind, self._what = kind, what
        self._whole = msgspec.json.Decoder(kind)
        self._parts = msgspec.json.Decoder(dict[str, Raw])
        fields = msgspec.structs.fields(kind)
        self._fields: list[tuple[str, str, msgspec.json.Decoder[Any]]] = [
            (field.encode_name, field.name, msgspec.json.Decoder(field.type)) for field in fields
        ]

    def decode(self, record: bytes) -> S:
        """The record; a field whose value has another type than it should counts as absent.

        Raises:
            ParseError: The bytes are not a JSON object.
        """
        try:
            return self._whole.decode(record)
        except msgspec.ValidationError:
            return self._forgiving(record)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._unreadable(record, error) from error

    def _forgiving(self, record: bytes) -> S:
        try:
            parts = self._parts.decode(record)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._unreadable(record, error) from error
        good: dict[str, Any] = {}
        for key, name, decoder in self._fields:
            if key in parts:
                try:
                    good[name] = decoder.decode(parts[key])
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    continue
        return self._kind(**good)

    def _unreadable(self, record: bytes, error: Exception) -> ParseError:
        return ParseError(
            f"a record of {len(record):,} bytes cannot be read as JSON: {error}; it starts with "
            f"{record[:SHOWN]!r}; expected {self._what}"
        )
