"""Learners of concepts: Boolean formulas, boxes, half-spaces, explicit classes of rules."""
