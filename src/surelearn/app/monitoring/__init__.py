"""Streams of outcomes: read block by block, each row told as a loss."""
