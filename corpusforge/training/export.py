"""The trained model as a folder: weights, config and tokenizer. `transformers` opens a GPT-NeoX."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict

from corpusforge.formats.atomic import publish_folder
from corpusforge.formats.shard_folder import Description
from corpusforge.training.config import TrainConfig, padded_vocabulary
from corpusforge.training.neox import INITIAL_DEVIATION, NORM_EPSILON, ROTARY_BASE
from corpusforge.training.shapes import MLSTMConfig, NeoXConfig
from corpusforge.training.tokenizer import token_text

BESIDE_TOKENIZER = ("tokenizer_config.json", "special_tokens_map.json")


def whole_weights(model: nn.Module) -> dict[str, Tensor]:
    """All parameters by name, on the CPU of rank 0, and none on the others. To be called on all.

    With `fsdp` they are put together one by one, and only rank 0 keeps what was put together.
    """
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights: dict[str, Any] = get_model_state_dict(model, options=options)
    return weights


def export_model(
    weights: dict[str, Tensor],
    config: TrainConfig,
    corpus: Description,
    tokenizer: Path,
    folder: Path,
) -> None:
    """Replace `folder` by `model.safetensors`, `config.json` and the tokenizer's files.

    Args:
        weights: Of the trained model, see `whole_weights`.
        config: What it was trained with.
        corpus: What it was trained on: the size of its vocabulary and its end of document.
        tokenizer: Its `tokenizer.json`; the settings beside it are taken along, or made up.
        folder: Where it goes.
    """
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    save_file(weights, partial / "model.safetensors", metadata={"format": "pt"})
    _write(partial / "config.json", model_config(config, corpus))
    shutil.copyfile(tokenizer, partial / "tokenizer.json")
    for name in BESIDE_TOKENIZER:
        if (tokenizer.parent / name).is_file():
            shutil.copyfile(tokenizer.parent / name, partial / name)
    if not (partial / "tokenizer_config.json").is_file():
        end = token_text(tokenizer, corpus.eod_id)
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": end}
        _write(partial / "tokenizer_config.json", settings)
    publish_folder(partial, folder)


def model_config(config: TrainConfig, corpus: Description) -> dict[str, Any]:
    """The `config.json` of a model: its shape, and what it has to know of its tokenizer."""
    model = config.model
    shape = _mlstm_shape(model) if isinstance(model, MLSTMConfig) else _neox_shape(model)
    return shape | {
        "vocab_size": padded_vocabulary(corpus.vocab_size),
        "max_position_embeddings": config.sequence_length,
        "tie_word_embeddings": False,
        "bos_token_id": corpus.eod_id,
        "eos_token_id": corpus.eod_id,
        "torch_dtype": "float32",
    }


def _neox_shape(model: NeoXConfig) -> dict[str, Any]:
    """The words of `GPTNeoXForCausalLM`, those that all its versions read."""
    return {
        "architectures": ["GPTNeoXForCausalLM"],
        "model_type": "gpt_neox",
        "hidden_size": model.hidden,
        "num_hidden_layers": model.layers,
        "num_attention_heads": model.heads,
        "intermediate_size": 4 * model.hidden,
        "hidden_act": "gelu",
        "rotary_pct": model.rotary_fraction,
        "rotary_emb_base": ROTARY_BASE,
        "use_parallel_residual": model.parallel_residual,
        "layer_norm_eps": NORM_EPSILON,
        "initializer_range": INITIAL_DEVIATION,
        "attention_bias": True,
    }


def _mlstm_shape(model: MLSTMConfig) -> dict[str, Any]:
    return {
        "architectures": ["MLSTM"],
        "model_type": "mlstm",
        "hidden_size": model.hidden,
        "embedding_size": model.embedding,
        "reset": model.reset,
    }


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
