"""`transformers`' Trainer on the batches, weights and optimizer of a configuration; see `train.py`.

    python training_peer.py SHARDS CONFIG STEPS

Batches lie in memory before the clock starts, and nothing is logged, evaluated or saved meanwhile.
"""

import json
import os
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import torch
import transformers
from training_job import WARM, as_one_document
from training_setup import alone

from corpusforge.training.config import padded_vocabulary
from corpusforge.training.export import export_model
from corpusforge.training.feed import portions
from corpusforge.training.material import Job, gather
from corpusforge.training.model import build_model


class Clock(transformers.TrainerCallback):
    """Seconds of each step: on the clock, and of the processor."""

    def __init__(self):
        self.seconds, self.processor = [], []

    def on_step_begin(self, *_arguments, **_more):
        self.began, self.used = time.perf_counter(), time.process_time()

    def on_step_end(self, *_arguments, **_more):
        self.seconds.append(time.perf_counter() - self.began)
        self.processor.append(time.process_time() - self.used)


class Told(transformers.Trainer):
    """A Trainer whose losses can be read without its logs."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.losses = []

    def training_step(self, *arguments, **more):
        loss = super().training_step(*arguments, **more)
        self.losses.append(loss)
        return loss


def exported(material, folder):
    """The model at its first step, as `transformers` opens it."""
    config, corpus = material.config, material.corpus.description
    model = build_model(config.model, padded_vocabulary(corpus.vocab_size), config.seed)
    weights = {name: value.detach() for name, value in model.named_parameters()}
    export_model(weights, config, corpus, material.tokenizer, folder)
    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)


def rows_of(material, steps):
    """The windows of all steps, in order, with targets unshifted as `transformers` wants them."""
    with closing(portions(material.steps, range(steps), 0, 1)) as feed:
        batches = [as_one_document(portion).batch for portion in feed]
    inputs = torch.cat([torch.from_numpy(batch.inputs) for batch in batches])
    for batch in batches:
        ignored = (batch.targets[:, :-1] < 0).any()
        if ignored:
            sys.exit("a window repeats targets of another; choose fewer steps")
    return [{"input_ids": row, "labels": row} for row in inputs]


def arguments_of(config, steps, folder):
    return transformers.TrainingArguments(
        output_dir=folder,
        max_steps=steps,
        per_device_train_batch_size=config.batch,
        learning_rate=config.learning_rate,
        lr_scheduler_type="constant",
        weight_decay=config.weight_decay,
        adam_beta1=config.betas[0],
        adam_beta2=config.betas[1],
        adam_epsilon=config.epsilon,
        max_grad_norm=config.clip,
        optim="adamw_torch_fused",
        train_sampling_strategy="sequential",
        use_cpu=True,
        dataloader_pin_memory=False,
        remove_unused_columns=False,
        logging_strategy="no",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )


def main():
    shards, config, timed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    steps, clock = WARM + timed, Clock()
    with alone() as world:  # gone before Trainer looks for other ranks
        material = gather(Job(shards, shards, config, config.with_suffix(".out")), world)
    with tempfile.TemporaryDirectory() as folder:
        trainer = Told(
            model=exported(material, Path(folder) / "model"),
            args=arguments_of(material.config, steps, folder),
            train_dataset=rows_of(material, steps),
            callbacks=[clock],
        )
        trainer.train()
    tokens = material.config.batch * material.config.sequence_length
    losses = [float(loss) for loss in trainer.losses]
    found = {
        "tokens": tokens,
        "seconds": clock.seconds[WARM:],
        "processor": clock.processor[WARM:],
        "losses": losses,
    }
    print("found " + json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
