"""Learners whose hypothesis is linear in the features."""
