"""The trained model as a folder that `transformers` opens: weights, config and tokenizer."""

import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
from safetensors.torch import save_file
from torch import nn

from corpusforge.training.config import TrainConfig, padded_vocabulary
from corpusforge.training.corpus import Description
from corpusforge.training.model import INITIAL_DEVIATION, NORM_EPSILON, ROTARY_BASE
from corpusforge.training.tokenizer import token_text

BESIDE_TOKENIZER = ("tokenizer_config.json", "special_tokens_map.json")


def export_model(
    model: nn.Module, config: TrainConfig, corpus: Description, tokenizer: Path, folder: Path
) -> None:
    """Replace `folder` by `model.safetensors`, `config.json` and the tokenizer's files.

    Args:
        model: The trained model.
        config: What it was trained with.
        corpus: What it was trained on: the size of its vocabulary and its end of document.
        tokenizer: Its `tokenizer.json`; the settings beside it are taken along, or made up.
        folder: Where it goes.
    """
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    weights = {name: value.detach().cpu() for name, value in model.state_dict().items()}
    save_file(weights, partial / "model.safetensors", metadata={"format": "pt"})
    _write(partial / "config.json", hugging_face_config(config, corpus))
    shutil.copyfile(tokenizer, partial / "tokenizer.json")
    for name in BESIDE_TOKENIZER:
        if (tokenizer.parent / name).is_file():
            shutil.copyfile(tokenizer.parent / name, partial / name)
    if not (partial / "tokenizer_config.json").is_file():
        end = token_text(tokenizer, corpus.eod_id)
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": end}
        _write(partial / "tokenizer_config.json", settings)
    shutil.rmtree(folder, ignore_errors=True)
    os.replace(partial, folder)


def hugging_face_config(config: TrainConfig, corpus: Description) -> dict[str, Any]:
    """The `config.json` of `GPTNeoXForCausalLM`, in the words that all its versions read."""
    model = config.model
    return {
        "architectures": ["GPTNeoXForCausalLM"],
        "model_type": "gpt_neox",
        "vocab_size": padded_vocabulary(corpus.vocab_size),
        "hidden_size": model.hidden,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "intermediate_size": 4 * model.hidden,
        "hidden_act": "gelu",
        "rotary_pct": model.rotary_fraction,
        "rotary_emb_base": ROTARY_BASE,
        "use_parallel_residual": model.parallel_residual,
        "max_position_embeddings": config.sequence_length,
        "layer_norm_eps": NORM_EPSILON,
        "initializer_range": INITIAL_DEVIATION,
        "attention_bias": True,
        "tie_word_embeddings": False,
        "bos_token_id": corpus.eod_id,
        "eos_token_id": corpus.eod_id,
        "torch_dtype": "float32",
    }


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
