"""A tokenizer that is there already, taken in place of one that is learnt."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from tokenizers import Tokenizer

from corpusforge.errors import ConfigError
from corpusforge.formats.vocabulary import id_count
from corpusforge.stages.tokenizer_files import END_OF_TEXT, NAMES, write_tokenizer
from corpusforge.work import Tally, Task


def given_evidence(path: Path, end_of_text: str | None) -> list[Any]:
    """What of a tokenizer decides the output: its digest, and its special tokens.

    Raises:
        ConfigError: It cannot be read, or lacks that token.
    """
    content, tokenizer, settings = _read(path)
    specials = _specials(path, tokenizer, settings, end_of_text)
    return [sha256(content).hexdigest(), specials]


def vocabulary_of(path: Path) -> int:
    """Its ids, those of added tokens included."""
    return id_count(_read(path)[1])


def take_given(task: Task, end_of_text: str | None) -> Tally:
    """Copy it, byte for byte, beside settings that name its special tokens."""
    [path] = task.sources
    content, tokenizer, settings = _read(path)
    write_tokenizer(task.targets, content, _specials(path, tokenizer, settings, end_of_text))
    return Tally(counts={"given_vocabulary": tokenizer.get_vocab_size()})


def _read(path: Path) -> tuple[bytes, Tokenizer, dict[str, Any]]:
    """The bytes of its tokenizer.json, what they hold, and the settings beside it."""
    file = path / NAMES[0] if path.is_dir() else path
    try:
        content = file.read_bytes()
        beside = file.with_name(NAMES[1])
        settings = msgspec.json.decode(beside.read_bytes()) if beside.is_file() else {}
        return content, Tokenizer.from_str(content.decode()), settings
    except OSError as error:
        raise ConfigError(
            f"tokenizer.from: {file} cannot be read: {error.strerror}; expected a tokenizer.json "
            f"or the folder with one"
        ) from error
    except Exception as error:  # `tokenizers` raises nothing narrower
        raise ConfigError(
            f"tokenizer.from: {file} is not what `tokenizers` reads ({error}); expected a "
            f"tokenizer.json as `Tokenizer.save` writes it"
        ) from error


def _specials(
    path: Path, tokenizer: Tokenizer, settings: dict[str, Any], end_of_text: str | None
) -> dict[str, str]:
    """Its special tokens by role: that which ends a document, which starts one too if none does."""
    end = end_of_text or _named(settings, "eos_token") or END_OF_TEXT
    if tokenizer.token_to_id(end) is None:
        raise ConfigError(
            f"tokenizer.from: {path} has no token {end!r} to end a document with; name one of its "
            f"tokens as tokenizer.end_of_text"
        )
    named = [(role, _named(settings, role)) for role in ("bos_token", "unk_token", "pad_token")]
    known = {
        role: token for role, token in named if token and tokenizer.token_to_id(token) is not None
    }
    return {"bos_token": end, **known, "eos_token": end}


def _named(settings: dict[str, Any], name: str) -> str | None:
    token = settings.get(name)
    return token["content"] if isinstance(token, dict) else token  # transformers writes both
