"""Recipes: how the tokenizer of each preset normalises and splits a text before it merges bytes."""

from dataclasses import dataclass
from typing import Literal

from corpusforge.kernels.pretokens import Pattern

Preset = Literal["science", "gpt2", "forge", "bytes"]


@dataclass(frozen=True)
class Recipe:
    """What is decided before a vocabulary is learnt."""

    name: str  # of the tokenizer in figures
    pattern: Pattern
    nfkc: bool = False  # texts are brought into this normal form of Unicode: ﬁ is f and i
    prefix_space: bool = False  # a text begins with a blank, so that its first word is like others


PRESETS: dict[Preset, Recipe] = {
    "science": Recipe("science", Pattern.SCIENCE),
    "gpt2": Recipe("gpt2", Pattern.GPT2),
    # As the script that trained FORGE's (Yin et al., SC '23).
    "forge": Recipe("forge", Pattern.GPT2, nfkc=True, prefix_space=True),
    # Each byte a token, and nothing merged (Puri et al., arXiv:1808.01371).
    "bytes": Recipe("bytes", Pattern.GPT2),
}
COMPARED = PRESETS["gpt2"]  # what diagnostics hold a tokenizer against
