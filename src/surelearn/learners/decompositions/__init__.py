"""Learners that write a table as a product of smaller ones."""
