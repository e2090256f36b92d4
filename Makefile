# The thin front: every job of the project by one short name. What is behind each is a program in tools/,
# which says what it does. `make help` lists the jobs.

SHELL := /bin/bash
JOBS ?= $(shell nproc)
PYTHON := .venv/bin/python
export JOBS

.DEFAULT_GOAL := help
.PHONY: help setup build demo quick unit test test-all site bench lint format asan debug python wheel try-wheel install clean distclean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  JOBS=N         how many processes a build or a test run may use (here $(JOBS))"

setup: ## install what is missing: system packages, .venv (every other job does this first)
	@tools/setup

build: setup ## the program: build/release/isomer
	@tools/build release isomer isomer_library

demo: build ## the main job: make two networks, optimise both, print what came of it
	@tools/demo

quick: setup ## formatting, layers and sizes, nothing compiled: before each commit
	@$(PYTHON) tools/run_tests --only quick

unit: setup ## the unit tests of the release build alone, the quickest check of a change
	@$(PYTHON) tools/run_tests --only unit

test: setup ## everything a change must pass: lint, unit tests (also sanitized), golden files, models, fuzz corpora
	@tools/setup --tests --llvm --site
	@$(PYTHON) tools/run_tests

test-all: setup ## the same and what takes longer: paper-size models, fuzz mutations, all conformance
	@tools/setup --tests --models --bench --llvm --aarch64 --site
	@$(PYTHON) tools/run_tests --all

site: build ## the documentation site: build/site/html
	@tools/setup --site
	@$(PYTHON) tools/site

bench: build ## the benchmarks on the small networks (bench/README.md)
	@$(PYTHON) bench/run.py

lint: setup ## formatting, layers, sizes, clang-tidy on what changed
	@$(PYTHON) tools/run_tests --only lint

format: setup ## format the C++ files in place
	@tools/check_format --fix

asan: setup ## the unit tests with address and undefined-behaviour sanitizers
	@$(PYTHON) tools/run_tests --only sanitizer

debug: setup ## a build with assertions: build/debug/isomer
	@tools/build debug

python: setup ## the Python package, into .venv
	@$(PYTHON) -m pip install --quiet --no-build-isolation --no-deps .

wheel: setup ## dist/isomer_opt-*.whl, which needs no system package
	@tools/setup --wheel --llvm
	@tools/build release isomer _isomer
	@rm -f dist/isomer_opt-*.whl
	@$(PYTHON) tools/wheel

try-wheel: wheel ## the wheel in empty environments: the command, the package, beside other packages
	@$(PYTHON) tools/try_wheel dist/isomer_opt-*.whl

PREFIX ?= /usr/local
install: build ## install program, workers, rules, library and header under PREFIX
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove the build folders
	rm -rf build dist

distclean: clean ## remove the Python environment as well
	rm -rf .venv
