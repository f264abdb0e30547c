# Every target makes what it needs: the virtual environment, the packages, an MPI from a PyPI wheel.
PYTHON ?= $(or $(shell command -v python3.11 || command -v python3.12 || command -v python3.13),python3)
VENV ?= .venv
PIPELINE ?= pipelines/demo.yaml
EXTRAS ?= train,notebooks,dev

BIN := $(VENV)/bin
READY := $(VENV)/.ready
CORPUSFORGE := $(BIN)/corpusforge
export PIPELINE

# PIPELINE is the demo for this one, whatever it is else.
demo-api: PIPELINE := pipelines/demo.yaml

.PHONY: help demo demo-api test check install fetch extract clean dedup tokenizer shards data train status \
        report schemas docs bench lint slurm demo-allocation notebook

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 18

demo: $(READY)  ## from two PubMed files and eight full texts to a trained language model
	@date +%s > $(VENV)/.began
	$(CORPUSFORGE) run $(PIPELINE)
	$(CORPUSFORGE) train $(PIPELINE)
	$(CORPUSFORGE) report
	@echo "demo: $$(($$(date +%s) - $$(cat $(VENV)/.began))) s from papers to model"

test: $(READY)  ## the whole test suite
	$(BIN)/pytest

check: lint test  ## what must be green before a change lands

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# One target per stage; each runs what comes before it if that is missing.
fetch extract clean dedup tokenizer shards: $(READY)  ## data stages, each with all before it
	$(CORPUSFORGE) run $(PIPELINE) --until $@

data: shards  ## the data stages; or one of fetch extract clean dedup tokenizer shards

train: data  ## the model, under MPI
	$(CORPUSFORGE) train $(PIPELINE)

demo-api: extract  ## Scopus and CORE from servers on this machine, fetched and made into shards
	$(BIN)/python tests/emulators/demo_api.py

status: $(READY)  ## how far every stage is, and whether its records balance
	@$(CORPUSFORGE) status

report: $(READY)  ## report.html in the output folder
	$(CORPUSFORGE) report

schemas: $(READY)  ## the published contract, from the code
	$(CORPUSFORGE) schemas schemas

docs: $(READY)  ## the pages about sources, from the code
	$(CORPUSFORGE) sources --write docs/sources

bench: shards  ## measured ratios against named peers
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	for script in benchmarks/bench_*.py $(addprefix benchmarks/,$(addsuffix .py,dedup train_tokenizer encode shards \
		reader train)); do $(BIN)/python $$script || exit 1; done

notebook: train  ## the tour of a corpus, what it leaves out, its duplicates, its tokenizer, its model, with plots, as work/*.ipynb
	for name in 01_tour 02_rejects 03_duplicates 04_tokenizer 05_training; do PIPELINE=$(abspath $(PIPELINE)) $(BIN)/jupyter execute \
		--output=$(abspath work)/$$name.ipynb notebooks/$$name.ipynb || exit 1; done

slurm: $(READY)  ## a real two-node SLURM on this machine, and the demo as a job on it
	VENV=$(abspath $(VENV)) pipelines/slurm/run-demo.sh $(PIPELINE)

demo-allocation: $(READY)  ## the same job script's body without SLURM
	VENV=$(abspath $(VENV)) pipelines/slurm/allocation.sh $(PIPELINE)

install: $(READY)  ## the virtual environment and the packages

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@# Megatron's own reader checks the shards in the tests. Its dependencies are not needed for that.
	-$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps megatron-core
	touch $@
