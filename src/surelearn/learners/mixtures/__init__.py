"""Densities that are sums of simple ones, found by expectation maximisation."""
