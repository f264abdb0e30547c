"""Which language a text is in: a cascade that asks no more than it has to.

1. The script. Chinese, Japanese, Korean, Greek, Thai and others need no more.
2. fastText's lid.176 (Joulin et al., arXiv:1607.01759), over the languages of that script.
3. Where it is not sure, langdetect and the language that the source declares are heard as well.
4. Where they do not agree: "und", no language.

A pure function of the text: nothing is drawn, nothing is remembered.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.fasttext import Classifier, language_classifier, probabilities
from corpusforge.kernels.jit import jit
from corpusforge.kernels.language_labels import codes, only_language, places
from corpusforge.kernels.language_profiles import profile_votes, profiled_languages
from corpusforge.kernels.letters import (
    CAPITALS,
    SCRIPTS,
    letter_classes,
    main_script,
    words_of_letters,
)

UNKNOWN = "und"
# A text of more than PIECES * PIECE characters is looked at in as many pieces, the first from its
# beginning and the last to its end, so that no quotation decides where it happens to stand.
PIECES, PIECE = 8, 64
# Measured on 8,762 titles of papers, the hard case, in 19 languages: fastText is right in 994 of
# 1,000 to which it gives SURE or more. Hearing langdetect on the others spares a quarter of their
# errors. A VOTE is less than FLOOR: alone it decides nothing, and langdetect is nearly always
# certain. FLOOR keeps 99 in 100 right answers; of 1,721 titles, most of them Russian, spelled in
# Latin letters, and so in none of the languages told apart here, it leaves 90 in 100 without one.
SURE = 0.6
VOTE = 0.3
FLOOR = 0.4
# Letters from which on a probability counts in full: fastText is certain that "SPSS" is French.
ENOUGH = 20


class Words(NamedTuple):
    """What of a text can tell its language."""

    utf8: NDArray[np.uint8]  # words of letters, a blank after each
    script: str  # the one most of them are in; "" if there are none
    share: float  # of the letters that are in it, weighted
    letters: int


def identify(text: str, declared: str | None = None, pieces: int = PIECES) -> tuple[str, float]:
    """The language of a text and its probability, 0 to 1.

    Args:
        text: Formulas, addresses and numbers in it do not count.
        declared: What the source says, as from `normal_language`. It is heard where the text alone
            leaves a doubt, as much as langdetect is.
        pieces: Pieces of a long text to look at.

    Returns:
        ISO 639-1, or 639-3 where there is none. "und" and a probability below `FLOOR` where no
        language is likely; ("und", 0.0) for a text without words. Where the script decides, the
        probability is the share of the letters that are in it.
    """
    words = words_of(sample(text, pieces))
    if not words.script:
        return UNKNOWN, 0.0
    language = only_language(words.script)
    if language:
        return (language if words.share >= FLOOR else UNKNOWN), words.share
    found = folded(words.utf8, language_classifier(), places(words.script), len(codes()))
    evidence = min(1.0, words.letters / ENOUGH)
    best = int(found.argmax())
    code, probability = codes()[best], float(found[best])
    if probability * evidence < SURE:
        code, probability = _by_vote(found, words.utf8.tobytes().decode(), declared)
    probability = min(probability * evidence, 1.0)
    return (code if probability >= FLOOR else UNKNOWN), probability


def _by_vote(found: NDArray[np.float64], text: str, declared: str | None) -> tuple[str, float]:
    """What fastText, langdetect and the source say together: the best, and its mean vote."""
    votes = dict(zip(codes(), found.tolist(), strict=True))
    if max(votes, key=lambda code: votes[code]) in profiled_languages():
        votes = _heard(votes, profile_votes(text))
    if declared and declared != UNKNOWN:
        votes = _heard(votes, {declared: 1.0})
    # Of equals the first in the alphabet.
    best = min(votes, key=lambda code: (-votes[code], code))
    return best, votes[best]


def _heard(votes: dict[str, float], another: dict[str, float]) -> dict[str, float]:
    if not another:
        return votes
    both = votes.keys() | another.keys()
    return {
        code: (1 - VOTE) * votes.get(code, 0.0) + VOTE * another.get(code, 0.0)
        for code in sorted(both)
    }


def sample(text: str, pieces: int) -> str:
    """All of a text, or evenly spread pieces of a long one; a single piece is from its middle."""
    if len(text) <= pieces * PIECE:
        return text
    last = len(text) - PIECE
    if pieces == 1:
        return text[last // 2 : last // 2 + PIECE]
    starts = [last * piece // (pieces - 1) for piece in range(pieces)]
    # An empty line ends a formula that was cut.
    return "\n\n".join(text[start : start + PIECE] for start in starts)


def words_of(text: str) -> Words:
    """The words of a text; in lower case if most of it is set in capitals."""
    data = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    out = np.empty(2 * len(data) + 1, np.uint8)
    used, counts = words_of_letters(data, letter_classes(), out)
    place, share, letters = main_script(counts)
    if place < 0:
        return Words(out[:0], "", 0.0, 0)
    # To fastText capitals are other letters, and few of its texts were set in them.
    if 2 * counts[CAPITALS] > letters and (lower := text.lower()) != text:
        return words_of(lower)
    return Words(out[:used], SCRIPTS[place], share, letters)


@jit
def folded(
    words: NDArray[np.uint8], model: Classifier, place_of: NDArray[np.int32], count: int
) -> NDArray[np.float64]:
    """Probability of each language of a script, (count,), adding up to 1.

    Args:
        words: From `words_of_letters`.
        model: The classifier.
        place_of: Of each of its labels the place in the result, or -1: not in this script.
        count: Places in the result.
    """
    found = np.zeros(count)
    total = 0.0
    of_label = probabilities(words, model)
    for label in range(len(place_of)):
        if place_of[label] >= 0:
            found[place_of[label]] += of_label[label]
            total += of_label[label]
    return found / total
