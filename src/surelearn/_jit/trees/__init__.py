"""Compiled parts of the trees."""
