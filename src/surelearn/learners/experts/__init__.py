"""Learners of expert advice: a game of rounds, each against the best expert in hindsight."""
