PYTHON ?= python3
.PHONY: demo test
