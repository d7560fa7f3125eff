"""Rows held out have a say in what a row is known by: neither coins nor models show it."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import surelearn
from surelearn.app.in_parts import problem
from surelearn.app.in_parts.first_look import look_at_parts
from surelearn.app.in_parts.sides import Sides
from surelearn.app.tables.parted_file import PartedFile
from surelearn.base.fingerprint import fingerprint
from surelearn.evaluate.ledger import forget

N, HOLDOUT = 12, 0.25


def small_table(rng):
    """Return a table in which the last row alone decides whether `b` is worth knowing a row by."""
    b = np.full(N, 1.0)
    b[-1] += rng.integers(0, 2)  # or the column is constant, and no feature
    return pa.table({"a": rng.normal(size=N), "b": b, "y": rng.normal(size=N)})


def judged_by_all(file):
    return problem._sides(file, "y", Sides((), ".", HOLDOUT, 0), {})


def thrown(rng):
    """Return the coins, the number of columns, and the coins of one who looks at the sides."""
    table = small_table(rng)
    sides = judged_by_all(PartedFile.of_table(table))
    held = sides.held_out(sides.hashes(table))
    looked = held
    if held[-1] and len(sides.columns) == 2:  # columns are judged without the rows held out
        fewer = replace(sides, features=sides.features[:1])
        looked = fewer.held_out(fewer.hashes(table))
    return held, len(sides.columns), looked


def test_a_row_that_decides_the_columns_is_held_out_as_often_as_any():
    rng, n = np.random.default_rng(0), 1000
    held, n_columns, looked = map(np.array, zip(*(thrown(rng) for _ in range(n)), strict=True))
    width = 4.0 * np.sqrt(HOLDOUT * (1.0 - HOLDOUT) / (0.45 * n))
    for kind in (1, 2):  # given the columns, too: the coins do not know them
        of_kind = n_columns == kind
        assert of_kind.sum() > 0.45 * n
        assert np.abs(held[of_kind].mean(axis=0) - HOLDOUT).max() < width
    assert HOLDOUT - looked[n_columns == 2, -1].mean() > width  # the control


def write(place, table):
    place.mkdir(exist_ok=True)
    parquet.write_table(table, place / "t.parquet", row_group_size=100)
    return place


@pytest.mark.parametrize("which", ["targets held out", "rows held out", "training targets"])
def test_a_model_is_a_function_of_the_training_rows(which, tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(900, 2)), rng.normal(size=900)
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "y": X @ [1.0, 2.0] + y})
    found = certified(write(tmp_path / "t", table))
    sides = found.run.problem.reader.sides
    held = sides.held_out(sides.hashes(table))
    changed = table["y"].to_numpy().copy()
    changed[held ^ (which == "training targets")] += 5.0
    other = table.set_column(2, "y", pa.array(changed))
    if which == "rows held out":
        new = rng.normal(size=(2, 5000))
        fresh = pa.table({"a": new[0], "b": new[1], "y": np.ones(5000)})
        fresh = fresh.filter(pa.array(sides.held_out(sides.hashes(fresh))))
        places = np.arange(900)
        places[held] = 900 + np.arange(held.sum())
        other = pa.concat_tables([table, fresh]).take(places)
    again = certified(write(tmp_path / "t", other))
    same = fingerprint(again.model) == fingerprint(found.model)
    assert same == (which != "training targets")
    assert again.certificate.bound != found.certificate.bound


def certified(place):
    forget()
    return surelearn.certify(place, target="y", learners=["RidgeRegression"])


def test_targets_have_no_say_in_what_a_row_is_known_by(tmp_path):
    table = small_table(np.random.default_rng(3))
    place = write(tmp_path / "t", table)
    asked = {"target": "y", "seed": 0, "holdout": HOLDOUT}
    first = judged_by_all(look_at_parts(place, **asked))
    turned = table.set_column(2, "y", pa.array(np.arange(N, dtype=float)))
    assert judged_by_all(look_at_parts(write(place, turned), **asked)) == first
