"""Formulas by elimination, Valiant (1984), written out: sets of literals, terms and clauses."""

import itertools


def literals(n, *, negations=True):
    """Return each literal as a variable and the bit it asks for."""
    return [(j, bit) for bit in ((1, 0) if negations else (1,)) for j in range(n)]


def terms(n, k):
    """Return all sets of k literals of k variables."""
    return [
        tuple(zip(variables, bits, strict=True))
        for variables in itertools.combinations(range(n), k)
        for bits in itertools.product([0, 1], repeat=k)
    ]


def holds(row, term):
    """Whether every literal of a term is true in a row."""
    return all(row[j] == bit for j, bit in term)


def learn_disjunction(X, labels, parts):
    """Predict 1 iff a part left is true; cross out what is true in a row wrongly called 1."""
    left, predictions = list(parts), []
    for row, label in zip(X, labels, strict=True):
        predictions.append(int(any(holds(row, part) for part in left)))
        if predictions[-1] == 1 and label == 0:
            left = [part for part in left if not holds(row, part)]
    return predictions, left


def allows(row, clause):
    """Whether a literal of a clause is true in a row."""
    return any(row[j] == bit for j, bit in clause)


def learn_conjunction(X, labels, clauses):
    """Predict 1 iff every clause left is true; cross out what is false in a row called 0."""
    left, predictions = list(clauses), []
    for row, label in zip(X, labels, strict=True):
        predictions.append(int(all(allows(row, clause) for clause in left)))
        if predictions[-1] == 0 and label == 1:
            left = [clause for clause in left if allows(row, clause)]
    return predictions, left
