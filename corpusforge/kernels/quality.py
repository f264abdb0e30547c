"""What can be measured of a text, for rules to judge by, straight from an Arrow buffer.

Words between white space follow Rae et al. (Gopher, arXiv:2112.11446, table A1); spacing that
optical recognition left ("o f t h e") and the most frequent word follow Soldaini and Lo (peS2o,
2023, README); the rest is for scientific text: formulas, references, words grown together.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.hash_table import room, slot_of
from corpusforge.kernels.jit import jit
from corpusforge.kernels.quality_characters import measure_characters
from corpusforge.kernels.quality_lines import measure_lines
from corpusforge.kernels.shingles import letter_table, word_hashes
from corpusforge.kernels.utf8 import character_classes
from corpusforge.kernels.words import WordTable, filled_table, word_hash

# The columns of a measurement, in order.
MEASUREMENTS = {
    "words": "between white space",
    "mean_word_length": "characters of such a word",
    "alphabetic_words": "share of them that have a letter",
    "symbols": "share of characters that are neither letters, digits nor white space",
    "digits": "share of characters that are digits",
    "hashes_and_ellipses": "# and ellipses for each word",
    "spaced_letters": "runs of single letters with a space between, such as `o f t h e`",
    "glued_words": "share of characters in runs of more than 40 letters",
    "latex": "share of characters between dollars",
    "paragraphs": "lines that are not empty",
    "bullet_lines": "share of lines that start with a bullet",
    "ellipsis_lines": "share of lines that end with an ellipsis",
    "repeated_lines": "share of bytes in lines that stood there before",
    "reference_lines": "share of bytes in lines that read like entries of a list of references",
    "stop_words": "how many of the, be, to, of, and, that, have, with occur",
    "repeated_phrases": "share of words in runs of ten that stood there before",
    "top_word": "share of the most frequent word",
    "log_probability": "mean natural logarithm of a word's share of the corpus",
}
STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")
PHRASE = 10  # words
BASE = np.uint64(0x9E3779B97F4A7C15)


def measure(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], words: WordTable
) -> NDArray[np.float32]:
    """The measurements of some texts, shape (D, len(MEASUREMENTS)).

    Args:
        data: UTF-8, shape (n,).
        bounds: Text i is data[bounds[i]:bounds[i + 1]], shape (D + 1,).
        words: Of the corpus. A word that it lacks counts as if it had occurred once.
    """
    stop = np.array([word_hash(word) for word in STOP_WORDS], np.uint64)
    corpus = filled_table(words.hashes, words.counts, len(words.hashes))
    logarithms = np.log(np.maximum(corpus[1], 1) / (words.total + 1))
    tables = _Tables(character_classes(), letter_table(), stop, *corpus, logarithms)
    out = np.zeros((len(bounds) - 1, len(MEASUREMENTS)), np.float32)
    _measure(data, bounds, tables, out)
    return out


class _Tables(NamedTuple):
    classes: NDArray[np.uint8]
    letters: NDArray[np.uint32]
    stop: NDArray[np.uint64]
    keys: NDArray[np.uint64]  # of the corpus's words
    counts: NDArray[np.int64]
    logarithms: NDArray[np.float64]  # of their shares


@jit
def _measure(
    data: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    tables: _Tables,
    out: NDArray[np.float32],
) -> None:
    longest = 0
    for d in range(len(bounds) - 1):
        longest = max(longest, bounds[d + 1] - bounds[d])
    hashes = np.empty(longest + 1, np.uint64)
    for d in range(len(bounds) - 1):
        measure_characters(data[bounds[d] : bounds[d + 1]], tables.classes, out[d, 0:9])
        measure_lines(data[bounds[d] : bounds[d + 1]], out[d, 9:14])
        words = word_hashes(data, bounds[d], bounds[d + 1], tables.letters, hashes)
        _measure_words(hashes[:words], tables, out[d, 14:18])


@jit
def _measure_words(hashes: NDArray[np.uint64], tables: _Tables, out: NDArray[np.float32]) -> None:
    """Stop words, repeated phrases, the most frequent word, and the mean log-probability."""
    here_keys, here_counts = room(len(hashes))
    most = 0
    log_probability = 0.0
    for i in range(len(hashes)):
        slot = slot_of(here_keys, here_counts, hashes[i])
        here_keys[slot] = hashes[i]
        here_counts[slot] += 1
        most = max(most, here_counts[slot])
        log_probability += tables.logarithms[slot_of(tables.keys, tables.counts, hashes[i])]
    for word in tables.stop:
        out[0] += here_counts[slot_of(here_keys, here_counts, word)] > 0
    out[1] = _repeated(hashes) / max(len(hashes), 1)
    out[2] = most / max(len(hashes), 1)
    out[3] = log_probability / max(len(hashes), 1)


@jit
def _repeated(hashes: NDArray[np.uint64]) -> int:
    """How many words belong to a run of `PHRASE` that stood in the text before."""
    keys, counts = room(len(hashes))
    covered = repeated = 0  # words before `covered` are counted
    leaving = np.uint64(1)
    for _ in range(PHRASE):
        leaving *= BASE
    key = np.uint64(0)  # a polynomial in the last PHRASE words, modulo 2**64
    for i in range(len(hashes)):
        key = key * BASE + hashes[i]
        if i >= PHRASE:
            key -= leaving * hashes[i - PHRASE]
        if i < PHRASE - 1:
            continue
        slot = slot_of(keys, counts, key)
        if counts[slot]:
            repeated += i + 1 - max(covered, i + 1 - PHRASE)
            covered = i + 1
        keys[slot], counts[slot] = key, 1
    return repeated
