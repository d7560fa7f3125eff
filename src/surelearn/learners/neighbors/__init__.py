"""Learners that predict from the nearest training rows."""
