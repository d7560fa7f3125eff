"""A tree in words: text, rules, formulas, paths."""
