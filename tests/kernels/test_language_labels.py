"""Which languages are told apart, and in which scripts."""

import numpy as np
import pytest

from corpusforge.kernels.fasttext import language_model
from corpusforge.kernels.language_labels import codes, only_language, places
from corpusforge.kernels.language_profiles import profiled_languages
from corpusforge.kernels.letters import SCRIPTS


def languages(script):
    return {codes()[place] for place in places(script) if place >= 0}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_of_some_language(script):
    assert languages(script)


def test_every_label_is_of_one_script_but_for_serbian():
    scripts = np.sum([places(script) >= 0 for script in SCRIPTS], axis=0)
    labels = language_model().labels
    assert [label for label, count in zip(labels, scripts, strict=True) if count != 1] == ["sr"]


def test_wikipedias_names_are_not_codes():
    assert not {"als", "arz", "sh", "wuu", "yue"} & set(codes())
    assert {"gsw", "ar", "hr", "zh"} <= set(codes())


def test_what_langdetect_knows_is_told_apart():
    assert profiled_languages() < set(codes())


def test_a_script_of_one_language_has_it():
    assert [only_language(script) for script in ("greek", "han", "kana")] == ["el", "zh", "ja"]
    assert only_language("latin") is None
    assert only_language("cyrillic") is None
    assert "en" in languages("latin")
    assert languages("hebrew") == {"he", "yi"}
