"""Which languages are written in which script, and what their labels in lid.176 stand for."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.fasttext import language_model

# Labels by script. Latin has all that are in no other line; Serbian is in two.
_OF_SCRIPT = {
    "cyrillic": "ru uk be bg mk sr kk ky mn tt ba cv tg ce os av sah bxr kv mhr mrj myv xal krc "
    "lez rue tyv",
    "arabic": "ar fa ur ps sd ug ckb arz azb pnb mzn lrc",
    "devanagari": "hi mr ne sa new bh mai gom dty",
    "bengali": "bn as bpy",
    "hebrew": "he yi",
    "georgian": "ka xmf",
    "greek": "el",
    "armenian": "hy",
    "thaana": "dv",
    "gurmukhi": "pa",
    "gujarati": "gu",
    "oriya": "or",
    "tamil": "ta",
    "telugu": "te",
    "kannada": "kn",
    "malayalam": "ml",
    "sinhala": "si",
    "thai": "th",
    "lao": "lo",
    "tibetan": "bo",
    "burmese": "my",
    "ethiopic": "am",
    "khmer": "km",
    "hangul": "ko",
    "kana": "ja",
    "han": "zh wuu yue",
}
_ALSO_LATIN = {"sr"}
# Wikipedia's names and parts of a language, as ISO 639 has them. "sh" was withdrawn; what calls
# itself so is written like Croatian.
_STANDS_FOR = {
    "als": "gsw", "arz": "ar", "azb": "az", "ckb": "ku", "pnb": "pa", "sh": "hr", "wuu": "zh",
    "yue": "zh",
}  # fmt: skip


@cache
def codes() -> tuple[str, ...]:
    """The languages told apart: ISO 639-1, or 639-3 where there is none."""
    return tuple(sorted({_STANDS_FOR.get(label, label) for label in language_model().labels}))


@cache
def only_language(script: str) -> str | None:
    """The language of a script that has but one, or None."""
    found = {codes()[place] for place in places(script) if place >= 0}
    return found.pop() if len(found) == 1 else None


@cache
def places(script: str) -> NDArray[np.int32]:
    """Of each label of the model its place in `codes`, -1 where it is of another script; (L,)."""
    elsewhere = set(" ".join(_OF_SCRIPT.values()).split()) - _ALSO_LATIN
    labels = language_model().labels
    own = set(_OF_SCRIPT[script].split()) if script != "latin" else set(labels) - elsewhere
    return np.array(
        [codes().index(_STANDS_FOR.get(label, label)) if label in own else -1 for label in labels],
        np.int32,
    )
