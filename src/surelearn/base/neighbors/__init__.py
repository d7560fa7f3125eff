"""Nearest neighbours: spaces, exact search, votes and what their learners share."""
