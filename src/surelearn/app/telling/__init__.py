"""Telling: the content of a report, its figures and its wording."""
