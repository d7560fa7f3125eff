"""Warnings about columns: those that are deserved, and those that are not."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from surelearn.app.problem.leakage import hints
from surelearn.app.problem.odd_columns import given_away, identifiers, questions, sums, zeros
from surelearn.app.problem.problem import understand
from surelearn.app.tables.read import TableFile

RNG = np.random.default_rng(0)


def column(values):
    return pa.chunked_array([pa.array(values)])


def test_hospital_numbers_are_identifiers_and_counts_are_not():
    numbers = RNG.integers(500_000, 540_000, 300).astype(float)
    assert "looks like an identifier" in next(identifiers(column(numbers), "hospital_number"))
    assert "--group ID" in next(identifiers(column(numbers // 9), "ID"))
    assert list(identifiers(column(numbers), "weight")) == []
    assert list(identifiers(column(np.arange(300) % 9.0), "ward_no")) == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("wage-increase-first-year", RNG.uniform(2.0, 7.0, 200)),
        ("time", RNG.integers(4, 285, 200)),  # a duration
        ("contract_year", np.arange(200) % 12),
        ("month", np.arange(200) % 12),
    ],
)
def test_wages_and_durations_are_no_times(name, values):
    assert list(hints(pa.table({name: values}), {})) == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("year", 1990 + np.arange(200) % 20),
        ("time", np.sort(RNG.uniform(0, 1e5, 200))),
        ("timestamp", 1_600_000_000 + RNG.integers(0, 10**7, 200)),
        ("day", [f"{1 + i % 28}.3.2020" for i in range(200)]),
    ],
)
def test_years_clocks_and_dates_are_times(name, values):
    table = pa.table({name: values})
    if pa.types.is_string(table.column(0).type):
        table = pa.table({name: table.column(0).dictionary_encode()})
    (hint,) = hints(table, {})
    assert "looks like a time" in hint


def test_a_group_is_known_by_codes_or_by_what_has_several_rows_not_by_a_place():
    names = [f"{a}{b}" for a in "abcdefgh" for b in "klmno"]
    for title, cells, found in (
        ("school", [f"S{i % 40:02d}" for i in range(400)], True),
        ("school", [names[i % 40] for i in range(400)], False),
        ("purpose", [f"A4{i % 11}" for i in range(400)], False),
        ("customer", [names[i % 40] for i in range(400)], True),
    ):
        table = pa.table({title: pa.chunked_array([cells]).dictionary_encode()})
        assert bool(list(hints(table, {}))) is found, title


def test_gaps_that_tell_a_rare_class_nearly_always_are_told():
    y = np.arange(2000) % 40 == 0
    left = column([None if died != (i % 63 == 0) else 1.0 for i, died in enumerate(y)])
    (sentence,) = given_away(left, "discharge_date", y, y.astype(int))
    assert (
        "is missing in 98% of the training rows whose target is True, and in 1.59% of" in sentence
    )


def test_columns_that_give_the_target_away_in_part():
    y = RNG.random(600) < 0.4
    late = column([7.0 if died and i % 3 == 0 else None for i, died in enumerate(y)])
    (sentence,) = given_away(late, "body", y, y.astype(int))
    assert "in all of them the target is True" in sentence
    almost = column(["left" if died != (i % 60 == 0) else "stays" for i, died in enumerate(y)])
    (sentence,) = given_away(almost, "status", y, y.astype(int))
    assert "tells the target nearly alone: its value suffices in 98.3%" in sentence
    gaps = column([None if RNG.random() < 0.3 else 1.0 for _ in y])
    assert list(given_away(gaps, "age", y, y.astype(int))) == []


def test_a_common_class_gives_nothing_away_by_chance():
    y = np.arange(600) % 100 == 0
    few = column([1.0 if i % 29 == 1 and not rare else None for i, rare in enumerate(y)])
    assert list(given_away(few, "note", y, y.astype(int))) == []


def test_parts_of_a_sum_are_told():
    a, b, c = RNG.gamma(2.0, 1.0, (3, 300))
    X = pa.table({"casual": a, "members": b, "wind": c})
    (sentence,) = sums(X, a + 2.0 * b)
    assert sentence.startswith("columns 'casual' and 'members' together give the target exactly")
    assert list(sums(X, a + 2.0 * b + 0.01 * RNG.normal(size=300))) == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-200, 1e160, 1e307])
def test_targets_of_any_size_are_compared_with_sums(size):
    a, b, c = RNG.random((3, 300)) * size
    X = pa.table({"casual": a, "members": b})
    assert len(list(sums(X, a + 2.0 * b))) == 1
    assert list(sums(X, c)) == []


def test_counts_and_money_that_may_be_zero_are_not_asked_about():
    assert list(zeros(column(RNG.poisson(3.0, 300).astype(float)), "pregnancies")) == []
    gains = np.where(RNG.random(300) < 0.9, 0.0, RNG.lognormal(8.0, 1.0, 300).round())
    assert list(zeros(column(gains), "capital_gain")) == []
    assert list(zeros(column(RNG.normal(50.0, 5.0, 300)), "score")) == []


def test_no_warning_is_about_no_rows():
    """Rows may be copies as all rows read them, and all differ as the training rows do."""
    n_seen = 0
    for place in range(6):
        cells = [f"{i}.5" for i in range(60)]
        cells[place] = "unknown"  # all rows: too many words; training rows: numbers
        table = {
            "c": pa.array(cells).dictionary_encode(),
            "x": [float(i % 20) for i in range(60)],
            "y": ["a", "b"] * 30,
        }
        file = replace(TableFile.of_table(pa.table(table)), typed=False)
        problem = understand(file, target="y")
        n_seen += problem.split.kind == "distinct" and problem.copies.n_distinct == 60
        assert not any(w.startswith("0 of") for w in problem.warnings)
    assert n_seen


def test_the_same_question_about_zeros_is_asked_once():
    cells = [0.0, 0.0, *range(44, 80)]
    X = pa.table({"glucose": cells, "pressure": cells[::-1], "y": np.arange(38.0)})
    (sentence,) = [s for s in questions(X, np.arange(38) % 2, np.arange(38) % 2) if "zeros" in s]
    assert sentence.startswith("columns 'glucose' and 'pressure' are 0 in some rows")
    assert sentence.endswith("--zeros glucose --zeros pressure")
