"""Language codes: the codes that sources use, to ISO 639-1."""

from functools import lru_cache

# ISO 639-2, both the bibliographic codes of PubMed ("ger") and the terminological ones ("deu").
ISO_639_1 = {
    "afr": "af", "alb": "sq", "amh": "am", "ara": "ar", "arm": "hy", "aze": "az", "baq": "eu",
    "bel": "be", "ben": "bn", "bos": "bs", "bul": "bg", "cat": "ca", "ces": "cs", "chi": "zh",
    "cze": "cs", "dan": "da", "deu": "de", "dut": "nl", "ell": "el", "eng": "en", "epo": "eo",
    "est": "et", "eus": "eu", "fas": "fa", "fin": "fi", "fra": "fr", "fre": "fr", "geo": "ka",
    "ger": "de", "gla": "gd", "gle": "ga", "glg": "gl", "gre": "el", "heb": "he", "hin": "hi",
    "hrv": "hr", "hun": "hu", "hye": "hy", "ice": "is", "ind": "id", "isl": "is", "ita": "it",
    "jpn": "ja", "kat": "ka", "kaz": "kk", "kin": "rw", "kor": "ko", "lat": "la", "lav": "lv",
    "lit": "lt", "mac": "mk", "mal": "ml", "mao": "mi", "may": "ms", "mkd": "mk", "mri": "mi",
    "msa": "ms", "nld": "nl", "nor": "no", "per": "fa", "pol": "pl", "por": "pt", "pus": "ps",
    "ron": "ro", "rum": "ro", "rus": "ru", "san": "sa", "slk": "sk", "slo": "sk", "slv": "sl",
    "spa": "es", "sqi": "sq", "srp": "sr", "swe": "sv", "tha": "th", "tur": "tr", "ukr": "uk",
    "urd": "ur", "uzb": "uz", "vie": "vi", "wel": "cy", "cym": "cy", "zho": "zh",
}  # fmt: skip
NOT_A_LANGUAGE = {"", "und", "mul", "zxx", "mis"}  # undetermined, several, none, uncoded


@lru_cache(4096)
def normal_language(code: str | None) -> str | None:
    """The ISO 639-1 code, or the source's own code where there is none.

    A region is dropped: no later step tells "pt" from "pt-BR".

    >>> normal_language("ger"), normal_language("en-US"), normal_language("haw")
    ('de', 'en', 'haw')
    """
    base = (code or "").strip().lower().replace("_", "-").partition("-")[0]
    return None if base in NOT_A_LANGUAGE else ISO_639_1.get(base, base)
