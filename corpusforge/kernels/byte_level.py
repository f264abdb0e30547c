"""How a byte-level vocabulary spells bytes, so that every text can be written as its tokens."""

from functools import cache

BYTES = 256


@cache
def byte_characters() -> str:
    """The character of each byte: of the printable ones their own, of the others one from 256 on.

    Radford et al. (2019), `bytes_to_unicode` of GPT-2.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, BYTES)}
    others = [byte for byte in range(BYTES) if byte not in printable]
    return "".join(
        chr(byte) if byte in printable else chr(BYTES + others.index(byte)) for byte in range(BYTES)
    )
