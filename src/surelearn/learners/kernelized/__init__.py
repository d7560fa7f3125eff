"""Learners that see rows only through a kernel."""
