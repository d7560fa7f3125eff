"""Audits of files of predictions: their columns, their plans, what a ledger knows, their files."""
