"""A small table and a run on it, shared by the tests of certifying."""

import numpy as np
import pytest

from surelearn.app.certify import certify_table
from surelearn.app.choosing import nested
from surelearn.app.tables.read import read_table_file
from surelearn.evaluate.ledger import forget

FAST = ("LogisticRegression", "MixedNaiveBayes")


def write_pets(path, n=240, seed=0):
    """Write a table of words, numbers and missing cells in which some labels are wrong.

    The length tells nothing, but no two rows have the same one: none is a copy of another.
    """
    rng = np.random.default_rng(seed)
    weight = rng.normal(4.0, 1.5, size=n).round(2)
    colour = rng.choice(["red", "black", "white"], size=n)
    cat = weight + (colour == "black") + rng.normal(0.0, 0.5, size=n) > 4.5
    length = rng.permutation(2 * n)[:n] / 8 + 20.0
    lines = ["owner,visit,weight,colour,length,kind"]
    for i in range(n):
        shown = "" if i % 17 == 0 else weight[i]
        kind = "cat" if cat[i] else "dog"
        lines.append(f"owner{i // 3},{i},{shown},{colour[i]},{length[i]},{kind}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def three_folds(monkeypatch):
    """Let learners be compared in three folds, the fewest: six fits show what fifteen do."""
    monkeypatch.setattr(nested.cross_validation_arguments, "__kwdefaults__", {"folds": 3})


@pytest.fixture(scope="session")
def pets(tmp_path_factory):
    """The path of the table."""
    return write_pets(tmp_path_factory.mktemp("pets") / "pets.csv")


@pytest.fixture(scope="session")
def pets_run(pets):
    """The table as a file, and a certified run on it."""
    forget()  # made once, whichever test asks first: what ran before it is not remembered
    file = read_table_file(pets)
    run = certify_table(
        file, target="kind", seed=1, learners=FAST, drop=("owner", "visit"), holdout=0.25
    )
    return file, run
