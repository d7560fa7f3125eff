"""A table in disguise is the same table, and another table of the same kind is not."""

import numpy as np
import pyarrow as pa
import pytest

from surelearn.app.certify import certify_table
from surelearn.app.ledger import PROCESS, UserLedger
from surelearn.app.problem.copies import identify_unnamed
from surelearn.app.tables.read import TableFile

N = 200


def drawn(seed, kind="numbers"):
    rng = np.random.default_rng(seed)
    if kind == "flags":
        X = {f"f{j}": rng.integers(0, 2, N) for j in range(5)}
    elif kind == "words":
        X = {f"w{j}": rng.choice(["low", "mid", "high"], N) for j in range(4)}
    else:
        words, counts = rng.choice(["a", "b"], N), rng.integers(9, size=N)
        X = {"size": rng.normal(size=N), "word": words, "n": counts}
    return pa.table({**X, "y": rng.choice(["no", "yes"], N, p=[0.3, 0.7])})


def numbered(table):
    return table.add_column(0, "id", pa.array(range(1, N + 1)))


DISGUISES = {
    "renamed": lambda t: t.rename_columns([*(f"col {i}" for i in range(t.num_columns - 1)), "y"]),
    "target renamed": lambda t: t.rename_columns([*t.column_names[:-1], "outcome"]),
    "turned round": lambda t: t.rename_columns([f"{i}" for i in range(t.num_columns)]).select(
        [f"{i}" for i in range(t.num_columns)][::-1]
    ),
    "a constant": lambda t: t.append_column("one", [["same"] * N]),
    "an empty column": lambda t: t.append_column("none", pa.nulls(N, pa.float64())),
    "numbered": numbered,
    "all of it": lambda t: numbered(t).append_column("c", [[1.5] * N]).rename_columns(
        [f"c{i}" for i in range(t.num_columns + 2)]
    ),
}  # fmt: skip


def certified(table, ledger, target="y", seed=0):
    learners = ["MixedNaiveBayes"]
    run = certify_table(
        TableFile.of_table(table), target=target, learners=learners, seed=seed, ledger=ledger,
        holdout=0.5,
    )  # fmt: skip
    return run.certificate.status


def target_of(disguise, n_columns):
    place = n_columns - 1
    known = {"target renamed": "outcome", "turned round": f"{place}", "all of it": f"c{place + 1}"}
    return known.get(disguise, "y")


KINDS = ["numbers", "flags", "words"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_table_in_disguise_is_recognised(disguise, kind):
    table = drawn(0, kind)
    target = target_of(disguise, table.num_columns)
    found = identify_unnamed(table, "y"), identify_unnamed(DISGUISES[disguise](table), target)
    assert found[0].is_mostly(found[1])


@pytest.mark.parametrize("kind", KINDS)
def test_other_tables_of_the_same_kind_are_not(kind):
    found = [identify_unnamed(numbered(drawn(seed, kind)), "y") for seed in range(40)]
    assert not any(a.is_mostly(b) for i, a in enumerate(found) for b in found[:i])


def test_a_column_that_any_table_may_have_tells_nothing():
    days = pa.array(np.arange(N) * 3)
    table = pa.table({"id": pa.array(range(N)), "day": days, "y": pa.array([0] * N)})
    assert identify_unnamed(table, "y") is None


@pytest.mark.parametrize("kept", ["process", "file"])
def test_a_table_in_disguise_is_asked_again(kept, tmp_path, monkeypatch):
    monkeypatch.setenv("SURELEARN_STATE", str(tmp_path / "state"))
    ledger = PROCESS if kept == "process" else UserLedger(tmp_path / "out")
    table = drawn(100 + len(kept))
    assert certified(table, ledger) != "void"
    assert certified(drawn(200 + len(kept)), ledger) != "void"
    disguised = DISGUISES["all of it"](table)
    assert certified(disguised, ledger, target_of("all of it", table.num_columns), seed=1) == "void"
