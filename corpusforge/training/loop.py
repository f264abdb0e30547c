"""The training run: from shards to a model, through as many interruptions as it takes."""

import math
import time
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass, replace
from threading import Event

import msgspec

from corpusforge.errors import RunError
from corpusforge.formats.atomic import write_atomic
from corpusforge.interrupts import stop_requests
from corpusforge.lock import exclusive
from corpusforge.memory import peak_memory
from corpusforge.training.checkpoint import Checkpoints
from corpusforge.training.config import padded_vocabulary
from corpusforge.training.evaluate import Evaluation, evaluate
from corpusforge.training.export import export_model, whole_weights
from corpusforge.training.feed import portions
from corpusforge.training.launch import World
from corpusforge.training.material import Job, Material, gather
from corpusforge.training.model import model_to_spread
from corpusforge.training.moment import Moment
from corpusforge.training.pace import Gauge, Pace
from corpusforge.training.report import Report, header, parameter_count, summary
from corpusforge.training.trainer import Step, Trainer

INTERRUPTED = 75  # exit status EX_TEMPFAIL of sysexits.h: run the same command again


def train(job: Job, world: World) -> int:
    """Train until done or told to stop; the exit status is 0 or `INTERRUPTED`.

    Raises:
        ConfigError: Something does not fit, or `job.out` belongs to another run or is in use.
        FormatError: A shard or a checkpoint is damaged.
        RunError: The loss is no longer a number.
    """
    with exclusive(job.out) if world.rank == 0 else nullcontext():
        material = gather(job, world)
        done = job.out / "DONE"
        [finished] = world.add(world.rank == 0 and done.is_file())
        if finished:
            material.identity.check(done, msgspec.json.decode(done.read_bytes()))
            if world.rank == 0:
                print(f"nothing to do: {done} says that this run is complete", flush=True)
            return 0
        with stop_requests() as stop:
            run = _start(job, material, world)
            with closing(run.report):
                return run.complete(stop)


def _start(job: Job, material: Material, world: World) -> "_Run":
    """A run at its first step, or at its latest checkpoint."""
    config, vocab_size = material.config, material.corpus.description.vocab_size
    model = model_to_spread(config, padded_vocabulary(vocab_size))
    trainer = Trainer.of(config, world, model)
    checkpoints = Checkpoints.of(job.out / "checkpoints", material.identity)
    begin = checkpoints.load(trainer.state)
    gauge = Gauge.of(config, vocab_size, world)
    report = Report.continuing(job, begin, world)
    report.say(*header(material, model, begin, world))
    return _Run(job, material, world, trainer, checkpoints, report, gauge, begin)


@dataclass(frozen=True, eq=False)
class _Run:
    job: Job
    material: Material
    world: World
    trainer: Trainer
    checkpoints: Checkpoints
    report: Report
    gauge: Gauge
    begin: int  # steps done before this process started

    def complete(self, stop: Event) -> int:
        """Take the steps that are left, then evaluate, export and say so in DONE."""
        steps = self.trainer.config.steps
        steps_done = self._advance(stop)
        self.checkpoints.finish()
        if steps_done < steps:
            self.report.say(
                f"stopped on request after step {steps_done}/{steps}; a checkpoint is written, "
                f"and the same command continues from it"
            )
            return INTERRUPTED
        evaluation = self._evaluate(steps)
        weights = whole_weights(self.trainer.model)
        if self.world.rank == 0:
            material = self.material
            folder, corpus = self.job.out / "model", material.corpus.description
            export_model(weights, material.config, corpus, material.tokenizer, folder)
        peaks = self.world.each(peak_memory())
        # That exchange also means that nobody is done before everybody is.
        if self.world.rank == 0:
            self._write_done(evaluation)
        self.report.say(*summary(evaluation, self.material.baseline, self.job.out, max(peaks)))
        return 0

    def _advance(self, stop: Event) -> int:
        """Take steps to the end, or to the first after a rank was asked to stop."""
        trainer, config, world = self.trainer, self.trainer.config, self.world
        steps = range(self.begin, config.steps)
        pace = Pace()
        with closing(portions(self.material.steps, steps, world.rank, world.size)) as feed:
            for step in steps:
                began = time.perf_counter()
                portion = next(feed)
                waited = time.perf_counter() - began
                taken = trainer.step(step, portion)
                loss, small_square, asked = self.world.add(
                    taken.loss, taken.small_square, stop.is_set()
                )
                taken = replace(taken, loss=loss, small_square=small_square)
                trainer.measure_noise(taken)
                self.checkpoints.settle()
                alone = Pace(1, portion.targets, time.perf_counter() - began, waited)
                pace.add(alone)
                if not math.isfinite(loss):
                    raise RunError(
                        f"the loss is {loss} at step {step + 1}; lower learning_rate or raise "
                        f"warmup, in stages.train of the pipeline file or in a copy of "
                        f"{self.job.config} with another --out"
                    )
                steps_done, last = step + 1, step + 1 == config.steps
                self.report.record(self._moment(steps_done, taken, alone))
                lately = self._moment(steps_done, taken, pace)
                self.report.show(lately)
                if steps_done % self.job.log_every == 0 or last:
                    self.report.line(lately)
                    pace = Pace()
                if steps_done % config.evaluate_every == 0 and not last:
                    self._evaluate(steps_done)
                if steps_done % config.checkpoint_every == 0 or last or asked:
                    self.checkpoints.save(steps_done, trainer.state)
                if asked:
                    return steps_done
        return config.steps

    def _moment(self, steps_done: int, taken: Step, pace: Pace) -> Moment:
        steps, noise = self.trainer.config.steps, self.trainer.noise.windows
        return Moment(steps_done, steps, taken, noise, self.gauge.read(pace, steps_done))

    def _evaluate(self, steps_done: int) -> Evaluation:
        evaluation = evaluate(self.trainer.predict, self.material.probe, self.world)
        self.report.evaluation(steps_done, evaluation)
        return evaluation

    def _write_done(self, evaluation: Evaluation) -> None:
        config = self.trainer.config
        content = self.material.identity.record() | {
            "steps": config.steps,
            "tokens": config.steps * config.batch * config.sequence_length,
            "parameters": parameter_count(self.trainer.model),
            "validation": asdict(evaluation),
            "unigram": asdict(self.material.baseline),
            "model": "model",
        }
        encoded = msgspec.json.format(msgspec.json.encode(content), indent=2)
        write_atomic(self.job.out / "DONE", encoded + b"\n")
