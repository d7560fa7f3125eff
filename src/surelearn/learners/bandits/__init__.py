"""Learners that see only the loss of the arm they play."""
