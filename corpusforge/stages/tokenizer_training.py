"""Merges from counted words: the train tasks of tokenizer."""

from corpusforge.kernels.bpe_training import learn_merges
from corpusforge.kernels.byte_level import BYTES
from corpusforge.stages.tokenizer_files import ROLES, SPECIALS, tokenizer_of, write_tokenizer
from corpusforge.stages.tokenizer_recipe import PRESETS
from corpusforge.stages.tokenizer_words import all_words
from corpusforge.work import Tally, Task

SMALLEST = len(SPECIALS) + BYTES
MAX_TOKEN = 64  # bytes that a token must be below; a longer one is an artefact: a row of dashes


def train(task: Task, vocabulary: int) -> Tally:
    """One vocabulary from the words of all ranges; the task is named after its recipe.

    Without words, as of `bytes`, it has no merges.
    """
    words = all_words(task.sources)
    recipes = {recipe.name: recipe for recipe in PRESETS.values()}
    merges = learn_merges(words, vocabulary, len(SPECIALS), MAX_TOKEN)
    tokenizer = tokenizer_of(recipes[task.name], merges)
    write_tokenizer(task.targets, tokenizer.to_str(pretty=True).encode(), ROLES)
    name = task.name
    return Tally(
        counts={
            f"{name}_distinct_words": len(words.counts),
            f"{name}_vocabulary": tokenizer.get_vocab_size(),
        }
    )
