"""Data to try theorems and learners on: worlds with known truth, adversaries, real tables."""
