"""What an exported model writes, without transformers."""

import json
import shutil

import msgspec
import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM

from corpusforge.errors import ConfigError, FormatError
from corpusforge.training.config import TrainConfig, padded_vocabulary
from corpusforge.training.corpus import open_corpus
from corpusforge.training.export import export_model
from corpusforge.training.generate import Sampling, generate, open_model
from corpusforge.training.model import build_model
from corpusforge.training.shapes import MLSTMConfig, NeoXConfig

SHAPES = {
    "neox": NeoXConfig(layers=2, hidden=32, heads=2, rotary_fraction=0.5),
    "mlstm": MLSTMConfig(hidden=24, embedding=8),
}


@pytest.fixture(scope="module")
def exported(folder, tmp_path_factory):
    """The folder of an untrained model of each kind, of sharp opinions."""
    corpus = open_corpus(folder.shards).description
    made = {}
    for kind, shape in SHAPES.items():
        model = build_model(shape, padded_vocabulary(corpus.vocab_size), seed=3)
        with torch.no_grad():
            model.embed_out.weight *= 20
            model.embed_out.weight[0] = 0  # no end of a document among the likely ones
        config = TrainConfig(model=shape, sequence_length=16)
        made[kind] = tmp_path_factory.mktemp(kind) / "model"
        export_model(model.state_dict(), config, corpus, folder.tokenizer, made[kind])
    return made


@pytest.fixture(params=SHAPES)
def model(request, exported):
    return open_model(exported[request.param])


def test_a_text_goes_on_from_its_prompt_and_the_seed_decides_how(model):
    texts = [generate(model, "alpha théta", Sampling(tokens=9, seed=seed)) for seed in (0, 0, 1)]
    assert all(text.startswith("alpha théta") and len(text) > 11 for text in texts)
    assert texts[0] == texts[1] != texts[2]


@torch.no_grad()
def test_the_likeliest_tokens_are_those_of_transformers_past_the_length_of_training(exported):
    """With one window of 16 tokens that moves along."""
    ours, theirs = (
        open_model(exported["neox"]),
        AutoModelForCausalLM.from_pretrained(exported["neox"]),
    )
    ids = ours.tokenizer.encode("alpha beta").ids
    while len(ids) < 40:
        token = int(theirs(torch.tensor([ids[-16:]])).logits[0, -1, :280].argmax())
        ids.append(token)
    new = 40 - len(ours.tokenizer.encode("alpha beta").ids)
    text = generate(ours, "alpha beta", Sampling(tokens=new, temperature=0))
    assert text == ours.tokenizer.decode(ids)


@torch.no_grad()
def test_a_recurrent_model_reads_on_where_it_was(exported):
    model = open_model(exported["mlstm"])
    ids = model.tokenizer.encode("alpha beta").ids
    for _ in range(20):
        logits, _ = model.model(torch.tensor([ids]))
        ids.append(int(logits[0, -1, :280].argmax()))
    assert generate(model, "alpha beta", Sampling(tokens=20, temperature=0)) == (
        model.tokenizer.decode(ids)
    )


def test_one_candidate_is_the_likeliest_at_any_temperature(model):
    one = generate(model, "gamma", Sampling(tokens=9, top_k=1, temperature=9.0, seed=5))
    assert one == generate(model, "gamma", Sampling(tokens=9, temperature=0))


def prefer(path, token, by):
    """Make an mLSTM expect one token, whatever it read."""
    weights = load_file(path / "model.safetensors")
    weights["embed_out.bias"].zero_()[token] = by
    weights["embed_out.weight"].zero_()
    save_file(weights, path / "model.safetensors")


def test_a_document_that_ends_is_not_gone_on_from(exported, tmp_path):
    path = shutil.copytree(exported["mlstm"], tmp_path / "model")
    prefer(path, 0, 50.0)
    assert generate(open_model(path), "alpha", Sampling()) == "alpha"


def test_an_empty_prompt_starts_a_document_and_rows_without_a_token_are_never_drawn(
    exported, tmp_path
):
    path = shutil.copytree(exported["mlstm"], tmp_path / "model")
    prefer(path, 383, 50.0)  # of 384 rows for 280 tokens
    text = generate(open_model(path), "", Sampling(tokens=50))
    assert text
    assert "<|endoftext|>" not in text


@pytest.mark.parametrize(
    "wrong", [{"tokens": 0}, {"temperature": -0.1}, {"top_k": 0}, {"seed": -1}], ids=str
)
def test_a_sampling_that_is_none_is_refused(wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ConfigError, match=f"{name}={value}.*give at least 1 token"):
        Sampling(**wrong)


def test_a_folder_that_is_no_model_is_refused(exported, tmp_path):
    with pytest.raises(ConfigError, match=r"config.json cannot be read: No such file"):
        open_model(tmp_path)
    path = shutil.copytree(exported["neox"], tmp_path / "other")
    config = json.loads((path / "config.json").read_bytes())
    (path / "config.json").write_bytes(msgspec.json.encode(config | {"model_type": "gpt2"}))
    with pytest.raises(ConfigError, match=r"config.json is not what training exports .*'gpt2'"):
        open_model(path)
    (path / "config.json").write_bytes(b"{}")
    with pytest.raises(ConfigError, match=r"is not what training exports \('model_type'\)"):
        open_model(path)


def test_weights_of_another_model_or_damaged_ones_are_refused(exported, tmp_path):
    path = shutil.copytree(exported["neox"], tmp_path / "model")
    shutil.copy(exported["mlstm"] / "model.safetensors", path)
    said = r"model.safetensors does not hold the weights .* copy the folder again"
    with pytest.raises(FormatError, match=said):
        open_model(path)
    (path / "model.safetensors").write_bytes(b"12345678")
    with pytest.raises(FormatError, match=said):
        open_model(path)
    (path / "model.safetensors").unlink()
    with pytest.raises(FormatError, match=said):
        open_model(path)


def test_the_tokenizer_is_that_of_the_folder(exported, folder):
    ours = open_model(exported["neox"]).tokenizer
    assert ours.get_vocab() == Tokenizer.from_file(str(folder.tokenizer)).get_vocab()
