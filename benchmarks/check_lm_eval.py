"""lm-evaluation-harness on an exported model, offline, and whether it measures what we measure.

Two local tasks are written as YAML beside their JSON lines: bits per byte of some texts, and
questions with two answers (the same text, or one with its words in another order). The harness
opens the exported folder through `transformers`; bits per byte are then computed once more with
the package's own model on the same tokens, and have to agree.

    pip install 'corpusforge[evaluate]'
    python benchmarks/check_lm_eval.py work/demo/train-*/model [--texts FILE]
"""

import argparse
import json
import math
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from corpusforge.training.generate import Exported, open_model

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
TEXTS = [
    "The aim of this study was to measure the effect of the treatment on the growth of the cells.",
    "Patients with the disease were compared with healthy controls of the same age and sex.",
    "The results suggest that the protein is involved in the regulation of the gene.",
    "We describe a method for the determination of small amounts of the drug in human plasma.",
    "No significant difference was found between the two groups after twelve weeks.",
    "The structure of the complex was determined by X-ray diffraction at low temperature.",
]
BITS = """task: local_bits
dataset_path: json
dataset_kwargs: {{data_files: {{test: {file}}}}}
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "{{{{text}}}}"
metric_list: [{{metric: bits_per_byte}}]
"""
CHOICE = """task: local_choice
dataset_path: json
dataset_kwargs: {{data_files: {{test: {file}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: answer
metric_list: [{{metric: acc}}, {{metric: acc_norm}}]
"""


@dataclass(frozen=True)
class Measured:
    """What came out."""

    harness_bits: float  # per byte
    own_bits: float
    accuracy: float
    seconds: float


def check(model: Path, texts: list[str], work: Path) -> Measured:
    """Measure a model both ways; the files of the tasks go into `work`."""
    os.environ |= OFFLINE | {"HF_DATASETS_CACHE": str(work / "cache")}  # before it is imported
    from lm_eval import simple_evaluate  # noqa: PLC0415
    from lm_eval.tasks import TaskManager  # noqa: PLC0415

    _write_task(work, "bits", BITS, [{"text": text} for text in texts])
    _write_task(work, "choice", CHOICE, [_question(text) for text in texts])
    began = time.perf_counter()
    results = simple_evaluate(
        model="hf",
        model_args={"pretrained": str(model), "dtype": "float32"},
        tasks=["local_bits", "local_choice"],
        task_manager=TaskManager(include_path=str(work), include_defaults=False),
        device="cpu",
        batch_size=4,
        bootstrap_iters=0,
    )["results"]
    return Measured(
        harness_bits=results["local_bits"]["bits_per_byte,none"],
        own_bits=bits_per_byte(open_model(model), texts),
        accuracy=results["local_choice"]["acc,none"],
        seconds=time.perf_counter() - began,
    )


@torch.no_grad()
def bits_per_byte(exported: Exported, texts: list[str]) -> float:
    """Bits per byte of texts, each a document; texts no longer than a window."""
    nats = 0.0
    for text in texts:
        ids = exported.tokenizer.encode(text, add_special_tokens=False).ids
        if len(ids) >= exported.length:
            raise SystemExit(f"{text[:40]!r} is longer than a window of {exported.length} tokens")
        answer = exported.model(torch.tensor([[exported.end, *ids[:-1]]]))
        logits = answer if isinstance(answer, torch.Tensor) else answer[0]
        chances = logits[0].double().log_softmax(-1)
        nats -= float(chances[torch.arange(len(ids)), torch.tensor(ids)].sum())
    return nats / math.log(2) / sum(len(text.encode()) for text in texts)


def _write_task(work: Path, name: str, recipe: str, rows: list[dict]) -> None:
    file = work / f"{name}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (work / f"{name}.yaml").write_text(recipe.format(file=json.dumps(str(file))))


def _question(text: str) -> dict:
    """Does the text go on as it does, or with its words shuffled?"""
    words = text.split()
    start, rest = words[: len(words) // 2], words[len(words) // 2 :]
    mixed, source = rest[:], random.Random(text)
    while mixed == rest:
        source.shuffle(mixed)
    answer = source.randrange(2)
    choices = [" ".join(mixed), " ".join(rest)] if answer else [" ".join(rest), " ".join(mixed)]
    return {"question": " ".join(start), "choices": choices, "answer": answer}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="the folder `model` of a finished run")
    parser.add_argument("--texts", type=Path, help="a text on each line, instead of those in here")
    options = parser.parse_args()
    texts = options.texts.read_text().splitlines() if options.texts else TEXTS
    with tempfile.TemporaryDirectory() as work:
        measured = check(options.model, texts, Path(work))
    print(f"{len(texts)} texts, {measured.seconds:.1f} s")
    print(f"bits per byte: harness {measured.harness_bits:.5f}, own {measured.own_bits:.5f}")
    print(f"which of two orders of words is right: accuracy {measured.accuracy:.3f}")
    if abs(measured.harness_bits - measured.own_bits) > 1e-3:
        sys.exit("the two differ: not the same model, tokens or bytes")


if __name__ == "__main__":
    main()
