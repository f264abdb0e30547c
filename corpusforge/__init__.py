"""corpusforge: scientific papers to a pre-training corpus, and a language model trained on it."""

__version__ = "0.1.0"
