"""langdetect with its dice fixed: a second opinion on a text whose language is uncertain.

langdetect (Nakatani, "Language Detection Library for Java", 2010) is a naive Bayes classifier over
character n-grams of 55 languages that draws the n-grams at random. Here its answer is a function of
the text alone: every text has a detector and a generator of its own, seeded alike, and profiles are
read in the order of their names (the package takes them in the order of the directory, which
differs between machines and changes sums in their last digit).
"""

from functools import cache
from importlib.resources import files

from langdetect.detector_factory import DetectorFactory
from langdetect.lang_detect_exception import LangDetectException

SEED = 0
LOOKED_AT = 1000  # characters; each costs microseconds, and more of them change no answer
_MERGED = {"zh-cn": "zh", "zh-tw": "zh"}


@cache
def _factory() -> DetectorFactory:
    folder = files("langdetect") / "profiles"
    names = sorted(entry.name for entry in folder.iterdir())
    factory = DetectorFactory()
    factory.load_json_profile([(folder / name).read_text("utf-8") for name in names])
    factory.set_seed(SEED)
    return factory


@cache
def profiled_languages() -> frozenset[str]:
    """The languages that langdetect knows: its answer for a text in another one is wrong."""
    return frozenset(_MERGED.get(code, code) for code in _factory().get_lang_list())


def profile_votes(text: str) -> dict[str, float]:
    """Probability of each language that has more than a tenth; none for a text without features.

    Probabilities are of little use as such: nine answers in ten are "0.99999".
    """
    detector = _factory().create()
    detector.append(text[:LOOKED_AT])
    try:
        found = detector.get_probabilities()
    except LangDetectException:  # "No features in text."
        return {}
    votes: dict[str, float] = {}
    for language in found:
        code = _MERGED.get(language.lang, language.lang)
        votes[code] = votes.get(code, 0.0) + language.prob
    return votes
