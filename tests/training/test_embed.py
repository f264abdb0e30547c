"""Vectors of texts."""

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from corpusforge.training.config import TrainConfig, padded_vocabulary
from corpusforge.training.corpus import open_corpus
from corpusforge.training.embed import Embedder
from corpusforge.training.export import export_model
from corpusforge.training.generate import open_model
from corpusforge.training.model import build_model
from corpusforge.training.shapes import MLSTMConfig, NeoXConfig

SHAPES = {
    "neox": NeoXConfig(layers=2, hidden=32, heads=2),
    "mlstm": MLSTMConfig(hidden=24, embedding=8),
}
TEXTS = ["alpha beta", "", "théta " * 40, "delta", "gamma epsilon zeta", "alpha"]


@pytest.fixture(scope="module", params=SHAPES)
def exported(request, folder, tmp_path_factory):
    corpus, shape = open_corpus(folder.shards).description, SHAPES[request.param]
    model = build_model(shape, padded_vocabulary(corpus.vocab_size), seed=3)
    made = tmp_path_factory.mktemp("exported") / "model"
    config = TrainConfig(model=shape, sequence_length=16)
    export_model(model.state_dict(), config, corpus, folder.tokenizer, made)
    return made


def test_a_text_has_the_same_vector_alone_and_among_others(exported, monkeypatch):
    embedder = Embedder.of(open_model(exported))
    together = embedder.embed(TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.allclose(embedder.embed([text])[0], vector, atol=1e-5)
    monkeypatch.setattr("corpusforge.training.embed.TOKENS_AT_ONCE", 20)
    assert np.allclose(embedder.embed(TEXTS), together, atol=1e-5)
    assert len(np.unique(together.round(4), axis=0)) == len(TEXTS)


@torch.no_grad()
def test_it_is_the_mean_of_the_hidden_states_that_transformers_has(exported):
    model = Embedder.of(open_model(exported))
    if model.exported.model.__class__.__name__ == "MLSTM":
        whole = build_model(SHAPES["mlstm"], 384, seed=3)
        seen = []
        whole.embed_out.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
        whole(torch.tensor([model.exported.tokenizer.encode(TEXTS[4]).ids]))
        states = seen[0]
    else:
        theirs = AutoModelForCausalLM.from_pretrained(exported)
        ids = torch.tensor([model.exported.tokenizer.encode(TEXTS[4]).ids])
        states = theirs(ids, output_hidden_states=True).hidden_states[-1]
    assert np.allclose(model.embed([TEXTS[4]])[0], states[0].mean(0).numpy(), atol=1e-5)


def test_of_a_long_text_the_first_window_counts(exported):
    model = Embedder.of(open_model(exported))
    ids = model.exported.tokenizer.encode("théta " * 40).ids
    beginning = model.exported.tokenizer.decode(ids[:16])
    same = model.embed(["théta " * 40, beginning])
    assert len(ids) > 16
    assert np.allclose(same[0], same[1], atol=1e-5)
