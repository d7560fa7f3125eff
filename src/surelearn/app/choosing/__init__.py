"""Choosing a model: candidates, nested validation, structural risk, training."""
