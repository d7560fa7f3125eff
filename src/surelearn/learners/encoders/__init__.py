"""Encoders: tables of any columns become matrices of numbers."""
