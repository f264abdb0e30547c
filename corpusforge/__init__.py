"""corpusforge: scientific papers to a pre-training corpus, and a language model trained on it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corpusforge.api import Corpus

__all__ = ["Corpus"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:  # noqa: ANN401 (PEP 562)
    # On demand: a training rank imports this package too, and needs none of what Corpus needs.
    if name == "Corpus":
        from corpusforge.api import Corpus  # noqa: PLC0415

        return Corpus
    raise AttributeError(f"module 'corpusforge' has no attribute {name!r}")
